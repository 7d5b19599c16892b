//! A lane: the batches of one inlet partition, one at a time, in offset order, through one guest instance.
//!
//! It owns the instance and replaces it: after any failure, before a batch whose offsets do not follow the last batch's,
//! because the guest's state may only know what came before, and once it has outgrown what may be kept. Between batches
//! the instance is at its home, where it may be ended for another lane's sake. What a failed batch means is the
//! [`Policy`]'s to say: it fails, or its poison records are found and set aside. It refuses nothing; a batch that fails
//! leaves the lane ready for the next. It ends with its owner, and dropping it in the middle of a batch kills the guest.
//! It knows neither where batches come from nor where emits go. Between it and its batches are the rules of sources and
//! sinks: see `hop`.

mod dead_letter;
pub(crate) mod hop;
mod policy;
mod triage;

use std::sync::Arc;

use crate::batch::{Batch, Failure, Output};
use crate::guest::{Blamed, Ended, Executor, Guest, Home, Owner, Pace};
use hop::{Hop, Pause, Void};
pub use policy::{OnFailure, Policy};
use talkback::End;

/// What a door makes of an output, and refuses to, before it is known whether the batch will be acknowledged. It does so
/// within the guest's call, so that what takes long there does not keep others waiting either.
pub trait Door: Clone + Send + Sync + 'static {
    /// Emits that are ready to go once the batch is acknowledged.
    type Emits: Send + 'static;

    /// Prepares the emits of a batch, or of a part of one.
    ///
    /// # Errors
    /// Something in it cannot be sent.
    fn accept(&self, batch: &Arc<Batch>, parts: Vec<Output>) -> Result<Self::Emits, Box<Failure>>;
}

/// A batch that is to be acknowledged.
#[derive(Debug)]
pub struct Ran<E> {
    /// What it emits, in order. More than one only where it had to be run in parts.
    pub emits: Vec<E>,
    /// The records that were set aside, each as the failure it would have been.
    pub poison: Vec<Failure>,
}

/// The lane of one (conversation, inlet, partition).
#[derive(Debug)]
pub struct Lane {
    guest: Arc<Guest>,
    owner: Arc<Owner>,
    policy: Policy,
    home: Home,
    pace: Pace,
    hop: Hop,
    /// Within a batch; a lane that is dropped there was killed.
    is_running: bool,
    /// The last offset that the instance has seen.
    last_offset: Option<i64>,
    /// Whether it was told that instances outgrow what may be kept.
    has_told_outgrown: bool,
}

impl Lane {
    /// A lane without an instance; the first batch makes one.
    pub fn new(guest: Arc<Guest>, inlet: u32, partition: i32, policy: Policy) -> Self {
        let (owner, home) = (guest.owner(inlet, partition), guest.home());
        let (pace, hop) = (Pace::default(), Hop::new("an inlet partition"));
        Self { guest, owner, policy, home, pace, hop, is_running: false, last_offset: None, has_told_outgrown: false }
    }

    /// Runs a batch.
    ///
    /// # Errors
    /// A [`Failure`], with nothing to be emitted.
    pub async fn run<D: Door>(&mut self, batch: &Arc<Batch>, door: &D) -> Result<Ran<D::Emits>, Failure> {
        self.receive();
        self.is_running = true;
        let ran = self.run_by_policy(batch, door).await;
        self.is_running = false;
        if ran.is_err() {
            self.hop.pause(Pause::Failed);
        }
        ran
    }

    async fn run_by_policy<D: Door>(&mut self, batch: &Arc<Batch>, door: &D) -> Result<Ran<D::Emits>, Failure> {
        match self.attempt(batch, door).await {
            Ok(Attempt { emits, .. }) => Ok(Ran { emits: vec![emits], poison: Vec::new() }),
            Err(failure) if self.policy.on_failure == OnFailure::Fail || !triage::may_help(&failure) => Err(failure),
            Err(failure) => {
                // It takes many calls: whoever waits for the first one only goes on.
                tokio::task::yield_now().await;
                // Rare, and large: what every batch is moved about with should be small.
                Box::pin(triage::run(self, batch, door, failure)).await
            }
        }
    }

    /// Whether a batch, if it is of the size of those before it, will most likely be over within microseconds, as they were:
    /// the instance that has seen them goes on.
    pub fn is_quick_with(&self, batch: &Batch) -> bool {
        let follows = self.last_offset.zip(batch.offsets()).is_some_and(|(last, (first, _))| first > last);
        self.pace.is_quick() && follows && self.home.is_occupied()
    }

    /// Ends the instance that waits, if there is one; the next batch has a fresh one.
    pub fn rest(&mut self) {
        self.home.clear();
        self.hop.pause(Pause::Idle);
    }

    /// Is ready for a batch, and gets it.
    fn receive(&mut self) {
        if !self.hop.is_greeted() {
            self.hop.greet();
        }
        if self.hop.is_paused() {
            self.hop.resume(Pause::Idle);
            self.hop.resume(Pause::Failed);
        }
        self.hop.request();
        self.hop.hand();
    }

    /// Runs a batch, or a part of one, whole. The instance is kept if all went well: a guest that refused a batch is
    /// alive, but may have learnt half of it, and the batch may come again.
    async fn attempt<D: Door>(&mut self, batch: &Arc<Batch>, door: &D) -> Result<Attempt<D::Emits>, Failure> {
        let Some(offsets) = batch.offsets() else {
            let emits = door.accept(batch, Vec::new()).map_err(|failure| *failure)?;
            return Ok(Attempt { emits, bytes: 0 });
        };
        if self.last_offset.is_some_and(|last| offsets.0 <= last) {
            self.home.clear();
        }
        self.last_offset = None;
        // Taken out while it runs: a call that is dropped halfway leaves nothing behind to be entered again.
        let (guest, owner, kept) = (Arc::clone(&self.guest), Arc::clone(&self.owner), self.home.take());
        let call = process(guest, owner, kept, Arc::clone(batch), door.clone());
        let called = self.guest.run(&mut self.pace, call).await;
        let Processed { instance, emits, bytes } = called.map_err(|ended| self.failure(&ended, batch))?;
        let emits = emits.map_err(|failure| *failure)?;
        self.last_offset = Some(offsets.1);
        match instance {
            Some(instance) => self.home.keep(instance),
            None if std::mem::replace(&mut self.has_told_outgrown, true) => {}
            None => crate::telemetry::instance_outgrown(&self.owner),
        }
        Ok(Attempt { emits, bytes })
    }

    /// An end in the words of a batch's failure.
    fn failure(&self, ended: &Ended, batch: &Batch) -> Failure {
        let told = ended.told();
        let record = match told.blamed {
            None => None,
            Some(Blamed::Index(index)) => batch.record(index).map(|record| (index, record.offset)),
            Some(Blamed::Offset(offset)) => batch.index_of(offset).map(|index| (index, offset)),
        };
        Failure {
            cause: told.cause,
            place: self.guest.place(batch),
            record,
            what: told.what,
            why: told.why,
            detail: told.detail,
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.hop.end(if self.is_running { End::Failed(Void) } else { End::Complete });
    }
}

/// What came of a batch, or of a part of one, that went well.
struct Attempt<E> {
    emits: E,
    /// Bytes that the guest's output counts.
    bytes: u64,
}

/// As [`Attempt`], before it is known whether the door takes it.
struct Processed<E> {
    /// To be kept; none if it has outgrown what may be.
    instance: Option<Executor>,
    emits: Result<E, Box<Failure>>,
    bytes: u64,
}

/// Runs a batch on the instance that was kept, or on a fresh one, and hands its output to the door.
async fn process<D: Door>(
    guest: Arc<Guest>,
    owner: Arc<Owner>,
    kept: Option<Executor>,
    batch: Arc<Batch>,
    door: D,
) -> Result<Processed<D::Emits>, Ended> {
    let mut instance = match kept {
        Some(instance) => instance,
        // As rare, and larger.
        None => Box::pin(guest.instantiate(owner)).await?,
    };
    let parts = instance.process(&batch).await?;
    let bytes = parts.iter().map(Output::bytes).sum();
    let emits = door.accept(&batch, parts);
    let instance = Some(instance).filter(|instance| emits.is_ok() && !instance.has_outgrown());
    Ok(Processed { instance, emits, bytes })
}
