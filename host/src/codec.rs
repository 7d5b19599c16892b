//! The messages of `Streamlet.Run` as they stand on the wire: inbound ones become spans over the received bytes,
//! outbound ones are written as frames, a batch at a time.
//!
//! It owns the encoding of `ToProcess` and `FromProcess` and gRPC's prefixes of the latter. It refuses bytes that
//! are no protobuf of those messages, naming what is wrong, and emits that the wire cannot carry. It keeps no state
//! between messages and knows no conversation.

mod decode;
mod encode;
mod varint;

pub use decode::{DecodeError, Inbound, InboundBatch, decode};
pub use encode::{EncodeFault, Frames, encode_emits};

use bytes::Buf as _;
use tonic::Status;
use tonic::codec::{DecodeBuf, Decoder};

/// Reads the messages of `Run` as spans. What is sent is written by [`Frames`], prefixes and all.
#[derive(Debug, Default, Clone, Copy)]
pub struct RunCodec;

impl Decoder for RunCodec {
    type Item = Inbound;
    type Error = Status;

    /// The message's bytes are taken over, not copied.
    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Inbound>, Status> {
        let body = buffer.copy_to_bytes(buffer.remaining());
        decode(body).map(Some).map_err(|error| Status::invalid_argument(format!("cannot read a ToProcess: {error}")))
    }
}
