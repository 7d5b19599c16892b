//! A component behind its server, over loopback gRPC: a client on a thread of its own, whose processor time is not
//! counted, keeps one batch a partition in flight, as the platform's sidecar does.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use streamlet_protocol::wire;
use tokio::sync::{mpsc, oneshot, watch};

use super::Stopped;
use super::figures::Round;
use super::in_process::MESSAGE_BYTES_MAX;
use super::load::{Load, Sending};
use super::usage;
use crate::batch::Start;
use crate::guest::Component;
use crate::lane::Policy;
use crate::server::{self, Heard, Listener, Loopback, LoopbackError, Served, Shutdown};

/// How long a server that is not needed any more may take.
const GRACE: Duration = Duration::from_millis(100);

/// A server, and the client that drives it.
pub(super) struct OverGrpc {
    orders: mpsc::Sender<Order>,
}

/// So many records, and who wants to know what came of it.
struct Order {
    records: usize,
    told: oneshot::Sender<Result<Round, Stopped>>,
}

impl OverGrpc {
    /// Starts the server and the client.
    pub(super) async fn start(
        component: &Arc<Component>,
        start: &Start,
        config_json: &str,
        load: &Arc<Load>,
    ) -> anyhow::Result<Self> {
        let listener = Listener::bind(0).await?;
        let address = listener.address();
        let served = Served { component: Arc::clone(component), policy: Policy::default() };
        let (_, ready) = watch::channel(Some(served));
        tokio::spawn(server::serve(listener, ready, Shutdown::new(GRACE)));
        let bindings = |bindings: &[crate::batch::Binding]| {
            let binding = |binding: &crate::batch::Binding| wire::PortBinding {
                port: binding.port.clone(),
                topic: binding.topic.clone(),
            };
            bindings.iter().map(binding).collect()
        };
        let start = wire::Start {
            conversation_id: start.conversation_id.clone(),
            pipeline: start.pipeline.clone(),
            streamlet: start.streamlet.clone(),
            config_json: config_json.to_owned(),
            inlets: bindings(&start.inlets),
            outlets: bindings(&start.outlets),
            max_message_bytes: u32::try_from(MESSAGE_BYTES_MAX)?,
        };
        let (orders, awaited) = mpsc::channel(1);
        let load = Arc::clone(load);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = thread::Builder::new().name("bench-client".into());
        client
            .spawn(move || runtime.block_on(drive(address, start, &load, awaited)))
            .context("cannot start the client's thread")?;
        Ok(Self { orders })
    }

    /// Has batches processed until there were so many records.
    pub(super) async fn run(&self, records: usize) -> Result<Round, Stopped> {
        let (told, ended) = oneshot::channel();
        let gone = || Stopped::Broke(anyhow::anyhow!("the client of the bench has ended"));
        self.orders.send(Order { records, told }).await.map_err(|_| gone())?;
        ended.await.map_err(|_| gone())?
    }
}

/// The client: one stream, for as long as orders come.
async fn drive(address: SocketAddr, start: wire::Start, load: &Load, mut orders: mpsc::Receiver<Order>) {
    let mut client = None;
    let mut start = Some(start);
    while let Some(Order { records, told }) = orders.recv().await {
        if let Some(start) = start.take() {
            client = Some(Loopback::open(address, start).await.map(|stream| Client::new(stream, load)));
        }
        let ran = match &mut client {
            Some(Ok(client)) => client.run(records).await,
            Some(Err(error)) => Err(Stopped::Broke(anyhow::anyhow!("{error}"))),
            None => return,
        };
        // Whoever gave the order may have been stopped.
        let _ = told.send(ran);
    }
}

struct Client<'a> {
    stream: Loopback,
    /// Each partition's batches, in turn.
    sendings: BTreeMap<i32, Box<dyn Iterator<Item = Sending<'a>> + 'a>>,
    /// Batches sent.
    sent: u64,
}

/// A batch that is not answered yet.
struct InFlight<'a> {
    sending: Sending<'a>,
    since: Instant,
}

impl<'a> Client<'a> {
    fn new(stream: Loopback, load: &'a Load) -> Self {
        let of = |partition: i32| {
            let own = load.sendings().filter(move |sending| sending.partition() == partition);
            (partition, Box::new(own) as Box<dyn Iterator<Item = Sending<'a>> + 'a>)
        };
        Self { stream, sendings: load.partitions().map(of).collect(), sent: 0 }
    }

    async fn run(&mut self, records: usize) -> Result<Round, Stopped> {
        let mut round = Round::default();
        let mut in_flight = BTreeMap::new();
        let mut sent = 0;
        let used = || usage::process_time().saturating_sub(usage::thread_time());
        let before = used();
        let began = Instant::now();
        for partition in self.sendings.keys().copied().collect::<Vec<_>>() {
            sent += self.send(partition, &mut in_flight).await;
        }
        while !in_flight.is_empty() {
            match self.stream.next().await.map_err(broke)? {
                Heard::Emit(_) => round.emits += 1,
                Heard::Fail(text) => return Err(Stopped::Failed(text)),
                Heard::Ack(batch_id) => {
                    let Some(InFlight { sending, since }) = in_flight.remove(&batch_id) else { continue };
                    round.batches.push(since.elapsed());
                    round.records += sending.records();
                    round.value_bytes += sending.value_bytes();
                    if sent < records {
                        sent += self.send(sending.partition(), &mut in_flight).await;
                    }
                }
            }
        }
        round.elapsed = began.elapsed();
        round.processor = used().saturating_sub(before);
        Ok(round)
    }

    /// Sends a partition's next batch, and returns its number of records.
    async fn send(&mut self, partition: i32, in_flight: &mut BTreeMap<u64, InFlight<'a>>) -> usize {
        let Some(sending) = self.sendings.get_mut(&partition).and_then(Iterator::next) else { return 0 };
        self.sent += 1;
        let message = sending.encoded(self.sent);
        in_flight.insert(self.sent, InFlight { sending, since: Instant::now() });
        self.stream.send(message).await;
        sending.records()
    }
}

fn broke(error: LoopbackError) -> Stopped {
    Stopped::Broke(error.into())
}
