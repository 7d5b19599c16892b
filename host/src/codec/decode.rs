//! Reads a `ToProcess`: one walk over the received bytes, nothing copied but a batch's inlet name, no allocation per
//! record.
//!
//! Fields may come in any order, repeat and be unknown, as protobuf allows: the last of a scalar counts, repeated
//! messages merge, unknown fields are passed over. It accepts and refuses exactly what prost's generated reader does,
//! which its tests hold it against.

use bytes::Bytes;
use prost::Message as _;
use streamlet_protocol::wire;

use super::varint::{Cursor, Declared, Read, length_key, number_key};
use crate::batch::{ABSENT, Batch, HEADER_WORDS, RECORD_WORDS};

/// Records that room is made for, before they are there.
const RECORDS_EXPECTED_MAX: usize = 1024;
/// Words of headers, likewise.
const HEADER_WORDS_EXPECTED_MAX: usize = 32 << 10;

/// A message from the sidecar.
#[derive(Debug)]
pub enum Inbound {
    /// A new conversation.
    Start(wire::Start),
    /// A batch.
    Batch(InboundBatch),
    /// The conversation's end.
    Stop(wire::Stop),
    /// A message with nothing in it.
    Empty,
}

/// A batch as received, its tables over the message's bytes.
#[derive(Clone, Default)]
pub struct InboundBatch {
    /// Unique within the conversation.
    pub batch_id: u64,
    /// The inlet's name.
    pub inlet: String,
    /// The inlet's partition.
    pub partition: i32,
    /// The message's bytes.
    pub arena: Bytes,
    /// As in [`crate::batch::Batch`].
    pub times: Vec<i64>,
    /// As in [`crate::batch::Batch`].
    pub records: Vec<u32>,
    /// As in [`crate::batch::Batch`].
    pub headers: Vec<u32>,
    /// As in [`crate::batch::Batch`].
    pub encoded: Vec<[u32; 2]>,
}

/// Sizes only: a batch's bytes are the user's.
impl std::fmt::Debug for InboundBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InboundBatch")
            .field("batch_id", &self.batch_id)
            .field("inlet", &self.inlet)
            .field("partition", &self.partition)
            .field("records", &(self.times.len() / 2))
            .finish_non_exhaustive()
    }
}

/// Bytes that are no `ToProcess`. `at` counts the message's bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields mean")]
pub enum DecodeError {
    #[error("the field key at byte {at} is no key")]
    Key { at: usize },
    #[error("the number at byte {at} does not end or is over 64 bits")]
    Varint { at: usize },
    #[error("the length at byte {at} leads past the end of its message")]
    Length { at: usize },
    #[error("the group at byte {at} has no end, no beginning, or nests too deeply")]
    Group { at: usize },
    #[error("field {field} at byte {at} has another wire type than its declaration")]
    WireType { field: &'static str, at: usize },
    #[error("field {field} at byte {at} is not UTF-8")]
    NotText { field: &'static str, at: usize },
    #[error("the message is larger than 4 GiB")]
    TooLarge,
    #[error("field {field} cannot be read: {reason}")]
    Field { field: &'static str, reason: String },
}

const TO_PROCESS: Declared = Declared { fields: &["ToProcess.start", "ToProcess.batch", "ToProcess.stop"], depth: 0 };
const BATCH: Declared =
    Declared { fields: &["Batch.batch_id", "Batch.inlet", "Batch.partition", "Batch.records"], depth: 1 };
const INPUT_RECORD: Declared =
    Declared { fields: &["InputRecord.offset", "InputRecord.timestamp_ms", "InputRecord.record"], depth: 2 };
const RECORD: Declared = Declared { fields: &["Record.key", "Record.headers", "Record.value"], depth: 3 };
const HEADER: Declared = Declared { fields: &["Header.key", "Header.value"], depth: 4 };

/// Keys of fields by their numbers: of numbers, and of what has its length before it.
const NUMBER_1: u32 = number_key(1);
const NUMBER_2: u32 = number_key(2);
const NUMBER_3: u32 = number_key(3);
const LENGTH_1: u32 = length_key(1);
const LENGTH_2: u32 = length_key(2);
const LENGTH_3: u32 = length_key(3);
const LENGTH_4: u32 = length_key(4);

/// Reads one message.
///
/// # Errors
/// [`DecodeError`]; nothing of the message is used then.
pub fn decode(body: Bytes) -> Result<Inbound, DecodeError> {
    // Positions are 32 bits wide, and the two highest mean something else.
    if body.len() >= ABSENT as usize - 1 {
        return Err(DecodeError::TooLarge);
    }
    let mut inbound = read(Cursor::new(&body)).map_err(|error| *error)?;
    if let Inbound::Batch(batch) = &mut inbound {
        batch.arena = body;
    }
    Ok(inbound)
}

fn read(mut message: Cursor<'_>) -> Read<Inbound> {
    let mut inbound = Inbound::Empty;
    while !message.is_at_end() {
        let at = message.position();
        match message.key()? {
            LENGTH_1 => {
                let field = message.delimited()?;
                if !matches!(inbound, Inbound::Start(_)) {
                    inbound = Inbound::Start(wire::Start::default());
                }
                if let Inbound::Start(start) = &mut inbound {
                    start.merge(field.bytes()).map_err(|error| Box::new(unreadable("ToProcess.start", &error)))?;
                }
            }
            LENGTH_2 => {
                let field = message.delimited()?;
                if !matches!(inbound, Inbound::Batch(_)) {
                    inbound = Inbound::Batch(InboundBatch::default());
                }
                if let Inbound::Batch(batch) = &mut inbound {
                    batch.merge(field)?;
                }
            }
            LENGTH_3 => {
                let field = message.delimited()?;
                if !matches!(inbound, Inbound::Stop(_)) {
                    inbound = Inbound::Stop(wire::Stop::default());
                }
                if let Inbound::Stop(stop) = &mut inbound {
                    stop.merge(field.bytes()).map_err(|error| Box::new(unreadable("ToProcess.stop", &error)))?;
                }
            }
            key => message.pass(key, at, TO_PROCESS)?,
        }
    }
    Ok(inbound)
}

fn unreadable(field: &'static str, error: &prost::DecodeError) -> DecodeError {
    DecodeError::Field { field, reason: error.to_string() }
}

impl InboundBatch {
    /// The batch, of the inlet with this index.
    pub fn of_inlet(self, inlet: u32) -> Batch {
        let Self { batch_id: _, inlet: _, partition, arena, times, records, headers, encoded } = self;
        Batch { inlet, partition, arena, times, records, headers, encoded }
    }

    fn merge(&mut self, mut batch: Cursor<'_>) -> Read<()> {
        while !batch.is_at_end() {
            let at = batch.position();
            match batch.key()? {
                LENGTH_4 => {
                    let record = batch.delimited()?;
                    self.push_record(record)?;
                    if self.times.len() == 2 {
                        self.make_room(batch.bytes().len() / record.bytes().len().max(1));
                    }
                }
                NUMBER_1 => self.batch_id = batch.varint()?,
                LENGTH_2 => text(batch.delimited()?, "Batch.inlet")?.clone_into(&mut self.inlet),
                NUMBER_3 => self.partition = int32(batch.varint()?),
                key => batch.pass(key, at, BATCH)?,
            }
        }
        Ok(())
    }

    /// Room for so many records like the first, within reason: growing the tables would copy them.
    fn make_room(&mut self, records: usize) {
        let records = records.min(RECORDS_EXPECTED_MAX);
        self.times.reserve(records * 2);
        self.records.reserve(records * RECORD_WORDS);
        self.encoded.reserve(records);
        self.headers.reserve(records.saturating_mul(self.headers.len()).min(HEADER_WORDS_EXPECTED_MAX));
    }

    #[inline]
    fn push_record(&mut self, mut input: Cursor<'_>) -> Read<()> {
        let (mut offset, mut timestamp_ms) = (0, 0);
        let mut record = RecordSpans { encoded: None, is_first: true, key: [ABSENT, 0], value: [0, 0] };
        let first_header = self.headers.len() / HEADER_WORDS;
        while !input.is_at_end() {
            let at = input.position();
            match input.key()? {
                NUMBER_1 => offset = input.varint()?.cast_signed(),
                NUMBER_2 => timestamp_ms = input.varint()?.cast_signed(),
                LENGTH_3 => record.merge(input.delimited()?, &mut self.headers)?,
                key => input.pass(key, at, INPUT_RECORD)?,
            }
        }
        let header_count = self.headers.len() / HEADER_WORDS - first_header;
        self.times.extend_from_slice(&[offset, timestamp_ms]);
        let RecordSpans { encoded, key: [key, key_length], value: [value, value_length], .. } = record;
        self.records.extend_from_slice(&[key, key_length, value, value_length, word(first_header), word(header_count)]);
        self.encoded.push(encoded.unwrap_or([ABSENT, 0]));
        Ok(())
    }
}

/// Where a record's key and value are; and its message, if its message says nothing else.
struct RecordSpans {
    encoded: Option<[u32; 2]>,
    /// Nothing has been read.
    is_first: bool,
    key: [u32; 2],
    value: [u32; 2],
}

impl RecordSpans {
    #[inline]
    fn merge(&mut self, mut record: Cursor<'_>, headers: &mut Vec<u32>) -> Read<()> {
        // A message in parts is no span, and what is said twice or is not known must not be sent on.
        let mut is_plain = std::mem::replace(&mut self.is_first, false);
        let encoded = span(record);
        while !record.is_at_end() {
            let at = record.position();
            match record.key()? {
                LENGTH_2 => is_plain &= read_header(record.delimited()?, headers)?,
                LENGTH_1 => {
                    is_plain &= self.key == [ABSENT, 0];
                    self.key = span(record.delimited()?);
                }
                LENGTH_3 => {
                    is_plain &= self.value == [0, 0];
                    self.value = span(record.delimited()?);
                }
                key => {
                    is_plain = false;
                    record.pass(key, at, RECORD)?;
                }
            }
        }
        self.encoded = is_plain.then_some(encoded);
        Ok(())
    }
}

/// Appends the four words of a header, and says whether its message says nothing else. The wire knows no null: a value
/// that is not there is empty.
#[inline]
fn read_header(mut header: Cursor<'_>, headers: &mut Vec<u32>) -> Read<bool> {
    let (mut name, mut value) = ([0, 0], [0, 0]);
    let mut is_plain = true;
    while !header.is_at_end() {
        let at = header.position();
        match header.key()? {
            LENGTH_1 => {
                let field = header.delimited()?;
                // Names are text of other scripts rarely, and this is told in fewer steps.
                if !field.bytes().is_ascii() {
                    text(field, "Header.key")?;
                }
                is_plain &= name == [0, 0];
                name = span(field);
            }
            LENGTH_2 => {
                is_plain &= value == [0, 0];
                value = span(header.delimited()?);
            }
            key => {
                is_plain = false;
                header.pass(key, at, HEADER)?;
            }
        }
    }
    let ([name, name_length], [value, value_length]) = (name, value);
    headers.extend_from_slice(&[name, name_length, value, value_length]);
    Ok(is_plain)
}

#[inline]
fn text<'a>(field: Cursor<'a>, name: &'static str) -> Read<&'a str> {
    std::str::from_utf8(field.bytes()).map_err(|_| Box::new(DecodeError::NotText { field: name, at: field.position() }))
}

#[inline]
fn span(field: Cursor<'_>) -> [u32; 2] {
    [word(field.position()), word(field.bytes().len())]
}

/// A position or length within a message that is known to be shorter than 4 GiB.
fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(ABSENT)
}

/// An `int32` is sent as 64 bits; the upper half is the sign's or to be ignored.
#[expect(clippy::cast_possible_truncation, reason = "protobuf's rule")]
fn int32(value: u64) -> i32 {
    (value as u32).cast_signed()
}

#[cfg(test)]
mod tests;
