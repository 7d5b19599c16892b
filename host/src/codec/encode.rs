//! Writes `FromProcess` messages: a batch's emits into one buffer, each behind gRPC's prefix, and behind them the ack or
//! fail. What is sent is cut from that buffer, many messages at once, and not copied again.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message as _;
use prost::encoding::{encode_varint, encoded_len_varint};
use streamlet_protocol::wire;

use crate::batch::{Batch, Emit, Output};

/// Bytes before each message: whether it is compressed, which it is not, and its length.
const PREFIX_BYTES: usize = 5;
/// What a message takes at most beside what the checker counts of an emit: prefix, keys, lengths, the batch's id.
const EMIT_BYTES_MORE: usize = 32;

/// Encoded messages in the order in which they are to be sent, each behind its prefix.
#[derive(Default)]
pub struct Frames {
    bytes: BytesMut,
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
                let mut bytes = BytesMut::with_capacity(frames.iter().map(|frames| frames.bytes.len()).sum());
                let mut lengths = VecDeque::new();
                for frames in frames {
                    bytes.put(frames.bytes);
                    lengths.extend(frames.lengths);
                }
                Self { bytes, lengths }
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
        Some(self.bytes.split_to(bytes.min(self.bytes.len())).freeze())
    }

    /// Bytes that are left to send.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
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
        self.bytes.reserve(PREFIX_BYTES + length as usize);
        self.prefix(length);
        self.bytes.put_slice(&message.encode_to_vec());
    }

    /// Begins a message of this length.
    fn prefix(&mut self, length: u32) {
        self.bytes.put_u8(0);
        self.bytes.put_u32(length);
        self.lengths.push_back(PREFIX_BYTES + length as usize);
    }
}

/// Sizes only: an emit's bytes are the user's.
impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames").field("messages", &self.lengths.len()).field("bytes", &self.bytes.len()).finish()
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
    // So that the buffer need not grow, which would copy it; and the ack has room, too.
    let capacity = usize::try_from(carried).unwrap_or(0).saturating_add((emits + 1) * EMIT_BYTES_MORE);
    let mut frames = Frames { bytes: BytesMut::with_capacity(capacity), lengths: VecDeque::with_capacity(emits + 1) };
    for emit in parts.iter().flat_map(|part| part.emits(batch)) {
        let outlet = outlets.get(emit.outlet as usize).map_or("", String::as_str);
        let offset = emit.source.map(|source| source.offset);
        let null = |part| EncodeFault::Null { outlet: outlet.to_owned(), offset, part };
        let sizes = Sizes::of(batch_id, outlet, &emit).map_err(null)?;
        let size = delimited_len(sizes.emit);
        let length = match u32::try_from(size) {
            Ok(length) if size <= message_bytes_max => length,
            _ => {
                let (outlet, limit) = (outlet.to_owned(), message_bytes_max);
                return Err(EncodeFault::TooLarge { outlet, offset, bytes: size, limit });
            }
        };
        frames.bytes.reserve(PREFIX_BYTES + size);
        frames.prefix(length);
        sizes.write(&mut frames.bytes, batch_id, outlet, &emit);
    }
    Ok(frames)
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

/// The sizes of an emit's nested messages, each without its own key and length.
struct Sizes {
    emit: usize,
    record: usize,
}

impl Sizes {
    /// Sizes, or which part is a null.
    fn of(batch_id: u64, outlet: &str, emit: &Emit<'_>) -> Result<Self, &'static str> {
        let mut record = emit.key().map_or(0, |key| delimited_len(key.len()));
        for header in emit.headers() {
            record += delimited_len(header_len(header.name, header.value.ok_or("header value")?));
        }
        record += delimited_len_or_none(emit.value().ok_or("value")?.len());
        let id = if batch_id == 0 { 0 } else { KEY_BYTES + encoded_len_varint(batch_id) };
        Ok(Self { emit: id + delimited_len_or_none(outlet.len()) + delimited_len(record), record })
    }

    /// Writes the emit as a `FromProcess`.
    fn write(&self, bytes: &mut BytesMut, batch_id: u64, outlet: &str, emit: &Emit<'_>) {
        key_and_length(bytes, 1, self.emit);
        if batch_id != 0 {
            bytes.put_u8(1 << 3);
            encode_varint(batch_id, bytes);
        }
        delimited_or_none(bytes, 2, outlet.as_bytes());
        key_and_length(bytes, 3, self.record);
        if let Some(key) = emit.key() {
            key_and_length(bytes, 1, key.len());
            bytes.put_slice(key);
        }
        for header in emit.headers() {
            let value = header.value.unwrap_or_default();
            key_and_length(bytes, 2, header_len(header.name, value));
            delimited_or_none(bytes, 1, header.name);
            delimited_or_none(bytes, 2, value);
        }
        delimited_or_none(bytes, 3, emit.value().unwrap_or_default());
    }
}

fn header_len(name: &[u8], value: &[u8]) -> usize {
    delimited_len_or_none(name.len()) + delimited_len_or_none(value.len())
}

fn key_and_length(bytes: &mut BytesMut, number: u8, length: usize) {
    bytes.put_u8(number << 3 | 2);
    encode_varint(length as u64, bytes);
}

fn delimited_or_none(bytes: &mut BytesMut, number: u8, value: &[u8]) {
    if !value.is_empty() {
        key_and_length(bytes, number, value.len());
        bytes.put_slice(value);
    }
}

#[cfg(test)]
mod tests;
