//! What the system says this process has used.

use std::fs;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time of all threads.
pub(super) fn process_time() -> Duration {
    time(ClockId::ProcessCPUTime)
}

/// Processor time of this thread.
pub(super) fn thread_time() -> Duration {
    time(ClockId::ThreadCPUTime)
}

/// The most memory that was resident at once, in bytes; none where the system does not say.
pub(super) fn peak_resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

fn time(clock: ClockId) -> Duration {
    clock_gettime(clock).try_into().unwrap_or_default()
}
