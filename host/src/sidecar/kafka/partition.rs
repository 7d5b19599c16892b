//! An assigned partition, between the thread that polls its consumer and the task that runs its lane.
//!
//! It batches naturally: what arrives while the lane is busy is the next batch, up to the caps; nothing waits on a timer.
//! It never makes the thread wait, since a consumer that does not poll loses its partitions: whoever is too full is
//! paused at the broker instead. It is the lane's claim on the partition, too: once revoked, nothing more is taken, and
//! nothing that the lane has in hand is written any more. It ends with the assignment.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use talkback::{End, Phase};
use tokio::sync::Notify;

use super::super::BatchCaps;
use super::locks::lock;
use super::monitor::PartitionMonitor;
use crate::batch::{Batch, BatchBuilder, Header, weight_bytes};
use crate::lane::hop::{Hop, Pause, Void};

mod in_order;

use in_order::InOrder;

/// A record as the consumer has it.
pub(super) struct Incoming<'a> {
    pub(super) offset: i64,
    pub(super) timestamp_ms: i64,
    pub(super) key: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
    pub(super) headers: &'a [Header<'a>],
}

impl Incoming<'_> {
    pub(super) fn weight_bytes(&self) -> usize {
        weight_bytes(self.key, self.value, self.headers.iter().copied())
    }
}

/// What a lane gets to do next.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Batch(Arc<Batch>),
    /// A record that no batch may hold. Its partition stands still before it.
    Unreadable(Arc<Unreadable>),
}

/// A record that cannot be given to a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) offset: i64,
    pub(super) why: String,
}

/// One partition of an inlet's topic, for as long as this member has it.
#[derive(Debug)]
pub(super) struct Partition {
    /// Index of the inlet among the declared ones.
    pub(super) inlet: u32,
    pub(super) number: i32,
    pub(super) monitor: Arc<PartitionMonitor>,
    caps: BatchCaps,
    queue: Mutex<Queue>,
    /// The lane waits here for a record.
    arrived: Notify,
    /// A lane that backs off waits here for the end.
    ending: Notify,
    /// Batches whose emits are handed over and not yet confirmed.
    writing: AtomicUsize,
    /// The same in their order, and those that are confirmed before one that is not.
    in_order: Mutex<InOrder>,
    /// Held while a batch's emits are handed to the producer, and to revoke: what is revoked is not written.
    claim: Mutex<()>,
    is_revoked: AtomicBool,
    /// An emit of it is lost: what comes behind that is not written either, or it would stand before it.
    is_lost: AtomicBool,
    /// Nothing of it is committed any more.
    is_given_up: AtomicBool,
}

#[derive(Debug)]
struct Queue {
    ready: VecDeque<Work>,
    /// Records and bytes in `ready`.
    ready_records: usize,
    ready_bytes: usize,
    open: BatchBuilder,
    /// From the broker: whether it is to send more, and whether anything is taken in at all.
    hop: Hop,
}

impl Queue {
    fn new() -> Self {
        let mut hop = Hop::new("a partition's topic");
        hop.greet();
        let (ready, open) = (VecDeque::new(), BatchBuilder::default());
        Self { ready, ready_records: 0, ready_bytes: 0, open, hop }
    }

    fn is_ended(&self) -> bool {
        self.hop.phase() == Phase::Ended
    }

    /// Whether what comes is taken in. What was on its way when the broker was told to send nothing is.
    fn takes(&self) -> bool {
        !self.is_ended() && !self.hop.is_paused_for(Pause::Unreadable)
    }
}

impl Partition {
    pub(super) fn new(inlet: u32, number: i32, caps: BatchCaps, monitor: Arc<PartitionMonitor>) -> Self {
        Self {
            inlet,
            number,
            monitor,
            caps,
            queue: Mutex::new(Queue::new()),
            arrived: Notify::new(),
            ending: Notify::new(),
            writing: AtomicUsize::new(0),
            in_order: Mutex::default(),
            claim: Mutex::default(),
            is_revoked: AtomicBool::new(false),
            is_lost: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        }
    }

    /// Takes a record in. Its lane may not be woken before [`Partition::wake`].
    pub(super) fn push(&self, record: &Incoming<'_>) {
        self.monitor.received(record.offset);
        let mut queue = lock(&self.queue);
        if !queue.takes() {
            return;
        }
        if !queue.hop.is_paused() {
            queue.hop.hand();
        }
        if !self.caps.has_room(&queue.open, record.weight_bytes()) {
            self.close(&mut queue);
        }
        let times = (record.offset, record.timestamp_ms);
        // A batch is closed long before it is too full for positions of 32 bits, and no record is as large as that.
        let _ = queue.open.push(times, record.key, record.value, record.headers.iter().copied());
    }

    /// The record at `offset` cannot be read, so that nothing behind it can be either.
    pub(super) fn block(&self, unreadable: Unreadable) {
        let mut queue = lock(&self.queue);
        if !queue.takes() {
            return;
        }
        self.close(&mut queue);
        queue.ready.push_back(Work::Unreadable(Arc::new(unreadable)));
        queue.hop.pause(Pause::Unreadable);
    }

    /// Makes a batch of what is being filled, if that is anything.
    fn close(&self, queue: &mut Queue) {
        if queue.open.is_empty() {
            return;
        }
        queue.ready_bytes += queue.open.weight_bytes();
        queue.ready_records += queue.open.len();
        let batch = queue.open.take(self.inlet, self.number);
        queue.ready.push_back(Work::Batch(Arc::new(batch)));
    }

    /// Lets the lane have whatever has arrived.
    pub(super) fn wake(&self) {
        let queue = lock(&self.queue);
        if !queue.open.is_empty() || !queue.ready.is_empty() {
            self.arrived.notify_one();
        }
    }

    /// What to do next, once there is something; none when the run is to end.
    pub(super) async fn take(&self) -> Option<Work> {
        loop {
            {
                let mut queue = lock(&self.queue);
                if queue.is_ended() {
                    return None;
                }
                if queue.ready.is_empty() {
                    self.close(&mut queue);
                }
                if let Some(work) = queue.ready.pop_front() {
                    if let Work::Batch(batch) = &work {
                        queue.ready_bytes = queue.ready_bytes.saturating_sub(batch.arena.len());
                        queue.ready_records = queue.ready_records.saturating_sub(batch.len());
                    }
                    return Some(work);
                }
            }
            // A wake-up between the look and the wait is kept, so none is lost.
            self.arrived.notified().await;
        }
    }

    /// Bytes that wait for the lane.
    pub(super) fn waiting_bytes(&self) -> usize {
        let queue = lock(&self.queue);
        queue.ready_bytes + queue.open.weight_bytes()
    }

    /// Records that wait for the lane.
    pub(super) fn waiting_records(&self) -> usize {
        let queue = lock(&self.queue);
        queue.ready_records + queue.open.len()
    }

    /// Says whether more waits for the lane than should, and gets whether the broker is to send nothing, for this reason
    /// or another one.
    pub(super) fn behind(&self, is_behind: bool) -> bool {
        let mut queue = lock(&self.queue);
        if is_behind {
            queue.hop.pause(Pause::Behind);
        } else {
            queue.hop.resume(Pause::Behind);
        }
        let is_paused = queue.hop.is_paused();
        self.monitor.set_paused(is_paused);
        is_paused
    }

    /// The lane finishes what it has in hand and takes no more.
    pub(super) fn end(&self) {
        self.end_for(End::Complete);
    }

    fn end_for(&self, why: End<Void>) {
        lock(&self.queue).hop.end(why);
        self.arrived.notify_one();
        self.ending.notify_one();
    }

    pub(super) fn is_ended(&self) -> bool {
        lock(&self.queue).is_ended()
    }

    /// Waits for the end. One waiter at a time.
    pub(super) async fn ended(&self) {
        while !self.is_ended() {
            self.ending.notified().await;
        }
    }

    /// The emits are being handed over of the batch that ends before `next_offset`.
    pub(super) fn writing_began(&self, next_offset: i64) {
        self.writing.fetch_add(1, Ordering::AcqRel);
        lock(&self.in_order).began(next_offset);
    }

    /// All of them are confirmed. `reached` gets the offset before which everything is, if that is another one now; one
    /// call at a time, so that offsets ascend.
    pub(super) fn delivered(&self, next_offset: i64, reached: impl FnOnce(i64)) {
        let mut in_order = lock(&self.in_order);
        if let Some(next_offset) = in_order.delivered(next_offset) {
            reached(next_offset);
        }
    }

    /// One of them is lost, and the conversation with it. Nothing more of the partition is written.
    pub(super) fn lose(&self) {
        self.is_lost.store(true, Ordering::Release);
    }

    /// One of them is refused; the batch will come again.
    pub(super) fn refused(&self, next_offset: i64) {
        lock(&self.in_order).refused(next_offset);
    }

    /// All of them have been reported.
    pub(super) fn writing_ended(&self) {
        self.writing.fetch_sub(1, Ordering::AcqRel);
    }

    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Acquire) > 0
    }

    fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Acquire)
    }

    /// Nothing of it is committed any more: for [`Due`](super::commits::Due), under its lock.
    pub(super) fn give_up(&self) {
        self.is_given_up.store(true, Ordering::Release);
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Acquire)
    }

    /// The partition is another member's from now on, or nobody's. Waits for whoever is just handing over emits.
    pub(super) fn revoke(&self) {
        let claim = lock(&self.claim);
        self.is_revoked.store(true, Ordering::Release);
        drop(claim);
        self.end_for(End::Failed(Void));
    }

    /// The right to write, for as long as the guard is held; none once the partition is revoked, or an emit of it lost.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        let claim = lock(&self.claim);
        (!self.is_revoked() && !self.is_lost.load(Ordering::Acquire)).then_some(Claim { _held: claim })
    }
}

/// While it is held, the partition is not revoked.
pub(super) struct Claim<'a> {
    _held: MutexGuard<'a, ()>,
}

#[cfg(test)]
mod tests {
    use super::super::monitor::Monitor;
    use super::*;

    fn partition(records_max: usize, bytes_max: usize) -> Partition {
        let caps = BatchCaps { records_max, bytes_max };
        Partition::new(1, 7, caps, Monitor::new(&[], &[], Arc::default()).unwrap().assigned(1, 7))
    }

    fn push(partition: &Partition, offset: i64, value: &[u8]) {
        partition.push(&Incoming { offset, timestamp_ms: 0, key: None, value: Some(value), headers: &[] });
    }

    /// The offsets of the next batch, or where the partition stands.
    async fn taken(partition: &Partition) -> Option<(i64, i64)> {
        match partition.take().await? {
            Work::Batch(batch) => batch.offsets(),
            Work::Unreadable(unreadable) => Some((unreadable.offset, -1)),
        }
    }

    #[tokio::test]
    async fn what_arrives_while_the_lane_is_busy_is_the_next_batch_up_to_the_caps() {
        let partition = partition(3, 100);
        push(&partition, 10, b"a");
        assert_eq!(taken(&partition).await, Some((10, 10)));
        for offset in 11..18 {
            push(&partition, offset, b"a");
        }
        assert_eq!((partition.waiting_records(), partition.waiting_bytes()), (7, 7));
        for expect in [(11, 13), (14, 16), (17, 17)] {
            assert_eq!(taken(&partition).await, Some(expect));
        }
        assert_eq!((partition.waiting_records(), partition.waiting_bytes()), (0, 0));
    }

    #[tokio::test]
    async fn a_record_heavier_than_a_batch_may_be_is_one_of_its_own() {
        let partition = partition(10, 4);
        for (offset, value) in [(1, &b"ab"[..]), (2, b"abcdef"), (3, b"ab"), (4, b"ab")] {
            push(&partition, offset, value);
        }
        for expect in [(1, 1), (2, 2), (3, 4)] {
            assert_eq!(taken(&partition).await, Some(expect));
        }
    }

    #[tokio::test]
    async fn nothing_behind_an_unreadable_record_is_taken() {
        let partition = partition(10, 100);
        push(&partition, 1, b"a");
        partition.block(Unreadable { offset: 2, why: "too large".into() });
        push(&partition, 3, b"a");
        assert_eq!(taken(&partition).await, Some((1, 1)));
        assert_eq!(taken(&partition).await, Some((2, -1)));
        partition.end();
        assert_eq!(taken(&partition).await, None);
    }

    #[tokio::test]
    async fn what_was_on_its_way_when_the_broker_was_told_to_stop_is_taken() {
        let partition = partition(10, 100);
        assert!(partition.behind(true));
        push(&partition, 1, b"a");
        assert_eq!(taken(&partition).await, Some((1, 1)));
        assert!(!partition.behind(false));
        // A record that cannot be read is a reason of its own, which stays.
        partition.block(Unreadable { offset: 2, why: "too large".into() });
        assert!(partition.behind(true) && partition.behind(false));
    }

    #[tokio::test]
    async fn nothing_is_written_behind_what_is_lost() {
        let partition = partition(10, 100);
        partition.lose();
        assert!(partition.claim().is_none());
    }

    #[tokio::test]
    async fn a_revoked_partition_is_neither_read_nor_written() {
        let partition = partition(10, 100);
        push(&partition, 1, b"a");
        assert!(partition.claim().is_some());
        partition.revoke();
        assert!(partition.claim().is_none());
        assert_eq!(taken(&partition).await, None);
    }
}
