//! What a batch becomes: emits, written straight into the tables that the host reads.

mod buffer;
mod emit;

use std::cell::Cell;
use std::fmt;

use self::buffer::Buffer;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use self::buffer::Part;
use crate::declaration::PortDeclaration;
use crate::error::{Error, Result};
use crate::port::Outlet;
use crate::record::Record;
use crate::table::{FROM_SOURCE, NONE, OutputTables};

pub use self::emit::Emit;

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
///
/// [`Emits::sink`] makes an outlet the end of a composed stream.
pub struct Emits {
    outlets: &'static [PortDeclaration],
    /// Lent to the sink that is writing, since several sinks share it; that is why it is behind a pointer.
    buffer: Cell<Option<Box<Buffer>>>,
}

impl Emits {
    /// Emits of a batch of so many records, to these outlets.
    pub(crate) fn new(outlets: &'static [PortDeclaration], records: usize) -> Self {
        Self { outlets, buffer: Cell::new(Some(Box::new(Buffer::new(records)))) }
    }

    /// Emits `record` unchanged: it crosses to the host as an index. The returned [`Emit`] replaces parts of it.
    pub fn forward<'r>(&mut self, outlet: Outlet, record: Record<'r>) -> Emit<'_, 'r> {
        let parts = [FROM_SOURCE, 0, FROM_SOURCE, 0, 0, FROM_SOURCE];
        self.buffer().push(outlet, record.position(), parts, Some(record))
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
        self.buffer().push(outlet, NONE, [NONE, 0, 0, 0, 0, 0], None)
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

    /// Lets a sink write: it has the emits for itself until it is done, and then there is room for more.
    ///
    /// # Errors
    /// What `write` says; the emits cannot be handed over; or another sink is writing, which `write` itself would have to
    /// have set in motion.
    pub(crate) fn lend(&self, write: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let Some(buffer) = self.buffer.take() else {
            return Err(Error::new("an emit was made by way of a sink while another emit was being written"));
        };
        let mut lent = Self { outlets: self.outlets, buffer: Cell::new(Some(buffer)) };
        let written = write(&mut lent);
        let room = lent.buffer().make_room();
        self.buffer.set(lent.buffer.take());
        written.and(room)
    }

    /// What is written to. Only where a sink's panic was caught is nothing there; then what is written is for nothing.
    fn buffer(&mut self) -> &mut Buffer {
        self.buffer.get_mut().get_or_insert_default()
    }

    /// Bounds the bytes of new parts, for tests that would otherwise need 4 GiB.
    #[cfg(test)]
    pub(crate) fn bound(&mut self, arena_bytes_max: usize) {
        self.buffer().arena_bytes_max = arena_bytes_max;
    }

    /// Ends the batch: what has not been handed over yet, or why nothing can be sent.
    pub(crate) fn finish(&mut self) -> Result<OutputTables> {
        self.buffer().finish()
    }

    /// Ends the batch where there is no host, with all of its parts.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn into_parts(mut self) -> Result<Vec<Part>> {
        let tables = self.finish()?;
        Ok(std::mem::take(self.buffer()).into_parts(tables))
    }
}

/// Shows how much there is; never the data.
impl fmt::Debug for Emits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let buffer = self.buffer.take();
        let written = formatter.debug_struct("Emits").field("buffer", &buffer).finish_non_exhaustive();
        self.buffer.set(buffer);
        written
    }
}

#[cfg(test)]
mod tests;
