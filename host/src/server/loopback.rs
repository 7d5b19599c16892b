//! The sidecar's end of a `Run` stream, within this process: `streamlet bench` drives its own server with it. Messages
//! go in encoded, and of answers only what tells them apart is read, so that the client costs little. It ends with the
//! stream.

use std::net::SocketAddr;

use bytes::{Buf as _, BufMut as _, Bytes};
use prost::Message as _;
use streamlet_protocol::wire::{self, FromProcess, ToProcess, from_process, to_process};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Request, Status, Streaming};

/// Messages that may wait to be sent.
const MESSAGES_MAX: usize = 1024;
/// The key of an `Emit` in a `FromProcess`.
const EMIT_KEY: u8 = 1 << 3 | 2;

/// A stream that is none, or no more.
#[derive(Debug, thiserror::Error)]
pub enum LoopbackError {
    /// Nobody listens.
    #[error("cannot reach the server on {address}")]
    Connect {
        /// Where.
        address: SocketAddr,
        /// Why.
        #[source]
        source: tonic::transport::Error,
    },
    /// The server has ended it.
    #[error("the server ended the stream: {0}")]
    Ended(String),
    /// An answer that cannot be read.
    #[error("the server's answer is no message")]
    Unreadable(#[source] prost::DecodeError),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// An emit, of this many bytes encoded.
    Emit(usize),
    /// The batch of this id is acknowledged.
    Ack(u64),
    /// A batch failed, with this text.
    Fail(String),
}

/// An open stream with a conversation on it.
#[derive(Debug)]
pub struct Loopback {
    says: mpsc::Sender<Bytes>,
    hears: Streaming<Bytes>,
}

impl Loopback {
    /// Connects and starts a conversation.
    ///
    /// # Errors
    /// [`LoopbackError`].
    pub async fn open(address: SocketAddr, start: wire::Start) -> Result<Self, LoopbackError> {
        let connect = |source| LoopbackError::Connect { address, source };
        let endpoint = Endpoint::from_shared(format!("http://{address}")).map_err(connect)?;
        // As the platform's transport has it.
        let endpoint = endpoint.initial_stream_window_size(1 << 20);
        let mut grpc =
            tonic::client::Grpc::new(endpoint.connect().await.map_err(connect)?).max_decoding_message_size(usize::MAX);
        grpc.ready().await.map_err(connect)?;
        let (says, said) = mpsc::channel(MESSAGES_MAX);
        let start = ToProcess { message: Some(to_process::Message::Start(start)) };
        // There is room for it.
        let _ = says.send(start.encode_to_vec().into()).await;
        let path = PathAndQuery::from_static(super::run::RUN_PATH);
        let opened = grpc.streaming(Request::new(ReceiverStream::new(said)), path, Raw).await;
        Ok(Self { says, hears: opened.map_err(|status| ended(&status))?.into_inner() })
    }

    /// Sends an encoded `ToProcess`. A stream that has ended loses it, and says so to whoever listens.
    pub async fn send(&self, message: Bytes) {
        let _ = self.says.send(message).await;
    }

    /// The next answer.
    ///
    /// # Errors
    /// [`LoopbackError`].
    pub async fn next(&mut self) -> Result<Heard, LoopbackError> {
        let answer = self.hears.message().await.map_err(|status| ended(&status))?;
        let answer = answer.ok_or_else(|| LoopbackError::Ended("it is complete".into()))?;
        if answer.first() == Some(&EMIT_KEY) {
            return Ok(Heard::Emit(answer.len()));
        }
        match FromProcess::decode(answer).map_err(LoopbackError::Unreadable)?.message {
            Some(from_process::Message::Ack(ack)) => Ok(Heard::Ack(ack.batch_id)),
            Some(from_process::Message::Fail(fail)) => Ok(Heard::Fail(fail.error.unwrap_or_default().message)),
            Some(from_process::Message::Emit(_)) | None => Ok(Heard::Emit(0)),
        }
    }
}

fn ended(status: &Status) -> LoopbackError {
    LoopbackError::Ended(format!("{}: {}", status.code(), status.message()))
}

/// Messages as they stand on the wire.
#[derive(Debug, Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
