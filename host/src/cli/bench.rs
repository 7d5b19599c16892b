//! `streamlet bench`: what a component costs, measured in process and over loopback gRPC, alone or against another.

mod figures;
mod grpc;
mod in_process;
mod load;
mod report;
mod usage;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use clap::builder::FalseyValueParser;
use streamlet_protocol::Descriptor;
use streamlet_protocol::names::nearest;
use streamlet_protocol::parameter::{ParameterValue, resolve_text};

use super::Exit;
use super::grants::GrantFlags;
use super::limits::{LimitFlags, size};
use super::loading::LoadFlags;
use super::open::Opener;
use super::run::{setting, setting_problem};
use crate::batch::{Binding, Failure, Start};
use crate::console::Console;
use crate::guest::{Compiled, Component, ComponentFile, Engine, Limits};
use crate::sidecar::files::Format;
use figures::Round;
use grpc::OverGrpc;
use in_process::InProcess;
use load::{Load, Shape};
use report::{Measured, Report, Subject};

/// Rounds of which medians are taken. Doors and components take turns, so that a busy machine costs each the same.
const ROUNDS: usize = 5;
/// The streamlet that does nothing, made from `crossing.wat`.
const CROSSING: &[u8] = include_bytes!("bench/crossing.wasm");

/// The end of the help.
const EXAMPLES: &str = "\
Examples:
  streamlet bench router.wasm
  streamlet bench router.wasm --input carts.ndjson --batch 10 --json
  streamlet bench new.wasm --compare old.wasm";

/// Measures what a component costs, in process and over gRPC on the loopback interface
///
/// Records are made up (JSON objects with `id`, `total` and `note`, keyed), or real ones from --input. Batches are
/// processed and their emits encoded, and go nowhere. Doors take turns for five rounds; figures are medians. In process,
/// time is split into reading the message, copying it in, the guest's own, checking its output and writing the emits.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Bench {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// Measure this component too, in turns with COMPONENT and with COMPONENT once more, and print ratios: what the two
    /// measurements of COMPONENT differ by is noise
    #[arg(long, value_name = "OTHER")]
    compare: Option<PathBuf>,
    /// Records to process through each door
    #[arg(long, value_name = "N", default_value = "100000", env = "STREAMLET_BENCH_RECORDS")]
    records: NonZeroUsize,
    /// Records of a batch
    #[arg(long, value_name = "N", default_value = "100", env = "STREAMLET_BENCH_BATCH")]
    batch: NonZeroUsize,
    /// Bytes of a made-up record's value
    #[arg(long, value_name = "SIZE", default_value = "1 KiB", value_parser = size, env = "STREAMLET_BENCH_VALUE_BYTES")]
    value_bytes: usize,
    /// Headers of a made-up record
    #[arg(long, value_name = "N", default_value_t = 3, env = "STREAMLET_BENCH_HEADERS")]
    headers: usize,
    /// Partitions, each with an instance
    #[arg(long, value_name = "N", default_value = "8", env = "STREAMLET_PARTITIONS")]
    partitions: NonZeroU32,
    /// Take records from this file, a line each, over and over; of several inlets, name the one
    #[arg(long, value_name = "[INLET=]FILE")]
    input: Option<String>,
    /// Lines of the input are envelopes, as `run` prints them
    #[arg(long, requires = "input", env = "STREAMLET_ENVELOPE", value_parser = FalseyValueParser::new())]
    envelope: bool,
    /// The inlet of made-up records, by default the first
    #[arg(long, value_name = "NAME", conflicts_with = "input")]
    inlet: Option<String>,
    /// Set a parameter; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Print one JSON object in place of the table
    #[arg(long, env = "STREAMLET_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    /// Print no progress
    #[arg(long, env = "STREAMLET_QUIET", value_parser = FalseyValueParser::new())]
    quiet: bool,
    #[command(flatten)]
    grants: GrantFlags,
    #[command(flatten)]
    loading: LoadFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

/// Why there are no figures.
#[derive(Debug)]
enum Stopped {
    /// A batch failed, in the words of its failure.
    Failed(String),
    /// Something else.
    Broke(anyhow::Error),
}

impl Stopped {
    fn failed(load: &Load, partition: i32, failure: &Failure) -> Self {
        let origin = failure.record.and_then(|(_, offset)| load.origin(partition, offset));
        Self::Failed(match origin {
            Some(origin) => format!("{failure}\n  at {origin}"),
            None => failure.to_string(),
        })
    }
}

impl Bench {
    pub(super) async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        let opener = Opener {
            console,
            flags: &self.loading,
            limits: (&self.limits).into(),
            grants: self.grants.resolve()?,
            quiet: self.quiet,
        };
        let mut components = Vec::new();
        for path in std::iter::once(&self.component).chain(&self.compare) {
            match opener.open(path).await? {
                Ok(component) => components.push((path, component)),
                Err(exit) => return Ok(exit),
            }
        }
        // Once more, after the other: the control.
        if components.len() > 1
            && let Some((path, first)) = components.first().map(|(path, first)| (*path, Arc::clone(first)))
        {
            components.push((path, first));
        }
        let crossing = crossing().await?;
        let mut lanes = Vec::new();
        for (path, component) in &components {
            match self.prepare(component, &crossing, console).await? {
                Some(both) => lanes.push((*path, both)),
                None => return Ok(Exit::Broke),
            }
        }
        match self.measure(&mut lanes, console).await {
            Ok(report) => {
                console.progress("");
                report.print(self.json)?;
                Ok(Exit::Yes)
            }
            Err(Stopped::Failed(text)) => {
                console.progress("");
                console.error(&text);
                if self.input.is_none() {
                    console.line("the records were made up; real ones are given with --input");
                }
                Ok(Exit::No)
            }
            Err(Stopped::Broke(error)) => Err(error),
        }
    }

    /// Both doors of a component; none if its parameters are wrong, which has been reported.
    async fn prepare(
        &self,
        component: &Arc<Component>,
        crossing: &Arc<Component>,
        console: &Console,
    ) -> anyhow::Result<Option<Doors>> {
        let descriptor = component.descriptor();
        let config = match resolve_text(&descriptor.parameters, &self.settings) {
            Ok(resolved) => resolved.values,
            Err(problems) => {
                for problem in &problems {
                    console.error(&setting_problem(problem));
                }
                return Ok(None);
            }
        };
        let load = Arc::new(self.load(descriptor)?);
        let start = start(descriptor, config);
        let config_json = config_json(&start.config);
        let in_process = InProcess::new(component, &start, crossing);
        let over_grpc = OverGrpc::start(component, &start, &config_json, &load).await?;
        let inlet = load.inlet_name().to_owned();
        Ok(Some(Doors { in_process, over_grpc, load, inlet }))
    }

    fn load(&self, descriptor: &Descriptor) -> anyhow::Result<Load> {
        let (batch, partitions) = (self.batch.get(), self.partitions.get());
        let Some(input) = &self.input else {
            let shape = Shape { value_bytes: self.value_bytes, headers: self.headers };
            let inlet = match &self.inlet {
                Some(name) => inlet(descriptor, name)?,
                None if descriptor.inlets.is_empty() => anyhow::bail!("the streamlet has no inlet"),
                None => 0,
            };
            return Ok(Load::made_up(inlet, descriptor, batch, partitions, shape));
        };
        let (name, file) = match input.split_once('=') {
            Some((name, file)) if !Path::new(input).exists() => (Some(name), file),
            _ => (None, input.as_str()),
        };
        let inlet = match (name, descriptor.inlets.as_slice()) {
            (Some(name), _) => inlet(descriptor, name)?,
            (None, [_]) => 0,
            (None, inlets) => {
                let names = inlets.iter().map(|inlet| format!("\"{}\"", inlet.name)).collect::<Vec<_>>().join(", ");
                anyhow::bail!("\"{file}\" needs the name of its inlet, as in --input NAME={file}; there are {names}")
            }
        };
        let format = if self.envelope { Format::Envelope } else { Format::Plain { key_field: None } };
        Load::read(inlet, descriptor, batch, partitions, (Path::new(file), &format))
    }

    async fn measure(&self, lanes: &mut [(&PathBuf, Doors)], console: &Console) -> Result<Report, Stopped> {
        let mut rounds = lanes.iter().map(|_| (Vec::new(), Vec::new())).collect::<Vec<(Vec<Round>, Vec<Round>)>>();
        for (_, doors) in lanes.iter_mut() {
            doors.in_process.warm_up(&doors.load).await?;
            // Each partition has one batch at least.
            doors.over_grpc.run(1).await?;
        }
        let each = self.records.get().div_ceil(ROUNDS);
        for round in 1..=ROUNDS {
            if !self.quiet && console.shows_progress() {
                console.progress(&format!("measuring, round {round} of {ROUNDS}"));
            }
            for ((_, doors), (in_process, _)) in lanes.iter_mut().zip(&mut rounds) {
                in_process.push(doors.in_process.run(&doors.load, each).await?);
            }
            for ((_, doors), (_, over_grpc)) in lanes.iter_mut().zip(&mut rounds) {
                over_grpc.push(doors.over_grpc.run(each).await?);
            }
        }
        let subjects = lanes.iter().zip(&rounds).map(|((path, doors), (in_process, over_grpc))| Measured {
            component: path.display().to_string(),
            instances: doors.in_process.instances(),
            in_process,
            over_grpc,
        });
        let subject = Subject {
            inlet: lanes.first().map_or_else(String::new, |(_, doors)| doors.inlet.clone()),
            records: self.records.get(),
            batch: self.batch.get(),
            partitions: self.partitions.get(),
            input: self.input.clone(),
            made_up: self.input.is_none().then_some((self.value_bytes, self.headers)),
        };
        Ok(Report::new(subject, &subjects.collect::<Vec<_>>()))
    }
}

/// Both ways into one component.
struct Doors {
    in_process: InProcess,
    over_grpc: OverGrpc,
    load: Arc<Load>,
    inlet: String,
}

/// Loads the streamlet that does nothing.
async fn crossing() -> anyhow::Result<Arc<Component>> {
    let engine = Arc::new(Engine::new(Limits::default())?);
    let file = ComponentFile::of_host("crossing.wasm", CROSSING);
    let compiled = Compiled::new(&engine, file, None).await?;
    Ok(Arc::new(Component::link(&engine, compiled).await?))
}

/// The index of an inlet.
fn inlet(descriptor: &Descriptor, name: &str) -> anyhow::Result<u32> {
    let found = descriptor.inlets.iter().zip(0u32..).find(|(inlet, _)| inlet.name == name);
    found.map(|(_, index)| index).with_context(|| {
        let names = || descriptor.inlets.iter().map(|inlet| inlet.name.as_str());
        let meant = nearest(name, names()).map_or_else(String::new, |near| format!("; is \"{near}\" meant?"));
        format!("there is no inlet \"{name}\"; declared: {}{meant}", names().collect::<Vec<_>>().join(", "))
    })
}

/// A conversation with every port bound.
fn start(descriptor: &Descriptor, config: Vec<(String, ParameterValue)>) -> Start {
    let bind = |port: &str| Binding { port: port.to_owned(), topic: format!("bench.{port}") };
    Start {
        conversation_id: format!("bench-{}", std::process::id()),
        pipeline: descriptor.name.clone(),
        streamlet: descriptor.name.clone(),
        config,
        inlets: descriptor.inlets.iter().map(|port| bind(&port.name)).collect(),
        outlets: descriptor.outlets.iter().map(|port| bind(&port.name)).collect(),
    }
}

/// The parameters as the platform sends them.
fn config_json(config: &[(String, ParameterValue)]) -> String {
    let values = config.iter().map(|(key, value)| {
        let value = match value {
            ParameterValue::Text(text) => text.as_str().into(),
            ParameterValue::Integer(number) => (*number).into(),
            ParameterValue::Double(number) => (*number).into(),
            ParameterValue::Boolean(is) => (*is).into(),
            ParameterValue::DurationNanos(nanos) => format!("{nanos} ns").into(),
            ParameterValue::Bytes(bytes) => (*bytes).into(),
        };
        (key.clone(), value)
    });
    serde_json::Value::Object(values.collect()).to_string()
}
