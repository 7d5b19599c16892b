//! The buffer behind the emits: the tables of the output as they grow.
//!
//! Owns what has not been handed over yet, and hands it over when it is full. Refuses what positions cannot point into.
//! Ends with the batch.

use std::fmt;

use super::emit::Emit;
#[cfg(not(target_arch = "wasm32"))]
use crate::cursor;
use crate::error::{Error, Result};
use crate::port::Outlet;
use crate::record::Record;
#[cfg(not(target_arch = "wasm32"))]
use crate::table::NONE;
use crate::table::OutputTables;

/// Bytes of new parts after which the emits so far are handed to the host, so that a guest's memory stays small.
pub(super) const FLUSH_ARENA_BYTES: usize = 1 << 20;

/// Emits and headers after which they are handed over.
pub(super) const FLUSH_ROWS: usize = 1 << 16;

/// The most bytes of new parts that positions can point into; the two numbers above mean something else.
const ARENA_BYTES_MAX: usize = 0xffff_fffd;

/// What is emitted and not handed over. The default stands for one that was lost.
#[derive(Default)]
pub(super) struct Buffer {
    is_sound: bool,
    pub(super) output: OutputTables,
    /// Why the emits cannot be sent, where a builder could not say so.
    fault: Option<String>,
    pub(super) arena_bytes_max: usize,
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) parts: Vec<Part>,
    /// For each emit the record that the iteration stood on.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) origins: Vec<Option<u32>>,
}

/// A part of the output as the test kit collects it, instead of a host.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) struct Part {
    pub(crate) tables: OutputTables,
    pub(crate) origins: Vec<Option<u32>>,
}

impl Buffer {
    /// One for the emits of a batch of so many records.
    pub(super) fn new(records: usize) -> Self {
        let emits = Vec::with_capacity(records.min(FLUSH_ROWS) * 8);
        let output = OutputTables { emits, ..OutputTables::default() };
        Self { is_sound: true, output, arena_bytes_max: ARENA_BYTES_MAX, ..Self::default() }
    }

    /// Hands over what there is, if that is as much as is kept.
    ///
    /// # Errors
    /// The emits cannot be sent.
    pub(super) fn make_room(&mut self) -> Result<()> {
        if self.is_full() {
            self.hand_over();
        }
        // It stays: a batch whose author overlooks the error fails all the same.
        self.fault.clone().map_or(Ok(()), |fault| Err(Error::new(fault)))
    }

    /// What has not been handed over, or why nothing can be sent.
    pub(super) fn finish(&mut self) -> Result<OutputTables> {
        if !self.is_sound {
            return Err(Error::new("the emits were lost to a panic of a sink's that was caught"));
        }
        match self.fault.take() {
            Some(fault) => Err(Error::new(fault)),
            None => Ok(std::mem::take(&mut self.output)),
        }
    }

    /// All parts, the last of which is what finishing gave.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn into_parts(mut self, tables: OutputTables) -> Vec<Part> {
        self.parts.push(Part { tables, origins: self.origins });
        self.parts
    }

    fn is_full(&self) -> bool {
        let Self { output, .. } = self;
        output.arena.len() >= FLUSH_ARENA_BYTES || output.emits.len() / 8 + output.headers.len() / 4 >= FLUSH_ROWS
    }

    pub(super) fn push<'r>(
        &mut self,
        outlet: Outlet,
        source: u32,
        parts: [u32; 6],
        record: Option<Record<'r>>,
    ) -> Emit<'_, 'r> {
        if self.is_full() {
            self.hand_over();
        }
        let row = self.output.emits.len();
        self.output.emits.extend([outlet.index(), source]);
        self.output.emits.extend(parts);
        #[cfg(not(target_arch = "wasm32"))]
        self.origins.push(if source == NONE { cursor::index() } else { Some(source) });
        Emit::new(self, row, record)
    }

    /// Gives what there is to the host, which keeps the order of parts, and goes on with the same buffers.
    #[cfg(target_arch = "wasm32")]
    fn hand_over(&mut self) {
        if self.fault.is_none() {
            let mut part = crate::guest::flush(std::mem::take(&mut self.output));
            part.arena.clear();
            part.emits.clear();
            part.headers.clear();
            self.output = part;
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn hand_over(&mut self) {
        if self.fault.is_none() {
            let tables = std::mem::take(&mut self.output);
            self.parts.push(Part { tables, origins: std::mem::take(&mut self.origins) });
        }
    }

    /// Appends bytes to the arena and says where they are; past its end nothing is written and the batch will fail.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Span {
        let start = self.output.arena.len();
        if bytes.len() > self.arena_bytes_max.saturating_sub(start) {
            return self.too_large();
        }
        self.output.arena.extend_from_slice(bytes);
        self.written_since(start)
    }

    /// The span from `start` to the arena's end.
    pub(super) fn written_since(&mut self, start: usize) -> Span {
        let end = self.output.arena.len();
        match (u32::try_from(start), u32::try_from(end - start)) {
            (Ok(position), Ok(length)) if end <= self.arena_bytes_max => Span { position, length },
            _ => self.too_large(),
        }
    }

    #[cold]
    fn too_large(&mut self) -> Span {
        let max = self.arena_bytes_max;
        self.fault =
            Some(format!("an emit with its predecessors is larger than the {max} bytes that can be handed over"));
        Span { position: 0, length: 0 }
    }
}

/// Shows how much there is; never the data.
impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Buffer")
            .field("emits", &(self.output.emits.len() / 8))
            .field("arena_bytes", &self.output.arena.len())
            .finish_non_exhaustive()
    }
}

/// A span of the output's arena.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) position: u32,
    pub(super) length: u32,
}
