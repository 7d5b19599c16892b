//! Checks a guest's output: every index, every span, every header name, and the size of the whole. What passes becomes
//! a [`Output`]; what does not is an [`OutputFault`] that names the emit and the number that is wrong.

use std::sync::Arc;

use super::bindings::ankka::flow::types;
use crate::batch::{ABSENT, Batch, EMIT_WORDS, FROM_SOURCE, HEADER_WORDS, Output, RECORD_WORDS};

/// Bytes that an emit and a header count towards the output limit, beside the bytes they carry: their table rows.
const EMIT_ROW_BYTES: u64 = 32;
const HEADER_ROW_BYTES: u64 = 16;
/// Bytes that a part counts even if it is empty, for what the host keeps of it.
const PART_BYTES: u64 = 64;

/// An output breaks the contract of `wit/streamlet.wit`. `emit` and `header` count the rows of their table from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields mean")]
pub enum OutputFault {
    #[error("its table of emits has {words} numbers, which is no multiple of 8")]
    EmitsUneven { words: usize },
    #[error("its table of headers has {words} numbers, which is no multiple of 4")]
    HeadersUneven { words: usize },
    #[error("emit {emit} names outlet {outlet}, but {declared} are declared")]
    OutletUndeclared { emit: usize, outlet: u32, declared: usize },
    #[error("emit {emit} goes to outlet \"{outlet}\", which this conversation does not bind")]
    OutletUnbound { emit: usize, outlet: String },
    #[error("emit {emit} names source record {source_record}, but the batch has {records}")]
    SourceOutOfRange { emit: usize, source_record: u32, records: usize },
    #[error("emit {emit} takes its {part} from a source record, but names none")]
    NoSource { emit: usize, part: &'static str },
    #[error("the {part} of emit {emit} is {length} bytes at {position}, outside the arena of {arena} bytes")]
    PartOutOfRange { emit: usize, part: &'static str, position: u32, length: u32, arena: usize },
    #[error("emit {emit} has {count} headers from header {first} on, but the table has {headers}")]
    HeadersOutOfRange { emit: usize, first: u32, count: u32, headers: usize },
    #[error("the {part} of header {header} is {length} bytes at {position}, outside the arena of {arena} bytes")]
    HeaderOutOfRange { header: usize, part: &'static str, position: u32, length: u32, arena: usize },
    #[error("the name of header {header} is not UTF-8")]
    HeaderNameNotText { header: usize },
    #[error("its output is {bytes} bytes or more, over the limit of {limit} bytes")]
    TooLarge { bytes: u64, limit: usize },
}

/// An outlet as the checker sees it.
#[derive(Debug, Clone)]
pub struct OutletRule {
    /// The outlet's declared name.
    pub name: String,
    /// Whether the conversation binds it.
    pub bound: bool,
}

/// Checks the parts of one batch's output, in order.
#[derive(Debug)]
pub struct Checker {
    outlets: Arc<[OutletRule]>,
    output_bytes_max: usize,
    /// What the guest has handed over: arenas, tables and the parts themselves.
    handed_over_bytes: u64,
    /// What its emits carry: many may name the same bytes.
    carried_bytes: u64,
    sources: Sources,
}

impl Checker {
    /// A checker of what a batch becomes, with these outlets declared and up to so many bytes.
    pub fn new(outlets: Arc<[OutletRule]>, batch: Arc<Batch>, output_bytes_max: usize) -> Self {
        Self { outlets, output_bytes_max, handed_over_bytes: 0, carried_bytes: 0, sources: Sources::of(batch) }
    }

    pub(super) fn check(&mut self, part: types::Output) -> Result<Output, OutputFault> {
        self.check_tables(part.arena, part.emits, part.headers)
    }

    /// Checks one part, whose size counts on top of the parts before it.
    ///
    /// # Errors
    /// The first rule of the contract that it breaks.
    pub fn check_tables(&mut self, arena: Vec<u8>, emits: Vec<u32>, headers: Vec<u32>) -> Result<Output, OutputFault> {
        if !emits.len().is_multiple_of(EMIT_WORDS) {
            return Err(OutputFault::EmitsUneven { words: emits.len() });
        }
        let words = emits.len().saturating_add(headers.len()) as u64;
        let handed_over = (arena.len() as u64).saturating_add(words.saturating_mul(4)).saturating_add(PART_BYTES);
        self.handed_over_bytes = self.within_limit(self.handed_over_bytes.saturating_add(handed_over))?;
        let header_bytes = self.check_headers(&headers, &arena)?;
        let carried_before = self.carried_bytes;
        for (emit, words) in emits.as_chunks::<EMIT_WORDS>().0.iter().enumerate() {
            let bytes = self.check_emit(emit, words, arena.len(), &header_bytes)?;
            self.carried_bytes = self.within_limit(self.carried_bytes.saturating_add(bytes))?;
        }
        Ok(Output::checked(arena, emits, headers, handed_over.max(self.carried_bytes - carried_before)))
    }

    fn within_limit(&self, bytes: u64) -> Result<u64, OutputFault> {
        let limit = self.output_bytes_max;
        if bytes > limit as u64 { Err(OutputFault::TooLarge { bytes, limit }) } else { Ok(bytes) }
    }

    /// Checks every header once, however many emits use it, and sums their sizes. Headers may all name the same bytes,
    /// which costs reading them each time: what a part's headers name is held to the limit before it is read.
    fn check_headers(&self, headers: &[u32], arena: &[u8]) -> Result<RunningTotal, OutputFault> {
        let (rows, rest) = headers.as_chunks::<HEADER_WORDS>();
        if !rest.is_empty() {
            return Err(OutputFault::HeadersUneven { words: headers.len() });
        }
        let mut total = RunningTotal::with_capacity(rows.len());
        for (header, &[name, name_length, value, value_length]) in rows.iter().enumerate() {
            let value_length = if value == ABSENT { 0 } else { value_length };
            let sum = total.push(HEADER_ROW_BYTES + u64::from(name_length) + u64::from(value_length));
            self.within_limit(sum)?;
            let out_of_range = |part, position, length| OutputFault::HeaderOutOfRange {
                header,
                part,
                position,
                length,
                arena: arena.len(),
            };
            let name_bytes = (name as usize)
                .checked_add(name_length as usize)
                .and_then(|end| arena.get(name as usize..end))
                .ok_or_else(|| out_of_range("name", name, name_length))?;
            if std::str::from_utf8(name_bytes).is_err() {
                return Err(OutputFault::HeaderNameNotText { header });
            }
            if value != ABSENT && !in_arena(value, value_length, arena.len()) {
                return Err(out_of_range("value", value, value_length));
            }
        }
        Ok(total)
    }

    /// Checks one emit and returns what it counts towards the limit.
    fn check_emit(
        &self,
        emit: usize,
        words: &[u32; EMIT_WORDS],
        arena: usize,
        header_bytes: &RunningTotal,
    ) -> Result<u64, OutputFault> {
        let &[outlet, source_record, key, key_length, value, value_length, first, count] = words;
        match self.outlets.get(outlet as usize) {
            None => return Err(OutputFault::OutletUndeclared { emit, outlet, declared: self.outlets.len() }),
            Some(rule) if !rule.bound => return Err(OutputFault::OutletUnbound { emit, outlet: rule.name.clone() }),
            Some(_) => {}
        }
        let source = match source_record {
            ABSENT => None,
            _ => Some(self.sources.get(source_record as usize).ok_or(OutputFault::SourceOutOfRange {
                emit,
                source_record,
                records: self.sources.len(),
            })?),
        };
        let part = |part, (position, length), own: Option<u64>| match position {
            ABSENT => Ok(0),
            FROM_SOURCE => own.ok_or(OutputFault::NoSource { emit, part }),
            _ if in_arena(position, length, arena) => Ok(u64::from(length)),
            _ => Err(OutputFault::PartOutOfRange { emit, part, position, length, arena }),
        };
        let key_bytes = part("key", (key, key_length), source.map(|source| source.key))?;
        let value_bytes = part("value", (value, value_length), source.map(|source| source.value))?;
        let headers = match (count, source) {
            (FROM_SOURCE, Some(source)) => source.headers,
            (FROM_SOURCE, None) => return Err(OutputFault::NoSource { emit, part: "headers" }),
            _ => header_bytes.between(first, count).ok_or(OutputFault::HeadersOutOfRange {
                emit,
                first,
                count,
                headers: header_bytes.len(),
            })?,
        };
        Ok(EMIT_ROW_BYTES.saturating_add(key_bytes).saturating_add(value_bytes).saturating_add(headers))
    }
}

/// Whether a span lies inside the arena; one of length zero may start at its end.
fn in_arena(position: u32, length: u32, arena: usize) -> bool {
    u64::from(position) + u64::from(length) <= arena as u64
}

/// Sums of a list's prefixes: the sum of any range in two look-ups, so that a million emits which each name a million
/// headers cost no more than a million.
#[derive(Debug)]
struct RunningTotal(Vec<u64>);

impl RunningTotal {
    fn with_capacity(items: usize) -> Self {
        let mut sums = Vec::with_capacity(items.saturating_add(1));
        sums.push(0);
        Self(sums)
    }

    /// Appends an item and returns the sum of all.
    fn push(&mut self, item: u64) -> u64 {
        let sum = self.0.last().copied().unwrap_or_default().saturating_add(item);
        self.0.push(sum);
        sum
    }

    /// The number of items.
    fn len(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The sum of `count` items from `first` on; none where the list is shorter.
    fn between(&self, first: u32, count: u32) -> Option<u64> {
        let start = self.0.get(first as usize)?;
        let end = self.0.get((first as usize).checked_add(count as usize)?)?;
        Some(end.saturating_sub(*start))
    }
}

/// The sizes of the records that an emit may take parts from.
#[derive(Debug)]
struct Sources {
    batch: Arc<Batch>,
    header_bytes: RunningTotal,
}

/// What a source record's parts count, in bytes.
#[derive(Clone, Copy)]
struct Source {
    key: u64,
    value: u64,
    headers: u64,
}

impl Sources {
    fn of(batch: Arc<Batch>) -> Self {
        let rows = batch.headers.as_chunks::<HEADER_WORDS>().0;
        let mut header_bytes = RunningTotal::with_capacity(rows.len());
        for &[_, name_length, value, value_length] in rows {
            let value_bytes = if value == ABSENT { 0 } else { value_length };
            header_bytes.push(HEADER_ROW_BYTES + u64::from(name_length) + u64::from(value_bytes));
        }
        Self { batch, header_bytes }
    }

    fn len(&self) -> usize {
        self.batch.len()
    }

    fn get(&self, index: usize) -> Option<Source> {
        let &[key, key_length, value, value_length, first, count] =
            self.batch.records.as_chunks::<RECORD_WORDS>().0.get(index)?;
        Some(Source {
            key: if key == ABSENT { 0 } else { u64::from(key_length) },
            value: if value == ABSENT { 0 } else { u64::from(value_length) },
            headers: self.header_bytes.between(first, count).unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests;
