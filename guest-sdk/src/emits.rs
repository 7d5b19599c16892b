//! What a batch becomes: emits, written straight into the tables that the host reads.

mod emit;

use std::fmt;

#[cfg(not(target_arch = "wasm32"))]
use crate::cursor;
use crate::declaration::PortDeclaration;
use crate::error::{Error, Result};
use crate::port::Outlet;
use crate::record::Record;
use crate::table::{FROM_SOURCE, NONE, OutputTables};

pub use self::emit::Emit;

/// Bytes of new parts after which the emits so far are handed to the host, so that a guest's memory stays small.
const FLUSH_ARENA_BYTES: usize = 1 << 20;

/// Emits and headers after which they are handed over.
const FLUSH_ROWS: usize = 1 << 16;

/// The most bytes of new parts that positions can point into; the two numbers above mean something else.
const ARENA_BYTES_MAX: usize = 0xffff_fffd;

/// Takes the emits of a batch, in the order in which they will be sent.
///
/// ```
/// # use streamlet::prelude::*;
/// # struct Split { valid: Outlet, review: Outlet }
/// # impl Split {
/// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///     for record in batch {
///         out.forward(self.valid, record); // unchanged, and uncopied
///         out.forward(self.review, record).without_key().header("source", "split");
///     }
///     Ok(())
/// }
/// # }
/// ```
///
/// If the batch fails, nothing of it is emitted.
pub struct Emits {
    outlets: &'static [PortDeclaration],
    output: OutputTables,
    /// Why the emits cannot be sent, where a builder could not say so.
    fault: Option<String>,
    arena_bytes_max: usize,
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) parts: Vec<Part>,
    /// For each emit the record that the iteration stood on.
    #[cfg(not(target_arch = "wasm32"))]
    origins: Vec<Option<u32>>,
}

/// A part of the output as the test kit collects it, instead of a host.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) struct Part {
    pub(crate) tables: OutputTables,
    pub(crate) origins: Vec<Option<u32>>,
}

impl Emits {
    /// Emits of a batch of so many records, to these outlets.
    pub(crate) fn new(outlets: &'static [PortDeclaration], records: usize) -> Self {
        let output = OutputTables { emits: Vec::with_capacity(records.min(FLUSH_ROWS) * 8), ..OutputTables::default() };
        Self {
            outlets,
            output,
            fault: None,
            arena_bytes_max: ARENA_BYTES_MAX,
            #[cfg(not(target_arch = "wasm32"))]
            parts: Vec::new(),
            #[cfg(not(target_arch = "wasm32"))]
            origins: Vec::new(),
        }
    }

    /// Emits `record` unchanged: it crosses to the host as an index. The returned [`Emit`] replaces parts of it.
    pub fn forward<'r>(&mut self, outlet: Outlet, record: Record<'r>) -> Emit<'_, 'r> {
        let parts = [FROM_SOURCE, 0, FROM_SOURCE, 0, 0, FROM_SOURCE];
        self.push(outlet, record.position(), parts, Some(record))
    }

    /// Emits a new record, without key and headers and with an empty value (not a null one, which would delete on a
    /// compacted topic), until the returned [`Emit`] sets them.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// fn announce(out: &mut Emits, valid: Outlet) {
    ///     out.emit(valid).key("cart-7").value(r#"{"total":0}"#);
    /// }
    /// ```
    pub fn emit(&mut self, outlet: Outlet) -> Emit<'_, 'static> {
        self.push(outlet, NONE, [NONE, 0, 0, 0, 0, 0], None)
    }

    /// Emits a tombstone: the key with a null value. Where the platform's protocol carries the output, which has no
    /// null, the batch fails.
    pub fn tombstone(&mut self, outlet: Outlet, key: impl AsRef<[u8]>) -> Emit<'_, 'static> {
        let mut emit = self.emit(outlet);
        emit.key(key).null_value();
        emit
    }

    /// The declared outlet of this name, for names known only at run time; others are fields.
    ///
    /// # Errors
    /// No outlet has the name.
    pub fn outlet(&self, name: &str) -> Result<Outlet> {
        let found = self.outlets.iter().zip(0..).find(|(port, _)| port.name == name);
        let Some((_, index)) = found else {
            return Err(Error::new(format!("emit to undeclared outlet '{name}'")));
        };
        Ok(Outlet::at(index))
    }

    /// Ends the batch: what has not been handed over yet, or why nothing can be sent.
    pub(crate) fn finish(&mut self) -> Result<OutputTables> {
        match self.fault.take() {
            Some(fault) => Err(Error::new(fault)),
            None => Ok(std::mem::take(&mut self.output)),
        }
    }

    /// Ends the batch where there is no host, with all of its parts.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn into_parts(mut self) -> Result<Vec<Part>> {
        let tables = self.finish()?;
        self.parts.push(Part { tables, origins: self.origins });
        Ok(self.parts)
    }

    fn push<'r>(&mut self, outlet: Outlet, source: u32, parts: [u32; 6], record: Option<Record<'r>>) -> Emit<'_, 'r> {
        let emits = self.output.emits.len() / 8;
        if self.output.arena.len() >= FLUSH_ARENA_BYTES || emits + self.output.headers.len() / 4 >= FLUSH_ROWS {
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
    fn append(&mut self, bytes: &[u8]) -> Span {
        let start = self.output.arena.len();
        if bytes.len() > self.arena_bytes_max.saturating_sub(start) {
            return self.too_large();
        }
        self.output.arena.extend_from_slice(bytes);
        self.written_since(start)
    }

    /// The span from `start` to the arena's end.
    fn written_since(&mut self, start: usize) -> Span {
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
impl fmt::Debug for Emits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Emits")
            .field("emits", &(self.output.emits.len() / 8))
            .field("arena_bytes", &self.output.arena.len())
            .finish_non_exhaustive()
    }
}

/// A span of the output's arena.
#[derive(Clone, Copy)]
struct Span {
    position: u32,
    length: u32,
}

#[cfg(test)]
mod tests;
