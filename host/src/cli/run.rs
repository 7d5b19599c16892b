//! `streamlet run`: a streamlet on files or standard input, or on Kafka.

mod files;
#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "kafka")]
mod progress;
mod reporter;

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::FalseyValueParser;
use streamlet_protocol::Descriptor;
use streamlet_protocol::parameter::{self, ConfigProblem, ParameterValue};

use super::Exit;
use super::grants::GrantFlags;
use super::limits::{LimitFlags, size};
use super::loading::LoadFlags;
use super::log::LogFormat;
use super::open::Opener;
use super::policy::PolicyFlags;
use crate::console::Console;
use crate::guest::Component;
use crate::sidecar::BatchCaps;

/// Runs a streamlet over files or standard input, or on Kafka
///
/// On files each line of an input is a record: its bytes are the value, blank lines are skipped. Each emit is printed as
/// an envelope, one JSON object a line; with --envelope, inputs are envelopes too, so outputs pipe into inputs.
///
/// With --config-dir or --bootstrap it runs on Kafka until it is stopped, as sidecar and process in one.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// Files where other programs take their inputs; refused, with what to write instead
    #[arg(hide = true, value_name = "FILE")]
    misplaced: Vec<PathBuf>,
    #[command(flatten)]
    files: files::FileFlags,
    /// Set a parameter; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Records a batch may hold
    #[arg(long, value_name = "N", default_value = "100", env = "STREAMLET_MAX_RECORDS")]
    max_records: NonZeroU32,
    /// Bytes a batch may hold: keys, headers and values; a larger record is a batch of its own
    #[arg(long, value_name = "SIZE", default_value = "1 MiB", value_parser = size, env = "STREAMLET_MAX_BYTES")]
    max_bytes: usize,
    /// Print no progress and no summary
    #[arg(long, env = "STREAMLET_QUIET", value_parser = FalseyValueParser::new())]
    quiet: bool,
    #[cfg(feature = "kafka")]
    #[command(flatten)]
    kafka: kafka::KafkaFlags,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    grants: GrantFlags,
    #[command(flatten)]
    loading: LoadFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

impl Run {
    pub(super) async fn call(&self, console: &Console, log_format: LogFormat) -> anyhow::Result<Exit> {
        if let Some(path) = self.misplaced.first() {
            let path = path.display();
            anyhow::bail!("unexpected argument \"{path}\"; an input is given with --input, as in --input {path}");
        }
        #[cfg(feature = "kafka")]
        if let Some(source) = self.kafka.source(&self.files)? {
            return self.on_kafka(source, console).await;
        }
        self.on_files(console, log_format).await
    }

    /// Loads COMPONENT, or has reported why it is refused.
    async fn open(&self, console: &Console) -> anyhow::Result<Result<Arc<Component>, Exit>> {
        let opener = Opener {
            console,
            flags: &self.loading,
            limits: (&self.limits).into(),
            grants: self.grants.resolve()?,
            quiet: self.quiet,
        };
        opener.open(&self.component).await
    }

    /// The parameters, resolved; none if there are problems, which have been reported.
    fn config(&self, console: &Console, descriptor: &Descriptor) -> Option<Vec<(String, ParameterValue)>> {
        match parameter::resolve_text(&descriptor.parameters, &self.settings) {
            Ok(resolved) => Some(resolved.values),
            Err(problems) => {
                for problem in &problems {
                    console.error(&setting_problem(problem));
                }
                None
            }
        }
    }

    fn caps(&self) -> BatchCaps {
        BatchCaps { records_max: self.max_records.get() as usize, bytes_max: self.max_bytes }
    }
}

/// A problem of the parameters, in the words of this command line.
pub(super) fn setting_problem(problem: &ConfigProblem) -> String {
    match problem {
        ConfigProblem::Missing { key, .. } => {
            format!("parameter \"{key}\" is required and has no value; give it with --set {key}=VALUE")
        }
        _ => format!("--set: {problem}"),
    }
}

pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("a setting is KEY=VALUE".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_an_equals_sign() {
        assert_eq!(setting("a=b=c"), Ok(("a".into(), "b=c".into())));
        assert!(setting("key").is_err());
    }
}
