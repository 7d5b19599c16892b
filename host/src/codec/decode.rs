//! Reads a `ToProcess`: one walk over the received bytes, nothing copied but a batch's inlet name, no allocation per
//! record.
//!
//! Fields may come in any order, repeat and be unknown, as protobuf allows: the last of a scalar counts, repeated
//! messages merge, unknown fields are passed over. It accepts and refuses exactly what prost's generated reader does,
//! which its tests hold it against.

use bytes::Bytes;
use prost::Message as _;
use streamlet_protocol::wire;

use super::varint::{Cursor, WireType};
use crate::batch::{ABSENT, RECORD_WORDS};

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

/// Reads one message.
///
/// # Errors
/// [`DecodeError`]; nothing of the message is used then.
pub fn decode(body: Bytes) -> Result<Inbound, DecodeError> {
    // Positions are 32 bits wide, and the two highest mean something else.
    if body.len() >= ABSENT as usize - 1 {
        return Err(DecodeError::TooLarge);
    }
    let mut inbound = Inbound::Empty;
    let mut message = Cursor::new(&body);
    while let Some((number, wire_type)) = message.key()? {
        match number {
            1 => {
                let field = message_field(&mut message, wire_type, "ToProcess.start")?;
                if !matches!(inbound, Inbound::Start(_)) {
                    inbound = Inbound::Start(wire::Start::default());
                }
                if let Inbound::Start(start) = &mut inbound {
                    start.merge(field.bytes()).map_err(|error| unreadable("ToProcess.start", &error))?;
                }
            }
            2 => {
                let field = message_field(&mut message, wire_type, "ToProcess.batch")?;
                if !matches!(inbound, Inbound::Batch(_)) {
                    inbound = Inbound::Batch(InboundBatch::default());
                }
                if let Inbound::Batch(batch) = &mut inbound {
                    batch.merge(field)?;
                }
            }
            3 => {
                let field = message_field(&mut message, wire_type, "ToProcess.stop")?;
                if !matches!(inbound, Inbound::Stop(_)) {
                    inbound = Inbound::Stop(wire::Stop::default());
                }
                if let Inbound::Stop(stop) = &mut inbound {
                    stop.merge(field.bytes()).map_err(|error| unreadable("ToProcess.stop", &error))?;
                }
            }
            _ => message.skip(number, wire_type)?,
        }
    }
    if let Inbound::Batch(batch) = &mut inbound {
        batch.arena = body;
    }
    Ok(inbound)
}

fn unreadable(field: &'static str, error: &prost::DecodeError) -> DecodeError {
    DecodeError::Field { field, reason: error.to_string() }
}

impl InboundBatch {
    fn merge(&mut self, mut batch: Cursor<'_>) -> Result<(), DecodeError> {
        while let Some((number, wire_type)) = batch.key()? {
            match number {
                1 => self.batch_id = varint_field(&mut batch, wire_type, "Batch.batch_id")?,
                2 => text_field(&mut batch, wire_type, "Batch.inlet")?.clone_into(&mut self.inlet),
                3 => self.partition = int32(varint_field(&mut batch, wire_type, "Batch.partition")?),
                4 => {
                    let record = message_field(&mut batch, wire_type, "Batch.records")?;
                    let record_bytes = record.bytes().len();
                    self.push_record(record)?;
                    if self.times.len() == 2 {
                        self.make_room(batch.bytes().len() / record_bytes.max(1));
                    }
                }
                _ => batch.skip(number, wire_type)?,
            }
        }
        Ok(())
    }

    /// Room for so many records like the first, within reason: growing the tables would copy them.
    fn make_room(&mut self, records: usize) {
        let records = records.min(RECORDS_EXPECTED_MAX);
        self.times.reserve(records * 2);
        self.records.reserve(records * RECORD_WORDS);
        self.headers.reserve(records.saturating_mul(self.headers.len()).min(HEADER_WORDS_EXPECTED_MAX));
    }

    fn push_record(&mut self, mut input: Cursor<'_>) -> Result<(), DecodeError> {
        let (mut offset, mut timestamp_ms) = (0, 0);
        let mut record = RecordSpans { key: [ABSENT, 0], value: [0, 0] };
        let first_header = self.headers.len() / 4;
        while let Some((number, wire_type)) = input.key()? {
            match number {
                1 => offset = varint_field(&mut input, wire_type, "InputRecord.offset")?.cast_signed(),
                2 => timestamp_ms = varint_field(&mut input, wire_type, "InputRecord.timestamp_ms")?.cast_signed(),
                3 => {
                    let body = message_field(&mut input, wire_type, "InputRecord.record")?;
                    record.merge(body, &mut self.headers)?;
                }
                _ => input.skip(number, wire_type)?,
            }
        }
        let header_count = self.headers.len() / 4 - first_header;
        self.times.extend([offset, timestamp_ms]);
        let RecordSpans { key, value } = record;
        self.records.extend([key, value, [word(first_header), word(header_count)]].as_flattened());
        Ok(())
    }
}

/// Where a record's key and value are.
struct RecordSpans {
    key: [u32; 2],
    value: [u32; 2],
}

impl RecordSpans {
    fn merge(&mut self, mut record: Cursor<'_>, headers: &mut Vec<u32>) -> Result<(), DecodeError> {
        while let Some((number, wire_type)) = record.key()? {
            match number {
                1 => self.key = span(message_field(&mut record, wire_type, "Record.key")?),
                2 => {
                    let header = message_field(&mut record, wire_type, "Record.headers")?;
                    headers.extend(read_header(header)?);
                }
                3 => self.value = span(message_field(&mut record, wire_type, "Record.value")?),
                _ => record.skip(number, wire_type)?,
            }
        }
        Ok(())
    }
}

/// The four words of a header. The wire knows no null: a value that is not there is empty.
fn read_header(mut header: Cursor<'_>) -> Result<[u32; 4], DecodeError> {
    let (mut name, mut value) = ([0, 0], [0, 0]);
    while let Some((number, wire_type)) = header.key()? {
        match number {
            1 => {
                let field = message_field(&mut header, wire_type, "Header.key")?;
                text(field, "Header.key")?;
                name = span(field);
            }
            2 => value = span(message_field(&mut header, wire_type, "Header.value")?),
            _ => header.skip(number, wire_type)?,
        }
    }
    let ([name, name_length], [value, value_length]) = (name, value);
    Ok([name, name_length, value, value_length])
}

fn message_field<'a>(
    cursor: &mut Cursor<'a>,
    wire_type: WireType,
    field: &'static str,
) -> Result<Cursor<'a>, DecodeError> {
    match wire_type {
        WireType::Length => cursor.delimited(),
        _ => Err(DecodeError::WireType { field, at: cursor.position() }),
    }
}

fn varint_field(cursor: &mut Cursor<'_>, wire_type: WireType, field: &'static str) -> Result<u64, DecodeError> {
    match wire_type {
        WireType::Varint => cursor.varint(),
        _ => Err(DecodeError::WireType { field, at: cursor.position() }),
    }
}

fn text_field<'a>(cursor: &mut Cursor<'a>, wire_type: WireType, field: &'static str) -> Result<&'a str, DecodeError> {
    text(message_field(cursor, wire_type, field)?, field)
}

fn text<'a>(field: Cursor<'a>, name: &'static str) -> Result<&'a str, DecodeError> {
    std::str::from_utf8(field.bytes()).map_err(|_| DecodeError::NotText { field: name, at: field.position() })
}

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
