//! What a run on Kafka has done and how it is: one place that every part tells, and that metrics, health, progress and the
//! stall warning read. It outlives conversations.
//!
//! Counting costs a few atomic additions a batch, nothing a record. It names inlets, outlets, partitions, offsets and
//! causes; nothing of a record.

mod metrics;
mod partition;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metrics::{InletMetrics, Metrics};
pub(super) use partition::{PartitionMonitor, Written};

use super::locks::lock;
use crate::telemetry;

/// How a run is, for whoever asks. Clones of the `Arc` share it.
#[derive(Debug)]
pub struct Monitor {
    inlets: Vec<Inlet>,
    outlets: Vec<String>,
    metrics: Metrics,
    is_ready: AtomicBool,
    /// Bytes of the linear memories of all instances.
    guest_memory: Arc<AtomicU64>,
    /// The last thing that went wrong with Kafka, until a batch is written again.
    trouble: Mutex<Option<String>>,
}

#[derive(Debug)]
struct Inlet {
    name: String,
    metrics: InletMetrics,
    partitions: Mutex<BTreeMap<i32, Arc<PartitionMonitor>>>,
}

/// One inlet, as it is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InletState {
    /// The inlet's name.
    pub name: String,
    /// Partitions that this member has.
    pub partitions: usize,
    /// Records of batches whose emits are written.
    pub records: u64,
    /// Such batches.
    pub batches: u64,
    /// Emits of these that are written.
    pub emits: u64,
    /// Records of these that were set aside.
    pub set_aside: u64,
    /// Batches that failed, counted at every try.
    pub failures: u64,
    /// Records in the topic that are not written yet, over this member's partitions; none while it is not known.
    pub lag: Option<u64>,
    /// Batches that guests or brokers have.
    pub in_flight: usize,
    /// The last error of a partition that has not got past it, and which partition that is.
    pub failing: Option<(i32, String)>,
}

/// The run, as it is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Whether it runs: its topics exist and its groups have given it its partitions.
    pub is_ready: bool,
    /// Every inlet, in the order of declaration.
    pub inlets: Vec<InletState>,
    /// Emits written, by outlet, in the order of declaration.
    pub emits: Vec<(String, u64)>,
    /// What is wrong with Kafka.
    pub trouble: Option<String>,
}

impl Monitor {
    /// For the ports of a streamlet, in the order of declaration; instances count their memory in `guest_memory`.
    ///
    /// # Errors
    /// Names that no metric can have.
    pub fn new(
        inlets: &[String],
        outlets: &[String],
        guest_memory: Arc<AtomicU64>,
    ) -> Result<Arc<Self>, prometheus::Error> {
        let metrics = Metrics::new(outlets)?;
        let inlet = |name: &String| {
            Ok(Inlet { name: name.clone(), metrics: metrics.inlet(name)?, partitions: Mutex::default() })
        };
        let inlets = inlets.iter().map(inlet).collect::<Result<_, prometheus::Error>>()?;
        let (is_ready, trouble) = (AtomicBool::new(false), Mutex::default());
        Ok(Arc::new(Self { inlets, outlets: outlets.to_vec(), metrics, is_ready, guest_memory, trouble }))
    }

    /// A partition that this member has got.
    pub(super) fn assigned(self: &Arc<Self>, inlet: u32, number: i32) -> Arc<PartitionMonitor> {
        let Some(inlet) = self.inlets.get(inlet as usize) else {
            return Arc::new(PartitionMonitor::new(self, String::new(), number, None));
        };
        let fresh = || Arc::new(PartitionMonitor::new(self, inlet.name.clone(), number, Some(inlet.metrics.clone())));
        let partition = Arc::clone(lock(&inlet.partitions).entry(number).or_insert_with(fresh));
        partition.begin();
        partition
    }

    /// The group has given this member these partitions of an inlet: what an earlier conversation had is gone.
    pub(super) fn joined(&self, inlet: u32, numbers: &[i32]) {
        let Some(found) = self.inlets.get(inlet as usize) else { return };
        let gone =
            lock(&found.partitions).keys().copied().filter(|number| !numbers.contains(number)).collect::<Vec<_>>();
        for number in gone {
            self.revoked(inlet, number);
        }
    }

    /// A partition that this member has lost.
    pub(super) fn revoked(&self, inlet: u32, number: i32) {
        if let Some(inlet) = self.inlets.get(inlet as usize) {
            lock(&inlet.partitions).remove(&number);
            self.metrics.forget(&inlet.name, number);
        }
    }

    /// Whether the run is what it should be.
    pub(super) fn set_ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Release);
        self.metrics.ready.set(i64::from(is_ready));
    }

    /// Whether the run is what it should be.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    pub(super) fn conversation_began(&self) {
        self.metrics.conversations.inc();
    }

    /// The conversation is void: what was in flight has failed with it.
    pub(super) fn fault(&self, text: &str) {
        self.trouble(text);
        for partition in self.partitions() {
            partition.voided(text);
        }
    }

    /// Something went wrong with Kafka that may pass.
    pub(super) fn trouble(&self, text: &str) {
        *lock(&self.trouble) = Some(text.to_owned());
    }

    /// Kafka works.
    pub(super) fn no_trouble(&self) {
        let mut trouble = lock(&self.trouble);
        if trouble.is_some() {
            *trouble = None;
        }
    }

    /// Commits of an inlet were answered after so long.
    pub(super) fn committed(&self, inlet: u32, after: Duration) {
        if let Some(inlet) = self.inlets.get(inlet as usize) {
            inlet.metrics.commit_seconds.observe(after.as_secs_f64());
        }
    }

    /// How far an inlet's partition reaches at the moment: the offset of its next record, and of the next to be fetched.
    pub(super) fn reaches(&self, inlet: u32, number: i32, end_offset: i64, fetch_offset: i64) {
        let Some(inlet) = self.inlets.get(inlet as usize) else { return };
        if let Some(partition) = lock(&inlet.partitions).get(&number) {
            partition.reaches(end_offset, fetch_offset);
        }
    }

    /// A client's own counts.
    pub(super) fn client(&self, statistics: &rdkafka::Statistics) {
        self.metrics.client(statistics);
    }

    /// Warns, once a stall, of partitions that have not got past an error for so long.
    pub(super) fn warn_of_stalls(&self, after: Duration) {
        for partition in self.partitions() {
            if let Some((stalled, error)) = partition.newly_stalled(after) {
                telemetry::partition_stalled(&partition.inlet, partition.number, stalled, &error);
            }
        }
    }

    /// The run, as it is at the moment.
    pub fn state(&self) -> State {
        let emits = self.outlets.iter().zip(&self.metrics.outlets);
        State {
            is_ready: self.is_ready(),
            inlets: self.inlets.iter().map(Inlet::state).collect(),
            emits: emits.map(|(outlet, metrics)| (outlet.clone(), metrics.emits.get())).collect(),
            trouble: lock(&self.trouble).clone(),
        }
    }

    /// Every metric, in Prometheus' text format.
    ///
    /// # Errors
    /// A metric that cannot be written, which is a bug.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        for partition in self.partitions() {
            self.metrics.partition(&partition);
        }
        self.metrics.set_guest_memory(self.guest_memory.load(Ordering::Relaxed));
        self.metrics.text()
    }

    fn partitions(&self) -> Vec<Arc<PartitionMonitor>> {
        self.inlets.iter().flat_map(|inlet| lock(&inlet.partitions).values().cloned().collect::<Vec<_>>()).collect()
    }
}

impl Inlet {
    fn state(&self) -> InletState {
        let partitions = lock(&self.partitions).values().cloned().collect::<Vec<_>>();
        let lags = partitions.iter().map(|partition| partition.lag());
        let failing = partitions.iter().find_map(|partition| Some((partition.number, partition.failing()?)));
        InletState {
            name: self.name.clone(),
            partitions: partitions.len(),
            records: self.metrics.records.get(),
            batches: self.metrics.batches.get(),
            emits: self.metrics.emits.load(Ordering::Relaxed),
            set_aside: self.metrics.set_aside.get(),
            failures: self.metrics.failures(),
            lag: lags.sum(),
            in_flight: partitions.iter().map(|partition| partition.in_flight()).sum(),
            failing,
        }
    }
}
