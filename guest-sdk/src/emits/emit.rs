//! The builder of one emit, which writes each part as it is told.

use serde::Serialize;

use super::buffer::{Buffer, Span};
use crate::error::{Error, Result};
use crate::record::{Header, Record};
use crate::table::{FROM_SOURCE, NONE};

/// The emit just made: its parts can be replaced. It is complete at every moment, so nothing has to finish it.
///
/// ```
/// # use streamlet::prelude::*;
/// fn price(out: &mut Emits, priced: Outlet, record: Record<'_>, cents: Option<i64>) -> Result<()> {
///     let mut emit = out.forward(priced, record);
///     match cents {
///         Some(cents) => emit.json(&cents)?.header("currency", "EUR"),
///         None => emit.null_value(),
///     };
///     Ok(())
/// }
/// ```
#[derive(Debug)]
pub struct Emit<'e, 'r> {
    buffer: &'e mut Buffer,
    /// Where its row begins in the table.
    row: usize,
    record: Option<Record<'r>>,
}

/// The words of an emit's row that parts are written to.
const KEY: usize = 2;
const VALUE: usize = 4;
const HEADERS: usize = 6;

impl<'e, 'r> Emit<'e, 'r> {
    pub(super) fn new(buffer: &'e mut Buffer, row: usize, record: Option<Record<'r>>) -> Self {
        Self { buffer, row, record }
    }

    /// Replaces the key. An empty key is a key.
    pub fn key(&mut self, key: impl AsRef<[u8]>) -> &mut Self {
        let span = self.buffer.append(key.as_ref());
        self.set(KEY, span.position, span.length)
    }

    /// Removes the key: unset, not empty.
    pub fn without_key(&mut self) -> &mut Self {
        self.set(KEY, NONE, 0)
    }

    /// Replaces the value.
    pub fn value(&mut self, value: impl AsRef<[u8]>) -> &mut Self {
        let span = self.buffer.append(value.as_ref());
        self.set(VALUE, span.position, span.length)
    }

    /// Replaces the value by null, which makes the emit a tombstone. Where the platform's protocol carries the output,
    /// which has no null, the batch fails.
    pub fn null_value(&mut self) -> &mut Self {
        self.set(VALUE, NONE, 0)
    }

    /// Replaces the value by `value` as JSON, written straight into the output.
    ///
    /// # Errors
    /// `T` cannot be written as JSON, such as a map whose keys are not text. The emit is withdrawn.
    pub fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<&mut Self> {
        let start = self.buffer.output.arena.len();
        if let Err(error) = serde_json::to_writer(&mut self.buffer.output.arena, value) {
            self.buffer.output.arena.truncate(start);
            self.withdraw();
            // Of what a type's own `Serialize` says nothing is repeated: it may quote the data.
            let reason = match error.classify() {
                serde_json::error::Category::Data => "its type refuses".to_owned(),
                _ => error.to_string(),
            };
            return Err(Error::new(format!("value cannot be written as JSON: {reason}")));
        }
        let span = self.buffer.written_since(start);
        Ok(self.set(VALUE, span.position, span.length))
    }

    /// Appends a header, after the source's own and those appended before.
    pub fn header(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Self {
        self.append_header(name, Some(value.as_ref()))
    }

    /// Appends a header with a null value. Where the platform's protocol carries the output, which has no null, the
    /// batch fails.
    pub fn null_header(&mut self, name: &str) -> &mut Self {
        self.append_header(name, None)
    }

    /// Replaces all headers: by none, by others, by the source's in another order.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// fn relabel(out: &mut Emits, outlet: Outlet, record: Record<'_>) {
    ///     out.forward(outlet, record).headers([("source", "relabel"), ("version", "2")]);
    ///     out.forward(outlet, record).headers(record.headers().filter(|header| header.name != "secret"));
    /// }
    /// ```
    pub fn headers<'h, H: Into<Header<'h>>>(&mut self, headers: impl IntoIterator<Item = H>) -> &mut Self {
        self.start_headers();
        for header in headers {
            let Header { name, value } = header.into();
            self.push_header(name.as_bytes(), value);
        }
        self
    }

    fn append_header(&mut self, name: &str, value: Option<&[u8]>) -> &mut Self {
        if self.word(HEADERS + 1) == Some(FROM_SOURCE) {
            self.start_headers();
            let sources = self.record.into_iter().flat_map(|record| record.headers().raw());
            for (name, value) in sources {
                self.push_header(name, value);
            }
        }
        self.push_header(name.as_bytes(), value);
        self
    }

    /// Begins an own list of headers at the end of the table, empty.
    fn start_headers(&mut self) {
        let first = u32::try_from(self.buffer.output.headers.len() / 4).unwrap_or(u32::MAX);
        self.set(HEADERS, first, 0);
    }

    /// Puts a header at the end of the table, where this emit's end.
    fn push_header(&mut self, name: &[u8], value: Option<&[u8]>) {
        let name = self.buffer.append(name);
        let value = value.map_or(Span { position: NONE, length: 0 }, |value| self.buffer.append(value));
        if self.word(HEADERS + 1) == Some(0) {
            self.start_headers();
        }
        self.buffer.output.headers.extend([name.position, name.length, value.position, value.length]);
        if let Some(count) = self.buffer.output.emits.get_mut(self.row + HEADERS + 1) {
            *count += 1;
        }
    }

    /// Takes the emit back. Later calls on it change nothing that is sent.
    fn withdraw(&mut self) {
        self.buffer.output.emits.truncate(self.row);
        #[cfg(not(target_arch = "wasm32"))]
        self.buffer.origins.truncate(self.row / 8);
    }

    fn word(&self, word: usize) -> Option<u32> {
        self.buffer.output.emits.get(self.row + word).copied()
    }

    /// Writes two neighbouring words of the row, if it is still there.
    fn set(&mut self, word: usize, first: u32, second: u32) -> &mut Self {
        if let Some([a, b]) = self.buffer.output.emits.get_mut(self.row + word..self.row + word + 2) {
            (*a, *b) = (first, second);
        }
        self
    }
}
