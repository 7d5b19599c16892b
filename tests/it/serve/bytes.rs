//! Messages that no generated client makes: bytes that are no protobuf, fields nobody knows, methods that are not there.

use bytes::{Buf as _, BufMut as _, Bytes};
use prost::Message as _;
use streamlet_protocol::wire;
use streamlet_protocol::wire::to_process::Message;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::batch;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status};

use super::{assert_status, echo, ready};

/// Bytes as messages.
#[derive(Debug, Default, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
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

/// What a stream of these messages, half-closed, is answered with, and what it ends with.
async fn answers(service: &Service, path: &'static str, messages: Vec<Vec<u8>>) -> (Vec<wire::FromProcess>, Status) {
    let channel = Endpoint::from_shared(format!("http://{}", service.address())).unwrap().connect().await.unwrap();
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.unwrap();
    let messages = tokio_stream::iter(messages.into_iter().map(Bytes::from).collect::<Vec<_>>());
    let answer = grpc.streaming(Request::new(messages), PathAndQuery::from_static(path), Raw).await;
    let mut stream = match answer {
        Ok(answer) => answer.into_inner(),
        Err(status) => return (vec![], status),
    };
    let mut heard = Vec::new();
    loop {
        match stream.message().await {
            Ok(Some(bytes)) => heard.push(wire::FromProcess::decode(bytes).unwrap()),
            Ok(None) => return (heard, Status::ok("completed")),
            Err(status) => return (heard, status),
        }
    }
}

const RUN: &str = "/ankka.flow.v1.Streamlet/Run";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bytes_that_are_no_message() {
    let service = ready("conformance");
    for bytes in [&[0xff; 20][..], &[0x0a], &[0x12, 0x05, 0x08], &[0x08, 0x01], &[0x12, 0x02, 0x12, 0x00], &[0x07]] {
        let (heard, status) = answers(&service, RUN, vec![bytes.to_vec()]).await;
        assert_eq!(heard, [], "{bytes:?}");
        // A batch that names no inlet.
        if bytes == [0x12, 0x02, 0x12, 0x00] {
            assert_status(&status, Code::FailedPrecondition, &["before Start"]);
        } else {
            assert_status(&status, Code::InvalidArgument, &["ToProcess"]);
        }
    }
    let (_, status) = answers(&service, RUN, vec![vec![]]).await;
    assert_status(&status, Code::InvalidArgument, &["neither Start, Batch nor Stop"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn methods_that_are_not_there() {
    let service = ready("conformance");
    for path in ["/ankka.flow.v1.Streamlet/Walk", "/ankka.flow.v1.Nothing/Run", "/ankka.flow.v1.Discovery/Run"] {
        let (heard, status) = answers(&service, path, vec![vec![]]).await;
        assert_eq!((heard, status.code()), (vec![], Code::Unimplemented), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fields_nobody_knows() {
    let service = ready("conformance");
    // Fields 1000 to 1003: a number, a text, and 8 and 4 bytes.
    let unknown =
        [&[0xc0, 0x3e, 0x05][..], &[0xca, 0x3e, 0x02, b'h', b'i'], &[0xd1, 0x3e], &[9; 8], &[0xdd, 0x3e], &[7; 4]];
    let unknown = unknown.concat();
    let mut messages = Vec::new();
    let start = service.dial().await.start_message("{}").await;
    for (number, body) in [(1u8, start.encode_to_vec()), (2, batch(1, "in", 0, &[echo(0)]).encode_to_vec())] {
        let body = [body, unknown.clone()].concat();
        let mut message = unknown.clone();
        message.put_u8(number << 3 | 2);
        prost::encoding::encode_varint(body.len() as u64, &mut message);
        messages.push([message, body, unknown.clone()].concat());
    }
    let stop = wire::ToProcess { message: Some(Message::Stop(wire::Stop::default())) };
    messages.push([stop.encode_to_vec(), unknown].concat());
    let (heard, status) = answers(&service, RUN, messages).await;
    assert_eq!((heard.len(), status.code()), (2, Code::Ok), "{heard:?} {status:?}");
}
