//! Between the readers and the lanes: a bounded queue per partition that batches naturally.
//!
//! A record that arrives while its lane is idle is a batch of its own; what arrives while the lane is busy is the next
//! batch, up to the caps. Nothing waits on a timer. A reader that is ahead of a lane by [`READY_BATCHES_MAX`] waits.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::super::BatchCaps;
use crate::batch::{Batch, BatchBuilder, BatchFull, Header, weight_bytes};

/// Full batches a partition may hold, beside the one being filled and the one with its lane.
const READY_BATCHES_MAX: usize = 3;

/// Where a record was read: which input, and the line, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The input's path, or `-`.
    pub input: Arc<str>,
    /// The line, counted from 1.
    pub line: u64,
}

/// A batch on its way to a lane, and where each of its records was read.
#[derive(Debug)]
pub(super) struct Filled {
    pub(super) batch: Arc<Batch>,
    pub(super) origins: Vec<Origin>,
}

/// A record to take in.
pub(super) struct Incoming<'a, H> {
    pub(super) timestamp_ms: i64,
    pub(super) key: Option<&'a [u8]>,
    pub(super) value: Option<&'a [u8]>,
    pub(super) headers: H,
}

impl<'a, H: Iterator<Item = Header<'a>> + Clone> Incoming<'a, H> {
    fn weight_bytes(&self) -> usize {
        weight_bytes(self.key, self.value, self.headers.clone())
    }
}

/// The partitions of every inlet, by index.
#[derive(Debug)]
pub(super) struct Intake {
    inlets: Vec<Vec<Arc<Partition>>>,
    caps: BatchCaps,
}

impl Intake {
    pub(super) fn new(inlets: usize, partitions: u32, caps: BatchCaps) -> Self {
        let of_inlet =
            |inlet| (0i32..).take(partitions as usize).map(|number| Arc::new(Partition::new(inlet, number))).collect();
        Self { inlets: (0u32..).take(inlets).map(of_inlet).collect(), caps }
    }

    /// All partitions of all inlets.
    pub(super) fn partitions(&self) -> impl Iterator<Item = &Arc<Partition>> {
        self.inlets.iter().flatten()
    }

    /// Appends a record to its partition, waiting while the partition is too far behind. Its lane may not be woken
    /// before [`Intake::wake`].
    ///
    /// # Errors
    /// A record that no batch can hold.
    pub(super) fn push<'a>(
        &self,
        (inlet, partition): (u32, u32),
        record: &Incoming<'a, impl Iterator<Item = Header<'a>> + Clone>,
        origin: Origin,
    ) -> Result<(), BatchFull> {
        match self.of_inlet(inlet).get(partition as usize) {
            Some(partition) => partition.push(record, origin, self.caps, || self.wake(inlet)),
            None => Ok(()),
        }
    }

    /// Lets the inlet's lanes have whatever has arrived.
    pub(super) fn wake(&self, inlet: u32) {
        self.of_inlet(inlet).iter().for_each(|partition| partition.wake());
    }

    /// Whether any partition of the inlet still takes records.
    pub(super) fn wants(&self, inlet: u32) -> bool {
        self.of_inlet(inlet).iter().any(|partition| !partition.queue().refuses())
    }

    /// Nothing more will arrive for this inlet.
    pub(super) fn end_inlet(&self, inlet: u32) {
        for partition in self.of_inlet(inlet) {
            partition.end();
        }
    }

    /// Nothing more will arrive at all; what has arrived is still taken. Says whether more might have come.
    pub(super) fn end_all(&self) -> bool {
        // Every one has to hear of it, so none is passed over.
        self.partitions().filter(|partition| partition.end()).count() > 0
    }

    /// Records that were read and that no lane has seen or will see.
    pub(super) fn unprocessed(&self) -> u64 {
        self.partitions().map(|partition| partition.queue().unprocessed).sum()
    }

    /// Nothing more is taken, whatever has arrived.
    pub(super) fn abandon_all(&self) {
        for partition in self.partitions() {
            partition.abandon();
            partition.end();
        }
    }

    fn of_inlet(&self, inlet: u32) -> &[Arc<Partition>] {
        self.inlets.get(inlet as usize).map_or(&[], Vec::as_slice)
    }
}

/// One inlet partition's queue.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) inlet: u32,
    pub(super) number: i32,
    queue: Mutex<Queue>,
    /// The lane's task waits here for a record.
    arrived: Notify,
    /// The reader's thread waits here for room.
    taken: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    ready: VecDeque<Filled>,
    open: BatchBuilder,
    origins: Vec<Origin>,
    next_offset: i64,
    /// Nothing more will arrive.
    ended: bool,
    /// Nothing more will be taken.
    abandoned: bool,
    /// Records that were read and that no lane will see.
    unprocessed: u64,
}

impl Queue {
    fn refuses(&self) -> bool {
        self.ended || self.abandoned
    }
}

impl Partition {
    fn new(inlet: u32, number: i32) -> Self {
        Self { inlet, number, queue: Mutex::default(), arrived: Notify::new(), taken: Condvar::new() }
    }

    /// The next batch, once there is one; none when nothing more will arrive.
    pub(super) async fn take(&self) -> Option<Filled> {
        loop {
            {
                let mut queue = self.queue();
                let filled = queue.ready.pop_front().or_else(|| self.close(&mut queue));
                if filled.is_some() {
                    self.taken.notify_one();
                    return filled;
                }
                if queue.ended {
                    return None;
                }
            }
            // A wake-up between the look and the wait is kept, so none is lost.
            self.arrived.notified().await;
        }
    }

    /// Takes no more.
    pub(super) fn abandon(&self) {
        let mut queue = self.queue();
        queue.abandoned = true;
        let waiting = queue.ready.iter().map(|filled| filled.batch.len()).sum::<usize>() + queue.open.len();
        queue.unprocessed += waiting as u64;
        queue.ready.clear();
        queue.open = BatchBuilder::default();
        queue.origins.clear();
        self.taken.notify_one();
    }

    fn push<'a>(
        &self,
        record: &Incoming<'a, impl Iterator<Item = Header<'a>> + Clone>,
        origin: Origin,
        caps: BatchCaps,
        before_waiting: impl FnOnce(),
    ) -> Result<(), BatchFull> {
        let mut queue = self.queue();
        if !caps.has_room(&queue.open, record.weight_bytes())
            && let Some(filled) = self.close(&mut queue)
        {
            queue.ready.push_back(filled);
            self.arrived.notify_one();
            if queue.ready.len() >= READY_BATCHES_MAX {
                // What has arrived for other partitions must not wait with this one.
                drop(queue);
                before_waiting();
                queue = self.queue();
            }
            while queue.ready.len() >= READY_BATCHES_MAX && !queue.refuses() {
                queue = self.taken.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
        if queue.refuses() {
            // After the end the record is of the rest of the input, as if it had not been read.
            queue.unprocessed += u64::from(queue.abandoned);
            return Ok(());
        }
        let offset = queue.next_offset;
        let headers = record.headers.clone();
        queue.open.push((offset, record.timestamp_ms), record.key, record.value, headers)?;
        queue.origins.push(origin);
        queue.next_offset += 1;
        Ok(())
    }

    /// Makes a batch of what is being filled, if that is anything.
    fn close(&self, queue: &mut Queue) -> Option<Filled> {
        if queue.open.is_empty() {
            return None;
        }
        let batch = Arc::new(queue.open.take(self.inlet, self.number));
        Some(Filled { batch, origins: std::mem::take(&mut queue.origins) })
    }

    fn wake(&self) {
        if !self.queue().open.is_empty() {
            self.arrived.notify_one();
        }
    }

    /// Says whether this is news.
    fn end(&self) -> bool {
        let was_ended = std::mem::replace(&mut self.queue().ended, true);
        self.arrived.notify_one();
        self.taken.notify_one();
        !was_ended
    }

    /// No code panics while it holds the lock; if some did, the queue would still be whole.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(intake: &Intake, value: &str) {
        let record = Incoming { timestamp_ms: 5, key: None, value: Some(value.as_bytes()), headers: [].into_iter() };
        intake.push((0, 0), &record, Origin { input: "-".into(), line: 1 }).unwrap();
    }

    fn intake(records_max: usize, bytes_max: usize) -> Intake {
        Intake::new(1, 1, BatchCaps { records_max, bytes_max })
    }

    #[tokio::test]
    async fn a_batch_is_what_arrived_meanwhile_up_to_the_caps() {
        let intake = intake(3, 10);
        let partition = intake.partitions().next().unwrap();
        let mut sizes = Vec::new();
        for values in [&["one"][..], &["1", "2", "3", "4"], &["123456", "123456"], &["a value over the cap", "1"]] {
            for value in values {
                push(&intake, value);
            }
            loop {
                let taken = tokio::time::timeout(std::time::Duration::from_millis(20), partition.take()).await;
                let Ok(Some(filled)) = taken else { break };
                assert_eq!(filled.batch.len(), filled.origins.len());
                sizes.push((filled.batch.offsets().unwrap(), filled.batch.len()));
            }
        }
        let expect = [((0, 0), 1), ((1, 3), 3), ((4, 4), 1), ((5, 5), 1), ((6, 6), 1), ((7, 7), 1), ((8, 8), 1)];
        assert_eq!(sizes, expect);
    }

    #[tokio::test]
    async fn a_reader_waits_for_its_lane_and_goes_on_when_the_partition_is_abandoned() {
        let intake = Arc::new(intake(1, 10));
        let pushing = Arc::clone(&intake);
        let reader = std::thread::spawn(move || (0..100).for_each(|_| push(&pushing, "x")));
        let partition = intake.partitions().next().unwrap();
        for _ in 0..10 {
            partition.take().await.unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!reader.is_finished(), "the reader ran ahead of its bound");
        partition.abandon();
        reader.join().unwrap();
        assert!(!intake.wants(0));
        assert_eq!(intake.unprocessed(), 90, "all that was read and not taken");
    }

    /// A busy partition that is full holds the reader up, but not what was read before for an idle one.
    #[tokio::test]
    async fn a_full_partition_does_not_keep_others_waiting() {
        let intake = Arc::new(Intake::new(1, 2, BatchCaps { records_max: 1, bytes_max: 10 }));
        let pushing = Arc::clone(&intake);
        std::thread::spawn(move || {
            let push = |partition| {
                let record = Incoming { timestamp_ms: 0, key: None, value: Some(b"x"), headers: [].into_iter() };
                pushing.push((0, partition), &record, Origin { input: "-".into(), line: 1 }).unwrap();
            };
            push(1);
            (0..20).for_each(|_| push(0));
        });
        let idle = intake.partitions().nth(1).unwrap();
        let taken = tokio::time::timeout(std::time::Duration::from_secs(5), idle.take()).await;
        assert!(taken.is_ok_and(|filled| filled.is_some()), "it waits behind the full partition");
        intake.abandon_all();
    }

    #[tokio::test]
    async fn what_arrived_before_the_end_is_taken() {
        let intake = intake(10, 100);
        push(&intake, "last");
        intake.end_all();
        push(&intake, "too late");
        assert_eq!(intake.unprocessed(), 0, "it belongs to the rest of the input");
        let partition = intake.partitions().next().unwrap();
        assert_eq!(partition.take().await.unwrap().batch.len(), 1);
        assert!(partition.take().await.is_none());
    }
}
