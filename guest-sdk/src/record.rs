//! One record of a batch and its headers, borrowed.

use std::fmt;
use std::iter::FusedIterator;
use std::slice;

use serde::Deserialize;

use crate::batch::Batch;
use crate::composed::Rejected;
use crate::error::{Error, Result};
use crate::json;
use crate::table::{self, HeaderRow, NONE, RecordRow, TimesRow};

/// A record: a few references into its [`Batch`], copied for nothing. Its key, value and headers live as long as the
/// batch does.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    batch: &'a Batch,
    row: &'a RecordRow,
    times: &'a TimesRow,
    index: u32,
}

impl<'a> Record<'a> {
    pub(crate) fn new(batch: &'a Batch, index: u32, row: &'a RecordRow, times: &'a TimesRow) -> Self {
        Self { batch, row, times, index }
    }

    /// Its index in the batch.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// Its index in the batch, as the tables count.
    pub(crate) fn position(self) -> u32 {
        self.index
    }

    /// Its offset in the inlet's partition.
    pub fn offset(self) -> i64 {
        let [offset, _] = *self.times;
        offset
    }

    /// Its timestamp, in milliseconds since 1970.
    pub fn timestamp_ms(self) -> i64 {
        let [_, timestamp_ms] = *self.times;
        timestamp_ms
    }

    /// Its key. An absent key and an empty one differ.
    pub fn key(self) -> Option<&'a [u8]> {
        let [position, length, ..] = *self.row;
        self.batch.part(position, length)
    }

    /// Its value; a tombstone has none. Over gRPC a tombstone arrives as an empty value, since the protocol cannot
    /// carry a null.
    pub fn value(self) -> Option<&'a [u8]> {
        let [_, _, position, length, ..] = *self.row;
        self.batch.part(position, length)
    }

    /// Whether its value is null.
    pub fn is_tombstone(self) -> bool {
        self.value().is_none()
    }

    /// Its value as text.
    ///
    /// # Errors
    /// The value is null or not UTF-8. The error blames this record.
    pub fn text(self) -> Result<&'a str> {
        let Some(value) = self.value() else {
            return Err(Error::new("value is not the text expected: it is null (a tombstone)").at(self));
        };
        str::from_utf8(value).map_err(|error| Error::new(format!("value is not the text expected: {error}")).at(self))
    }

    /// Its value read as JSON. Text and bytes of `T` may borrow from the batch.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use streamlet::prelude::*;
    ///
    /// #[derive(Deserialize)]
    /// struct Cart<'a> {
    ///     id: &'a str,
    ///     total: i64,
    /// }
    ///
    /// fn process(batch: &Batch, _: &mut Emits) -> Result<()> {
    ///     for record in batch {
    ///         let cart: Cart<'_> = record.json()?;
    ///         assert!(!cart.id.is_empty() && cart.total >= 0);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// The value is null, empty, not JSON or not of `T`'s shape. The text says what is wrong, in which field, line and
    /// column, such as `value is not the JSON expected: invalid type: string, expected i64 at cart.items[3].total,
    /// line 1 column 57`. It never holds a part of the data: keys of maps and unknown fields show as `*`. The error
    /// blames this record.
    pub fn json<T: Deserialize<'a>>(self) -> Result<T> {
        json::decode(self.value()).map_err(|message| Error::new(message).at(self))
    }

    /// This record as one that goes aside, for a reason that must hold no key or value. [`Rejected`] has an example.
    pub fn reject(self, why: impl Into<Error>) -> Rejected<'a> {
        Rejected { record: self, why: why.into().at(self) }
    }

    /// Its headers, in order.
    pub fn headers(self) -> Headers<'a> {
        let [.., first, count] = *self.row;
        let rows = table::headers(&self.batch.tables().headers, first, count).unwrap_or_default();
        Headers { arena: &self.batch.tables().arena, rows: rows.iter() }
    }

    /// The last header of this name, which is the one that counts where a name comes twice.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// fn trace_of(record: Record<'_>) -> Option<&[u8]> {
    ///     record.header("trace-id")?.value
    /// }
    /// ```
    pub fn header(self, name: &str) -> Option<Header<'a>> {
        self.headers().rfind(|header| header.name == name)
    }
}

/// Shows where the record is from and how large it is; never its data.
impl fmt::Debug for Record<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Record")
            .field("index", &self.index)
            .field("offset", &self.offset())
            .field("key_bytes", &self.key().map(<[u8]>::len))
            .field("value_bytes", &self.value().map(<[u8]>::len))
            .field("headers", &self.headers().len())
            .finish()
    }
}

/// A header of a record, or one to emit.
///
/// ```
/// use streamlet::Header;
///
/// let header = Header::from(("source", "shop"));
/// assert_eq!(header.value, Some(b"shop".as_slice()));
/// assert_eq!(Header { name: "empty", value: None }.value, None, "null, which Kafka can carry");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value, or null. Over gRPC a null arrives as an empty value.
    pub value: Option<&'a [u8]>,
}

/// Shows the name, never the value.
impl fmt::Debug for Header<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value_bytes = self.value.map(<[u8]>::len);
        formatter.debug_struct("Header").field("name", &self.name).field("value_bytes", &value_bytes).finish()
    }
}

impl<'a, V: AsRef<[u8]> + ?Sized> From<(&'a str, &'a V)> for Header<'a> {
    fn from((name, value): (&'a str, &'a V)) -> Self {
        Self { name, value: Some(value.as_ref()) }
    }
}

/// The headers of a record, in order; from the back with `rev`.
#[derive(Debug, Clone)]
pub struct Headers<'a> {
    arena: &'a [u8],
    rows: slice::Iter<'a, HeaderRow>,
}

impl<'a> Headers<'a> {
    /// The bytes of each name and value, unread.
    pub(crate) fn raw(self) -> impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)> {
        self.rows.map(move |row| raw(self.arena, row))
    }
}

fn raw<'a>(arena: &'a [u8], row: &HeaderRow) -> (&'a [u8], Option<&'a [u8]>) {
    let [name, name_length, value, value_length] = *row;
    let name = table::span(arena, name, name_length).unwrap_or_default();
    (name, if value == NONE { None } else { table::span(arena, value, value_length) })
}

fn header<'a>(arena: &'a [u8], row: &HeaderRow) -> Header<'a> {
    let (name, value) = raw(arena, row);
    // The contract has names in UTF-8, so the other case is a faulty host's.
    Header { name: str::from_utf8(name).unwrap_or_default(), value }
}

impl<'a> Iterator for Headers<'a> {
    type Item = Header<'a>;

    fn next(&mut self) -> Option<Header<'a>> {
        self.rows.next().map(|row| header(self.arena, row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl DoubleEndedIterator for Headers<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.rows.next_back().map(|row| header(self.arena, row))
    }
}

impl ExactSizeIterator for Headers<'_> {}
impl FusedIterator for Headers<'_> {}
