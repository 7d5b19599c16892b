//! What a run in file mode tells: counts while it lasts, each failed batch, and the summary.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Emitted;
use super::intake::Origin;
use crate::batch::{Batch, Failure};

/// A failed batch and where its records were read.
#[derive(Debug, Clone)]
pub struct FailedBatch {
    /// Why it failed.
    pub failure: Failure,
    /// The record to blame, or the batch's first and last record.
    pub read: Read,
}

/// Where the record to blame, or the batch, was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// The record to blame.
    At(Origin),
    /// The batch's first and last record.
    Between(Origin, Origin),
    /// Not known.
    Unknown,
}

/// `events.ndjson:17`, or `events.ndjson:1 to events.ndjson:50`.
impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(Origin { input, line }) => write!(f, "{input}:{line}"),
            Self::Between(first, last) if first == last => write!(f, "{}:{}", first.input, first.line),
            Self::Between(first, last) => {
                write!(f, "{}:{} to {}:{}", first.input, first.line, last.input, last.line)
            }
            Self::Unknown => f.write_str("an unknown line"),
        }
    }
}

impl FailedBatch {
    /// A record of `batch` that fails by itself.
    pub(super) fn of_record(failure: Failure, batch: &Batch, origins: &[Origin]) -> Self {
        let origin = batch.index_of(failure.place.offsets.0).and_then(|index| origins.get(index));
        Self { failure, read: origin.map_or(Read::Unknown, |origin| Read::At(origin.clone())) }
    }

    pub(super) fn new(failure: Failure, origins: &[Origin]) -> Self {
        let at = failure.record.and_then(|(index, _)| origins.get(index));
        let read = match (at, origins.first(), origins.last()) {
            (Some(at), ..) => Read::At(at.clone()),
            (None, Some(first), Some(last)) => Read::Between(first.clone(), last.clone()),
            _ => Read::Unknown,
        };
        Self { failure, read }
    }
}

/// Counts of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// How long the run has lasted.
    pub elapsed: Duration,
    /// Records of acknowledged batches.
    pub records: u64,
    /// Acknowledged batches.
    pub batches: u64,
    /// Emits of acknowledged batches, by outlet in the order of declaration.
    pub emits: Vec<(String, u64)>,
    /// Records of acknowledged batches that no emit names as its source.
    pub skipped: u64,
    /// Records of acknowledged batches that fail by themselves and were set aside.
    pub poison: u64,
    /// Failed batches.
    pub failed_batches: u64,
    /// Records that were read and are in no acknowledged batch: those of failed batches, and those after them.
    pub unprocessed: u64,
}

impl Tally {
    /// Records of acknowledged batches a second.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rate for people"
    )]
    pub fn records_per_second(&self) -> u64 {
        (self.records as f64 / self.elapsed.as_secs_f64().max(1e-6)) as u64
    }
}

/// One line: `50 records in 1 batch: 50 emits (valid 35, review 15), 0 skipped, 0 batches failed, 2800 records/s`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let emits = self.emits.iter().map(|(_, count)| count).sum();
        write!(f, "{} in {}: {}", counted(self.records, "record"), batches(self.batches), counted(emits, "emit"))?;
        if self.emits.len() > 1 {
            let by_outlet = self.emits.iter().map(|(outlet, count)| format!("{outlet} {count}"));
            write!(f, " ({})", by_outlet.collect::<Vec<_>>().join(", "))?;
        }
        write!(f, ", {} skipped", self.skipped)?;
        if self.poison > 0 {
            write!(f, ", {} set aside", counted(self.poison, "poison record"))?;
        }
        write!(f, ", {} failed", batches(self.failed_batches))?;
        if self.unprocessed > 0 {
            write!(f, " ({} not processed)", counted(self.unprocessed, "record"))?;
        }
        write!(f, ", {} records/s", self.records_per_second())
    }
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn batches(count: u64) -> String {
    if count == 1 { "1 batch".into() } else { format!("{count} batches") }
}

/// Counts as batches end.
#[derive(Debug)]
pub(super) struct Counters {
    began: Instant,
    counts: Mutex<Counts>,
    outlets: Vec<String>,
}

#[derive(Debug, Default)]
struct Counts {
    records: u64,
    batches: u64,
    emits: Vec<u64>,
    skipped: u64,
    poison: u64,
    failed_batches: u64,
    unprocessed: u64,
    /// Records of batches that lanes are at.
    in_flight: u64,
}

impl Counters {
    pub(super) fn new(outlets: Vec<String>) -> Self {
        let counts = Counts { emits: vec![0; outlets.len()], ..Counts::default() };
        Self { began: Instant::now(), counts: Mutex::new(counts), outlets }
    }

    /// A lane has begun with a batch; it is acknowledged or has failed later, unless the lane is killed.
    pub(super) fn taken(&self, batch: &Batch) {
        self.counts(|counts| counts.in_flight += batch.len() as u64);
    }

    /// Records of batches whose outcome is not known yet, or never will be.
    pub(super) fn in_flight(&self) -> u64 {
        self.counts(|counts| counts.in_flight)
    }

    /// A batch's outcome, whole or in parts, with so many of its records set aside.
    pub(super) fn acknowledged(&self, batch: &Batch, emitted: &[Emitted], poison: usize) {
        let mut emits = vec![0; self.outlets.len()];
        let (mut processed, mut sources) = (0, 0);
        for Emitted { batch: part, parts } in emitted {
            processed += part.len();
            let mut is_source = vec![false; part.len()];
            for emit in parts.iter().flat_map(|output| output.emits(part)) {
                if let Some(count) = emits.get_mut(emit.outlet as usize) {
                    *count += 1;
                }
                if let Some(source) = emit.source_index.and_then(|index| is_source.get_mut(index)) {
                    *source = true;
                }
            }
            sources += is_source.iter().filter(|is_source| **is_source).count();
        }
        self.counts(|counts| {
            counts.in_flight -= batch.len() as u64;
            counts.records += batch.len() as u64;
            counts.batches += 1;
            counts.poison += poison as u64;
            counts.skipped += (processed - sources) as u64;
            counts.emits.iter_mut().zip(emits).for_each(|(total, count)| *total += count);
        });
    }

    pub(super) fn failed(&self, batch: &Batch) {
        self.counts(|counts| {
            counts.failed_batches += 1;
            counts.in_flight -= batch.len() as u64;
            counts.unprocessed += batch.len() as u64;
        });
    }

    /// The counts so far, with `waiting` records that were read for partitions which take no more.
    pub(super) fn tally(&self, waiting: u64) -> Tally {
        let elapsed = self.began.elapsed();
        self.counts(|counts| Tally {
            elapsed,
            records: counts.records,
            batches: counts.batches,
            emits: self.outlets.iter().cloned().zip(counts.emits.iter().copied()).collect(),
            skipped: counts.skipped,
            poison: counts.poison,
            failed_batches: counts.failed_batches,
            unprocessed: counts.unprocessed + waiting,
        })
    }

    /// The counts are plain numbers; whoever panicked while holding them left them whole.
    fn counts<T>(&self, act: impl FnOnce(&mut Counts) -> T) -> T {
        act(&mut self.counts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
