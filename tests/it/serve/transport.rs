//! HTTP/2 as the platform's sidecar speaks it: one connection for every call, an initial window of 1 MiB that changes
//! while streams are open, a header list of 8 KiB, and a probe ping after every answer.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use h2::client::{Builder, Connection, SendRequest};
use h2::{Ping, PingPong, RecvStream, SendStream};
use prost::Message as _;
use streamlet_protocol::wire::from_process::Message as Answer;
use streamlet_protocol::wire::to_process::Message;
use streamlet_protocol::wire::{FromProcess, Stop, ToProcess};
use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::batch;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{echo, ready};

const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of the sidecar's initial window and of its header list.
const WINDOW_BYTES: u32 = 1 << 20;
const HEADER_LIST_BYTES: u32 = 8192;

/// The sidecar's one connection.
struct Wire {
    requests: SendRequest<Bytes>,
    pings: PingPong,
    windows: mpsc::UnboundedSender<u32>,
    authority: String,
}

/// One open `Run`.
struct Run {
    says: SendStream<Bytes>,
    hears: RecvStream,
    heard: BytesMut,
}

impl Wire {
    async fn dial(service: &Service) -> Self {
        let stream = TcpStream::connect(service.address()).await.unwrap();
        let (requests, mut connection) = Builder::new()
            .initial_window_size(WINDOW_BYTES)
            .max_frame_size(16 << 10)
            .max_header_list_size(HEADER_LIST_BYTES)
            .enable_push(false)
            .handshake(stream)
            .await
            .unwrap();
        let pings = connection.ping_pong().unwrap();
        let (windows, changes) = mpsc::unbounded_channel();
        tokio::spawn(drive(connection, changes));
        Self { requests, pings, windows, authority: service.address().to_owned() }
    }

    /// Opens a `Run` and says this before any answer, as the sidecar does.
    async fn run(&mut self, messages: impl IntoIterator<Item = Message>) -> Run {
        let request = http::Request::post(format!("http://{}/ankka.flow.v1.Streamlet/Run", self.authority))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("user-agent", "grpc-java-netty/1.68.1")
            .header("grpc-accept-encoding", "gzip")
            .body(())
            .unwrap();
        self.requests = self.requests.clone().ready().await.unwrap();
        let (response, mut says) = self.requests.send_request(request, false).unwrap();
        for message in messages {
            say(&mut says, message);
        }
        let response = timeout(PATIENCE, response).await.expect("an answer").unwrap();
        assert_eq!(response.status(), 200);
        Run { says, hears: response.into_body(), heard: BytesMut::new() }
    }

    /// A probe, which has to be answered.
    async fn ping(&mut self) {
        timeout(PATIENCE, self.pings.ping(Ping::opaque())).await.expect("a pong").unwrap();
    }
}

impl Run {
    fn say(&mut self, message: Message) {
        say(&mut self.says, message);
    }

    /// The next message; none at the end, whose trailers have to say `OK`.
    async fn next(&mut self) -> Option<Answer> {
        loop {
            if let Some(length) = self.heard.get(1..5) {
                let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
                if self.heard.len() >= 5 + length {
                    let framed = self.heard.split_to(5 + length).freeze();
                    return Some(FromProcess::decode(framed.slice(5..)).unwrap().message.unwrap());
                }
            }
            let Some(data) = timeout(PATIENCE, self.hears.data()).await.expect("something comes") else {
                let trailers = self.hears.trailers().await.unwrap().expect("trailers");
                assert_eq!(trailers.get("grpc-status").unwrap(), "0", "{trailers:?}");
                return None;
            };
            let data = data.unwrap();
            self.hears.flow_control().release_capacity(data.len()).unwrap();
            self.heard.extend_from_slice(&data);
        }
    }

    /// Whether the next messages are these emits and this batch's ack.
    async fn expect(&mut self, batch_id: u64, records: &[Record]) {
        for record in records {
            let Some(Answer::Emit(emit)) = self.next().await else { panic!("no emit of batch {batch_id}") };
            assert_eq!(emit.record.unwrap().value, record.value.clone().unwrap());
        }
        let Some(Answer::Ack(ack)) = self.next().await else { panic!("no ack of batch {batch_id}") };
        assert_eq!(ack.batch_id, batch_id);
    }
}

fn say(says: &mut SendStream<Bytes>, message: Message) {
    let body = ToProcess { message: Some(message) }.encode_to_vec();
    let mut framed = BytesMut::with_capacity(5 + body.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(body.len()).unwrap());
    framed.put(body.as_slice());
    says.send_data(framed.freeze(), false).unwrap();
}

/// Keeps the connection going and changes its initial window when it is told.
async fn drive(mut connection: Connection<TcpStream, Bytes>, mut changes: mpsc::UnboundedReceiver<u32>) {
    poll_fn(|cx| {
        while let std::task::Poll::Ready(Some(bytes)) = changes.poll_recv(cx) {
            connection.set_initial_window_size(bytes).unwrap();
        }
        Pin::new(&mut connection).poll(cx)
    })
    .await
    .expect("the connection is not given up");
}

async fn start(service: &Service) -> Message {
    Message::Start(service.dial().await.start_message("{}").await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_probe_after_every_answer_is_no_abuse() {
    let service = ready("conformance");
    let mut wire = Wire::dial(&service).await;
    let mut run = wire.run([start(&service).await]).await;
    for n in 1..=2000u64 {
        let records = [echo(i64::try_from(n).unwrap())];
        run.say(Message::Batch(batch(n, "in", 0, &records)));
        run.expect(n, &records).await;
        wire.ping().await;
    }
    run.say(Message::Stop(Stop { reason: "the sidecar is shutting down".into() }));
    run.says.send_data(Bytes::new(), true).unwrap();
    assert!(run.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_changes_while_a_conversation_is_open() {
    let service = ready("conformance");
    let mut wire = Wire::dial(&service).await;
    let begins = start(&service).await;
    let mut run = wire.run([begins.clone()]).await;
    let mut id = 0;
    // Shrunk below an answer and grown far beyond it, between answers and during one.
    for window in [64 << 10, 4 << 20, 16 << 20] {
        for is_during in [false, true] {
            id += 1;
            let records = [Record::new(i64::try_from(id).unwrap(), vec![b'x'; 3 << 20])];
            if !is_during {
                wire.windows.send(window).unwrap();
            }
            run.say(Message::Batch(batch(id, "in", 0, &records)));
            if is_during {
                wire.windows.send(window + 1).unwrap();
            }
            run.expect(id, &records).await;
            wire.ping().await;
        }
    }
    // Far below what a stream was promised: this client gives it no more then, so each of these has one of its own.
    for window in [1 << 10, 16 << 10] {
        id += 1;
        wire.windows.send(window).unwrap();
        wire.ping().await;
        let records = [Record::new(0, vec![b'x'; 256 << 10])];
        let mut run = wire.run([begins.clone(), Message::Batch(batch(id, "in", 0, &records))]).await;
        run.expect(id, &records).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_carries_many_conversations() {
    let service = ready("conformance");
    let mut wire = Wire::dial(&service).await;
    let begins = start(&service).await;
    for n in 1..=100u64 {
        let records = [echo(1), echo(2)];
        // A Start and a batch before the response's headers.
        let mut run = wire.run([begins.clone(), Message::Batch(batch(n, "in", 3, &records))]).await;
        run.expect(n, &records).await;
        wire.ping().await;
        match n % 3 {
            0 => run.says.send_reset(h2::Reason::CANCEL),
            1 => {
                run.says.send_data(Bytes::new(), true).unwrap();
                assert!(run.next().await.is_none());
            }
            // The next Start voids it.
            _ => {}
        }
    }
    assert!(!service.log().contains("WARN"), "{}", service.log());
}
