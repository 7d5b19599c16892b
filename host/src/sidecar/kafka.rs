//! Standalone on Kafka: sidecar and process in one, without a JVM.
//!
//! A run is one conversation after the other (`conversation`). Each has a consumer per inlet, polled by a thread of its
//! own (`inlet`), a task per partition that this member has (`driver`), and a producer per outlet (`producers`), or one
//! for all whose transactions hold emits and offsets (`transactions`). The platform's delivery rules hold, except that a
//! guest's failure backs off its own partition only: conversation and readiness stay. A write or commit that fails voids
//! everything in flight; the next conversation begins at the committed offsets. Scale comes from Kafka's own groups.
//!
//! It owns what the sidecar owns in a pod: offsets, delivery, `ready` and `alive`, the stall warning, metrics. It refuses
//! settings that could lose records, and topics that do not exist: those it waits for. It ends when it is stopped.

mod back_off;
pub mod check;
pub mod client;
mod client_events;
mod clusters;
mod commits;
mod conversation;
mod delivery;
pub mod deployed;
mod driver;
mod emits;
mod fault;
mod flights;
mod health;
pub mod hocon;
mod inlet;
mod locks;
mod monitor;
mod partition;
mod passing;
mod producers;
pub mod settings;
mod state_files;
mod topics;
mod transactions;
mod writer;

use std::future::Future;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use back_off::BackOff;
pub use back_off::MAX as BACK_OFF_MAX;
use conversation::{End, Run};
use emits::Bound;
pub use health::HealthError;
pub use inlet::StartError;
pub use monitor::{InletState, Monitor, State};
pub use settings::{ConfFile, InletSettings, OutletSettings, PortTopic, QuickFlags, Settings};
use state_files::StateFiles;
pub use state_files::StateFilesError;

use crate::batch::{Binding, Start};
use crate::guest::Component;
use crate::lane::Policy;
use crate::telemetry;

/// A conversation that lasted so long was a good one: the next back-off begins anew. The platform's figure.
const GOOD_CONVERSATION: Duration = Duration::from_mins(1);
/// How often clients tell their counts, which lag is taken from.
const STATISTICS_INTERVAL: Duration = Duration::from_secs(1);
/// How often stalls are looked for.
const STALL_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How emits are delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// Offsets are committed after the emits: some are written twice after a failure, none is lost.
    AtLeastOnce,
    /// Emits and offsets in one transaction.
    ExactlyOnce {
        /// The producer's id, which no other member has.
        transactional_id: String,
    },
}

impl Delivery {
    /// Whether emits and offsets go in one transaction.
    pub fn is_exactly_once(&self) -> bool {
        matches!(self, Self::ExactlyOnce { .. })
    }
}

/// How to run, beside the settings of ports.
#[derive(Debug, Clone)]
pub struct Options {
    /// How emits are delivered.
    pub delivery: Delivery,
    /// What becomes of batches that fail.
    pub policy: Policy,
    /// Emits keep their source record's timestamp; otherwise they get a new one, as the platform's do.
    pub keep_timestamps: bool,
    /// How long lanes may take to finish what they have in hand once the run is to stop.
    pub drain_grace: Duration,
    /// The longest back-off, of a partition and of a conversation.
    pub back_off_max: Duration,
    /// A partition that does not get past an error for so long is warned of.
    pub stall_warning_after: Duration,
    /// Where `ready` and `alive` are kept.
    pub state_dir: Option<PathBuf>,
    /// Where metrics and health are served.
    pub metrics: Option<SocketAddr>,
}

/// What kept a run from starting, or from going on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Exactly-once needs one cluster.
    #[error(transparent)]
    Clusters(#[from] clusters::ClustersError),
    /// A client or a thread cannot be had.
    #[error("cannot start the Kafka clients")]
    Start(#[from] StartError),
    /// `ready` and `alive` cannot be kept.
    #[error(transparent)]
    StateFiles(#[from] StateFilesError),
    /// Metrics and health cannot be served.
    #[error(transparent)]
    Health(#[from] HealthError),
}

/// A run's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// Whether everything that lanes had in hand was finished, written and committed.
    pub finished: bool,
}

/// Runs `component` until `stop` comes.
///
/// # Errors
/// [`RunError`]. What goes wrong with Kafka while it runs is told and tried again, for ever.
pub async fn run(
    component: &Arc<Component>,
    settings: &Settings,
    options: &Options,
    monitor: &Arc<Monitor>,
    stop: impl Future<Output = ()>,
) -> Result<Ending, RunError> {
    let mut stop = pin!(stop);
    let settings = &prepared(settings.clone(), &options.delivery);
    for warning in one_producer(settings, &options.delivery) {
        tracing::warn!(target: "streamlet", "{warning}");
    }
    let state_files = StateFiles::open(options.state_dir.as_deref())?;
    let _health = match options.metrics {
        Some(address) => Some(health::serve(address, monitor).await?),
        None => None,
    };
    let _stalls = AbortOnDrop(tokio::spawn(watch_stalls(Arc::clone(monitor), options.stall_warning_after)));
    let _alive = AbortOnDrop(tokio::spawn(state_files.clone().keep_alive()));
    if options.delivery.is_exactly_once() {
        tokio::select! {
            checked = clusters::check(settings, monitor) => checked?,
            () = &mut stop => return Ok(Ending { finished: true }),
        }
    }
    let outlets = Arc::new(settings.outlets.iter().map(Bound::new).collect::<Vec<_>>());
    let mut back_off = BackOff::new(options.back_off_max);
    loop {
        let began = Instant::now();
        monitor.conversation_began();
        let start = start(settings);
        let id = start.conversation_id.clone();
        let guest = component.converse(start);
        let run = Run { settings, options, monitor, state_files: &state_files, outlets: &outlets, id: &id };
        let fault = match run.converse(guest, stop.as_mut()).await? {
            End::Stopped { finished } => return Ok(Ending { finished }),
            End::Fault(fault) => fault,
        };
        if began.elapsed() > GOOD_CONVERSATION {
            back_off.reset();
        }
        let wait = back_off.next();
        monitor.fault(&fault.text);
        telemetry::conversation_void(&fault.text, Some(wait));
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = &mut stop => return Ok(Ending { finished: true }),
        }
    }
}

/// What a run adds to what it was told: clients tell their counts, and transactions are read as such.
fn prepared(mut settings: Settings, delivery: &Delivery) -> Settings {
    for inlet in &mut settings.inlets {
        if delivery.is_exactly_once() {
            inlet.client.set("isolation.level", "read_committed");
        }
    }
    // The one producer of transactions takes the largest message of any outlet; each keeps its own bound.
    let message_bytes_max = settings.outlets.iter().map(|outlet| outlet.message_bytes_max).max();
    if let (true, Some(bytes), Some(first)) =
        (delivery.is_exactly_once(), message_bytes_max, settings.outlets.first_mut())
    {
        first.client.set("message.max.bytes", bytes.to_string());
    }
    let inlets = settings.inlets.iter_mut().map(|inlet| &mut inlet.client);
    let outlets = settings.outlets.iter_mut().map(|outlet| &mut outlet.client);
    for client in inlets.chain(outlets) {
        if client.get("statistics.interval.ms").is_none() {
            client.set("statistics.interval.ms", STATISTICS_INTERVAL.as_millis().to_string());
        }
    }
    settings
}

/// Which outlets' settings have no effect because transactions have one producer.
fn one_producer(settings: &Settings, delivery: &Delivery) -> Vec<String> {
    let Some((first, others)) = settings.outlets.split_first().filter(|_| delivery.is_exactly_once()) else {
        return Vec::new();
    };
    let is_own = |key: &str| key == "client.id" || key == "message.max.bytes";
    let warning = |outlet: &OutletSettings| {
        let keys = first.client.entries().chain(outlet.client.entries()).map(|(key, _)| key);
        let mut differing =
            keys.filter(|key| !is_own(key) && first.client.get(key) != outlet.client.get(key)).collect::<Vec<_>>();
        differing.sort_unstable();
        differing.dedup();
        (!differing.is_empty()).then(|| {
            format!(
                "--exactly-once has one producer, with the settings of outlet \"{}\"; what outlet \"{}\" says otherwise \
                 has no effect: {}",
                first.name,
                outlet.name,
                differing.join(", ")
            )
        })
    };
    others.iter().filter_map(warning).collect()
}

/// A name that no other run or conversation has: sixteen hexadecimal digits.
pub fn unique() -> String {
    // Keys of the standard library's hash tables are random, and no two are alike.
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

/// A new conversation, with every port bound to its topic.
fn start(settings: &Settings) -> Start {
    let binding = |port: &str, topic: &str| Binding { port: port.to_owned(), topic: topic.to_owned() };
    Start {
        conversation_id: format!("run-{}", unique()),
        pipeline: settings.pipeline.clone(),
        streamlet: settings.streamlet.clone(),
        config: settings.config.clone(),
        inlets: settings.inlets.iter().map(|inlet| binding(&inlet.name, &inlet.topic)).collect(),
        outlets: settings.outlets.iter().map(|outlet| binding(&outlet.name, &outlet.topic)).collect(),
    }
}

async fn watch_stalls(monitor: Arc<Monitor>, after: Duration) {
    let mut ticks = tokio::time::interval(STALL_CHECK_INTERVAL.min(after.max(Duration::from_millis(10))));
    loop {
        ticks.tick().await;
        monitor.warn_of_stalls(after);
    }
}

/// A task that ends with its owner.
#[derive(Debug)]
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
