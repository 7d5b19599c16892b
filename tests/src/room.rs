//! The engine room without a door: components in conversations of the test's own, and lanes over them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use streamlet_host::batch::{Batch, Binding, Failure, Output, Start};
use streamlet_host::guest::{Component, ComponentFile, Engine, Executor, Guest, Limits};
use streamlet_host::lane::{Door, Lane, Policy, Ran};
use streamlet_protocol::parameter::resolve_json;
use tokio::sync::Mutex;

use crate::guests;
use crate::records::{Emitted, Record, batch, emitted};

/// Limits that a test reaches soon, and that an ordinary batch stays far below even on a busy machine.
pub fn limits() -> Limits {
    Limits {
        batch_deadline: Duration::from_secs(3),
        start_deadline: Duration::from_secs(3),
        memory_bytes_max: 128 << 20,
        ..Limits::default()
    }
}

/// A component in one conversation.
#[derive(Debug, Clone)]
pub struct Room {
    guest: Arc<Guest>,
}

impl Room {
    /// A guest with its parameters' defaults.
    pub async fn open(package: &str) -> Self {
        Self::configured(package, "{}").await
    }

    /// A guest with parameters, as the platform sends them, and every port bound to a topic `t-NAME`.
    ///
    /// # Panics
    /// It cannot be loaded, or the configuration is none.
    pub async fn configured(package: &str, config_json: &str) -> Self {
        Self::bound(package, config_json, |_| true).await
    }

    /// A guest of whose outlets only some are bound.
    ///
    /// # Panics
    /// As [`Room::configured`].
    pub async fn bound(package: &str, config_json: &str, is_bound: impl Fn(&str) -> bool) -> Self {
        Self::with(&load(package).await, config_json, is_bound)
    }

    /// A guest with limits of its own.
    ///
    /// # Panics
    /// As [`Room::configured`].
    pub async fn limited(package: &str, limits: Limits) -> Self {
        Self::of(&Arc::new(open(&guests::component(package), limits).await), "{}")
    }

    /// A component that a test has loaded itself, with every port bound.
    ///
    /// # Panics
    /// The configuration is none.
    pub fn of(component: &Arc<Component>, config_json: &str) -> Self {
        Self::with(component, config_json, |_| true)
    }

    fn with(component: &Arc<Component>, config_json: &str, is_bound: impl Fn(&str) -> bool) -> Self {
        let descriptor = component.descriptor();
        let bind = |port: &str| Binding { port: port.to_owned(), topic: format!("t-{port}") };
        let start = Start {
            conversation_id: "conversation-1".into(),
            pipeline: "conformance".into(),
            streamlet: "conformance".into(),
            config: resolve_json(&descriptor.parameters, config_json).unwrap().values,
            inlets: descriptor.inlets.iter().map(|port| bind(&port.name)).collect(),
            outlets: descriptor
                .outlets
                .iter()
                .filter(|port| is_bound(&port.name))
                .map(|port| bind(&port.name))
                .collect(),
        };
        Self { guest: Arc::new(component.converse(start)) }
    }

    /// The lane of an inlet partition.
    ///
    /// # Panics
    /// The inlet is not declared.
    pub fn lane(&self, inlet: &str, partition: i32) -> TestLane {
        self.lane_with(inlet, partition, Policy::default())
    }

    /// An instance for an inlet partition, without a lane.
    ///
    /// # Panics
    /// It does not start.
    pub async fn instance(&self, inlet: &str, partition: i32) -> Executor {
        let index = self.guest.descriptor().inlets.iter().zip(0u32..).find(|(port, _)| port.name == inlet);
        let owner = self.guest.owner(index.expect("a declared inlet").1, partition);
        self.guest.instantiate(owner).await.unwrap()
    }

    /// The lane of an inlet partition, with a failure policy.
    ///
    /// # Panics
    /// The inlet is not declared.
    pub fn lane_with(&self, inlet: &str, partition: i32, policy: Policy) -> TestLane {
        let index = self.guest.descriptor().inlets.iter().zip(0u32..).find(|(port, _)| port.name == inlet);
        let (_, index) = index.expect("a declared inlet");
        TestLane {
            lane: Lane::new(Arc::clone(&self.guest), index, partition, policy),
            guest: Arc::clone(&self.guest),
            inlet: index,
            partition,
        }
    }
}

/// A lane that takes records and gives emits.
#[derive(Debug)]
pub struct TestLane {
    lane: Lane,
    guest: Arc<Guest>,
    inlet: u32,
    partition: i32,
}

impl TestLane {
    /// Runs a batch of these records.
    ///
    /// # Errors
    /// The batch failed.
    pub async fn run(&mut self, records: &[Record]) -> Result<Vec<Emitted>, Failure> {
        self.triage(records).await.map(|(emits, _)| emits)
    }

    /// Runs a batch as it is, and gives its output as it is.
    ///
    /// # Panics
    /// The batch failed.
    pub async fn run_whole(&mut self, batch: &Arc<Batch>) -> Vec<Vec<Output>> {
        self.lane.run(batch, &AsTheyAre).await.unwrap().emits
    }

    /// Runs a batch of these records; what was set aside is told beside what is emitted.
    ///
    /// # Errors
    /// The batch failed.
    pub async fn triage(&mut self, records: &[Record]) -> Result<(Vec<Emitted>, Vec<Failure>), Failure> {
        let batch = batch(self.inlet, self.partition, records);
        let Ran { emits, poison } = self.lane.run(&batch, &Outlets(Arc::clone(&self.guest))).await?;
        Ok((emits.concat(), poison))
    }
}

/// A door that leaves outputs as they are.
#[derive(Clone)]
struct AsTheyAre;

impl Door for AsTheyAre {
    type Emits = Vec<Output>;

    fn accept(&self, _: &Arc<Batch>, parts: Vec<Output>) -> Result<Vec<Output>, Box<Failure>> {
        Ok(parts)
    }
}

/// A door that takes everything.
#[derive(Clone)]
struct Outlets(Arc<Guest>);

impl Door for Outlets {
    type Emits = Vec<Emitted>;

    fn accept(&self, batch: &Arc<Batch>, parts: Vec<Output>) -> Result<Vec<Emitted>, Box<Failure>> {
        let outlets = self.0.descriptor().outlets.iter().map(|port| port.name.as_str()).collect::<Vec<_>>();
        Ok(emitted(&outlets, batch, &parts))
    }
}

/// Loads a guest, once a process: compiling is what takes the time.
async fn load(package: &str) -> Arc<Component> {
    static LOADED: Mutex<BTreeMap<String, Arc<Component>>> = Mutex::const_new(BTreeMap::new());
    let mut loaded = LOADED.lock().await;
    if let Some(component) = loaded.get(package) {
        return Arc::clone(component);
    }
    let path = guests::component(package);
    let component = Arc::new(open(&path, limits()).await);
    loaded.insert(package.to_owned(), Arc::clone(&component));
    component
}

async fn open(path: &Path, limits: Limits) -> Component {
    let engine = Arc::new(Engine::new(limits).unwrap());
    let file = ComponentFile::read(path).unwrap();
    Component::load(engine, file).await.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
