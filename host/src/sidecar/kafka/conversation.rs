//! One conversation on Kafka: from its producers and consumers to the fault that voids it, or to the run's end.
//!
//! Everything in it is its own: guests' instances, clients, what is in flight. The next one begins at the committed
//! offsets with fresh ones. It is ready once its topics exist and its groups have given it its partitions, and not
//! before. At the run's end lanes finish what they have in hand, as long as the grace lasts.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rdkafka::producer::{Producer as _, ThreadedProducer};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::client_events::ClientEvents;
use super::driver;
use super::emits::{Bound, Topics};
use super::fault::{Fault, Faults};
use super::flights::Flights;
use super::inlet::{Inlet, Plan, StartError};
use super::producers::{Producers, Reports, SharedProducer};
use super::settings::{OutletSettings, Settings};
use super::state_files::StateFiles;
use super::transactions::{INIT_TIMEOUT, Members, Transactions};
use super::writer::Writer;
use super::{Delivery, Options, topics};
use crate::guest::Guest;
use crate::sidecar::kafka::commits::Due;
use crate::sidecar::kafka::monitor::Monitor;

/// How long a consumer may take to leave its group.
const LEAVE_WAIT: Duration = Duration::from_secs(5);

/// How long what is being written, and then the producers, may take to end.
const CLOSE_WAIT: Duration = Duration::from_secs(2);

/// How a conversation ended.
#[derive(Debug)]
pub(super) enum End {
    /// The run is over. What was in hand is committed, or was given up after the grace.
    Stopped {
        /// Whether all of it was finished.
        finished: bool,
    },
    /// It is void.
    Fault(Fault),
}

/// What a conversation needs of the run.
pub(super) struct Run<'a> {
    pub(super) settings: &'a Settings,
    pub(super) options: &'a Options,
    pub(super) monitor: &'a Arc<Monitor>,
    pub(super) state_files: &'a StateFiles,
    pub(super) outlets: &'a Arc<Vec<Bound>>,
    /// The conversation's id.
    pub(super) id: &'a str,
}

/// Its parts, while it runs.
struct Parts {
    inlets: Vec<Inlet>,
    producers: Arc<Producers>,
    /// The task that writes.
    writing: tokio::task::JoinHandle<()>,
}

impl Run<'_> {
    /// Converses until a fault, or until `stop`.
    ///
    /// # Errors
    /// Settings that librdkafka refuses: no later conversation could fare better.
    pub(super) async fn converse(
        &self,
        guest: Guest,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<End, StartError> {
        let (faults, mut told) = Faults::channel();
        let guest = Arc::new(guest);
        let is_over = Over::default();
        let opening = self.open(&guest, &faults, &is_over);
        let parts = tokio::select! {
            parts = opening => parts?,
            fault = told.recv() => return Ok(fault.map_or(End::Stopped { finished: true }, End::Fault)),
            () = &mut stop => return Ok(End::Stopped { finished: true }),
        };
        let Some(parts) = parts else {
            return Ok(told.recv().await.map_or(End::Stopped { finished: true }, End::Fault));
        };
        let end = self.wait(&parts, &mut told, stop).await;
        self.monitor.set_ready(false);
        self.state_files.set_ready(false);
        Ok(parts.close(end, self.options.drain_grace, &mut told).await)
    }

    /// Opens producers, then consumers.
    async fn open(&self, guest: &Arc<Guest>, faults: &Faults, is_over: &Over) -> Result<Option<Parts>, StartError> {
        let events = ClientEvents::new(self.monitor);
        // Where nothing is written there is nothing to write once.
        let first = self.settings.outlets.first();
        let (opened, members) = match (&self.options.delivery, first) {
            (Delivery::ExactlyOnce { transactional_id }, Some(first)) => {
                match self.transactional(first, transactional_id, faults, &events).await? {
                    Some(producers) => (producers, Some(Members::default())),
                    None => return Ok(None),
                }
            }
            _ => {
                let keep = self.options.keep_timestamps;
                (Producers::open(&self.settings.outlets, self.outlets, keep, faults, &events)?, None)
            }
        };
        let opened = Arc::new(opened);
        self.await_topics(&opened, &events, is_over).await;
        let transactional = opened.of(0).zip(members.as_ref());
        let (writer, writing) = match transactional {
            None => {
                let (flights, task) = Flights::start(&opened, faults.clone());
                (Writer::AtLeastOnce(flights), task)
            }
            Some((producer, members)) => {
                let (transactions, task) = Transactions::start(producer, &opened, members, faults.clone());
                (Writer::ExactlyOnce(transactions), task)
            }
        };
        let mut inlets = Vec::new();
        for (inlet, settings) in (0..).zip(&self.settings.inlets) {
            let shared = driver::Shared {
                topics: Topics { guest: Arc::clone(guest), outlets: Arc::clone(self.outlets) },
                writer: writer.clone(),
                due: Arc::new(Due::new(members.is_some())),
                policy: self.options.policy,
                back_off_max: self.options.back_off_max,
            };
            inlets.push(Inlet::start(Plan {
                inlet,
                settings: settings.clone(),
                shared: Arc::new(shared),
                faults: faults.clone(),
                events: events.of(&settings.name),
                members: members.clone(),
                monitor: Arc::clone(self.monitor),
            })?);
        }
        Ok(Some(Parts { inlets, producers: opened, writing }))
    }

    /// The one producer of a run with transactions, initialised: whoever had its id before is fenced off by now.
    async fn transactional(
        &self,
        first: &OutletSettings,
        id: &str,
        faults: &Faults,
        events: &ClientEvents,
    ) -> Result<Option<Producers>, StartError> {
        let config = super::transactions::producer_config(first.client.config(), id);
        let reports = Reports::new(self.outlets, 0, faults, events.of(&first.name));
        let producer: SharedProducer = Arc::new(config.create_with_context::<_, ThreadedProducer<_>>(reports)?);
        let initialising = Arc::clone(&producer);
        let initialised = spawn_blocking(move || initialising.init_transactions(INIT_TIMEOUT)).await;
        match initialised {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                faults.tell(format!("cannot begin transactions as \"{id}\": {error}"));
                return Ok(None);
            }
            Err(_) => {
                faults.tell("beginning transactions panicked; this is a bug of the host");
                return Ok(None);
            }
        }
        let keep = self.options.keep_timestamps;
        Ok(Some(Producers::shared(&producer, self.outlets, keep, faults)))
    }

    /// Waits until the outlets' topics exist.
    async fn await_topics(&self, producers: &Arc<Producers>, events: &ClientEvents, is_over: &Over) {
        for (index, outlet) in self.settings.outlets.iter().enumerate() {
            let (producers, events) = (Arc::clone(producers), events.of(&outlet.name));
            let (name, topic, is_over) = (outlet.name.clone(), outlet.topic.clone(), Arc::clone(&is_over.0));
            let waiting = spawn_blocking(move || {
                let port = topics::Port { direction: "outlet", name: &name, topic: &topic };
                let Some(producer) = producers.of(index) else { return };
                topics::wait_for(producer.client(), &port, &events, || !is_over.load(Ordering::Acquire));
            });
            // It ends when the topic is there, or when this conversation is dropped.
            let _ = waiting.await;
        }
    }

    /// Waits for the end, and tells when it is ready.
    async fn wait(
        &self,
        parts: &Parts,
        told: &mut mpsc::Receiver<Fault>,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> End {
        let mut joined = pin!(async {
            for inlet in &parts.inlets {
                inlet.joined().await;
            }
        });
        let mut is_ready = false;
        loop {
            tokio::select! {
                biased;
                Some(fault) = told.recv() => return End::Fault(fault),
                () = &mut stop => return End::Stopped { finished: true },
                () = &mut joined, if !is_ready => {
                    is_ready = true;
                    self.monitor.set_ready(true);
                    self.state_files.set_ready(true);
                    crate::telemetry::kafka_ready(&self.settings.streamlet, self.id, parts.inlets.len());
                }
            }
        }
    }
}

impl Parts {
    /// Ends everything: a void conversation at once, another one after it has finished what is in hand.
    async fn close(self, end: End, grace: Duration, told: &mut mpsc::Receiver<Fault>) -> End {
        let Self { inlets, producers, writing } = self;
        let end = match end {
            End::Fault(fault) => {
                inlets.iter().for_each(Inlet::abandon);
                producers.purge();
                leave(inlets).await;
                End::Fault(fault)
            }
            End::Stopped { .. } => {
                inlets.iter().for_each(Inlet::drain);
                let mut fault = None;
                let finished = {
                    let mut left = pin!(drained(&inlets));
                    tokio::select! {
                        () = &mut left => true,
                        () = tokio::time::sleep(grace) => false,
                        told = told.recv() => {
                            fault = told;
                            false
                        }
                    }
                };
                if fault.is_some() {
                    producers.purge();
                }
                if !finished {
                    inlets.iter().for_each(Inlet::abandon);
                }
                leave(inlets).await;
                if let Some(fault) = fault {
                    crate::telemetry::conversation_void(&fault.text, None);
                }
                End::Stopped { finished }
            }
        };
        // Nobody hands over any more, so it ends after what it has in hand.
        let _ = tokio::time::timeout(CLOSE_WAIT, writing).await;
        // A producer waits for its thread when it goes.
        let _ = tokio::time::timeout(CLOSE_WAIT, spawn_blocking(move || drop(producers))).await;
        end
    }
}

/// Waits until every inlet has finished what lanes had in hand.
async fn drained(inlets: &[Inlet]) {
    for inlet in inlets {
        inlet.ended().await;
    }
}

/// Waits until every inlet has left its group, or does not.
async fn leave(inlets: Vec<Inlet>) {
    let deadline = Instant::now() + LEAVE_WAIT;
    for inlet in inlets {
        if !inlet.left(deadline).await {
            tracing::warn!(target: "streamlet", "a consumer did not leave its group in time: no broker answers");
        }
    }
}

/// Set when the conversation is dropped, for those who wait on threads.
#[derive(Debug, Default)]
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
