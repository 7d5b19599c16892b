//! Tells a run in file mode to its user.

use super::super::log::LogFormat;
use crate::console::Console;
use crate::sidecar::files::{FailedBatch, InputError, Observer, Tally};
use crate::telemetry;

/// Columns of the progress line: it must stay on one line of any terminal.
const PROGRESS_COLUMNS: usize = 79;

/// Tells a run to its user: on lines for people, or as log events for programs.
pub(super) struct Reporter {
    pub(super) console: Console,
    pub(super) log_format: LogFormat,
    pub(super) shows_progress: bool,
    /// What becomes of a poison record.
    pub(super) fate: String,
}

impl Observer for Reporter {
    fn set_aside(&self, record: &FailedBatch) {
        match self.log_format {
            LogFormat::Json => telemetry::record_set_aside(record),
            LogFormat::Text => {
                let text = format!("{}: {}\n  at {}", self.fate, record.failure.headline(), record.read);
                self.console.note(&text);
            }
        }
    }

    fn failed(&self, batch: &FailedBatch) {
        match self.log_format {
            LogFormat::Json => telemetry::batch_failed(batch),
            LogFormat::Text => {
                let mut text = format!("{}\n  at {}", batch.failure.headline(), batch.read);
                for line in batch.failure.detail.lines() {
                    text.push_str("\n  ");
                    text.push_str(line);
                }
                self.console.error(&text);
            }
        }
    }

    fn input_failed(&self, error: &InputError) {
        let chain = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        self.console.error(&chain.map(ToString::to_string).collect::<Vec<_>>().join(": "));
    }

    fn progress(&self, tally: &Tally) {
        if self.shows_progress {
            self.console.progress(&tally.to_string().chars().take(PROGRESS_COLUMNS).collect::<String>());
        }
    }
}

impl Reporter {
    pub(super) fn summary(&self, summary: &Tally) {
        match self.log_format {
            LogFormat::Json => telemetry::run_ended(summary),
            LogFormat::Text => self.console.line(&summary.to_string()),
        }
    }
}
