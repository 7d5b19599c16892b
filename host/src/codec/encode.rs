//! Writes `FromProcess` messages: a batch's emits into one buffer, each behind gRPC's prefix, and behind them the ack or
//! fail. What is sent is cut from that buffer, many messages at once, and not copied again.

use std::collections::VecDeque;

use bytes::Bytes;
use prost::Message as _;
use prost::encoding::{encode_varint, encoded_len_varint};
use streamlet_protocol::wire;

use crate::batch::{Batch, Emit, Output};

/// Bytes before each message: whether it is compressed, which it is not, and its length.
const PREFIX_BYTES: usize = 5;
/// What a message takes at most beside what the checker counts of an emit and its address: prefix, keys, lengths.
const EMIT_BYTES_MORE: usize = 32;

/// Encoded messages in the order in which they are to be sent, each behind its prefix.
#[derive(Default)]
pub struct Frames {
    /// Written, and nothing of it sent.
    written: Vec<u8>,
    /// Being sent.
    sending: Bytes,
    /// Of each message, its prefix included.
    lengths: VecDeque<usize>,
}

impl Frames {
    /// The message that a batch is acknowledged with.
    pub fn ack(batch_id: u64) -> Self {
        Self::default().acknowledged(batch_id)
    }

    /// The message that a batch fails with.
    pub fn fail(batch_id: u64, message: String) -> Self {
        let error = Some(wire::Error { message });
        let mut frames = Self::default();
        frames.push(wire::from_process::Message::Fail(wire::Fail { batch_id, error }));
        frames
    }

    /// Messages in the order of their batches. A whole batch's are not copied.
    pub fn joined(frames: Vec<Self>) -> Self {
        match <[Self; 1]>::try_from(frames) {
            Ok([frames]) => frames,
            Err(frames) => {
                let mut written = Vec::with_capacity(frames.iter().map(Self::bytes).sum());
                let mut lengths = VecDeque::new();
                for frames in frames {
                    written.extend_from_slice(&frames.written);
                    lengths.extend(frames.lengths);
                }
                Self { written, lengths, ..Self::default() }
            }
        }
    }

    /// Appends the message that a batch is acknowledged with.
    #[must_use]
    pub fn acknowledged(mut self, batch_id: u64) -> Self {
        self.push(wire::from_process::Message::Ack(wire::Ack { batch_id }));
        self
    }

    /// Takes the bytes of the next messages: one, and as many more as stay within `bytes_max` together.
    pub fn take(&mut self, bytes_max: usize) -> Option<Bytes> {
        let mut bytes = self.lengths.pop_front()?;
        while let Some(next) = self.lengths.front().filter(|next| bytes + **next <= bytes_max) {
            bytes += next;
            self.lengths.pop_front();
        }
        if !self.written.is_empty() {
            self.sending = std::mem::take(&mut self.written).into();
        }
        Some(self.sending.split_to(bytes.min(self.sending.len())))
    }

    /// Bytes that are left to send.
    pub fn bytes(&self) -> usize {
        self.written.len() + self.sending.len()
    }

    /// Messages that are left to send.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether nothing is left to send.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    fn push(&mut self, message: wire::from_process::Message) {
        let message = wire::FromProcess { message: Some(message) };
        let Ok(length) = u32::try_from(message.encoded_len()) else { return };
        self.prefix(length);
        // Memory has room for it.
        let _ = message.encode(&mut self.written);
    }

    /// Begins a message of this length.
    fn prefix(&mut self, length: u32) {
        let [a, b, c, d] = length.to_be_bytes();
        self.written.extend_from_slice(&[0, a, b, c, d]);
        self.lengths.push_back(PREFIX_BYTES + length as usize);
    }
}

/// Sizes only: an emit's bytes are the user's.
impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames")
            .field("messages", &self.lengths.len())
            .field("bytes", &self.bytes())
            .finish_non_exhaustive()
    }
}

/// An emit that the wire cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeFault {
    /// Larger than the conversation allows.
    #[error(
        "an emit to outlet \"{outlet}\"{} is {bytes} bytes encoded, over max_message_bytes of {limit}; emit less, or \
         split it",
        of_record(*offset)
    )]
    TooLarge {
        /// The outlet's name.
        outlet: String,
        /// The source record's offset, if the emit has a source.
        offset: Option<i64>,
        /// Its size.
        bytes: usize,
        /// The most it may be.
        limit: usize,
    },
    /// A null, which the protocol has no form for.
    #[error(
        "an emit to outlet \"{outlet}\"{} has a null {part}, which the platform's protocol cannot carry; emit an empty \
         one, or run on Kafka directly",
        of_record(*offset)
    )]
    Null {
        /// The outlet's name.
        outlet: String,
        /// The source record's offset, if the emit has a source.
        offset: Option<i64>,
        /// `value` or `header value`.
        part: &'static str,
    },
}

fn of_record(offset: Option<i64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" from the record at offset {offset}"))
}

impl EncodeFault {
    /// The source record's offset, if the emit has a source.
    pub fn offset(&self) -> Option<i64> {
        match self {
            Self::TooLarge { offset, .. } | Self::Null { offset, .. } => *offset,
        }
    }
}

/// Encodes all emits of a batch, each as one message of at most `message_bytes_max`.
///
/// # Errors
/// The first emit that cannot be sent; then none of the batch's may be.
pub fn encode_emits(
    batch_id: u64,
    outlets: &[String],
    batch: &Batch,
    parts: &[Output],
    message_bytes_max: usize,
) -> Result<Frames, EncodeFault> {
    let emits = parts.iter().map(Output::len).sum::<usize>();
    let carried = parts.iter().map(Output::bytes).sum::<u64>();
    let addresses = Addresses::new(batch_id, outlets);
    // So that the buffer need not grow, which would copy it; and the ack has room, too.
    let emit_bytes_more = EMIT_BYTES_MORE + addresses.longest;
    let capacity = usize::try_from(carried).unwrap_or(0).saturating_add((emits + 1).saturating_mul(emit_bytes_more));
    let (written, lengths) = (Vec::with_capacity(capacity), VecDeque::with_capacity(emits + 1));
    let mut frames = Frames { written, lengths, ..Frames::default() };
    for emit in parts.iter().flat_map(|part| part.emits(batch)) {
        let outlet = || outlets.get(emit.outlet as usize).cloned().unwrap_or_default();
        let offset = || emit.source.map(|source| source.offset);
        let address = addresses.of(emit.outlet);
        let record = match emit.forwarded() {
            Some(record) => Body::Forwarded(record),
            None => {
                let bytes = record_len(&emit);
                Body::Written(bytes.map_err(|part| EncodeFault::Null { outlet: outlet(), offset: offset(), part })?)
            }
        };
        let emit_len = address.len() + delimited_len(record.len());
        let size = delimited_len(emit_len);
        let length = match u32::try_from(size) {
            Ok(length) if size <= message_bytes_max => length,
            _ => {
                let (outlet, offset, limit) = (outlet(), offset(), message_bytes_max);
                return Err(EncodeFault::TooLarge { outlet, offset, bytes: size, limit });
            }
        };
        frames.prefix(length);
        let bytes = &mut frames.written;
        key_and_length(bytes, 1, emit_len);
        bytes.extend_from_slice(address);
        key_and_length(bytes, 3, record.len());
        match record {
            Body::Forwarded(record) => bytes.extend_from_slice(record),
            Body::Written(_) => write_record(bytes, &emit),
        }
    }
    // What a guest hands over and does not emit was counted, too.
    if frames.written.capacity() / 2 > frames.written.len() + EMIT_BYTES_MORE {
        frames.written.shrink_to(frames.written.len() + emit_bytes_more);
    }
    Ok(frames)
}

/// What all emits of a batch to one outlet begin with: the batch's id and the outlet's name.
struct Addresses {
    bytes: Vec<u8>,
    /// Where each outlet's ends.
    ends: Vec<usize>,
    longest: usize,
}

impl Addresses {
    fn new(batch_id: u64, outlets: &[String]) -> Self {
        let mut addresses = Self { bytes: Vec::new(), ends: Vec::with_capacity(outlets.len()), longest: 0 };
        for outlet in outlets {
            let start = addresses.bytes.len();
            if batch_id != 0 {
                addresses.bytes.push(1 << 3);
                encode_varint(batch_id, &mut addresses.bytes);
            }
            delimited_or_none(&mut addresses.bytes, 2, outlet.as_bytes());
            addresses.ends.push(addresses.bytes.len());
            addresses.longest = addresses.longest.max(addresses.bytes.len() - start);
        }
        addresses
    }

    /// Of the outlet with this index, which the checker has found to be declared.
    fn of(&self, outlet: u32) -> &[u8] {
        let outlet = outlet as usize;
        let end = |index: usize| self.ends.get(index).copied();
        let start = outlet.checked_sub(1).map_or(Some(0), end);
        let span = start.zip(end(outlet)).and_then(|(start, end)| self.bytes.get(start..end));
        span.unwrap_or_default()
    }
}

/// An emit's record: one that was received and is sent on as it came, or one that is so long once it is written.
enum Body<'a> {
    Forwarded(&'a [u8]),
    Written(usize),
}

impl Body<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Forwarded(record) => record.len(),
            Self::Written(length) => *length,
        }
    }
}

/// Every key of the messages below is one byte: field numbers up to 15.
const KEY_BYTES: usize = 1;

/// A field with its length before it: key, length, and so many bytes.
fn delimited_len(bytes: usize) -> usize {
    KEY_BYTES + encoded_len_varint(bytes as u64) + bytes
}

/// The same, left out where it is empty, as proto3 does for strings and bytes that are not optional.
fn delimited_len_or_none(bytes: usize) -> usize {
    if bytes == 0 { 0 } else { delimited_len(bytes) }
}

/// The length of an emit's record, or which part is a null.
fn record_len(emit: &Emit<'_>) -> Result<usize, &'static str> {
    let mut record = emit.key().map_or(0, |key| delimited_len(key.len()));
    for header in emit.headers() {
        record += delimited_len(header_len(header.name, header.value.ok_or("header value")?));
    }
    Ok(record + delimited_len_or_none(emit.value().ok_or("value")?.len()))
}

fn write_record(bytes: &mut Vec<u8>, emit: &Emit<'_>) {
    if let Some(key) = emit.key() {
        key_and_length(bytes, 1, key.len());
        bytes.extend_from_slice(key);
    }
    for header in emit.headers() {
        let value = header.value.unwrap_or_default();
        key_and_length(bytes, 2, header_len(header.name, value));
        delimited_or_none(bytes, 1, header.name);
        delimited_or_none(bytes, 2, value);
    }
    delimited_or_none(bytes, 3, emit.value().unwrap_or_default());
}

fn header_len(name: &[u8], value: &[u8]) -> usize {
    delimited_len_or_none(name.len()) + delimited_len_or_none(value.len())
}

#[inline]
fn key_and_length(bytes: &mut Vec<u8>, number: u8, length: usize) {
    let key = number << 3 | 2;
    match length {
        0..0x80 => bytes.extend_from_slice(&[key, low_byte(length)]),
        0x80..0x4000 => bytes.extend_from_slice(&[key, low_byte(length) | 0x80, low_byte(length >> 7)]),
        _ => {
            bytes.push(key);
            encode_varint(length as u64, bytes);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest eight bits are what is meant")]
fn low_byte(number: usize) -> u8 {
    number as u8
}

fn delimited_or_none(bytes: &mut Vec<u8>, number: u8, value: &[u8]) {
    if !value.is_empty() {
        key_and_length(bytes, number, value.len());
        bytes.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests;
