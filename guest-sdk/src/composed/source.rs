//! A batch as a source.
//!
//! Owns the place in the batch, which errors blame while an item of it is on its way. Refuses nothing. Ends when a record
//! is requested after the last one.

use std::fmt;

use talkback::{End, Source, Step, Stop, Talkback};

use crate::batch::Records;
use crate::error::Error;
use crate::record::Record;

/// Emits a record for each request, in offset order: [`Batch::source`](crate::Batch::source).
///
/// Errors blame the last record that was emitted, until the next is requested, until the source ends or until it is
/// stopped for good. It resumes after a pause.
pub struct RecordSource<'a> {
    records: Records<'a>,
}

impl<'a> RecordSource<'a> {
    pub(crate) fn new(records: Records<'a>) -> Self {
        Self { records }
    }
}

impl<'a> Source for RecordSource<'a> {
    type Item = Record<'a>;
    type Error = Error;

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<Error>,
        emit: &mut impl FnMut(Record<'a>, &mut Talkback<Error>),
    ) -> Step<Error> {
        while talkback.take_request() {
            match self.records.next() {
                Some(record) => emit(record, talkback),
                None => return Step::Ended(End::Complete),
            }
        }
        if let Some(Stop::Enough | Stop::Failed(_)) = talkback.stopped() {
            self.records.leave();
        }
        Step::Idle
    }

    fn name(&self) -> &'static str {
        "batch"
    }
}

/// Shows how many records are left; never their data.
impl fmt::Debug for RecordSource<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RecordSource").field("left", &self.records.len()).finish()
    }
}
