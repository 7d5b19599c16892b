//! What runs a lane's batches: an instance of the component; or code of this process in its place, by which is measured
//! what a component costs.
//!
//! It owns whichever of the two there is. Native code gets what a component gets and its output is checked as a
//! component's is, but nothing bounds its time or its memory, and nothing catches it: it is for measurements alone. It
//! ends with its owner.

use std::fmt;
use std::sync::Arc;

use super::ended::Ended;
use super::instance::Instance;
use super::instances::Seat;
use super::output::{Checker, OutletRule};
use crate::batch::{Batch, Output, Start};

/// A streamlet in native code, where a component would stand.
pub trait Native: Send + Sync + 'static {
    /// Makes what processes one inlet partition.
    ///
    /// # Errors
    /// Why it cannot start.
    fn start(&self, start: &Start) -> Result<Box<dyn NativeInstance>, String>;
}

/// Native code for one inlet partition.
pub trait NativeInstance: Send {
    /// Turns a batch into the parts of its output, in order.
    ///
    /// # Errors
    /// The batch failed, in the streamlet's words, and the index of the record to blame.
    fn process(&mut self, batch: &Batch) -> Result<Vec<NativeOutput>, (String, Option<usize>)>;
}

/// A part of a native streamlet's output: the tables of `output` in `wit/streamlet.wit`, not yet checked.
#[derive(Clone, Default)]
pub struct NativeOutput {
    /// The bytes of new keys, headers and values.
    pub arena: Vec<u8>,
    /// Eight words an emit.
    pub emits: Vec<u32>,
    /// Four words a header.
    pub headers: Vec<u32>,
}

/// Sizes only: an output's bytes are the user's.
impl fmt::Debug for NativeOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeOutput").field("arena_bytes", &self.arena.len()).finish_non_exhaustive()
    }
}

/// What runs a lane's batches, one inlet partition's. Any [`Ended`] other than a refusal leaves it dead: drop it.
#[derive(Debug)]
pub enum Executor {
    /// An instance of a component.
    Component(Instance),
    /// Native code.
    Native(NativeExecutor),
}

impl Executor {
    /// Runs a batch and returns its output's parts in order.
    ///
    /// Dropping the future kills a component's instance, which is dead then.
    ///
    /// # Errors
    /// [`Ended`]. After [`Ended::Refused`] the guest is alive, but may have learnt half of the batch.
    pub async fn process(&mut self, batch: &Arc<Batch>) -> Result<Vec<Output>, Ended> {
        match self {
            Self::Component(instance) => instance.process(batch).await,
            Self::Native(native) => native.process(batch),
        }
    }

    /// Whether it has grown, since its start, past what may be kept between batches.
    pub fn has_outgrown(&self) -> bool {
        match self {
            Self::Component(instance) => instance.has_outgrown(),
            Self::Native(_) => false,
        }
    }
}

/// Native code with what its output is held to.
pub struct NativeExecutor {
    instance: Box<dyn NativeInstance>,
    outlets: Arc<[OutletRule]>,
    output_bytes_max: usize,
    /// Given back after everything above is gone.
    _seat: Seat,
}

impl NativeExecutor {
    pub(super) fn start(
        native: &dyn Native,
        start: &Start,
        outlets: &Arc<[OutletRule]>,
        output_bytes_max: usize,
        seat: Seat,
    ) -> Result<Self, Ended> {
        let instance = native.start(start).map_err(Ended::NotStarted)?;
        Ok(Self { instance, outlets: Arc::clone(outlets), output_bytes_max, _seat: seat })
    }

    fn process(&mut self, batch: &Arc<Batch>) -> Result<Vec<Output>, Ended> {
        let mut checker = Checker::new(Arc::clone(&self.outlets), Arc::clone(batch), self.output_bytes_max);
        let parts = self.instance.process(batch);
        let parts = parts.map_err(|(message, at)| Ended::Refused { message, at: at.filter(|at| *at < batch.len()) })?;
        let outputs = parts.into_iter().map(|part| checker.check_tables(part.arena, part.emits, part.headers));
        outputs.collect::<Result<_, _>>().map_err(Ended::Broke)
    }
}

impl fmt::Debug for NativeExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NativeExecutor").finish_non_exhaustive()
    }
}
