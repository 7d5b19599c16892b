//! The flags of what a failed batch means.

use std::str::FromStr;

use clap::Args;
use streamlet_protocol::Descriptor;
use streamlet_protocol::names::nearest;

use crate::lane::{OnFailure, Policy};

/// Flags of the failure policy.
#[derive(Debug, Args)]
#[command(next_help_heading = "Failures")]
pub(super) struct PolicyFlags {
    /// What becomes of a batch that fails: `fail`; `skip` the records that fail by themselves and emit the others; or
    /// send such records to an outlet, `dead-letter=OUTLET`
    #[arg(long, value_name = "POLICY", default_value = "fail", env = "STREAMLET_ON_FAILURE")]
    on_failure: Named,
    /// Records of one batch that may be skipped or sent to the dead-letter outlet; with more, the batch fails after all
    #[arg(long, value_name = "N", default_value_t = Policy::default().set_aside_max, env = "STREAMLET_SKIP_MAX")]
    skip_max: usize,
}

/// A policy that names its outlet.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    Fail,
    Skip,
    DeadLetter(String),
}

impl FromStr for Named {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            None if text == "fail" => Ok(Self::Fail),
            None if text == "skip" => Ok(Self::Skip),
            Some(("dead-letter", outlet)) if !outlet.is_empty() => Ok(Self::DeadLetter(outlet.to_owned())),
            _ => Err("a policy is `fail`, `skip` or `dead-letter=OUTLET`"),
        }
    }
}

impl PolicyFlags {
    /// What becomes of a record that fails by itself, in words.
    pub(super) fn fate(&self) -> String {
        match &self.on_failure {
            Named::Fail | Named::Skip => "skipped".into(),
            Named::DeadLetter(outlet) => format!("sent to outlet \"{outlet}\""),
        }
    }

    /// The policy for a streamlet.
    ///
    /// # Errors
    /// It has no such outlet.
    pub(super) fn resolve(&self, descriptor: &Descriptor) -> anyhow::Result<Policy> {
        let on_failure = match &self.on_failure {
            Named::Fail => OnFailure::Fail,
            Named::Skip => OnFailure::Skip,
            Named::DeadLetter(name) => {
                let names = descriptor.outlets.iter().map(|outlet| outlet.name.as_str()).collect::<Vec<_>>();
                match (0u32..).zip(&names).find(|(_, outlet)| *outlet == name) {
                    Some((index, _)) => OnFailure::DeadLetter(index),
                    None => {
                        let hint = nearest(name, names.iter().copied())
                            .map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
                        anyhow::bail!(
                            "--on-failure: the streamlet declares no outlet \"{name}\", only {}{hint}",
                            names.join(", ")
                        );
                    }
                }
            }
        };
        Ok(Policy { on_failure, set_aside_max: self.skip_max })
    }
}
