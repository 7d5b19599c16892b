//! What the component is measured against, each a process of its own: the benches' streamlet in native code behind the
//! same server (`native`), and a trivial gRPC server that sends every record back (`echo`). It logs its address once it
//! is ready, as `streamlet serve` does, and ends by being killed. `harness FILE PARTITIONS WORK` has the SDK's harness run
//! the streamlet over a file's lines.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use streamlet::testing::{self, Harness, Instance, OutputPart, Tables};
use streamlet_host::batch::{Batch, Start};
use streamlet_host::guest::{Component, Engine, Limits, Native, NativeInstance, NativeOutput};
use streamlet_host::lane::Policy;
use streamlet_host::server::{Listener, Served, Shutdown, serve};
use streamlet_protocol::parameter::ParameterValue;
use streamlet_protocol::wire::streamlet_server::{Streamlet, StreamletServer};
use streamlet_protocol::wire::{Ack, Emit, FromProcess, ToProcess, from_process, to_process};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_stream::Stream;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

#[path = "../../guests/workload/src/lib.rs"]
mod workload;

use workload::Workload;

/// The product's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    // The product's, too.
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().event_interval(1).build()?;
    match std::env::args().nth(1).as_deref() {
        Some("native") => runtime.block_on(native()),
        Some("echo") => runtime.block_on(echo()),
        Some("harness") => harness(&std::env::args().skip(2).collect::<Vec<_>>()),
        _ => anyhow::bail!("`native`, `echo` or `harness`"),
    }
}

#[expect(clippy::print_stderr, reason = "whoever started it waits for this line")]
fn tell_ready(address: impl std::fmt::Display) {
    eprintln!("under-test: ready address={address} ");
}

async fn native() -> anyhow::Result<()> {
    let engine = Arc::new(Engine::new(Limits::default())?);
    let descriptor = streamlet_protocol::json::from_json(testing::descriptor::<Workload>())?;
    let component = Arc::new(Component::native(engine, descriptor, Workloads));
    let listener = Listener::bind(0).await?;
    let address = listener.address();
    let (_ready, awaited) = watch::channel(Some(Served { component, policy: Policy::default() }));
    tell_ready(address);
    serve(listener, awaited, Shutdown::new(Duration::from_secs(8))).await?;
    Ok(())
}

/// Makes one streamlet a partition.
struct Workloads;

struct OfPartition(Instance<Workload>);

impl Native for Workloads {
    fn start(&self, start: &Start) -> Result<Box<dyn NativeInstance>, String> {
        let settings = start.config.iter().filter_map(|(key, value)| match value {
            ParameterValue::Text(text) => Some((key.clone(), text.clone())),
            ParameterValue::Integer(number) => Some((key.clone(), number.to_string())),
            _ => None,
        });
        let settings = settings.collect::<Vec<_>>();
        Instance::start(&settings)
            .map(|instance| Box::new(OfPartition(instance)) as _)
            .map_err(|error| error.to_string())
    }
}

impl NativeInstance for OfPartition {
    /// The SDK owns what it reads, so the batch is copied once, as it is for a component.
    fn process(&mut self, batch: &Batch) -> Result<Vec<NativeOutput>, (String, Option<usize>)> {
        let tables = Tables {
            inlet: batch.inlet,
            partition: batch.partition,
            arena: batch.arena.to_vec(),
            times: batch.times.clone(),
            records: batch.records.clone(),
            headers: batch.headers.clone(),
        };
        let parts = self.0.process(tables)?;
        Ok(parts
            .into_iter()
            .map(|OutputPart { arena, emits, headers }| NativeOutput { arena, emits, headers })
            .collect())
    }
}

async fn echo() -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    tell_ready(listener.local_addr()?);
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    let incoming = tokio_stream::StreamExt::map(incoming, |accepted| {
        accepted.and_then(|stream| stream.set_nodelay(true).map(|()| stream))
    });
    let service = StreamletServer::new(Echo).max_decoding_message_size(usize::MAX);
    Server::builder().add_service(service).serve_with_incoming(incoming).await?;
    Ok(())
}

fn harness(arguments: &[String]) -> anyhow::Result<()> {
    let [file, partitions, work] = arguments else { anyhow::bail!("harness FILE PARTITIONS WORK") };
    let (partitions, mut next) = (partitions.parse::<i32>()?, 0);
    let in_turn = move |_: &testing::Record| {
        next = (next + 1) % partitions;
        next
    };
    let mut harness = Harness::<Workload>::new().set("work", work.as_str()).partitions(in_turn);
    for line in BufReader::new(File::open(file)?).split(b'\n') {
        harness = harness.put("in", testing::Record::new(line?));
    }
    let outcome = harness.run();
    anyhow::ensure!(outcome.failures().is_empty(), "{:?}", outcome.failures());
    // As envelopes, which is what `run` writes.
    let mut output = BufWriter::new(File::create("/dev/null")?);
    for outlet in ["valid", "review"] {
        for record in outcome.records(outlet) {
            write!(output, r#"{{"outlet":"{outlet}","value":"#)?;
            serde_json::to_writer(&mut output, str::from_utf8(record.value.as_deref().unwrap_or_default())?)?;
            output.write_all(b"}\n")?;
        }
    }
    Ok(output.flush()?)
}

/// As short as a server with the generated code can be.
struct Echo;

#[tonic::async_trait]
impl Streamlet for Echo {
    type RunStream = Echoes;

    async fn run(&self, request: Request<Streaming<ToProcess>>) -> Result<Response<Echoes>, Status> {
        Ok(Response::new(Echoes { inbound: request.into_inner(), waiting: VecDeque::new() }))
    }
}

/// The answers to one stream.
struct Echoes {
    inbound: Streaming<ToProcess>,
    waiting: VecDeque<from_process::Message>,
}

impl Stream for Echoes {
    type Item = Result<FromProcess, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Poll::Ready(Some(Ok(FromProcess { message: Some(message) })));
            }
            match ready!(Pin::new(&mut self.inbound).poll_next(cx)?) {
                Some(ToProcess { message: Some(to_process::Message::Batch(batch)) }) => {
                    let batch_id = batch.batch_id;
                    let emits = batch.records.into_iter().map(|input| {
                        from_process::Message::Emit(Emit { batch_id, outlet: "valid".into(), record: input.record })
                    });
                    self.waiting.extend(emits);
                    self.waiting.push_back(from_process::Message::Ack(Ack { batch_id }));
                }
                Some(_) => {}
                None => return Poll::Ready(None),
            }
        }
    }
}
