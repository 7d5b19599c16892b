//! A batch's emits on their way: counted down as the brokers confirm them, from the producers' threads.
//!
//! Once every one is confirmed, and every one of the batches before it, the batch's offsets are due, and only then. An
//! emit that a broker refuses by itself, being too large, fails its batch; any other failure voids the conversation. It
//! ends with the last emit's report.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

use tokio::sync::Notify;

use super::commits::Due;
use super::flights::Aboard;
use super::locks::lock;
use super::monitor::Written;
use super::partition::Partition;

/// What was wrong with an emit that a broker refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) why: String,
}

/// What became of a batch's emits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Delivered {
    /// All are confirmed.
    All,
    /// The batch failed.
    Refused(Refused),
    /// The conversation is void.
    Lost,
}

/// The emits of one batch.
#[derive(Debug)]
pub(super) struct Delivery {
    partition: Arc<Partition>,
    /// The offset to be committed.
    next_offset: i64,
    /// Emits not yet confirmed, and one more for as long as not all have been handed over.
    left: AtomicUsize,
    refused: OnceLock<Refused>,
    is_lost: AtomicBool,
    /// The last report is in, and told to whom it concerns.
    is_ended: AtomicBool,
    ended: Notify,
    /// Kept until then.
    aboard: Mutex<Option<Aboard>>,
    due: Arc<Due>,
    written: Written,
    taken: Instant,
}

impl Delivery {
    pub(super) fn new(
        partition: &Arc<Partition>,
        next_offset: i64,
        due: &Arc<Due>,
        written: Written,
        taken: Instant,
    ) -> Arc<Self> {
        partition.writing_began(next_offset);
        Arc::new(Self {
            partition: Arc::clone(partition),
            next_offset,
            left: AtomicUsize::new(1),
            refused: OnceLock::new(),
            is_lost: AtomicBool::new(false),
            is_ended: AtomicBool::new(false),
            ended: Notify::new(),
            aboard: Mutex::default(),
            due: Arc::clone(due),
            written,
            taken,
        })
    }

    pub(super) fn partition(&self) -> &Arc<Partition> {
        &self.partition
    }

    pub(super) fn next_offset(&self) -> i64 {
        self.next_offset
    }

    /// It goes with a flight, which waits for it.
    pub(super) fn board(&self, aboard: Aboard) {
        *lock(&self.aboard) = Some(aboard);
    }

    /// One more emit is handed over.
    pub(super) fn add(&self) {
        self.left.fetch_add(1, Ordering::AcqRel);
    }

    /// An emit is confirmed, or all are handed over.
    pub(super) fn confirm(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    /// An emit is refused for what it is.
    pub(super) fn refuse(&self, refused: Refused) {
        let _ = self.refused.set(refused);
        self.confirm();
    }

    /// An emit is lost, and the conversation with it.
    pub(super) fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
        self.partition.lose();
        self.confirm();
    }

    /// Whether an emit is lost so far.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    fn end(&self) {
        match self.outcome() {
            Delivered::All => {
                self.partition.monitor.written(&self.written, self.taken.elapsed());
                self.partition.delivered(self.next_offset, |next_offset| {
                    self.partition.monitor.reached(next_offset);
                    self.due.delivered(&self.partition, next_offset);
                });
            }
            Delivered::Refused(_) => self.partition.refused(self.next_offset),
            // Nothing behind it is ever committed.
            Delivered::Lost => {}
        }
        self.partition.writing_ended();
        drop(lock(&self.aboard).take());
        self.is_ended.store(true, Ordering::Release);
        self.ended.notify_one();
    }

    fn outcome(&self) -> Delivered {
        match self.refused.get() {
            _ if self.is_lost() => Delivered::Lost,
            Some(refused) => Delivered::Refused(refused.clone()),
            None => Delivered::All,
        }
    }

    /// Waits for the last report. One waiter at a time.
    pub(super) async fn wait(&self) -> Delivered {
        while !self.is_ended.load(Ordering::Acquire) {
            self.ended.notified().await;
        }
        self.outcome()
    }
}
