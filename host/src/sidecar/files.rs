//! File mode: records from files or standard input, emits to standard output or files, as NDJSON.
//!
//! One thread per inlet reads its inputs one after another and places records in partitions (`intake`); one task per
//! partition runs a [`Lane`]; one thread writes (`writer`). All queues between them are bounded, so memory does not
//! grow with the input, and a reader that pauses loses nothing: what has been read is on its way at once.
//!
//! A failed batch ends its partition, and only that: batches after it would be out of order. An input that cannot be
//! read ends the reading of its inlet; what was read before it is processed. A closed standard output takes no more; when
//! no other output is left that does, the run ends without a word.

mod envelope;
mod intake;
mod key_field;
mod line;
mod partitioner;
mod reader;
mod report;
mod settings;
mod writer;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

pub use super::BatchCaps;
pub use envelope::EnvelopeError;
pub use intake::Origin;
pub use key_field::KeyError;
pub use line::{LineRecord, read_line};
pub use reader::{InputError, LineError};
pub use report::{FailedBatch, Read, Tally};
pub use settings::{Format, Input, Location, Output, Settings, SettingsError};
pub use writer::WriteError;

use crate::batch::{self, Batch, Failure, Start};
use crate::guest::{Component, Guest};
use crate::lane::{Door, Lane, Policy, Ran};
use intake::{Filled, Intake, Partition};
use reader::Reader;
use report::Counters;
use settings::Opened;
use writer::{Outbox, Writing, Written};

/// How long what was read may take to finish once a run is to stop.
const STOP_GRACE: Duration = Duration::from_secs(8);
/// How often progress is told while a run lasts.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// What kept a run from starting, or ended it before its input did.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input or output is not what it should be; nothing was run.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// An output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The system refuses another thread.
    #[error("cannot start a thread for reading or writing")]
    Thread(#[source] std::io::Error),
}

/// What a run tells while it lasts. Called from the run's tasks and threads: it must not block for long.
pub trait Observer: Send + Sync + 'static {
    /// A batch failed, and its partition with it.
    fn failed(&self, batch: &FailedBatch);
    /// A record of a batch was set aside; the others are acknowledged.
    fn set_aside(&self, record: &FailedBatch);
    /// An input cannot be read on; what was read before it is processed.
    fn input_failed(&self, error: &InputError);
    /// Some time has passed.
    fn progress(&self, tally: &Tally);
}

/// A run's end.
#[derive(Debug)]
pub struct Ending {
    /// What was done, whole or not.
    pub tally: Tally,
    /// An output that cannot be written ended the run.
    pub error: Option<WriteError>,
    /// An input could not be read to its end, which the observer was told.
    pub input_failed: bool,
    /// The run was stopped before its end.
    pub stopped: Option<Stopped>,
    /// Whether standard output was closed by its reader, which ends a run quietly.
    pub output_closed: bool,
}

/// What became of what a stopped run had read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It was finished and written.
    Finished,
    /// Some of it was still running or waiting to be written after this long, and was given up.
    GivenUpAfter(Duration),
}

/// Runs `component` over the inputs until they end or `stop` comes; what was read by then is finished, within a grace.
///
/// # Errors
/// [`RunError`], before anything has run. Every later problem is told to the observer or in the [`Ending`].
pub async fn run(
    component: &Arc<Component>,
    start: Start,
    settings: Settings,
    policy: Policy,
    observer: Arc<dyn Observer>,
    stop: impl Future<Output = ()>,
) -> Result<Ending, RunError> {
    let descriptor = component.descriptor();
    let names = |ports: &[streamlet_protocol::Port]| ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
    let (inlets, outlets) = (names(&descriptor.inlets), names(&descriptor.outlets));
    let inputs = settings.open_inputs(&inlets)?;
    let identities = inputs.values().flatten().filter_map(|input| input.identity).collect::<Vec<_>>();
    let (sinks, routes) = writer::open(&settings, &outlets, &identities)?;

    let run = Run {
        guest: Arc::new(component.converse(start)),
        intake: Arc::new(Intake::new(inlets.len(), settings.partitions, settings.caps)),
        counters: Arc::new(Counters::new(outlets)),
        input_failed: Arc::default(),
        policy,
        observer,
    };
    let (outbox, writing) = writer::spawn(sinks, routes).map_err(RunError::Thread)?;
    let lanes = run.spawn_lanes(&outbox);
    // The writer ends when the last lane has let go of its outbox.
    drop(outbox);
    run.spawn_readers(inputs, &settings).map_err(RunError::Thread)?;
    Ok(run.wait(lanes, writing, stop).await)
}

/// What the parts of a run share.
struct Run {
    guest: Arc<Guest>,
    intake: Arc<Intake>,
    counters: Arc<Counters>,
    /// Set by a reader before it ends its inlet, so it is there once the lanes have ended.
    input_failed: Arc<AtomicBool>,
    policy: Policy,
    observer: Arc<dyn Observer>,
}

impl Run {
    /// One task per partition.
    fn spawn_lanes(&self, outbox: &Outbox) -> JoinSet<()> {
        let mut lanes = JoinSet::new();
        for partition in self.intake.partitions() {
            let driver = Driver {
                partition: Arc::clone(partition),
                guest: Arc::clone(&self.guest),
                intake: Arc::clone(&self.intake),
                counters: Arc::clone(&self.counters),
                policy: self.policy,
                observer: Arc::clone(&self.observer),
                outbox: outbox.clone(),
            };
            lanes.spawn(driver.drive());
        }
        lanes
    }

    /// One thread per inlet that has inputs. A thread may be reading a terminal or a pipe when the run ends, for as long
    /// as it likes: nobody waits for it.
    fn spawn_readers(&self, mut inputs: BTreeMap<u32, Vec<Opened>>, settings: &Settings) -> std::io::Result<()> {
        for inlet in (0u32..).take(self.guest.descriptor().inlets.len()) {
            let Some(inputs) = inputs.remove(&inlet) else {
                self.intake.end_inlet(inlet);
                continue;
            };
            let (intake, input_failed) = (Arc::clone(&self.intake), Arc::clone(&self.input_failed));
            let (format, partitions) = (settings.format.clone(), settings.partitions);
            let observer = Arc::clone(&self.observer);
            thread::Builder::new().name(format!("input {inlet}")).spawn(move || {
                if let Err(error) = Reader::new(&intake, inlet, format, partitions).read(inputs) {
                    observer.input_failed(&error);
                    input_failed.store(true, Ordering::Release);
                }
                intake.end_inlet(inlet);
            })?;
        }
        Ok(())
    }

    /// Waits until all is written, telling progress meanwhile. After `stop` the lanes finish what was read, and the
    /// writer what they emit, as long as the grace lasts; whatever runs or waits then is given up.
    async fn wait(&self, mut lanes: JoinSet<()>, mut writing: Writing, stop: impl Future<Output = ()>) -> Ending {
        let mut stop = pin!(stop);
        let mut stopped = None;
        let mut deadline = None::<Instant>;
        let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
        let written = loop {
            tokio::select! {
                Some(lane) = lanes.join_next() => {
                    if let Err(lost) = lane {
                        std::panic::resume_unwind(lost.into_panic());
                    }
                }
                written = writer::ended(&mut writing) => break written,
                () = &mut stop, if deadline.is_none() => {
                    stopped = self.intake.end_all().then_some(Stopped::Finished);
                    deadline = Some(Instant::now() + STOP_GRACE);
                }
                () = async { tokio::time::sleep_until(deadline.unwrap_or_else(Instant::now)).await },
                    if deadline.is_some() => {
                    stopped = Some(Stopped::GivenUpAfter(STOP_GRACE));
                    break Ok(Written::All);
                }
                _ = ticks.tick() => self.observer.progress(&self.counters.tally(self.intake.unprocessed())),
            }
        };
        self.intake.abandon_all();
        lanes.shutdown().await;
        // What a lane was at when it was killed is in no other count.
        let tally = self.counters.tally(self.intake.unprocessed() + self.counters.in_flight());
        let input_failed = self.input_failed.load(Ordering::Acquire);
        let output_closed = matches!(written, Ok(Written::Closed));
        Ending { tally, error: written.err(), input_failed, stopped, output_closed }
    }
}

/// What a batch, or a part of one, emits.
struct Emitted {
    batch: Arc<Batch>,
    parts: Vec<batch::Output>,
}

/// A line can carry whatever a guest may emit.
#[derive(Clone)]
struct Unbounded;

impl Door for Unbounded {
    type Emits = Emitted;

    fn accept(&self, batch: &Arc<Batch>, parts: Vec<batch::Output>) -> Result<Emitted, Box<Failure>> {
        Ok(Emitted { batch: Arc::clone(batch), parts })
    }
}

/// One partition's task.
struct Driver {
    partition: Arc<Partition>,
    guest: Arc<Guest>,
    intake: Arc<Intake>,
    counters: Arc<Counters>,
    policy: Policy,
    observer: Arc<dyn Observer>,
    outbox: Outbox,
}

impl Driver {
    /// Runs batches until the input ends, a batch fails, or nobody takes the output any more.
    async fn drive(self) {
        let mut lane = Lane::new(Arc::clone(&self.guest), self.partition.inlet, self.partition.number, self.policy);
        while let Some(Filled { batch, origins }) = self.partition.take().await {
            self.counters.taken(&batch);
            match lane.run(&batch, &Unbounded).await {
                Ok(Ran { emits, poison }) => {
                    self.counters.acknowledged(&batch, &emits, poison.len());
                    for failure in poison {
                        self.observer.set_aside(&FailedBatch::of_record(failure, &batch, &origins));
                    }
                    for Emitted { batch, parts } in emits {
                        if self.outbox.send(&self.guest.descriptor().outlets, &batch, &parts).await.is_err() {
                            return self.intake.abandon_all();
                        }
                    }
                }
                Err(failure) => {
                    self.partition.abandon();
                    self.counters.failed(&batch);
                    self.observer.failed(&FailedBatch::new(failure, &origins));
                    return;
                }
            }
        }
    }
}
