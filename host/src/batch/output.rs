//! What a batch becomes: a part of the guest's output, checked, and the view of each emit with its source resolved.

use std::fmt;

use super::record::{HEADER_WORDS, Headers, Record, span};
use super::{ABSENT, Batch, FROM_SOURCE};

/// Words an emit takes in the output's table.
pub(crate) const EMIT_WORDS: usize = 8;

/// One part of a batch's output. Only the checker makes one of what a guest gave, after it has found every index and span
/// in range for the batch at hand.
pub struct Output {
    arena: Vec<u8>,
    emits: Vec<u32>,
    headers: Vec<u32>,
    bytes: u64,
}

impl Output {
    /// Wraps tables that the checker has passed, which count so many bytes.
    pub(crate) fn checked(arena: Vec<u8>, emits: Vec<u32>, headers: Vec<u32>, bytes: u64) -> Self {
        Self { arena, emits, headers, bytes }
    }

    /// Bytes of keys, values and headers that it carries, those of source records included, and of its tables: what a
    /// door may have to hold of it.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Its arena, emits and headers, as a guest would hand them over.
    pub(crate) fn tables(&self) -> (&[u8], &[u32], &[u32]) {
        (&self.arena, &self.emits, &self.headers)
    }

    /// The number of emits.
    pub fn len(&self) -> usize {
        self.emits.len() / EMIT_WORDS
    }

    /// Whether nothing is emitted.
    pub fn is_empty(&self) -> bool {
        self.emits.is_empty()
    }

    /// The emits in their order, read beside the batch they came from.
    pub fn emits<'a>(&'a self, batch: &'a Batch) -> impl Iterator<Item = Emit<'a>> {
        self.emits.chunks_exact(EMIT_WORDS).filter_map(move |words| {
            let &[outlet, source, key, key_length, value, value_length, first_header, header_count] = words else {
                return None;
            };
            Some(Emit {
                output: self,
                outlet,
                source_index: (source != ABSENT).then_some(source as usize),
                source: if source == ABSENT { None } else { batch.record(source as usize) },
                key: (key, key_length),
                value: (value, value_length),
                headers: (first_header, header_count),
            })
        })
    }
}

/// Puts an output of the host's own together: records that are forwarded with other headers.
#[derive(Default)]
pub(crate) struct OutputBuilder {
    arena: Vec<u8>,
    emits: Vec<u32>,
    headers: Vec<u32>,
    /// How many headers emits have taken so far.
    taken: usize,
}

impl OutputBuilder {
    /// Appends a header of the next emit. Its bytes come from a batch, whose positions are 32 bits wide, so they fit.
    pub(crate) fn header(&mut self, name: &[u8], value: Option<&[u8]>) {
        for bytes in [Some(name), value] {
            let row = match bytes {
                Some(bytes) => [self.arena.len(), bytes.len()].map(|word| u32::try_from(word).unwrap_or(ABSENT)),
                None => [ABSENT, 0],
            };
            self.headers.extend(row);
            self.arena.extend_from_slice(bytes.unwrap_or_default());
        }
    }

    /// Emits a record of the batch with the headers since the last emit, and everything else as it came.
    pub(crate) fn forward(&mut self, outlet: u32, source: u32) {
        let headers = self.headers.len() / HEADER_WORDS;
        let [first, count] = [self.taken, headers - self.taken].map(|word| u32::try_from(word).unwrap_or(0));
        self.emits.extend([outlet, source, FROM_SOURCE, 0, FROM_SOURCE, 0, first, count]);
        self.taken = headers;
    }

    pub(crate) fn build(self) -> Output {
        let Self { arena, emits, headers, taken: _ } = self;
        let bytes = arena.len() as u64;
        Output { arena, emits, headers, bytes }
    }
}

/// Sizes only: an output's bytes are the user's and never reach a log.
impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("emits", &self.len())
            .field("arena_bytes", &self.arena.len())
            .finish_non_exhaustive()
    }
}

/// One emit, with the parts that it takes from its source record resolved.
#[derive(Clone, Copy)]
pub struct Emit<'a> {
    output: &'a Output,
    /// Index of the outlet among the declared ones.
    pub outlet: u32,
    /// Index in the batch of the record it was made from, if the guest named one.
    pub source_index: Option<usize>,
    /// That record.
    pub source: Option<Record<'a>>,
    key: (u32, u32),
    value: (u32, u32),
    headers: (u32, u32),
}

impl<'a> Emit<'a> {
    /// The key's bytes; none where the emit has no key.
    pub fn key(&self) -> Option<&'a [u8]> {
        match self.key {
            (FROM_SOURCE, _) => self.source?.key(),
            (position, length) => span(&self.output.arena, position, length),
        }
    }

    /// The value's bytes; none for a tombstone.
    pub fn value(&self) -> Option<&'a [u8]> {
        match self.value {
            (FROM_SOURCE, _) => self.source?.value(),
            (position, length) => span(&self.output.arena, position, length),
        }
    }

    /// The source record as it was received, where nothing else is emitted.
    pub(crate) fn forwarded(&self) -> Option<&'a [u8]> {
        match (self.key, self.value, self.headers) {
            ((FROM_SOURCE, _), (FROM_SOURCE, _), (_, FROM_SOURCE)) => self.source?.encoded(),
            _ => None,
        }
    }

    /// The headers, in order.
    pub fn headers(&self) -> Headers<'a> {
        match (self.headers, &self.source) {
            ((_, FROM_SOURCE), Some(source)) => source.headers(),
            ((_, FROM_SOURCE), None) => Headers::of(&[], &[], (0, 0)),
            (headers, _) => Headers::of(&self.output.arena, &self.output.headers, headers),
        }
    }
}

/// Outlet and source only, as for [`Output`].
impl fmt::Debug for Emit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emit")
            .field("outlet", &self.outlet)
            .field("source_index", &self.source_index)
            .finish_non_exhaustive()
    }
}
