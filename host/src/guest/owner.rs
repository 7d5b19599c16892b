//! Whose lines a guest's log lines are, and how many there may be.
//!
//! A lane's instances share their owner, so that a guest cannot have a fresh allowance by trapping. What is over the
//! rate is counted, and the count is told once there is room for it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::telemetry;

/// Seconds' worth of lines that may come at once.
const BURST_SECONDS: u32 = 10;
/// How often dropped lines are told while more are dropped.
const TELL_INTERVAL: Duration = Duration::from_secs(1);

/// A streamlet's lane, in the log's words.
#[derive(Debug)]
pub struct Owner {
    /// The deployment's name, or the component's before there is a deployment.
    pub streamlet: String,
    /// The inlet's name and the partition; none while the component describes itself.
    pub lane: Option<(String, i32)>,
    lines_per_second: u32,
    allowance: Mutex<Allowance>,
}

#[derive(Debug)]
struct Allowance {
    /// Lines that may be logged now.
    lines: u32,
    /// Up to when the lines were counted.
    since: Instant,
    dropped: u64,
    told: Instant,
}

impl Owner {
    /// An owner with a full allowance.
    pub(super) fn new(streamlet: String, lane: Option<(String, i32)>, lines_per_second: u32) -> Self {
        let now = Instant::now();
        let lines = lines_per_second.saturating_mul(BURST_SECONDS);
        let allowance = Mutex::new(Allowance { lines, since: now, dropped: 0, told: now });
        Self { streamlet, lane, lines_per_second, allowance }
    }

    /// The owner of an instance that only describes itself.
    pub(super) fn describing(lines_per_second: u32) -> Self {
        Self::new("describe".into(), None, lines_per_second)
    }

    /// Logs a line that a guest wrote to `stream`, or counts it as dropped.
    pub(super) fn log(&self, stream: &'static str, line: &str) {
        if self.allowance().admit(self.lines_per_second, Instant::now()) {
            telemetry::guest_line(self, stream, line);
        }
    }

    /// Tells how many lines were dropped, if any were and it was not told a moment ago.
    pub(super) fn tell_dropped(&self) {
        let dropped = self.allowance().untold(Instant::now());
        if dropped > 0 {
            telemetry::guest_lines_dropped(self, dropped, self.lines_per_second);
        }
    }

    /// A poisoned lock would mean a panic in here, and a log is worth going on with.
    fn allowance(&self) -> std::sync::MutexGuard<'_, Allowance> {
        self.allowance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Allowance {
    fn admit(&mut self, lines_per_second: u32, now: Instant) -> bool {
        let earned = now.duration_since(self.since).as_secs_f64() * f64::from(lines_per_second);
        if earned >= 1.0 {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and is positive")]
            let earned = earned as u32;
            self.lines = self.lines.saturating_add(earned).min(lines_per_second.saturating_mul(BURST_SECONDS));
            self.since = now;
        }
        let admitted = self.lines > 0;
        self.lines = self.lines.saturating_sub(1);
        self.dropped += u64::from(!admitted);
        admitted
    }

    fn untold(&mut self, now: Instant) -> u64 {
        if self.dropped == 0 || now.duration_since(self.told) < TELL_INTERVAL {
            return 0;
        }
        self.told = now;
        std::mem::take(&mut self.dropped)
    }
}

/// What was dropped last is told at the latest when its lane ends.
impl Drop for Owner {
    fn drop(&mut self) {
        let dropped = self.allowance().dropped;
        if dropped > 0 {
            telemetry::guest_lines_dropped(self, dropped, self.lines_per_second);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_admitted_at_a_rate_and_in_bursts() {
        let began = Instant::now();
        let mut allowance = Allowance { lines: 100, since: began, dropped: 0, told: began };
        let mut admitted = |after_ms: u64, lines: usize| {
            let now = began + Duration::from_millis(after_ms);
            (0..lines).filter(|_| allowance.admit(10, now)).count()
        };
        assert_eq!(admitted(0, 150), 100, "the burst");
        assert_eq!(admitted(50, 5), 0, "half a line is none");
        assert_eq!(admitted(1_050, 50), 10, "a second's worth");
        assert_eq!(admitted(60_000, 200), 100, "never more than a burst");
        assert_eq!(allowance.dropped, 50 + 5 + 40 + 100);
        assert_eq!(allowance.untold(began), 0, "told a moment ago");
        assert_eq!(allowance.untold(began + TELL_INTERVAL), 195);
        assert_eq!(allowance.untold(began + 2 * TELL_INTERVAL), 0);
    }

    #[test]
    fn no_lines_at_all() {
        let began = Instant::now();
        let mut allowance = Allowance { lines: 0, since: began, dropped: 0, told: began };
        assert!(!allowance.admit(0, began + Duration::from_mins(1)));
    }
}
