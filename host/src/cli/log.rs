//! Where and how the host logs.

use clap::{Args, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

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
        let (filter, problem) = match self.parse() {
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
            Some(problem) => {
                anyhow::bail!("cannot read the log filter \"{}\" of --log or STREAMLET_LOG: {problem}", self.filter)
            }
        }
    }

    /// A word that is no level would be a target whose every event is logged, and nobody else's.
    fn parse(&self) -> Result<EnvFilter, String> {
        let is_level = |word: &str| !word.is_empty() && word.parse::<LevelFilter>().is_ok();
        match self.filter.split(',').map(str::trim).find(|part| !part.contains(['=', '[']) && !is_level(part)) {
            Some(part) => Err(format!(
                "\"{part}\" is neither a level (off, error, warn, info, debug, trace) nor TARGET=LEVEL, such as guest=warn"
            )),
            None => EnvFilter::try_new(&self.filter).map_err(|problem| problem.to_string()),
        }
    }
}
