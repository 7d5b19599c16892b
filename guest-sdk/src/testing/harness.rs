//! The harness: what is put in, under which settings, and the run.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use streamlet_protocol::ParameterValue;
use streamlet_protocol::parameter::resolve_text;

use super::descriptor;
use super::lane::Lane;
use super::outcome::Outcome;
use super::record::Record;
use super::setting::Setting;
use crate::config::{Config, MemorySize, Value};
use crate::conversation::Conversation;
use crate::declaration::PortDeclaration;
use crate::process::Process;

/// The most records of a batch, unless a deployment says otherwise.
const RECORDS_MAX: usize = 100;

/// Where records go when no partitioner is set.
type Partitioner = Box<dyn FnMut(&Record) -> i32>;

/// Runs a streamlet natively.
///
/// ```
/// use streamlet::prelude::*;
/// use streamlet::testing::{Harness, Record, hash_partitioner};
///
/// /// Drops what has no key, and repeats the rest.
/// #[derive(Streamlet)]
/// struct Repeat {
///     #[inlet(name = "in", schema = "carts.v1")]
///     carts: Inlet,
///     #[outlet(schema = "carts.v1")]
///     out: Outlet,
///     #[parameter(default = 1)]
///     times: i64,
/// }
///
/// impl Process for Repeat {
///     fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///         for record in batch.iter().filter(|record| record.key().is_some()) {
///             for _ in 0..self.times {
///                 out.forward(self.out, record);
///             }
///         }
///         Ok(())
///     }
/// }
///
/// let outcome = Harness::<Repeat>::new()
///     .set("times", 2)
///     .partitions(hash_partitioner(3))
///     .max_records(7)
///     .put("in", Record::new("a").key("k"))
///     .put("in", Record::new("b"))
///     .run();
/// assert_eq!(outcome.records("out"), [Record::new("a").key("k"), Record::new("a").key("k")]);
/// assert_eq!(outcome.skipped(), [Record::new("b")]);
/// assert!(outcome.failures().is_empty());
/// ```
pub struct Harness<S> {
    settings: Vec<(String, String)>,
    /// What was put into which inlet, by its index.
    input: Vec<(usize, Record)>,
    partitioner: Partitioner,
    records_max: usize,
    streamlet: PhantomData<S>,
}

impl<S: Process> Harness<S> {
    /// A harness with every parameter at its default, everything in partition 0 and at most 100 records a batch.
    pub fn new() -> Self {
        Self {
            settings: Vec::new(),
            input: Vec::new(),
            partitioner: Box::new(|_| 0),
            records_max: RECORDS_MAX,
            streamlet: PhantomData,
        }
    }

    /// Sets a parameter, to its text or to a value.
    #[must_use]
    pub fn set(mut self, key: &str, value: impl Setting) -> Self {
        self.settings.push((key.to_owned(), value.into_text()));
        self
    }

    /// Puts a record into an inlet, after those already in it.
    ///
    /// # Panics
    /// The streamlet declares no such inlet.
    #[must_use]
    #[track_caller]
    pub fn put(mut self, inlet: &str, record: Record) -> Self {
        let Some(index) = S::DECLARATION.inlets.iter().position(|port| port.name == inlet) else {
            panic!(r#"the streamlet declares no inlet "{inlet}""#);
        };
        self.input.push((index, record));
        self
    }

    /// Puts records into an inlet, in order.
    ///
    /// # Panics
    /// The streamlet declares no such inlet.
    #[must_use]
    #[track_caller]
    pub fn put_all(mut self, inlet: &str, records: impl IntoIterator<Item = Record>) -> Self {
        for record in records {
            self = self.put(inlet, record);
        }
        self
    }

    /// Sets which partition each record of every inlet goes to, such as by
    /// [`hash_partitioner`](super::hash_partitioner).
    #[must_use]
    pub fn partitions(mut self, partitioner: impl FnMut(&Record) -> i32 + 'static) -> Self {
        self.partitioner = Box::new(partitioner);
        self
    }

    /// Sets how many records a batch has at most; 0 counts as 1.
    #[must_use]
    pub fn max_records(mut self, records_max: usize) -> Self {
        self.records_max = records_max.max(1);
        self
    }

    /// Processes everything: one instance for each partition of each inlet, one partition after another, batches in
    /// offset order. A failed batch ends its partition, as in a pipeline nothing overtakes it; the others go on. A
    /// panic is a failure too.
    ///
    /// # Panics
    /// A parameter is unknown, cannot be read or is required and not set; offsets of a partition do not rise.
    #[track_caller]
    pub fn run(self) -> Outcome {
        let conversation = conversation::<S>(&self.settings);
        let mut outcome = Outcome::new(S::DECLARATION.outlets);
        for lane in lanes(self.input, self.partitioner, S::DECLARATION.inlets) {
            lane.run::<S>(&conversation, self.records_max, &mut outcome);
        }
        outcome
    }
}

impl<S: Process> Default for Harness<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> fmt::Debug for Harness<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Harness").field("records", &self.input.len()).finish_non_exhaustive()
    }
}

/// Distributes the records over partitions and gives each its place there.
#[track_caller]
fn lanes(input: Vec<(usize, Record)>, mut partitioner: Partitioner, inlets: &'static [PortDeclaration]) -> Vec<Lane> {
    let mut places: BTreeMap<(usize, i32), Vec<Record>> = BTreeMap::new();
    for (inlet, mut record) in input {
        let partition = partitioner(&record);
        let records = places.entry((inlet, partition)).or_default();
        let next = records.last().and_then(|last| last.offset).map_or(0, |offset| offset.saturating_add(1));
        let offset = record.offset.unwrap_or(next);
        assert!(
            offset >= next,
            "offset {offset} of partition {partition} was put after offset {}",
            next.saturating_sub(1)
        );
        record.offset = Some(offset);
        record.partition = Some(partition);
        records.push(record);
    }
    let lane = |((inlet, partition), records)| {
        Some(Lane { inlet: inlets.get(inlet)?, index: u32::try_from(inlet).ok()?, partition, records })
    };
    places.into_iter().filter_map(lane).collect()
}

/// The conversation that a sidecar would start with these settings.
#[track_caller]
pub(super) fn conversation<S: Process>(settings: &[(String, String)]) -> Conversation {
    let bindings = |ports: &[PortDeclaration]| {
        ports.iter().map(|port| (port.name.to_owned(), format!("test.{}", port.name))).collect()
    };
    let parameters = descriptor::declared::<S>().parameters;
    let resolved = match resolve_text(&parameters, settings) {
        Ok(resolved) => resolved,
        Err(problems) => {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("the harness's settings are refused: {}", problems.join("; "));
        }
    };
    Conversation {
        id: "test".to_owned(),
        pipeline: "test".to_owned(),
        streamlet: S::DECLARATION.name.to_owned(),
        config: resolved.values.into_iter().map(|(key, found)| (key, value(found))).collect::<Config>(),
        inlets: bindings(S::DECLARATION.inlets),
        outlets: bindings(S::DECLARATION.outlets),
    }
}

fn value(value: ParameterValue) -> Value {
    match value {
        ParameterValue::Text(text) => Value::Text(text),
        ParameterValue::Integer(integer) => Value::Integer(integer),
        ParameterValue::Double(double) => Value::Double(double),
        ParameterValue::Boolean(boolean) => Value::Boolean(boolean),
        ParameterValue::DurationNanos(nanoseconds) => Value::Duration(Duration::from_nanos(nanoseconds)),
        ParameterValue::Bytes(bytes) => Value::MemorySize(MemorySize::from_bytes(bytes)),
    }
}
