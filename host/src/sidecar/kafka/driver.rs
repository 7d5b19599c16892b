//! One partition's task: takes batches, runs them through the lane, has their emits written.
//!
//! A batch's emits are held until the guest has acknowledged it. While they are being written the guest has the next
//! batch already. Several batches may be with the brokers at once, in the partition's order; one that a broker may refuse
//! for itself is there alone, since what came behind it would stand before its second try. A batch that fails is run again on a fresh instance, for ever, after a back-off that is this
//! partition's alone; nothing behind it is processed meanwhile. It ends when the partition does, with what it has in hand
//! written, or killed when the partition is revoked or the conversation void.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::back_off::BackOff;
use super::commits::Due;
use super::delivery::{Delivered, Delivery};
use super::emits::{Emitted, Topics};
use super::monitor::Written;
use super::partition::{Partition, Work};
use super::writer::Writer;
use crate::batch::{Batch, Failure};
use crate::lane::{Lane, Policy, Ran};
use crate::telemetry;

/// What the drivers of an inlet share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) topics: Topics,
    pub(super) writer: Writer,
    pub(super) due: Arc<Due>,
    pub(super) policy: Policy,
    pub(super) back_off_max: Duration,
}

/// One partition's task.
pub(super) struct Driver {
    partition: Arc<Partition>,
    shared: Arc<Shared>,
    lane: Lane,
    back_off: BackOff,
    /// Batches that failed, or were taken and have to wait for one that did, in order.
    again: VecDeque<Taken>,
    /// Batches whose emits are being written, in order.
    writing: VecDeque<Writing>,
}

/// A batch that is with the brokers.
#[derive(Debug)]
struct Writing {
    taken: Taken,
    delivery: Arc<Delivery>,
    /// How many may be there together with it, itself included.
    together_max: usize,
}

/// A batch, and when it was taken.
#[derive(Debug, Clone)]
struct Taken {
    batch: Arc<Batch>,
    at: Instant,
}

/// The partition is over for this task.
struct Over;

impl Driver {
    pub(super) fn new(partition: Arc<Partition>, shared: Arc<Shared>) -> Self {
        let guest = Arc::clone(&shared.topics.guest);
        let lane = Lane::new(guest, partition.inlet, partition.number, shared.policy);
        let back_off = BackOff::new(shared.back_off_max);
        Self { partition, shared, lane, back_off, again: VecDeque::new(), writing: VecDeque::new() }
    }

    /// Runs batches until the partition ends; then waits for what is being written.
    pub(super) async fn drive(mut self) {
        while let Ok(()) = self.step().await {}
        while let Some(writing) = self.writing.pop_front() {
            if writing.delivery.wait().await != Delivered::All {
                return;
            }
        }
    }

    /// Takes a batch through the guest and hands its emits over.
    async fn step(&mut self) -> Result<(), Over> {
        let Some(taken) = self.next().await? else { return Ok(()) };
        let ran = match self.lane.run(&taken.batch, &self.shared.topics).await {
            Ok(ran) => ran,
            Err(failure) => {
                self.again.push_front(taken);
                return self.failed(&failure).await;
            }
        };
        let together_max = self.shared.writer.batches_max(&ran.emits);
        while self.writing.iter().any(|writing| self.writing.len() >= writing.together_max.min(together_max)) {
            if let Err((failure, undone)) = self.settle().await? {
                self.again.push_front(taken);
                return self.back(undone, &failure).await;
            }
        }
        self.hand_over(taken, ran, together_max).await
    }

    /// The next batch. Meanwhile an earlier one may turn out not to be writable; then there is none.
    async fn next(&mut self) -> Result<Option<Taken>, Over> {
        if self.partition.is_ended() {
            return Err(Over);
        }
        if !self.again.is_empty() {
            // One of those before it may have to come first.
            while !self.writing.is_empty() {
                if let Err((failure, undone)) = self.settle().await? {
                    self.back(undone, &failure).await?;
                    return Ok(None);
                }
            }
            return Ok(self.again.pop_front());
        }
        let work = loop {
            let partition = Arc::clone(&self.partition);
            let idle_max = self.shared.topics.guest.idle_max();
            let first = self.writing.front().map(|writing| Arc::clone(&writing.delivery));
            tokio::select! {
                biased;
                () = async {
                    match first {
                        Some(delivery) => drop(delivery.wait().await),
                        None => std::future::pending().await,
                    }
                } => {
                    if let Err((failure, undone)) = self.settle().await? {
                        self.back(undone, &failure).await?;
                        return Ok(None);
                    }
                }
                work = timeout(idle_max, partition.take()) => match work {
                    Ok(work) => break work.ok_or(Over)?,
                    Err(_) => self.lane.rest(),
                },
            }
        };
        match work {
            Work::Batch(batch) => {
                self.partition.monitor.taken(&batch);
                Ok(Some(Taken { batch, at: Instant::now() }))
            }
            Work::Unreadable(unreadable) => {
                let (inlet, number) = (self.partition.inlet, self.partition.number);
                let failure = self.shared.topics.unreadable(inlet, number, unreadable.offset, unreadable.why.clone());
                loop {
                    self.failed(&failure).await?;
                }
            }
        }
    }

    /// Waits for the first of the batches being written. One that was refused is given back, with those after it.
    async fn settle(&mut self) -> Result<Result<(), (Failure, Vec<Taken>)>, Over> {
        let Some(Writing { taken, delivery, .. }) = self.writing.front() else { return Ok(Ok(())) };
        match delivery.wait().await {
            Delivered::All => {
                self.writing.pop_front();
                // Where one waits that failed, those before it say nothing of it.
                if self.again.is_empty() {
                    self.back_off.reset();
                }
                Ok(Ok(()))
            }
            Delivered::Refused(refused) => {
                let failure = self.shared.topics.refused(&taken.batch, refused.why);
                let undone = self.writing.drain(..).map(|writing| writing.taken).collect();
                Ok(Err((failure, undone)))
            }
            Delivered::Lost => Err(Over),
        }
    }

    /// These are to be run again, before all others. Tells why, and waits.
    async fn back(&mut self, undone: Vec<Taken>, failure: &Failure) -> Result<(), Over> {
        for taken in undone.into_iter().rev() {
            self.again.push_front(taken);
        }
        self.failed(failure).await
    }

    /// Tells of a failure, and waits.
    async fn failed(&mut self, failure: &Failure) -> Result<(), Over> {
        let wait = self.back_off.next();
        self.partition.monitor.failed(failure);
        telemetry::batch_failed_on_kafka(failure, wait);
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(()),
            () = self.partition.ended() => Err(Over),
        }
    }

    /// Hands the emits of an acknowledged batch over to be written.
    async fn hand_over(&mut self, taken: Taken, ran: Ran<Emitted>, together_max: usize) -> Result<(), Over> {
        let Ran { emits, poison } = ran;
        telemetry::records_set_aside_on_kafka(&poison);
        let Some((_, last)) = taken.batch.offsets() else { return Ok(()) };
        let written = self.amount(&taken.batch, &emits, poison.len());
        let delivery = Delivery::new(&self.partition, last + 1, &self.shared.due, written, taken.at);
        let result = self.shared.writer.write(emits, &delivery).await;
        self.writing.push_back(Writing { taken, delivery, together_max });
        result.map_err(|_| Over)
    }

    /// What a batch amounts to.
    fn amount(&self, batch: &Batch, emits: &[Emitted], set_aside: usize) -> Written {
        let mut by_outlet = vec![(0, 0); self.shared.topics.outlets.len()];
        for amounts in emits.iter().map(|emitted| &emitted.amounts) {
            for ((count, bytes), amount) in by_outlet.iter_mut().zip(amounts) {
                *count += amount.0;
                *bytes += amount.1;
            }
        }
        Written {
            records: batch.len() as u64,
            bytes: batch.arena.len() as u64,
            set_aside: set_aside as u64,
            emits: by_outlet,
        }
    }
}
