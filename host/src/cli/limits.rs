//! The flags of what a guest may use.

use std::num::NonZeroU32;
use std::time::Duration;

use clap::Args;
use streamlet_protocol::units::{self, UnitError};

use crate::guest::Limits;

/// Flags of a guest's limits. Defaults are those of [`Limits`].
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of the guest")]
pub(super) struct LimitFlags {
    /// How long one batch may take, sleeping included
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30 s", env = "STREAMLET_BATCH_DEADLINE")]
    batch_deadline: Duration,
    /// How long starting or describing may take
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10 s", env = "STREAMLET_START_DEADLINE")]
    start_deadline: Duration,
    /// Memory of one instance, summed over its linear memories
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256 MiB", env = "STREAMLET_GUEST_MEMORY")]
    guest_memory: usize,
    /// Table elements of one instance, summed over its tables
    #[arg(long, value_name = "N", default_value_t = 1_000_000, env = "STREAMLET_GUEST_TABLE_ELEMENTS")]
    guest_table_elements: usize,
    /// Output of one batch: keys, headers and values of its emits, with the tables that describe them
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64 MiB", env = "STREAMLET_OUTPUT_BYTES")]
    output_bytes: usize,
    /// Memory above which an instance that has grown is replaced between batches
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "64 MiB", env = "STREAMLET_KEPT_MEMORY")]
    kept_memory: usize,
    /// Lines a second that one partition's guest may log
    #[arg(long, value_name = "N", default_value_t = 100, env = "STREAMLET_LOG_LINES")]
    log_lines: u32,
    /// Instances alive at once; partitions beyond it wait their turn
    #[arg(long, value_name = "N", default_value = "2048", env = "STREAMLET_LIVE_INSTANCES")]
    live_instances: NonZeroU32,
    /// How long an instance may wait for a batch before it is ended
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10 m", env = "STREAMLET_INSTANCE_IDLE")]
    instance_idle: Duration,
}

impl From<&LimitFlags> for Limits {
    fn from(flags: &LimitFlags) -> Self {
        Self {
            batch_deadline: flags.batch_deadline,
            start_deadline: flags.start_deadline,
            memory_bytes_max: flags.guest_memory,
            table_elements_max: flags.guest_table_elements,
            output_bytes_max: flags.output_bytes,
            kept_memory_bytes_max: flags.kept_memory,
            log_lines_per_second: flags.log_lines,
            live_instances_max: flags.live_instances.get() as usize,
            idle_max: flags.instance_idle,
            ..Self::default()
        }
    }
}

/// `30 s`, `500ms`. A bare number would be milliseconds by the platform's rule, and hardly ever meant.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    if text.trim().parse::<f64>().is_ok_and(|number| number != 0.0) {
        return Err(format!("it has no unit; write {0} s or {0} ms", text.trim()));
    }
    units::parse_duration(text).map(Duration::from_nanos).map_err(|error| error.to_string())
}

/// `256 MiB`, `64k`; a bare number is bytes.
pub(super) fn size(text: &str) -> Result<usize, UnitError> {
    units::parse_size(text).map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        limits: LimitFlags,
    }

    #[test]
    fn the_flags_defaults_are_the_limits_defaults() {
        assert_eq!(Limits::from(&Flags::parse_from(["flags"]).limits), Limits::default());
    }
}
