//! What came of a measurement, and how rounds become one figure.

use std::time::Duration;

use serde::Serialize;

/// One round through one door.
#[derive(Debug, Default, Clone)]
pub(super) struct Round {
    pub(super) records: usize,
    pub(super) value_bytes: usize,
    pub(super) emits: usize,
    pub(super) elapsed: Duration,
    /// Processor time, without the client's.
    pub(super) processor: Duration,
    /// How long each batch took.
    pub(super) batches: Vec<Duration>,
    /// Nanoseconds a record, in process.
    pub(super) stages: Option<Stages>,
}

/// Where the time of a record goes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Stages {
    /// Reading the message.
    pub(super) decode: f64,
    /// The call without what the guest does, and the copies into its memory.
    pub(super) copy_in: f64,
    /// What the guest does, and the copy of what it answers.
    pub(super) guest: f64,
    /// Checking what it answers.
    pub(super) check: f64,
    /// Writing the emits as messages.
    pub(super) encode: f64,
}

/// The medians of a component's rounds through one door.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Figures {
    pub(super) records_per_second: f64,
    /// Of values, in 1,000,000 bytes.
    pub(super) megabytes_per_second: f64,
    pub(super) emits_per_record: f64,
    pub(super) cpu_ns_per_record: f64,
    pub(super) batch_p50_us: f64,
    pub(super) batch_p99_us: f64,
    pub(super) batch_max_us: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ns_per_record: Option<Stages>,
}

/// Another's figures over those of the first: 1 is the same, and each is better where the name says so.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Ratios {
    /// More is better.
    pub(super) records_per_second: f64,
    /// Less is better.
    pub(super) cpu_ns_per_record: f64,
    /// Less is better.
    pub(super) batch_p50_us: f64,
}

impl Figures {
    pub(super) fn of(rounds: &[Round]) -> Self {
        let each = |figure: fn(&Round) -> f64| median(rounds.iter().map(figure).collect());
        let mut batches = rounds.iter().flat_map(|round| round.batches.iter().copied()).collect::<Vec<_>>();
        batches.sort_unstable();
        let at = |share: f64| micros(quantile(&batches, share));
        let stages = rounds.iter().filter_map(|round| round.stages).collect::<Vec<_>>();
        Self {
            records_per_second: each(Round::rate),
            megabytes_per_second: each(|round| {
                round.rate() * as_f64(round.value_bytes) / as_f64(round.records.max(1)) / 1e6
            }),
            emits_per_record: each(|round| as_f64(round.emits) / as_f64(round.records.max(1))),
            cpu_ns_per_record: each(Round::processor_nanos),
            batch_p50_us: at(0.5),
            batch_p99_us: at(0.99),
            batch_max_us: at(1.0),
            ns_per_record: (!stages.is_empty()).then(|| Stages::median(&stages)),
        }
    }
}

impl Ratios {
    /// Medians of the ratios of rounds that took turns.
    pub(super) fn of(first: &[Round], other: &[Round]) -> Self {
        let each = |figure: &dyn Fn(&Round) -> f64| {
            median(first.iter().zip(other).map(|(first, other)| figure(other) / figure(first)).collect())
        };
        Self {
            records_per_second: each(&Round::rate),
            cpu_ns_per_record: each(&Round::processor_nanos),
            batch_p50_us: each(&|round| {
                let mut batches = round.batches.clone();
                batches.sort_unstable();
                micros(quantile(&batches, 0.5))
            }),
        }
    }
}

impl Round {
    fn rate(&self) -> f64 {
        as_f64(self.records) / self.elapsed.as_secs_f64()
    }

    fn processor_nanos(&self) -> f64 {
        self.processor.as_secs_f64() * 1e9 / as_f64(self.records.max(1))
    }
}

impl Stages {
    fn median(stages: &[Self]) -> Self {
        let each = |part: fn(&Self) -> f64| median(stages.iter().map(part).collect());
        Self {
            decode: each(|stages| stages.decode),
            copy_in: each(|stages| stages.copy_in),
            guest: each(|stages| stages.guest),
            check: each(|stages| stages.check),
            encode: each(|stages| stages.encode),
        }
    }
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The value that this share of the sorted ones does not exceed.
fn quantile(sorted: &[Duration], share: f64) -> Duration {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let index = (as_f64(sorted.len().saturating_sub(1)) * share).round() as usize;
    sorted.get(index).copied().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

#[expect(clippy::cast_precision_loss, reason = "a count for people")]
pub(super) fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(records: usize, millis: u64, processor: u64) -> Round {
        Round {
            records,
            value_bytes: records * 1000,
            emits: records * 2,
            elapsed: Duration::from_millis(millis),
            processor: Duration::from_millis(processor),
            batches: (1..=100).map(Duration::from_micros).collect(),
            stages: None,
        }
    }

    #[test]
    fn figures_are_medians_of_rounds() {
        let figures = Figures::of(&[round(1000, 10, 1), round(1000, 20, 2), round(1000, 1000, 3)]);
        let expect = Figures {
            records_per_second: 50_000.0,
            megabytes_per_second: 50.0,
            emits_per_record: 2.0,
            cpu_ns_per_record: 2000.0,
            batch_p50_us: 51.0,
            batch_p99_us: 99.0,
            batch_max_us: 100.0,
            ns_per_record: None,
        };
        assert_eq!(figures, expect);
    }

    #[test]
    fn ratios_are_of_rounds_that_took_turns() {
        let first = [round(1000, 10, 1), round(1000, 100, 10)];
        let other = [round(1000, 20, 1), round(1000, 200, 10)];
        let ratios = Ratios::of(&first, &other);
        assert_eq!((ratios.records_per_second, ratios.cpu_ns_per_record), (0.5, 1.0));
    }
}
