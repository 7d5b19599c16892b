//! The platform's sidecar as far as a process can see it: one HTTP/2 connection, `Discovery`, and one `Run` at a time or
//! several. It sends what it is told, rules of the protocol or not, and checks what every answer has to keep: one end a
//! batch, nothing for a batch after it, nothing empty.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use streamlet_protocol::wire::discovery_client::DiscoveryClient;
use streamlet_protocol::wire::from_process::Message as Answer;
use streamlet_protocol::wire::streamlet_client::StreamletClient;
use streamlet_protocol::wire::to_process::Message;
use streamlet_protocol::wire::{self, FromProcess, ToProcess};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

use crate::records::{Emitted, Record};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of a message from the process that the sidecar takes.
const MESSAGE_BYTES_MAX: usize = 8 << 20;
/// Messages that may wait to be sent.
const MESSAGES_MAX: usize = 256;

/// What became of a batch: its emits, or the text of its failure.
pub type Outcome = Result<Vec<Emitted>, String>;

/// A connection.
#[derive(Debug, Clone)]
pub struct Sidecar {
    channel: Channel,
}

impl Sidecar {
    /// Connects to a process, with the settings of the platform's transport.
    ///
    /// # Panics
    /// Nobody listens.
    pub async fn dial(address: &str) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        let endpoint = endpoint.initial_stream_window_size(1 << 20).http2_max_header_list_size(8192);
        let mut tries = 0;
        loop {
            match endpoint.connect().await {
                Ok(channel) => return Self { channel },
                Err(error) => assert!(tries < 1000, "{address}: {error}"),
            }
            tries += 1;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Asks for the descriptor.
    ///
    /// # Errors
    /// The status.
    pub async fn discover(&self) -> Result<wire::Spec, Status> {
        let info = wire::SidecarInfo { protocol_version: "1.0".into(), sidecar_version: "0.5.0".into() };
        DiscoveryClient::new(self.channel.clone()).discover(info).await.map(tonic::Response::into_inner)
    }

    /// Reports problems.
    ///
    /// # Errors
    /// The status.
    pub async fn report(&self, problems: &[&str]) -> Result<(), Status> {
        let problems = problems.iter().map(|message| wire::Problem { message: (*message).into() }).collect();
        DiscoveryClient::new(self.channel.clone()).report_error(wire::Problems { problems }).await.map(drop)
    }

    /// Opens a stream and says nothing.
    ///
    /// # Panics
    /// It is refused.
    pub async fn open(&self) -> Talk {
        self.try_open().await.unwrap()
    }

    /// As [`Sidecar::open`].
    ///
    /// # Errors
    /// The status that it is refused with.
    pub async fn try_open(&self) -> Result<Talk, Status> {
        let (says, said) = mpsc::channel(MESSAGES_MAX);
        let mut client = StreamletClient::new(self.channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES_MAX)
            .max_encoding_message_size(usize::MAX);
        let hears = client.run(ReceiverStream::new(said)).await?.into_inner();
        Ok(Talk { says: Some(says), hears, emits: BTreeMap::new() })
    }

    /// Opens a stream and starts a conversation with every port bound.
    ///
    /// # Panics
    /// It is refused.
    pub async fn start(&self, config_json: &str) -> Talk {
        let start = self.start_message(config_json).await;
        let talk = self.open().await;
        talk.say(Message::Start(start)).await;
        talk
    }

    /// A `Start` that binds every declared port to a topic `t-NAME`.
    ///
    /// # Panics
    /// There is no descriptor.
    pub async fn start_message(&self, config_json: &str) -> wire::Start {
        let streamlet = self.discover().await.unwrap().streamlet.unwrap();
        let bind = |ports: Vec<wire::Port>| {
            ports
                .into_iter()
                .map(|port| wire::PortBinding { topic: format!("t-{}", port.name), port: port.name })
                .collect()
        };
        wire::Start {
            conversation_id: "6b0d1b1e-0000-4000-8000-000000000001".into(),
            pipeline: "conformance".into(),
            streamlet: "conformance".into(),
            config_json: config_json.into(),
            inlets: bind(streamlet.inlets),
            outlets: bind(streamlet.outlets),
            max_message_bytes: 4 << 20,
        }
    }
}

/// A `Run` stream. Dropping it cancels it.
#[derive(Debug)]
pub struct Talk {
    says: Option<mpsc::Sender<ToProcess>>,
    hears: Streaming<FromProcess>,
    /// The emits of batches that have not ended.
    emits: BTreeMap<u64, Vec<Emitted>>,
}

impl Talk {
    /// Sends a message. A stream that has ended takes it and loses it.
    ///
    /// # Panics
    /// The stream was half-closed.
    pub async fn say(&self, message: impl Into<Option<Message>>) {
        let says = self.says.as_ref().expect("the stream is not half-closed");
        let _ = says.send(ToProcess { message: message.into() }).await;
    }

    /// Sends a batch.
    pub async fn batch(&self, batch_id: u64, inlet: &str, partition: i32, records: &[Record]) {
        self.say(Message::Batch(batch(batch_id, inlet, partition, records))).await;
    }

    /// Sends a batch to `in`, partition 0, and waits for its end.
    ///
    /// # Errors
    /// The batch failed.
    pub async fn run(&mut self, batch_id: u64, records: &[Record]) -> Outcome {
        self.batch(batch_id, "in", 0, records).await;
        let (ended, outcome) = self.outcome().await;
        assert_eq!(ended, batch_id);
        outcome
    }

    /// Sends `Stop`.
    pub async fn stop(&self) {
        self.say(Message::Stop(wire::Stop { reason: "the sidecar is shutting down".into() })).await;
    }

    /// Says no more.
    pub fn half_close(&mut self) {
        self.says = None;
    }

    /// The next message, none at the end.
    ///
    /// # Errors
    /// The status that the stream ends with.
    ///
    /// # Panics
    /// Nothing comes, or a message with nothing in it.
    pub async fn next(&mut self) -> Result<Option<Answer>, Status> {
        let answer = timeout(PATIENCE, self.hears.message()).await.expect("something comes");
        answer.map(|answer| answer.map(|answer| answer.message.expect("no message is empty")))
    }

    /// The next batch that ends, with its emits or its failure.
    ///
    /// # Panics
    /// The stream ends.
    pub async fn outcome(&mut self) -> (u64, Outcome) {
        self.try_outcome().await.unwrap()
    }

    /// As [`Talk::outcome`].
    ///
    /// # Errors
    /// The status that the stream ends with; `OK` if it completes.
    pub async fn try_outcome(&mut self) -> Result<(u64, Outcome), Status> {
        loop {
            match self.next().await? {
                Some(Answer::Emit(emit)) => {
                    let record = emit.record.expect("an emit has a record");
                    let headers = record.headers.into_iter().map(|header| (header.key, Some(header.value.to_vec())));
                    let record = Record {
                        offset: -1,
                        key: record.key.map(|key| key.to_vec()),
                        value: Some(record.value.to_vec()),
                        headers: headers.collect(),
                    };
                    self.emits.entry(emit.batch_id).or_default().push(Emitted { outlet: emit.outlet, record });
                }
                Some(Answer::Ack(ack)) => {
                    return Ok((ack.batch_id, Ok(self.emits.remove(&ack.batch_id).unwrap_or_default())));
                }
                Some(Answer::Fail(fail)) => {
                    let text = fail.error.expect("a failure has an error").message;
                    assert!(!text.is_empty(), "a failure says why");
                    assert_eq!(self.emits.remove(&fail.batch_id), None, "a failed batch emits nothing");
                    return Ok((fail.batch_id, Err(text)));
                }
                None => return Err(Status::ok("completed")),
            }
        }
    }

    /// The end of the stream, which has to be next: a status, `OK` if it completes.
    ///
    /// # Panics
    /// Something else comes.
    pub async fn end(&mut self) -> Status {
        match self.next().await {
            Ok(None) => Status::ok("completed"),
            Ok(Some(answer)) => panic!("{answer:?} instead of the end"),
            Err(status) => status,
        }
    }

    /// Whether nothing comes for this long.
    pub async fn is_silent(&mut self, time: Duration) -> bool {
        timeout(time, self.hears.message()).await.is_err()
    }
}

/// A batch of these records, with timestamps 0.
pub fn batch(batch_id: u64, inlet: &str, partition: i32, records: &[Record]) -> wire::Batch {
    let records = records.iter().map(|record| wire::InputRecord {
        offset: record.offset,
        timestamp_ms: 0,
        record: Some(wire::Record {
            key: record.key.clone().map(Bytes::from),
            headers: record
                .headers
                .iter()
                .map(|(key, value)| wire::Header {
                    key: key.clone(),
                    value: Bytes::from(value.clone().unwrap_or_default()),
                })
                .collect(),
            value: Bytes::from(record.value.clone().unwrap_or_default()),
        }),
    });
    wire::Batch { batch_id, inlet: inlet.into(), partition, records: records.collect() }
}
