//! One partition's state: what is in flight, how far it is, and since when it does not get past an error.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use super::metrics::InletMetrics;
use super::{Monitor, lock};
use crate::batch::{Batch, Failure};

/// No offset is known.
const UNKNOWN: i64 = -1;

/// One partition of an inlet, as long as this member has it.
#[derive(Debug)]
pub(in super::super) struct PartitionMonitor {
    pub(super) inlet: String,
    pub(super) number: i32,
    monitor: Weak<Monitor>,
    metrics: Option<InletMetrics>,
    in_flight: AtomicUsize,
    /// The offset before which everything is written; [`UNKNOWN`] before the first batch.
    next_offset: AtomicI64,
    /// The offset after the last record that came.
    received_offset: AtomicI64,
    /// Where fetching stands: past what ends a transaction, which is no record.
    fetch_offset: AtomicI64,
    /// The offset of the topic's next record.
    end_offset: AtomicI64,
    /// Whether the broker is to send nothing for now.
    is_paused: AtomicBool,
    failing: Mutex<Option<Failing>>,
}

/// An error that the partition has not got past.
#[derive(Debug)]
struct Failing {
    since: Instant,
    /// Where the batch begins that failed; none if it was not one batch.
    offset: Option<i64>,
    error: String,
    is_told: bool,
}

/// What a batch amounts to, once it is written.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Written {
    pub(in super::super) records: u64,
    pub(in super::super) bytes: u64,
    pub(in super::super) set_aside: u64,
    /// Emits and their bytes, by index of the outlet.
    pub(in super::super) emits: Vec<(u64, u64)>,
}

impl PartitionMonitor {
    pub(super) fn new(monitor: &Arc<Monitor>, inlet: String, number: i32, metrics: Option<InletMetrics>) -> Self {
        Self {
            inlet,
            number,
            monitor: Arc::downgrade(monitor),
            metrics,
            in_flight: AtomicUsize::new(0),
            next_offset: AtomicI64::new(UNKNOWN),
            received_offset: AtomicI64::new(UNKNOWN),
            fetch_offset: AtomicI64::new(UNKNOWN),
            end_offset: AtomicI64::new(UNKNOWN),
            is_paused: AtomicBool::new(false),
            failing: Mutex::default(),
        }
    }

    /// A new conversation has it: nothing is in flight.
    pub(super) fn begin(&self) {
        self.in_flight.store(0, Ordering::Release);
        self.set_paused(false);
        for offset in [&self.next_offset, &self.received_offset, &self.fetch_offset, &self.end_offset] {
            offset.store(UNKNOWN, Ordering::Release);
        }
    }

    /// A batch, or a batch's write, is begun.
    pub(in super::super) fn taken(&self, batch: &Batch) {
        self.in_flight.fetch_add(1, Ordering::AcqRel);
        if let Some((first, _)) = batch.offsets() {
            let _ = self.next_offset.compare_exchange(UNKNOWN, first, Ordering::AcqRel, Ordering::Acquire);
        }
    }

    /// A batch failed; it will be tried again.
    pub(in super::super) fn failed(&self, failure: &Failure) {
        if let Some(metrics) = &self.metrics {
            metrics.failed(failure.cause);
        }
        self.fails(Some(failure.place.offsets.0), &failure.headline());
    }

    /// The partition does not get past this.
    fn fails_with(&self, error: &str) {
        self.fails(None, error);
    }

    fn fails(&self, offset: Option<i64>, error: &str) {
        let mut failing = lock(&self.failing);
        let begins = || Failing { since: Instant::now(), offset, error: String::new(), is_told: false };
        let failing = failing.get_or_insert_with(begins);
        failing.offset = offset;
        error.clone_into(&mut failing.error);
    }

    /// The conversation is void: a batch in flight has failed with it.
    pub(super) fn voided(&self, error: &str) {
        if self.in_flight.swap(0, Ordering::AcqRel) > 0 {
            self.fails_with(error);
        }
    }

    /// A batch is written, after so long.
    pub(in super::super) fn written(&self, written: &Written, after: Duration) {
        let _ = self.in_flight.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        if let Some(metrics) = &self.metrics {
            metrics.written(written, after);
        }
        if let Some(monitor) = self.monitor.upgrade() {
            monitor.metrics.emitted(&written.emits);
            monitor.no_trouble();
        }
    }

    /// Everything before this offset is written.
    pub(in super::super) fn reached(&self, next_offset: i64) {
        self.next_offset.store(next_offset, Ordering::Release);
        // Batches before the one that fails may be confirmed later than that.
        lock(&self.failing).take_if(|failing| failing.offset.is_none_or(|offset| offset < next_offset));
    }

    pub(super) fn reaches(&self, end_offset: i64, fetch_offset: i64) {
        self.end_offset.store(end_offset, Ordering::Release);
        self.fetch_offset.store(fetch_offset.max(UNKNOWN), Ordering::Release);
    }

    /// A record has come.
    pub(in super::super) fn received(&self, offset: i64) {
        self.received_offset.store(offset + 1, Ordering::Release);
    }

    /// Records between what is written and the topic's end; none where it is not known.
    pub(super) fn lag(&self) -> Option<u64> {
        let of = |offset: &AtomicI64| offset.load(Ordering::Acquire);
        let (next, end) = (of(&self.next_offset), of(&self.end_offset));
        // Where all that came is written, what is fetched next is what is not written yet.
        let next = if next == of(&self.received_offset) { next.max(of(&self.fetch_offset)) } else { next };
        if next == UNKNOWN || end == UNKNOWN { None } else { u64::try_from((end - next).max(0)).ok() }
    }

    /// The broker is to send nothing for now, or to go on.
    pub(in super::super) fn set_paused(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Release);
    }

    pub(super) fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::Acquire)
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    /// The error that it does not get past.
    pub(super) fn failing(&self) -> Option<String> {
        lock(&self.failing).as_ref().map(|failing| failing.error.clone())
    }

    /// For how long it has not got past an error.
    pub(super) fn stalled(&self) -> Duration {
        lock(&self.failing).as_ref().map_or(Duration::ZERO, |failing| failing.since.elapsed())
    }

    /// Says once that it has been failing for `after`, and with what.
    pub(super) fn newly_stalled(&self, after: Duration) -> Option<(Duration, String)> {
        let mut failing = lock(&self.failing);
        let failing = failing.as_mut().filter(|failing| !failing.is_told && failing.since.elapsed() >= after)?;
        failing.is_told = true;
        Some((failing.since.elapsed(), failing.error.clone()))
    }
}
