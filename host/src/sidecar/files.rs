//! File mode: records from files or standard input, emits to standard output or files, as NDJSON.
//!
//! One thread per inlet reads its inputs one after another and places records in partitions ([`intake`]); one task per
//! partition runs a [`Lane`]; one thread writes ([`writer`]). All queues between them are bounded, so memory does not
//! grow with the input, and a reader that pauses loses nothing: what has been read is on its way at once.
//!
//! A failed batch ends its partition, and only that: batches after it would be out of order. An input that cannot be
//! read ends the reading of its inlet; what was read before it is processed. A closed standard output ends the run
//! without a word.

mod envelope;
mod intake;
mod key_field;
mod partitioner;
mod reader;
mod report;
mod settings;
mod writer;

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

pub use envelope::EnvelopeError;
pub use intake::Origin;
pub use key_field::KeyError;
pub use reader::{InputError, LineError};
pub use report::{FailedBatch, Read, Summary, Tally};
pub use settings::{BatchCaps, Format, Input, Location, Output, Settings, SettingsError};
pub use writer::WriteError;

use crate::batch::Start;
use crate::guest::{Component, Guest};
use crate::lane::Lane;
use intake::{Filled, Intake, Partition};
use reader::Reader;
use report::Counters;
use settings::Opened;
use writer::{Chunk, Routes, Written};

/// Batches' worth of output that may wait for the writer.
const OUTPUT_QUEUE_MAX: usize = 16;
/// How often progress is told while a run lasts.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// What kept a run from starting, or ended it before its input did.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An input or output is not what it should be; nothing was run.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// An input ended with an error, or a line is not what the input's format asks for.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The system refuses another thread.
    #[error("cannot start a thread for reading or writing")]
    Thread(#[source] std::io::Error),
}

/// What a run tells while it lasts. Called from the run's tasks: it must not block for long.
pub trait Observer: Send + Sync + 'static {
    /// A batch failed, and its partition with it.
    fn failed(&self, batch: &FailedBatch);
    /// Some time has passed.
    fn progress(&self, tally: &Tally);
}

/// A run's end.
#[derive(Debug)]
pub struct Ending {
    /// What was done, whole or not.
    pub summary: Summary,
    /// What ended it before its input did.
    pub error: Option<RunError>,
    /// Whether standard output was closed by its reader, which ends a run quietly.
    pub output_closed: bool,
}

/// Runs `component` over the inputs until they end or `stop` comes; what was read by then is finished.
///
/// # Errors
/// [`RunError::Settings`] and [`RunError::Thread`], before anything has run. Every later problem is in the [`Ending`].
pub async fn run(
    component: &Arc<Component>,
    start: Start,
    settings: Settings,
    observer: Arc<dyn Observer>,
    stop: impl Future<Output = ()>,
) -> Result<Ending, RunError> {
    let descriptor = component.descriptor();
    let names = |ports: &[streamlet_protocol::Port]| ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
    let (inlets, outlets) = (names(&descriptor.inlets), names(&descriptor.outlets));
    let inputs = settings.open_inputs(&inlets)?;
    let (sinks, routes) = writer::open(&settings, &outlets)?;

    let run = Run {
        guest: Arc::new(component.converse(start)),
        intake: Arc::new(Intake::new(inlets.len(), settings.partitions, settings.caps)),
        counters: Arc::new(Counters::new(outlets)),
        input_error: Arc::default(),
    };
    let (written, queue) = mpsc::channel(OUTPUT_QUEUE_MAX);
    let writing = writer::spawn(sinks, queue).map_err(RunError::Thread)?;
    let lanes = run.spawn_lanes(&observer, &routes, &written);
    // The writer ends when the last lane has let go of its sender.
    drop(written);
    run.spawn_readers(inputs, &settings).map_err(RunError::Thread)?;
    run.wait(lanes, &*observer, stop).await;

    let summary = run.counters.tally();
    let input_error = run.input_error.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (error, output_closed) = match writing.finish().await {
        Ok(Written::All) => (input_error.map(RunError::Input), false),
        Ok(Written::Closed) => (None, true),
        Err(error) => (Some(RunError::Write(error)), false),
    };
    Ok(Ending { summary, error, output_closed })
}

/// What the parts of a run share.
struct Run {
    guest: Arc<Guest>,
    intake: Arc<Intake>,
    counters: Arc<Counters>,
    /// Set by a reader before it ends its inlet, so it is there once the lanes have ended.
    input_error: Arc<Mutex<Option<InputError>>>,
}

impl Run {
    /// One task per partition.
    fn spawn_lanes(
        &self,
        observer: &Arc<dyn Observer>,
        routes: &Routes,
        written: &mpsc::Sender<Vec<Chunk>>,
    ) -> JoinSet<()> {
        let mut lanes = JoinSet::new();
        for partition in self.intake.partitions() {
            let driver = Driver {
                partition: Arc::clone(partition),
                guest: Arc::clone(&self.guest),
                intake: Arc::clone(&self.intake),
                counters: Arc::clone(&self.counters),
                observer: Arc::clone(observer),
                routes: routes.clone(),
                written: written.clone(),
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
            let (intake, input_error) = (Arc::clone(&self.intake), Arc::clone(&self.input_error));
            let (format, partitions) = (settings.format.clone(), settings.partitions);
            thread::Builder::new().name(format!("input {inlet}")).spawn(move || {
                if let Err(error) = Reader::new(&intake, inlet, format, partitions).read(inputs) {
                    input_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
                intake.end_inlet(inlet);
            })?;
        }
        Ok(())
    }

    /// Waits for the lanes, telling progress meanwhile; after `stop` they finish what was read.
    async fn wait(&self, mut lanes: JoinSet<()>, observer: &dyn Observer, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut stopped = false;
        let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
        loop {
            tokio::select! {
                lane = lanes.join_next() => match lane {
                    None => return,
                    Some(Ok(())) => {}
                    Some(Err(lost)) => std::panic::resume_unwind(lost.into_panic()),
                },
                () = &mut stop, if !stopped => {
                    stopped = true;
                    self.intake.end_all();
                }
                _ = ticks.tick() => observer.progress(&self.counters.tally()),
            }
        }
    }
}

/// One partition's task.
struct Driver {
    partition: Arc<Partition>,
    guest: Arc<Guest>,
    intake: Arc<Intake>,
    counters: Arc<Counters>,
    observer: Arc<dyn Observer>,
    routes: Routes,
    written: mpsc::Sender<Vec<Chunk>>,
}

impl Driver {
    /// Runs batches until the input ends, a batch fails, or nobody takes the output any more.
    async fn drive(self) {
        let mut lane = Lane::new(Arc::clone(&self.guest), self.partition.inlet, self.partition.number);
        while let Some(Filled { batch, origins }) = self.partition.take().await {
            match lane.run(&batch).await {
                Ok(parts) => {
                    self.counters.acknowledged(&batch, &parts);
                    let chunks = self.routes.chunks(&self.guest.descriptor().outlets, &batch, &parts);
                    if !chunks.is_empty() && self.written.send(chunks).await.is_err() {
                        self.intake.abandon_all();
                        return;
                    }
                }
                Err(failure) => {
                    self.counters.failed(&batch, self.partition.abandon());
                    self.observer.failed(&FailedBatch::new(failure, &origins));
                    return;
                }
            }
        }
    }
}
