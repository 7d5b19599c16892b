//! An inlet's consumer and the thread that polls it.
//!
//! The thread copies what arrives into its partitions' batches, pauses partitions that are too far behind, and serves the
//! group's rebalances, which come within `poll`; there it waits, for a moment, for what is being written. Another one
//! commits what is due. Lanes take from the partitions by themselves. It refuses records that no batch may hold. It ends when it is told to, at once
//! or after a drain, and leaves the group.

mod context;
mod flow;
mod reading;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tokio::sync::watch;

use super::client_events::ClientEvents;
use super::commits;
use super::driver::Shared;
use super::fault::{Faults, PanicWatch};
use super::locks::lock;
use super::passing::passes;
use super::settings::InletSettings;
use super::topics;
use super::transactions::{Member, Members};
use context::Context;
use flow::Flow;
use reading::Reader;

/// An inlet's consumer.
pub(super) type Consumer = BaseConsumer<Context>;

/// How long one poll waits for a record, which ends it at once; an order to end waits as long.
const POLL_WAIT: Duration = Duration::from_millis(50);
/// As [`POLL_WAIT`], while there is something to look after: a paused partition, or the end.
const BUSY_POLL_WAIT: Duration = Duration::from_millis(5);
/// Records that are taken from the consumer before lanes are woken.
const DRAINED_RECORDS_MAX: usize = 1000;
/// How long the thread sleeps while every partition has enough to do.
const SATED_WAIT: Duration = Duration::from_millis(1);

/// How long the last commits may take.
const COMMIT_WAIT: Duration = Duration::from_secs(3);

/// What an inlet needs.
#[derive(Clone)]
pub(super) struct Plan {
    /// Index of the inlet among the declared ones.
    pub(super) inlet: u32,
    pub(super) settings: InletSettings,
    pub(super) shared: Arc<Shared>,
    pub(super) faults: Faults,
    pub(super) events: ClientEvents,
    /// Where transactions find whose offsets they commit; none without transactions.
    pub(super) members: Option<Members>,
    pub(super) monitor: Arc<super::monitor::Monitor>,
}

/// What the thread is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Order {
    Run,
    /// Finish what lanes have in hand, commit it, leave.
    Drain,
    /// Leave.
    Abandon,
}

/// A running inlet.
#[derive(Debug)]
pub(super) struct Inlet {
    order: Arc<AtomicU8>,
    /// Whether the group has given this member its partitions, be it none.
    joined: watch::Receiver<bool>,
    thread: Option<JoinHandle<()>>,
    /// Its sender goes with the thread.
    ended: watch::Receiver<()>,
}

impl Inlet {
    /// Creates the consumer and starts its thread.
    ///
    /// # Errors
    /// Settings that librdkafka refuses, or a system that refuses a thread.
    pub(super) fn start(plan: Plan) -> Result<Self, StartError> {
        let (joined, has_joined) = watch::channel(false);
        let handle = tokio::runtime::Handle::current();
        let order = Arc::new(AtomicU8::new(Order::Run as u8));
        let context = Context::new(&plan, handle, joined, &order);
        let consumer = plan.settings.client.config().create_with_context::<_, Consumer>(context)?;
        let consumer = Arc::new(consumer);
        if let Some(members) = &plan.members {
            let member = Member { consumer: Arc::clone(&consumer), topic: plan.settings.topic.clone() };
            lock(members).insert(plan.inlet, member);
        }
        let (end, ended) = watch::channel(());
        let worker = Worker { plan, consumer, order: Arc::clone(&order), flow: Flow::default() };
        let name = format!("inlet {}", worker.plan.settings.name);
        let thread = std::thread::Builder::new().name(name).spawn(move || {
            let _watch = PanicWatch { faults: worker.plan.faults.clone(), whose: "an inlet's thread" };
            worker.run();
            drop(end);
        })?;
        Ok(Self { order, joined: has_joined, thread: Some(thread), ended })
    }

    /// Waits until the group has given this member its partitions.
    pub(super) async fn joined(&self) {
        let mut joined = self.joined.clone();
        if joined.wait_for(|joined| *joined).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Tells the thread to finish what lanes have in hand, commit it and leave the group.
    pub(super) fn drain(&self) {
        self.order.store(Order::Drain as u8, Ordering::Release);
    }

    /// Tells the thread to leave the group at once. What is in flight is killed.
    pub(super) fn abandon(&self) {
        self.order.store(Order::Abandon as u8, Ordering::Release);
    }

    /// Waits until the thread has left the group.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }

    /// As [`Inlet::ended`]; says whether it did by `deadline`. One that does not, because no broker answers, is left alone.
    pub(super) async fn left(mut self, deadline: tokio::time::Instant) -> bool {
        let has_ended = tokio::time::timeout_at(deadline, self.ended()).await.is_ok();
        if has_ended && let Some(thread) = self.thread.take() {
            // A panic in it has been told as a fault.
            let _ = thread.join();
        }
        has_ended
    }
}

/// An inlet that cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The settings are refused.
    #[error(transparent)]
    Settings(#[from] KafkaError),
    /// There is no thread to be had.
    #[error("cannot start a thread for an inlet")]
    Thread(#[from] std::io::Error),
}

/// The thread's.
struct Worker {
    plan: Plan,
    consumer: Arc<Consumer>,
    order: Arc<AtomicU8>,
    flow: Flow,
}

impl Worker {
    fn run(mut self) {
        let committer = self.spawn_committer();
        if committer.is_some() && self.prepare() {
            while self.order() == Order::Run && self.turn() {}
            if self.order() == Order::Drain {
                self.drain();
            }
        }
        self.leave(committer);
    }

    /// The thread that commits; none, with a fault, where there is none to be had.
    fn spawn_committer(&self) -> Option<JoinHandle<()>> {
        let (consumer, plan) = (Arc::clone(&self.consumer), self.plan.clone());
        let spawned = std::thread::Builder::new().name(format!("commits {}", plan.settings.name)).spawn(move || {
            let _watch = PanicWatch { faults: plan.faults.clone(), whose: "a thread that commits" };
            let context = consumer.context();
            let commit = |offsets: &HashMap<i32, i64>| {
                consumer.commit(&commits::list(&plan.settings.topic, offsets)?, CommitMode::Sync)
            };
            let committed = |after| plan.monitor.committed(plan.inlet, after);
            if let Err(error) = context.due().commit_all(commit, committed) {
                plan.faults.tell(commit_failed(&plan.settings, &error));
            }
        });
        spawned.map_err(|error| self.plan.faults.tell(format!("cannot start a thread that commits: {error}"))).ok()
    }

    fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Run,
            1 => Order::Drain,
            _ => Order::Abandon,
        }
    }

    /// Waits for the topic, then subscribes. Says whether to go on.
    fn prepare(&mut self) -> bool {
        let InletSettings { name, topic, .. } = &self.plan.settings;
        let goes_on = || {
            // Nothing is subscribed yet, so this brings errors only.
            if let Some(Err(error)) = self.consumer.poll(Duration::ZERO) {
                self.plan.events.error(&error, "");
            }
            self.order() == Order::Run
        };
        let port = topics::Port { direction: "inlet", name, topic };
        if !topics::wait_for(self.consumer.client(), &port, &self.plan.events, goes_on) {
            return false;
        }
        match self.consumer.subscribe(&[topic]) {
            Ok(()) => true,
            Err(error) => {
                self.plan.faults.tell(format!("cannot subscribe inlet \"{name}\" to topic \"{topic}\": {error}"));
                false
            }
        }
    }

    /// Takes what has arrived, wakes the lanes, and lets nobody get too far behind. Says whether to go on.
    fn turn(&mut self) -> bool {
        let context = self.consumer.context();
        if self.flow.is_sated(context) {
            std::thread::sleep(SATED_WAIT);
        } else {
            let mut reader = Reader::new(context, &self.plan.settings);
            let mut wait = if self.flow.has_paused() { BUSY_POLL_WAIT } else { POLL_WAIT };
            for _ in 0..DRAINED_RECORDS_MAX {
                match self.consumer.poll(wait) {
                    None => break,
                    Some(Ok(message)) => reader.read(&message),
                    Some(Err(error)) => {
                        if !self.goes_on_after(&error) {
                            return false;
                        }
                    }
                }
                wait = Duration::ZERO;
            }
            reader.wake();
        }
        self.flow.regulate(&self.consumer);
        true
    }

    /// Tells an error of the consumer. Says whether it may pass.
    fn goes_on_after(&self, error: &KafkaError) -> bool {
        use RDKafkaErrorCode as Code;
        let InletSettings { name, topic, .. } = &self.plan.settings;
        // What a consumer alone meets, and an operator may set right while it goes on.
        let is_readers = matches!(
            error.rdkafka_error_code(),
            Some(
                Code::PollExceeded
                    | Code::Authentication
                    | Code::SSL
                    | Code::NotLeaderForPartition
                    | Code::LeaderNotAvailable
            )
        );
        let may_pass = !matches!(error, KafkaError::MessageConsumptionFatal(_)) && (is_readers || passes(error));
        if may_pass {
            self.plan.events.error(error, "");
        } else {
            self.plan.faults.tell(format!("cannot read topic \"{topic}\" of inlet \"{name}\": {error}"));
        }
        may_pass
    }

    /// Lanes finish what they have in hand; what they write is committed.
    fn drain(&mut self) {
        let context = self.consumer.context();
        context.end_partitions();
        let _ = self.consumer.assignment().and_then(|assignment| self.consumer.pause(&assignment));
        while self.order() == Order::Drain && context.is_working() {
            // Records that were on their way are not taken any more.
            drop(self.consumer.poll(BUSY_POLL_WAIT));
        }
        context.due().end(COMMIT_WAIT);
        let offsets = context.due().take();
        if offsets.is_empty() {
            return;
        }
        let list = commits::list(&self.plan.settings.topic, &offsets);
        if let Err(error) = list.and_then(|list| self.consumer.commit(&list, CommitMode::Sync)) {
            let text = commit_failed(&self.plan.settings, &error);
            tracing::warn!(target: "streamlet", "{text}; these records come again");
        }
    }

    /// Leaves the group.
    fn leave(self, committer: Option<JoinHandle<()>>) {
        let context = self.consumer.context();
        context.kill_partitions();
        context.due().end(COMMIT_WAIT);
        if let Some(members) = &self.plan.members {
            lock(members).remove(&self.plan.inlet);
        }
        if let Some(committer) = committer {
            // A panic in it has been told as a fault.
            let _ = committer.join();
        }
        // Closing it leaves the group, and waits for the coordinator.
        drop(self.consumer);
    }
}

fn commit_failed(settings: &InletSettings, error: &KafkaError) -> String {
    let InletSettings { name, topic, group, .. } = settings;
    format!("cannot commit offsets of topic \"{topic}\" (inlet \"{name}\", group \"{group}\"): {error}")
}

/// The partitions that a member has, by number.
type Assigned = HashMap<i32, context::Assigned>;
