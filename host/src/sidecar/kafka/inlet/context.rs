//! What a consumer calls back, always on the thread that polls it: rebalances, errors, counts.
//!
//! It owns the partitions that this member has, with the task of each. A partition that is taken away loses its claim
//! first, so that nothing more of it is written; what was being written is waited for, for a moment, and committed; then
//! its task is killed. With transactions, a partition that comes is taken once it is certain where reading it begins.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer as _, ConsumerContext, Rebalance};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::topic_partition_list::TopicPartitionListElem;
use rdkafka::{ClientContext, Offset, Statistics, TopicPartitionList};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Plan;
use crate::sidecar::BatchCaps;
use crate::sidecar::kafka::client_events::ClientEvents;
use crate::sidecar::kafka::commits::Due;
use crate::sidecar::kafka::driver::{Driver, Shared};
use crate::sidecar::kafka::fault::{Faults, PanicWatch};
use crate::sidecar::kafka::locks::lock;
use crate::sidecar::kafka::monitor::Monitor;
use crate::sidecar::kafka::partition::Partition;
use crate::sidecar::kafka::passing::passes;

/// How long one look for committed offsets may take, and the pause after it.
const OFFSETS_WAIT: Duration = Duration::from_secs(1);
const OFFSETS_PAUSE: Duration = Duration::from_millis(20);
/// How long a partition that is taken away may take to confirm what is being written, and to commit it.
const REVOKED_WRITE_WAIT: Duration = Duration::from_secs(1);
const REVOKED_COMMIT_WAIT: Duration = Duration::from_secs(1);

/// A consumer's own.
pub(in super::super) struct Context {
    inlet: u32,
    topic: String,
    caps: BatchCaps,
    shared: Arc<Shared>,
    faults: Faults,
    events: ClientEvents,
    monitor: Arc<Monitor>,
    runtime: Handle,
    joined: watch::Sender<bool>,
    partitions: Mutex<super::Assigned>,
    /// Partitions that come now are not worked on any more.
    is_ending: AtomicBool,
    /// What the consumer's thread has been told to do.
    order: Arc<AtomicU8>,
    /// Whether offsets are committed in transactions.
    is_exactly_once: bool,
}

/// A partition that this member has.
#[derive(Debug)]
pub(super) struct Assigned {
    pub(super) partition: Arc<Partition>,
    pub(super) is_paused: bool,
    task: JoinHandle<()>,
}

impl Context {
    pub(super) fn new(plan: &Plan, runtime: Handle, joined: watch::Sender<bool>, order: &Arc<AtomicU8>) -> Self {
        Self {
            inlet: plan.inlet,
            topic: plan.settings.topic.clone(),
            caps: plan.settings.caps,
            shared: Arc::clone(&plan.shared),
            faults: plan.faults.clone(),
            events: plan.events.clone(),
            monitor: Arc::clone(&plan.monitor),
            runtime,
            joined,
            partitions: Mutex::default(),
            is_ending: AtomicBool::new(false),
            order: Arc::clone(order),
            is_exactly_once: plan.members.is_some(),
        }
    }

    pub(super) fn due(&self) -> &Due {
        &self.shared.due
    }

    pub(super) fn topic(&self) -> &str {
        &self.topic
    }

    /// The partition of this number, if this member has it.
    pub(super) fn partition(&self, number: i32) -> Option<Arc<Partition>> {
        lock(&self.partitions).get(&number).map(|assigned| Arc::clone(&assigned.partition))
    }

    /// All that this member has.
    pub(super) fn partitions(&self) -> MutexGuard<'_, super::Assigned> {
        lock(&self.partitions)
    }

    /// Lanes take no more.
    pub(super) fn end_partitions(&self) {
        self.is_ending.store(true, Ordering::Release);
        lock(&self.partitions).values().for_each(|assigned| assigned.partition.end());
    }

    /// Whether a lane still has something in hand.
    pub(super) fn is_working(&self) -> bool {
        lock(&self.partitions).values().any(|assigned| !assigned.task.is_finished())
    }

    /// Kills what lanes have in hand.
    pub(super) fn kill_partitions(&self) {
        self.is_ending.store(true, Ordering::Release);
        let partitions = std::mem::take(&mut *lock(&self.partitions));
        for Assigned { partition, task, .. } in partitions.into_values() {
            partition.revoke();
            task.abort();
        }
    }

    fn assign(&self, number: i32) -> Assigned {
        let monitor = self.monitor.assigned(self.inlet, number);
        let partition = Arc::new(Partition::new(self.inlet, number, self.caps, monitor));
        if self.is_ending.load(Ordering::Acquire) {
            partition.end();
        }
        let driver = Driver::new(Arc::clone(&partition), Arc::clone(&self.shared));
        let faults = self.faults.clone();
        let task = self.runtime.spawn(async move {
            let _watch = PanicWatch { faults, whose: "a partition's task" };
            driver.drive().await;
        });
        Assigned { partition, is_paused: false, task }
    }

    /// Says for each new partition where reading it begins, as soon as no open transaction may still change that: one of a
    /// member that was killed stays open until it times out.
    ///
    /// The client library would ask by itself. But where the assignment changes while it waits for such a transaction, it
    /// takes the refusal for a partition that has no committed offset (librdkafka 2.12.1, `rd_kafka_assignment_apply_offsets`
    /// puts it back as `INVALID`), and reads it from wherever `auto.offset.reset` says: everything once more.
    fn position(&self, consumer: &BaseConsumer<Self>, list: &TopicPartitionList) {
        let began = Instant::now();
        let mut is_told = false;
        while self.order.load(Ordering::Acquire) == super::Order::Run as u8 {
            match committed(consumer, list) {
                Ok(Some(committed)) => {
                    let places = list.elements().into_iter().zip(committed.elements());
                    // One without a committed offset stays as it is, and begins where the settings say.
                    for (mut element, committed) in places {
                        if let Offset::Offset(_) = committed.offset() {
                            let _ = element.set_offset(committed.offset());
                        }
                    }
                    return;
                }
                Ok(None) => {}
                Err(error) if passes(&error) => {}
                Err(error) => {
                    self.faults.tell(format!("cannot read the offsets of topic \"{}\": {error}", self.topic));
                    break;
                }
            }
            if !is_told && began.elapsed() > OFFSETS_WAIT {
                is_told = true;
                tracing::info!(target: "streamlet", topic = %self.topic, "waiting for committed offsets, which a transaction that another member left open may still change");
            }
            std::thread::sleep(OFFSETS_PAUSE);
        }
        // Where they would be read from is not known: whatever comes is not worked on.
        self.is_ending.store(true, Ordering::Release);
    }

    fn assigned(&self, consumer: &BaseConsumer<Self>, list: &TopicPartitionList) {
        // A partition that was paused when this member lost it would stay silent.
        if list.count() > 0
            && let Err(error) = consumer.resume(list)
        {
            self.faults.tell(format!("cannot read the partitions of topic \"{}\": {error}", self.topic));
        }
        let mut partitions = lock(&self.partitions);
        for element in list.elements() {
            let number = element.partition();
            // It was taken away before, or it is new.
            if let Some(stale) = partitions.insert(number, self.assign(number)) {
                stale.partition.revoke();
                stale.task.abort();
            }
        }
        let numbers = partitions.keys().copied().collect::<Vec<_>>();
        drop(partitions);
        self.monitor.joined(self.inlet, &numbers);
        tracing::info!(target: "streamlet", topic = %self.topic, assigned = list.count(), partitions = numbers.len(), "partitions assigned");
        self.joined.send_replace(true);
    }

    fn revoked(&self, consumer: &BaseConsumer<Self>, list: &TopicPartitionList) {
        let gone = {
            let mut partitions = lock(&self.partitions);
            let numbers = list.elements().iter().map(TopicPartitionListElem::partition).collect::<Vec<_>>();
            numbers.iter().filter_map(|number| partitions.remove(number)).collect::<Vec<_>>()
        };
        if gone.is_empty() {
            return;
        }
        for assigned in &gone {
            assigned.partition.revoke();
        }
        let is_lost = consumer.assignment_lost();
        let partitions = gone.iter().map(|assigned| Arc::clone(&assigned.partition)).collect::<Vec<_>>();
        if !is_lost {
            let until = Instant::now() + REVOKED_WRITE_WAIT;
            while partitions.iter().any(|partition| partition.is_writing()) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // What is not committed by then, whoever gets the partition reads once more.
        self.due().give_up(&partitions, if is_lost { Duration::ZERO } else { REVOKED_COMMIT_WAIT });
        for assigned in &gone {
            assigned.task.abort();
        }
        tracing::info!(target: "streamlet", topic = %self.topic, revoked = gone.len(), lost = is_lost, "partitions revoked");
    }
}

/// The committed offsets of these partitions, in the same order; none if an open transaction may still change one.
fn committed(
    consumer: &BaseConsumer<Context>,
    list: &TopicPartitionList,
) -> Result<Option<TopicPartitionList>, KafkaError> {
    let committed = consumer.committed_offsets(list.clone(), OFFSETS_WAIT)?;
    let unstable = Err(KafkaError::OffsetFetch(RDKafkaErrorCode::UnstableOffsetCommit));
    let is_stable = committed.elements().iter().all(|element| element.error() != unstable);
    Ok(is_stable.then_some(committed))
}

impl ConsumerContext for Context {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Revoke(list) => self.revoked(consumer, list),
            Rebalance::Assign(list) if self.is_exactly_once && list.count() > 0 => self.position(consumer, list),
            Rebalance::Assign(_) | Rebalance::Error(_) => {}
        }
    }

    fn post_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        match rebalance {
            Rebalance::Assign(list) => self.assigned(consumer, list),
            Rebalance::Revoke(_) => {}
            Rebalance::Error(error) => self.events.error(error, "the group's rebalance failed"),
        }
    }
}

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, text: &str) {
        self.events.log(level, facility, text);
    }

    fn stats(&self, statistics: Statistics) {
        self.events.statistics(&statistics);
        let Some(topic) = statistics.topics.get(&self.topic) else { return };
        for (number, partition) in &topic.partitions {
            // What a reader of committed records can read, where that is less.
            let end = if partition.ls_offset >= 0 { partition.ls_offset } else { partition.hi_offset };
            if end >= 0 {
                self.monitor.reaches(self.inlet, *number, end, partition.next_offset);
            }
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.events.error(&error, reason);
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("inlet", &self.inlet).field("topic", &self.topic).finish_non_exhaustive()
    }
}
