//! The messages of `Streamlet.Run` as they stand on the wire: inbound ones become spans over the received bytes,
//! outbound ones are written as frames, a batch at a time.
//!
//! It owns the encoding of `ToProcess` and `FromProcess` and the gRPC codec that carries them. It refuses bytes that
//! are no protobuf of those messages, naming what is wrong, and emits that the wire cannot carry. It keeps no state
//! between messages and knows no conversation.

mod decode;
mod encode;
mod varint;

pub use decode::{DecodeError, Inbound, InboundBatch, decode};
pub use encode::{EncodeFault, Frames, encode_emits};

use bytes::{Buf, BufMut, Bytes};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// The codec of `Run`: spans in, ready frames out.
#[derive(Debug, Default, Clone, Copy)]
pub struct RunCodec;

impl Codec for RunCodec {
    type Encode = Bytes;
    type Decode = Inbound;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for RunCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, frame: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(frame);
        Ok(())
    }
}

impl Decoder for RunCodec {
    type Item = Inbound;
    type Error = Status;

    /// The message's bytes are taken over, not copied.
    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Inbound>, Status> {
        let body = buffer.copy_to_bytes(buffer.remaining());
        decode(body).map(Some).map_err(|error| Status::invalid_argument(format!("cannot read a ToProcess: {error}")))
    }
}
