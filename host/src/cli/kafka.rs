//! `streamlet kafka`: what concerns Kafka without running anything on it.

mod print;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::builder::FalseyValueParser;
use clap::{Args, Subcommand};

use super::Exit;
use super::config_files::ConfigFiles;
use crate::console::Console;
use crate::sidecar::kafka::Settings;
use crate::sidecar::kafka::check::check;

/// Looks at the Kafka that a run would meet
#[derive(Debug, Args)]
pub(super) struct Kafka {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Check),
}

/// Checks brokers, login, topics and groups of every port, and says in one line each what is wrong
///
/// For each port of a configuration: whether its brokers can be resolved, reached and trusted, which versions of requests
/// and which SASL mechanisms they take, whether they let the client in, the topic's partitions, and the group's state and
/// lag. Nothing is written or created, and no group is joined. Exit codes: 0 all is well; 1 something is wrong; 2 the
/// configuration cannot be read.
#[derive(Debug, Args)]
struct Check {
    /// The directory with streamlet.conf and descriptor.json, as for `run`
    #[arg(long, value_name = "DIR", env = "FLOW_CONFIG_DIR")]
    config_dir: PathBuf,
    /// Print one JSON document
    #[arg(long, env = "STREAMLET_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
}

impl Kafka {
    pub(super) async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Check(check) => check.call(console).await,
        }
    }
}

impl Check {
    async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        let files = ConfigFiles::read(&self.config_dir)?;
        let Some(descriptor) = files.deployed(console) else { return Ok(Exit::Broke) };
        let settings = match Settings::from_conf(&files.conf, &descriptor, &|name| std::env::var(name).ok()) {
            Ok(settings) => settings,
            Err(problems) => {
                for problem in &problems {
                    console.error(&problem.to_string());
                }
                return Ok(Exit::Broke);
            }
        };
        for warning in &settings.warnings {
            tracing::warn!(target: "streamlet", "{warning}");
        }
        let report = check(&settings).await;
        if self.json {
            let document = serde_json::to_string_pretty(&report).context("cannot write the report as JSON")?;
            print::to_stdout(&(document + "\n"))?;
        } else {
            print::to_stdout(&print::lines(&report))?;
        }
        Ok(if report.is_ok() { Exit::Yes } else { Exit::No })
    }
}
