//! Who may be how far behind: bounds what waits for lanes without holding others up.
//!
//! While every partition has something to do the thread does not poll, and the consumer's own bounded queue fills up:
//! nothing is thrown away. A partition that is much further behind than others is paused, which throws away what was
//! fetched of it ahead, and resumed once it has little left.

use std::time::{Duration, Instant};

use rdkafka::TopicPartitionList;
use rdkafka::consumer::Consumer as _;

use super::Consumer;
use super::context::{Assigned, Context};

/// Bytes that may wait in all partitions of an inlet together, before one of them is paused.
const WAITING_BYTES_MAX: usize = 64 << 20;
/// Bytes that may wait in one partition before it is paused, at least and at most.
const PARTITION_BYTES: (usize, usize) = (256 << 10, 8 << 20);
/// Records, likewise: tiny ones weigh more than their bytes.
const PARTITION_RECORDS_MAX: usize = 50_000;
/// For so long nobody polls while every partition has something to do; then those are paused, since a consumer that does
/// not poll loses its partitions.
const SATED_MAX: Duration = Duration::from_secs(1);

/// One consumer's flow.
#[derive(Debug, Default)]
pub(super) struct Flow {
    sated_since: Option<Instant>,
    has_paused: bool,
}

/// How far behind a partition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Low,
    Enough,
    Full,
}

impl Flow {
    /// Whether there is no need for more: every partition has enough waiting.
    pub(super) fn is_sated(&mut self, context: &Context) -> bool {
        let partitions = context.partitions();
        let count = partitions.len();
        let sated = count > 0
            && partitions.values().all(|assigned| assigned.is_paused || level(assigned, count) != Level::Low)
            && partitions.values().any(|assigned| !assigned.is_paused);
        if !sated {
            self.sated_since = None;
            return false;
        }
        self.sated_since.get_or_insert_with(Instant::now).elapsed() < SATED_MAX
    }

    /// Whether a partition is paused.
    pub(super) fn has_paused(&self) -> bool {
        self.has_paused
    }

    /// Pauses who is too far behind, resumes who is not.
    pub(super) fn regulate(&mut self, consumer: &Consumer) {
        let context = consumer.context();
        let is_stuck = self.sated_since.is_some_and(|since| since.elapsed() >= SATED_MAX);
        let (mut pause, mut resume) = (Vec::new(), Vec::new());
        {
            let mut partitions = context.partitions();
            let count = partitions.len();
            self.has_paused = false;
            for (number, assigned) in partitions.iter_mut() {
                let is_behind = match level(assigned, count) {
                    Level::Full => true,
                    Level::Enough => assigned.is_paused || is_stuck,
                    Level::Low => false,
                };
                let is_paused = assigned.partition.behind(is_behind);
                self.has_paused |= is_paused;
                if is_paused != assigned.is_paused {
                    assigned.is_paused = is_paused;
                    if is_paused { pause.push(*number) } else { resume.push(*number) }
                }
            }
        }
        let list = |numbers: &[i32]| {
            let mut list = TopicPartitionList::with_capacity(numbers.len());
            for number in numbers {
                list.add_partition(context.topic(), *number);
            }
            list
        };
        // Either fails only for partitions that are no longer assigned.
        if !pause.is_empty() {
            let _ = consumer.pause(&list(&pause));
        }
        if !resume.is_empty() {
            let _ = consumer.resume(&list(&resume));
        }
    }
}

fn level(assigned: &Assigned, partitions: usize) -> Level {
    let bytes_max = (WAITING_BYTES_MAX / partitions.max(1)).clamp(PARTITION_BYTES.0, PARTITION_BYTES.1);
    let (bytes, records) = (assigned.partition.waiting_bytes(), assigned.partition.waiting_records());
    if bytes >= bytes_max || records >= PARTITION_RECORDS_MAX {
        Level::Full
    } else if bytes >= bytes_max / 4 || records >= PARTITION_RECORDS_MAX / 4 {
        Level::Enough
    } else {
        Level::Low
    }
}
