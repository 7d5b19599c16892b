//! A lane: the batches of one inlet partition, one at a time, in offset order, through one guest instance.
//!
//! It owns the instance and replaces it: after any failure that ended it, and before a batch whose offsets do not follow
//! the last batch's, because the guest's state may only know what came before. It refuses nothing; a batch that fails
//! leaves the lane ready for the next. It ends with its owner, and dropping it in the middle of a batch kills the guest.
//! It knows neither where batches come from nor where emits go.

use std::sync::Arc;

use crate::batch::{Batch, Failure, Output};
use crate::guest::{Blamed, Ended, Guest, Instance};

/// The lane of one (conversation, inlet, partition).
#[derive(Debug)]
pub struct Lane {
    guest: Arc<Guest>,
    inlet: u32,
    partition: i32,
    instance: Option<Instance>,
    /// The last offset that the instance has seen.
    last_offset: Option<i64>,
}

impl Lane {
    /// A lane without an instance; the first batch makes one.
    pub fn new(guest: Arc<Guest>, inlet: u32, partition: i32) -> Self {
        Self { guest, inlet, partition, instance: None, last_offset: None }
    }

    /// Runs a batch and returns its output's parts in order, all of them to be emitted, then acknowledged.
    ///
    /// # Errors
    /// A [`Failure`], with nothing to be emitted.
    pub async fn run(&mut self, batch: &Arc<Batch>) -> Result<Vec<Output>, Failure> {
        let Some(offsets) = batch.offsets() else { return Ok(Vec::new()) };
        if self.last_offset.is_some_and(|last| offsets.0 <= last) {
            self.instance = None;
        }
        // Taken out while it runs: a call that is dropped halfway leaves nothing behind to be entered again.
        let instance = match self.instance.take() {
            Some(instance) => Ok(instance),
            None => self.guest.instantiate(self.inlet, self.partition).await,
        };
        let result = match instance {
            Ok(instance) => self.run_on(instance, batch).await,
            Err(ended) => Err(ended),
        };
        self.last_offset = result.is_ok().then_some(offsets.1);
        result.map_err(|ended| self.failure(&ended, batch))
    }

    /// Runs a batch on an instance and keeps it if all went well. A guest that refused a batch is alive, but may have
    /// learnt half of it, and the batch may come again.
    async fn run_on(&mut self, mut instance: Instance, batch: &Arc<Batch>) -> Result<Vec<Output>, Ended> {
        let output = instance.process(batch).await?;
        self.instance = Some(instance);
        Ok(output)
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
