//! One partition of one inlet: an instance of its own, batches in order, until one fails.

use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};

use super::outcome::{BatchOutcome, Failure, Outcome};
use super::output::{self, Emitted};
use super::record::Record;
use crate::batch::Batch;
use crate::conversation::Conversation;
use crate::cursor;
use crate::declaration::{PortDeclaration, Streamlet};
use crate::emits::Emits;
use crate::error::Result;
use crate::panicked;
use crate::process::Process;
use crate::table::{BatchTables, NONE};

/// The records of a partition, in offset order.
pub(super) struct Lane {
    pub(super) inlet: &'static PortDeclaration,
    /// The inlet among the declared ones.
    pub(super) index: u32,
    pub(super) partition: i32,
    pub(super) records: Vec<Record>,
}

impl Lane {
    /// Processes the records in batches of at most `records_max`.
    pub(super) fn run<S: Process>(&self, conversation: &Conversation, records_max: usize, outcome: &mut Outcome) {
        let mut instance = None;
        for records in self.records.chunks(records_max) {
            let emitted = self.process::<S>(&mut instance, conversation, records);
            outcome.batches.push(BatchOutcome {
                inlet: self.inlet.name,
                partition: self.partition,
                offsets: records.iter().filter_map(|record| record.offset).collect(),
                acknowledged: emitted.is_ok(),
            });
            match emitted {
                Ok((emits, origins)) => settle(records, emits, &origins, outcome),
                Err(failure) => {
                    outcome.failures.push(failure);
                    return;
                }
            }
        }
    }

    /// The emits of a batch and the records that they came of.
    fn process<S: Process>(
        &self,
        instance: &mut Option<S>,
        conversation: &Conversation,
        records: &[Record],
    ) -> Result<(Vec<Emitted>, BTreeSet<u32>), Failure> {
        let fail = |message, index: Option<usize>| Failure {
            message,
            inlet: self.inlet.name,
            partition: self.partition,
            offset: index.and_then(|index| records.get(index)?.offset),
        };
        let outlets = S::DECLARATION.outlets;
        let processed = panic::catch_unwind(AssertUnwindSafe(|| {
            let streamlet = match instance {
                Some(streamlet) => streamlet,
                None => instance.insert(start::<S>(conversation)?),
            };
            let batch = Batch::new(self.tables(records))?;
            let mut out = Emits::new(outlets, batch.len());
            streamlet.process(&batch, &mut out)?;
            out.into_parts()
        }));
        let parts = match processed {
            Ok(Ok(parts)) => parts,
            Ok(Err(error)) => return Err(fail(error.to_string(), error.blamed())),
            Err(payload) => {
                let index = cursor::place().map(|place| place.index as usize);
                cursor::stand(None);
                let failure = fail(String::new(), index);
                let place = panicked::place(self.inlet.name, failure.offset);
                return Err(Failure { message: panicked::describe(None, &place, text_of(&*payload)), ..failure });
            }
        };
        let mut emits = Vec::new();
        let mut origins = BTreeSet::new();
        for part in parts {
            emits.extend(output::resolve(&part.tables, records, outlets).map_err(|message| fail(message, None))?);
            origins.extend(part.origins.into_iter().flatten());
        }
        Ok((emits, origins))
    }

    /// The batch as a host would send it.
    fn tables(&self, records: &[Record]) -> BatchTables {
        let mut tables = BatchTables { inlet: self.index, partition: self.partition, ..BatchTables::default() };
        for record in records {
            tables.times.extend([record.offset.unwrap_or_default(), record.timestamp_ms]);
            let key = part(&mut tables.arena, record.key.as_deref());
            let value = part(&mut tables.arena, record.value.as_deref());
            let headers = [word(tables.headers.len() / 4), word(record.headers.len())];
            for row in [key, value, headers] {
                tables.records.extend(row);
            }
            for (name, value) in &record.headers {
                let name = part(&mut tables.arena, Some(name.as_bytes()));
                let value = part(&mut tables.arena, value.as_deref());
                tables.headers.extend(name);
                tables.headers.extend(value);
            }
        }
        tables
    }
}

/// Adds an acknowledged batch to the outcome.
fn settle(records: &[Record], emits: Vec<Emitted>, origins: &BTreeSet<u32>, outcome: &mut Outcome) {
    for Emitted { outlet, record } in emits {
        if let Some(emitted) = outcome.emitted.get_mut(outlet) {
            emitted.push(record);
        }
    }
    let skipped = records.iter().zip(0..).filter(|(_, index)| !origins.contains(index));
    outcome.skipped.extend(skipped.map(|(record, _)| record.clone()));
}

fn start<S: Process>(conversation: &Conversation) -> Result<S> {
    let mut streamlet = <S as Streamlet>::from_config(conversation.config())?;
    streamlet.start(conversation)?;
    Ok(streamlet)
}

/// Writes a part into the arena: its position and length.
fn part(arena: &mut Vec<u8>, bytes: Option<&[u8]>) -> [u32; 2] {
    let Some(bytes) = bytes else { return [NONE, 0] };
    let position = word(arena.len());
    arena.extend_from_slice(bytes);
    [position, word(bytes.len())]
}

#[track_caller]
fn word(number: usize) -> u32 {
    let Ok(number) = u32::try_from(number) else {
        panic!("a batch of over 4 GiB: put less, or lower `max_records`");
    };
    number
}

/// What a panic was raised with.
fn text_of(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a value that is no text")
}
