//! The sidecar's side, as cheap as it can be made: batches are encoded once and stamped for each sending, answers are
//! told apart by their first byte. One batch in flight a partition, as the platform has it.

use std::time::{Duration, Instant};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use prost::Message as _;
use streamlet_protocol::wire::{PortBinding, Start, ToProcess, to_process};
use streamlet_tests::records::cart;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};

use crate::shape::{Shape, Work};

/// The first partition, offset and batch id, so that whatever is counted up stays as long on the wire.
const FIRST_PARTITION: u64 = 1 << 7;
const FIRST_OFFSET: u64 = 1 << 35;
const FIRST_ID: u64 = 1 << 28;
/// Ids of one partition's batches are this far apart.
const ID_STRIDE: u64 = 1 << 12;

/// A process to be driven.
pub(crate) struct Driver {
    channel: Channel,
}

/// A conversation of one shape.
pub(crate) struct Conversation {
    says: mpsc::Sender<Bytes>,
    hears: Streaming<Bytes>,
    template: Template,
    shape: Shape,
    /// Batches sent so far, by partition.
    sent: Vec<u64>,
}

/// What one burst did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Burst {
    pub(crate) records: u64,
    pub(crate) elapsed: Duration,
}

impl Driver {
    pub(crate) async fn dial(address: &str) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        // As the platform's transport; a large connection window keeps the client out of the way.
        let endpoint = endpoint.initial_stream_window_size(1 << 20).initial_connection_window_size(8 << 20);
        Self { channel: endpoint.connect().await.unwrap() }
    }

    /// Starts a conversation and has every partition process one batch.
    pub(crate) async fn start(&self, shape: &Shape) -> Conversation {
        let (says, said) = mpsc::channel(1024);
        let mut grpc = tonic::client::Grpc::new(self.channel.clone()).max_decoding_message_size(usize::MAX);
        grpc.ready().await.unwrap();
        let path = PathAndQuery::from_static("/ankka.flow.v1.Streamlet/Run");
        let bind = |port: &str| PortBinding { port: port.into(), topic: format!("t-{port}") };
        let start = Start {
            conversation_id: "measured".into(),
            pipeline: "measured".into(),
            streamlet: "workload".into(),
            config_json: format!(r#"{{"work":"{}"}}"#, shape.work.name()),
            inlets: vec![bind("in")],
            outlets: vec![bind("valid"), bind("review")],
            max_message_bytes: 4 << 20,
        };
        let start = ToProcess { message: Some(to_process::Message::Start(start)) };
        says.send(start.encode_to_vec().into()).await.unwrap();
        let hears = grpc.streaming(Request::new(ReceiverStream::new(said)), path, Raw).await.unwrap().into_inner();
        let template = Template::new(shape);
        let mut conversation =
            Conversation { says, hears, template, shape: shape.clone(), sent: vec![0; shape.partitions] };
        conversation.burst(Duration::ZERO).await;
        conversation
    }
}

impl Conversation {
    /// Keeps every partition busy for this long, and at least with one batch each.
    pub(crate) async fn burst(&mut self, time: Duration) -> Burst {
        let began = Instant::now();
        for partition in 0..self.shape.partitions {
            self.send(partition).await;
        }
        let (mut waiting, mut batches) = (self.shape.partitions, 0);
        while waiting > 0 {
            let partition = self.acknowledged().await;
            batches += 1;
            if began.elapsed() < time {
                self.send(partition).await;
            } else {
                waiting -= 1;
            }
        }
        Burst { records: batches * self.shape.batch as u64, elapsed: began.elapsed() }
    }

    /// One batch of the first partition, there and back.
    pub(crate) async fn ping(&mut self) -> Duration {
        let began = Instant::now();
        self.send(0).await;
        self.acknowledged().await;
        began.elapsed()
    }

    async fn send(&mut self, partition: usize) {
        let sequence = self.sent[partition];
        self.sent[partition] += 1;
        let body = self.template.stamped(partition as u64, sequence);
        self.says.send(body).await.unwrap();
    }

    /// The partition whose batch is acknowledged next.
    async fn acknowledged(&mut self) -> usize {
        loop {
            let mut answer = self.hears.message().await.unwrap().expect("an answer");
            // Field 1 is an emit, 2 an ack, 3 a failure.
            match answer[0] {
                0x0a => {}
                0x12 => {
                    // Behind the key and the length of the ack, the key of its one field.
                    answer.advance(3);
                    let id = prost::encoding::decode_varint(&mut answer).unwrap();
                    return usize::try_from((id - FIRST_ID) % ID_STRIDE).unwrap();
                }
                _ => panic!("a batch failed: {}", String::from_utf8_lossy(&answer)),
            }
        }
    }
}

/// An encoded batch, and where in it what changes stands.
struct Template {
    body: Vec<u8>,
    id_at: usize,
    partition_at: usize,
    offsets_at: Vec<usize>,
}

impl Template {
    fn new(shape: &Shape) -> Self {
        let mut offsets_at = Vec::new();
        let mut batch = Vec::new();
        batch.push(1 << 3);
        let id_at = batch.len();
        put_varint(&mut batch, FIRST_ID);
        put_bytes(&mut batch, 2, b"in");
        batch.push(3 << 3);
        let partition_at = batch.len();
        put_varint(&mut batch, FIRST_PARTITION);
        for number in 0..shape.batch {
            let mut record = Vec::new();
            put_bytes(&mut record, 1, format!("cart-{number:011}").as_bytes());
            for header in 0..shape.headers {
                let mut pair = Vec::new();
                put_bytes(&mut pair, 1, format!("header-{header:03}").as_bytes());
                put_bytes(&mut pair, 2, b"sixteen bytes in");
                put_bytes(&mut record, 2, &pair);
            }
            put_bytes(&mut record, 3, &cart(number, shape.value_bytes));
            let mut input = vec![1 << 3];
            put_varint(&mut input, FIRST_OFFSET);
            input.push(2 << 3);
            put_varint(&mut input, 1_700_000_000_000);
            put_bytes(&mut input, 3, &record);
            batch.push(4 << 3 | 2);
            put_varint(&mut batch, input.len() as u64);
            offsets_at.push(batch.len() + 1);
            batch.extend(input);
        }
        let mut body = Vec::new();
        body.push(2 << 3 | 2);
        put_varint(&mut body, batch.len() as u64);
        let before = body.len();
        body.extend(batch);
        for at in &mut offsets_at {
            *at += before;
        }
        Self { body, id_at: id_at + before, partition_at: partition_at + before, offsets_at }
    }

    /// The batch of a partition, the next of so many.
    fn stamped(&self, partition: u64, sequence: u64) -> Bytes {
        let mut body = BytesMut::from(self.body.as_slice());
        stamp(&mut body, self.id_at, FIRST_ID + sequence * ID_STRIDE + partition);
        stamp(&mut body, self.partition_at, FIRST_PARTITION + partition);
        let first = FIRST_OFFSET + sequence * self.offsets_at.len() as u64;
        for (at, offset) in self.offsets_at.iter().zip(first..) {
            stamp(&mut body, *at, offset);
        }
        body.freeze()
    }
}

/// Writes a number over another that is as long.
fn stamp(body: &mut [u8], at: usize, number: u64) {
    prost::encoding::encode_varint(number, &mut &mut body[at..]);
}

fn put_varint(bytes: &mut Vec<u8>, number: u64) {
    prost::encoding::encode_varint(number, bytes);
}

fn put_bytes(bytes: &mut Vec<u8>, field: u8, value: &[u8]) {
    bytes.push(field << 3 | 2);
    put_varint(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
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

/// Whether the echo's answers mean the same work as the streamlet's.
pub(crate) fn is_echo(work: Work) -> bool {
    matches!(work, Work::Pass | Work::Route)
}
