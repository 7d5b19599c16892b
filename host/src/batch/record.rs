//! A batch and its records: one arena of bytes, packed tables of positions, and borrowed views of both.

use std::fmt;

use bytes::Bytes;

use super::ABSENT;

/// Words a record takes in [`Batch::records`].
pub(crate) const RECORD_WORDS: usize = 6;
/// Words a header takes in [`Batch::headers`].
pub(crate) const HEADER_WORDS: usize = 4;
/// The highest position or length a table can hold: the two words above it have a meaning of their own.
const POSITION_MAX: usize = 0xffff_fffd;

/// One batch of one inlet partition, in offset order: exactly the tables that a guest receives.
#[derive(Clone)]
pub struct Batch {
    /// Index of the inlet among the declared ones.
    pub inlet: u32,
    /// The inlet's partition.
    pub partition: i32,
    /// The bytes of all keys, header names, header values and values, in no promised order.
    pub arena: Bytes,
    /// Two a record: offset, timestamp in milliseconds.
    pub times: Vec<i64>,
    /// Six a record: key position (`0xffffffff`: no key), key length, value position (`0xffffffff`: null), value
    /// length, first header, header count.
    pub records: Vec<u32>,
    /// Four a header: name position, name length, value position (`0xffffffff`: null), value length.
    pub headers: Vec<u32>,
    /// Position (`0xffffffff`: it says more than the tables do) and length of each record's message in the arena, where
    /// the arena is a message of the platform's protocol; empty where it is not. No guest sees it.
    pub encoded: Vec<[u32; 2]>,
}

impl Batch {
    /// The number of records.
    pub fn len(&self) -> usize {
        self.times.len() / 2
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The record at `index`, counted from 0.
    pub fn record(&self, index: usize) -> Option<Record<'_>> {
        let times = self.times.chunks_exact(2).nth(index)?;
        let words = self.records.chunks_exact(RECORD_WORDS).nth(index)?;
        let (&[offset, timestamp_ms], &[key, key_length, value, value_length, first_header, header_count]) =
            (times, words)
        else {
            return None;
        };
        Some(Record {
            batch: self,
            index,
            offset,
            timestamp_ms,
            key: (key, key_length),
            value: (value, value_length),
            headers: (first_header, header_count),
        })
    }

    /// A batch of some of its records, with the bytes of these alone. Indices past its end are left out.
    #[must_use]
    pub fn part(&self, records: std::ops::Range<usize>) -> Self {
        let mut part = BatchBuilder::default();
        for record in records.filter_map(|index| self.record(index)) {
            let (offset, key, value) = (record.offset, record.key(), record.value());
            // What fitted a batch fits a part of it.
            let _ = part.push((offset, record.timestamp_ms), key, value, record.headers());
        }
        part.take(self.inlet, self.partition)
    }

    /// The offsets of the first and the last record; none in an empty batch.
    pub fn offsets(&self) -> Option<(i64, i64)> {
        let first = self.times.first()?;
        let last = self.times.iter().rev().nth(1)?;
        Some((*first, *last))
    }

    /// The index of the record with this offset.
    pub fn index_of(&self, offset: i64) -> Option<usize> {
        self.times.iter().step_by(2).position(|at| *at == offset)
    }

    /// The bytes at a span of the arena; none where the position says so. A span outside the arena reads as none too,
    /// which only a decoder's mistake could bring about.
    fn bytes(&self, (position, length): (u32, u32)) -> Option<&[u8]> {
        span(&self.arena, position, length)
    }
}

/// Sizes only: a batch's bytes are the user's and never reach a log.
impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("inlet", &self.inlet)
            .field("partition", &self.partition)
            .field("records", &self.len())
            .field("offsets", &self.offsets())
            .field("arena_bytes", &self.arena.len())
            .finish_non_exhaustive()
    }
}

/// The bytes of `arena` at `position`, or none for [`ABSENT`].
pub(super) fn span(arena: &[u8], position: u32, length: u32) -> Option<&[u8]> {
    if position == ABSENT {
        return None;
    }
    let start = position as usize;
    arena.get(start..start.checked_add(length as usize)?)
}

/// A borrowed record of a batch.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    batch: &'a Batch,
    index: usize,
    /// The record's offset in its partition.
    pub offset: i64,
    /// The record's timestamp, in milliseconds since 1970.
    pub timestamp_ms: i64,
    key: (u32, u32),
    value: (u32, u32),
    headers: (u32, u32),
}

impl<'a> Record<'a> {
    /// The key's bytes; none where the record has no key. An empty key is not an absent one.
    pub fn key(&self) -> Option<&'a [u8]> {
        self.batch.bytes(self.key)
    }

    /// The value's bytes; none for a tombstone.
    pub fn value(&self) -> Option<&'a [u8]> {
        self.batch.bytes(self.value)
    }

    /// The headers, in order.
    pub fn headers(&self) -> Headers<'a> {
        Headers::of(&self.batch.arena, &self.batch.headers, self.headers)
    }

    /// The record as a message of the platform's protocol, as it was received; none where it was not received so.
    pub fn encoded(&self) -> Option<&'a [u8]> {
        let [position, length] = *self.batch.encoded.get(self.index)?;
        self.batch.bytes((position, length))
    }
}

/// Offset and sizes only, as for [`Batch`].
impl fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("offset", &self.offset).finish_non_exhaustive()
    }
}

/// A header: a name and a value, which may be null.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name; UTF-8, possibly repeated within a record.
    pub name: &'a [u8],
    /// The value's bytes, or null.
    pub value: Option<&'a [u8]>,
}

/// Sizes only: header values are the user's.
impl fmt::Debug for Header<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header")
            .field("name_bytes", &self.name.len())
            .field("value_bytes", &self.value.map(<[u8]>::len))
            .finish()
    }
}

/// The headers of a record or an emit, in order.
#[derive(Debug, Clone)]
pub struct Headers<'a> {
    arena: &'a [u8],
    rows: std::slice::ChunksExact<'a, u32>,
}

impl<'a> Headers<'a> {
    /// The `count` headers of `table` from the `first` on.
    pub(super) fn of(arena: &'a [u8], table: &'a [u32], (first, count): (u32, u32)) -> Self {
        let start = (first as usize).saturating_mul(HEADER_WORDS);
        let end = start.saturating_add((count as usize).saturating_mul(HEADER_WORDS));
        Self { arena, rows: table.get(start..end).unwrap_or_default().chunks_exact(HEADER_WORDS) }
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = Header<'a>;

    fn next(&mut self) -> Option<Header<'a>> {
        let &[name, name_length, value, value_length] = self.rows.next()? else { return None };
        Some(Header {
            name: span(self.arena, name, name_length).unwrap_or_default(),
            value: span(self.arena, value, value_length),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Headers<'_> {}

/// A record that no longer fits: positions are 32 bits wide, so a batch holds less than 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a batch cannot hold 4 GiB or more")]
pub struct BatchFull;

/// What a record counts towards a batch's bytes: key, value and headers without framing, as the platform's
/// `batch.max-bytes` does.
pub(crate) fn weight_bytes<'a>(
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: impl Iterator<Item = Header<'a>>,
) -> usize {
    let headers = headers.map(|header| header.name.len() + header.value.map_or(0, <[u8]>::len));
    key.map_or(0, <[u8]>::len) + value.map_or(0, <[u8]>::len) + headers.sum::<usize>()
}

/// Puts a batch together record by record, for doors whose records do not arrive as spans of one buffer.
#[derive(Default)]
pub struct BatchBuilder {
    arena: Vec<u8>,
    times: Vec<i64>,
    records: Vec<u32>,
    headers: Vec<u32>,
}

impl BatchBuilder {
    /// The number of records so far.
    pub fn len(&self) -> usize {
        self.times.len() / 2
    }

    /// Whether nothing has been pushed yet.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The bytes of keys, values, header names and header values so far: what the platform's `batch.max-bytes` counts.
    pub fn weight_bytes(&self) -> usize {
        self.arena.len()
    }

    /// Appends a record.
    ///
    /// # Errors
    /// [`BatchFull`], with nothing appended.
    pub fn push<'a>(
        &mut self,
        (offset, timestamp_ms): (i64, i64),
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: impl Iterator<Item = Header<'a>> + Clone,
    ) -> Result<(), BatchFull> {
        let weight = weight_bytes(key, value, headers.clone());
        if weight > POSITION_MAX - self.arena.len().min(POSITION_MAX) {
            return Err(BatchFull);
        }
        let first_header = self.headers.len() / HEADER_WORDS;
        for header in headers {
            let name = self.append(Some(header.name));
            let value = self.append(header.value);
            self.headers.extend([name, value].as_flattened());
        }
        let header_count = self.headers.len() / HEADER_WORDS - first_header;
        let key = self.append(key);
        let value = self.append(value);
        self.times.extend([offset, timestamp_ms]);
        self.records.extend([key, value, [word(first_header), word(header_count)]].as_flattened());
        Ok(())
    }

    /// The batch, and an empty builder in its place with room for as much again: batches of a stream are alike.
    pub fn take(&mut self, inlet: u32, partition: i32) -> Batch {
        let next = Self {
            arena: Vec::with_capacity(self.arena.len()),
            times: Vec::with_capacity(self.times.len()),
            records: Vec::with_capacity(self.records.len()),
            headers: Vec::with_capacity(self.headers.len()),
        };
        let Self { arena, times, records, headers } = std::mem::replace(self, next);
        Batch { inlet, partition, arena: arena.into(), times, records, headers, encoded: Vec::new() }
    }

    /// Appends bytes and returns their position and length. The caller has made sure that they fit.
    fn append(&mut self, bytes: Option<&[u8]>) -> [u32; 2] {
        let Some(bytes) = bytes else { return [ABSENT, 0] };
        let position = word(self.arena.len());
        self.arena.extend_from_slice(bytes);
        [position, word(bytes.len())]
    }
}

/// Sizes only, as for [`Batch`].
impl fmt::Debug for BatchBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchBuilder")
            .field("records", &self.len())
            .field("weight_bytes", &self.weight_bytes())
            .finish_non_exhaustive()
    }
}

/// A count known to be at most [`POSITION_MAX`], as a table's word.
fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(ABSENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_gives_back_what_was_pushed() {
        let mut builder = BatchBuilder::default();
        let headers = [
            Header { name: b"a", value: Some(b"1") },
            Header { name: b"a", value: None },
            Header { name: b"", value: Some(b"") },
        ];
        builder.push((7, 70), Some(b"k"), Some(b"value"), headers.iter().copied()).unwrap();
        builder.push((8, 80), None, None, std::iter::empty()).unwrap();
        builder.push((9, 90), Some(b""), Some(b""), headers[..1].iter().copied()).unwrap();
        assert_eq!(builder.weight_bytes(), "a1a".len() + "kvalue".len() + "a1".len());

        let batch = builder.take(1, 3);
        assert!(builder.is_empty());
        assert_eq!((batch.len(), batch.offsets()), (3, Some((7, 9))));
        let first = batch.record(0).unwrap();
        assert_eq!((first.key(), first.value()), (Some(&b"k"[..]), Some(&b"value"[..])));
        assert_eq!(first.headers().collect::<Vec<_>>(), headers);
        let second = batch.record(1).unwrap();
        assert_eq!((second.offset, second.timestamp_ms, second.key(), second.value()), (8, 80, None, None));
        assert_eq!(second.headers().len(), 0);
        let third = batch.record(2).unwrap();
        assert_eq!((third.key(), third.value()), (Some(&b""[..]), Some(&b""[..])));
        assert_eq!(third.headers().collect::<Vec<_>>(), headers[..1]);
        assert!(batch.record(3).is_none());
    }

    #[test]
    fn a_part_has_its_records_and_their_headers() {
        let mut builder = BatchBuilder::default();
        for offset in 0..5u8 {
            let header = Header { name: b"n", value: Some(&[offset]) };
            builder.push((offset.into(), 0), None, Some(&[offset; 3]), std::iter::once(header)).unwrap();
        }
        let part = builder.take(2, 7).part(1..3);
        assert_eq!((part.inlet, part.partition, part.len(), part.offsets()), (2, 7, 2, Some((1, 2))));
        let second = part.record(1).unwrap();
        assert_eq!((second.value(), second.headers().next().unwrap().value), (Some(&[2; 3][..]), Some(&[2][..])));
        assert!(part.part(5..9).is_empty());
    }

    #[test]
    fn debug_shows_sizes_and_no_bytes() {
        let mut builder = BatchBuilder::default();
        let header = Header { name: b"name-canary", value: Some(b"header-canary") };
        builder.push((0, 0), Some(b"key-canary"), Some(b"value-canary"), std::iter::once(header)).unwrap();
        let text = format!("{builder:?} {:?} {header:?}", builder.weight_bytes());
        let batch = builder.take(0, 0);
        let text = format!("{text} {batch:?} {:?}", batch.record(0));
        assert!(!text.contains("canary"), "{text}");
    }
}
