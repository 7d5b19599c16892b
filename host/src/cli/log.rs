//! Where and how the host logs.

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::console::{Console, REPORT};

/// Flags of the log, which goes to standard error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Log")]
pub struct Log {
    /// How log lines are written
    #[arg(long = "log-format", global = true, value_enum, default_value_t = LogFormat::Text, env = "STREAMLET_LOG_FORMAT")]
    pub format: LogFormat,
    /// What is logged: a level, or targets with levels, such as `warn,guest=info`
    #[arg(long = "log", global = true, value_name = "FILTER", default_value = "info", env = "STREAMLET_LOG")]
    filter: String,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, reports included.
    Json,
}

impl Log {
    /// Starts logging to `console`.
    ///
    /// # Errors
    /// A filter that is none.
    pub fn init(&self, console: &Console) -> anyhow::Result<()> {
        let (filter, problem) = match EnvFilter::try_new(&self.filter) {
            Ok(filter) => (filter, None),
            // Whoever reads the log as JSON has to read this error as JSON too, so there is a log all the same.
            Err(problem) => (EnvFilter::default(), Some(problem)),
        };
        let filter = filter.add_directive(format!("{REPORT}=info").parse()?);
        let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(console.clone());
        match self.format {
            LogFormat::Text => subscriber.with_ansi(console.is_terminal()).init(),
            LogFormat::Json => {
                subscriber.json().flatten_event(true).init();
                console.speak_json();
            }
        }
        match problem {
            None => Ok(()),
            Some(problem) => Err(problem)
                .with_context(|| format!("cannot read the log filter \"{}\" of --log or STREAMLET_LOG", self.filter)),
        }
    }
}
