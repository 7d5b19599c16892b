//! `streamlet run`: a streamlet on files or standard input.

use std::io::IsTerminal as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use clap::builder::FalseyValueParser;
use streamlet_protocol::parameter::ConfigProblem;
use streamlet_protocol::{Descriptor, names, parameter};

use super::grants::GrantFlags;
use super::limits::{LimitFlags, size};
use super::loading::LoadFlags;
use super::log::LogFormat;
use super::open::{Opener, refuse_component};
use super::policy::PolicyFlags;
use super::{Exit, signals};
use crate::batch::{Binding, Start};
use crate::console::Console;
use crate::sidecar::files::{
    self, BatchCaps, Ending, FailedBatch, Format, Input, InputError, Location, Observer, Output, Settings, Stopped,
    Tally,
};
use crate::telemetry;

/// Runs a streamlet over files or standard input and prints what it emits
///
/// Each line of an input is a record: its bytes are the value, blank lines are skipped. Each emit is printed as an
/// envelope, one JSON object a line; with --envelope, inputs are envelopes too, so outputs pipe into inputs.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// Files where other programs take their inputs; refused, with what to write instead
    #[arg(hide = true, value_name = "FILE")]
    misplaced: Vec<PathBuf>,
    /// Read an inlet's records from a file, or from standard input (`-`); repeatable; INLET= may be left out when there
    /// is one inlet; without any, standard input
    #[arg(long = "input", value_name = "[INLET=]FILE", value_parser = input)]
    inputs: Vec<Input>,
    /// Write an outlet's emits to a file, replacing it, instead of to standard output; repeatable
    #[arg(long = "output", value_name = "[OUTLET=]FILE", value_parser = output)]
    outputs: Vec<Output>,
    /// Set a parameter; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, String)>,
    /// Take each record's key from this top-level field of its value, which is a JSON object then
    #[arg(long, value_name = "FIELD", conflicts_with = "envelope", env = "STREAMLET_KEY_FIELD")]
    key_field: Option<String>,
    /// Read envelopes: {"key": …, "headers": […], "value": …}
    #[arg(long, env = "STREAMLET_ENVELOPE", value_parser = FalseyValueParser::new())]
    envelope: bool,
    /// Partitions per inlet; keyed records go where Kafka's Java client would put them, others take turns
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=4096), env = "STREAMLET_PARTITIONS")]
    partitions: u32,
    /// Records a batch may hold
    #[arg(long, value_name = "N", default_value = "100", env = "STREAMLET_MAX_RECORDS")]
    max_records: NonZeroU32,
    /// Bytes a batch may hold: keys, headers and values; a larger record is a batch of its own
    #[arg(long, value_name = "SIZE", default_value = "1 MiB", value_parser = size, env = "STREAMLET_MAX_BYTES")]
    max_bytes: usize,
    /// Print no progress and no summary
    #[arg(long, env = "STREAMLET_QUIET", value_parser = FalseyValueParser::new())]
    quiet: bool,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    grants: GrantFlags,
    #[command(flatten)]
    loading: LoadFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

impl Run {
    pub(super) async fn call(&self, console: &Console, log_format: LogFormat) -> anyhow::Result<Exit> {
        self.check_inputs(console)?;
        let opener = Opener {
            console,
            flags: &self.loading,
            limits: (&self.limits).into(),
            grants: self.grants.resolve()?,
            quiet: self.quiet,
        };
        self.check_outputs()?;
        let component = match opener.open(&self.component).await? {
            Ok(component) => component,
            Err(exit) => return Ok(exit),
        };
        let descriptor = component.descriptor();
        let config = match parameter::resolve_text(&descriptor.parameters, &self.settings) {
            Ok(resolved) => resolved.values,
            Err(problems) => {
                for problem in &problems {
                    console.error(&setting_problem(problem));
                }
                return Ok(Exit::Broke);
            }
        };
        let policy = self.policy.resolve(descriptor)?;
        let settings = self.settings();
        let start = start(descriptor, config, &settings);
        // On one terminal a progress line and results would tear each other apart.
        let shows_progress = console.is_terminal() && !std::io::stdout().is_terminal() && !self.quiet;
        let reporter =
            Arc::new(Reporter { console: console.clone(), log_format, shows_progress, fate: self.policy.fate() });
        let observer: Arc<dyn Observer> = Arc::<Reporter>::clone(&reporter);
        let ending = files::run(&component, start, settings, policy, observer, signals::first()).await?;
        if shows_progress {
            console.progress("");
        }
        Ok(self.conclude(&reporter, ending))
    }

    /// A missing file is told before a crate is built, and a terminal that is read is told as well.
    fn check_inputs(&self, console: &Console) -> anyhow::Result<()> {
        if let Some(path) = self.misplaced.first() {
            let path = path.display();
            anyhow::bail!("unexpected argument \"{path}\"; an input is given with --input, as in --input {path}");
        }
        for input in &self.inputs {
            if let Location::File(path) = &input.from
                && let Err(error) = std::fs::metadata(path)
            {
                anyhow::bail!("cannot read input \"{}\": {error}{}", path.display(), name_hint(path));
            }
        }
        if self.inputs.is_empty() && std::io::stdin().is_terminal() && !self.quiet {
            console.line("reading records from standard input, one a line, until its end (Ctrl-D)");
        }
        Ok(())
    }

    /// An output that is the component would be emptied before anything is known of it.
    fn check_outputs(&self) -> anyhow::Result<()> {
        for output in &self.outputs {
            if let Location::File(path) = &output.to {
                refuse_component(&self.component, path)?;
            }
        }
        Ok(())
    }

    /// Prints the summary and says how it went.
    fn conclude(&self, reporter: &Reporter, ending: Ending) -> Exit {
        let Ending { tally, error, input_failed, stopped, output_closed } = ending;
        let is_broken = error.is_some() || input_failed || stopped.is_some();
        if let Some(error) = error {
            reporter.console.error(&format!("{:#}", anyhow::Error::from(error)));
        }
        if let Some(stopped) = stopped {
            reporter.console.error(&stop_report(stopped));
        }
        if !self.quiet && !output_closed {
            reporter.summary(&tally);
        }
        if is_broken {
            Exit::Broke
        } else if tally.failed_batches > 0 {
            Exit::No
        } else {
            Exit::Yes
        }
    }
}

/// What a user who stopped a run has to know of its output.
fn stop_report(stopped: Stopped) -> String {
    match stopped {
        Stopped::Finished => "stopped: what had been read was finished, the rest of the input was not read".into(),
        Stopped::GivenUpAfter(grace) => format!(
            "stopped: what had been read was not finished within {} s and was given up; the output is incomplete",
            grace.as_secs()
        ),
    }
}

/// A problem of the parameters, in the words of this command line.
fn setting_problem(problem: &ConfigProblem) -> String {
    match problem {
        ConfigProblem::Missing { key, .. } => {
            format!("parameter \"{key}\" is required and has no value; give it with --set {key}=VALUE")
        }
        _ => format!("--set: {problem}"),
    }
}

impl Run {
    fn settings(&self) -> Settings {
        let format = match (self.envelope, &self.key_field) {
            (true, _) => Format::Envelope,
            (false, key_field) => Format::Plain { key_field: key_field.clone() },
        };
        Settings {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            format,
            partitions: self.partitions,
            caps: BatchCaps { records_max: self.max_records.get() as usize, bytes_max: self.max_bytes },
        }
    }
}

/// The conversation of this run. On files there is no pipeline and no deployment, so the streamlet's own name
/// stands for both; ports are bound to what they read and write.
fn start(descriptor: &Descriptor, config: Vec<(String, parameter::ParameterValue)>, settings: &Settings) -> Start {
    let is_for = |given: &Option<String>, name: &str| given.as_ref().is_none_or(|given| given == name);
    let inlets = descriptor.inlets.iter().filter_map(|inlet| {
        let own = settings.inputs.iter().filter(|input| is_for(&input.inlet, &inlet.name));
        let mut topics = own.map(|input| input.from.to_string()).collect::<Vec<_>>();
        if settings.inputs.is_empty() {
            topics.push(Location::Standard.to_string());
        }
        (!topics.is_empty()).then(|| Binding { port: inlet.name.clone(), topic: topics.join(",") })
    });
    let outlets = descriptor.outlets.iter().map(|outlet| {
        let own = settings.outputs.iter().find(|output| is_for(&output.outlet, &outlet.name));
        let to = own.map_or(&Location::Standard, |output| &output.to);
        Binding { port: outlet.name.clone(), topic: to.to_string() }
    });
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Start {
        conversation_id: format!("run-{}-{}", std::process::id(), since.as_millis()),
        pipeline: descriptor.name.clone(),
        streamlet: descriptor.name.clone(),
        config,
        inlets: inlets.collect(),
        outlets: outlets.collect(),
    }
}

/// Columns of the progress line: it must stay on one line of any terminal.
const PROGRESS_COLUMNS: usize = 79;

/// Tells a run to its user: on lines for people, or as log events for programs.
struct Reporter {
    console: Console,
    log_format: LogFormat,
    shows_progress: bool,
    /// What becomes of a poison record.
    fate: String,
}

impl Observer for Reporter {
    fn set_aside(&self, record: &FailedBatch) {
        match self.log_format {
            LogFormat::Json => telemetry::record_set_aside(record),
            LogFormat::Text => {
                let text = format!("{}: {}\n  at {}", self.fate, record.failure.headline(), record.read);
                self.console.note(&text);
            }
        }
    }

    fn failed(&self, batch: &FailedBatch) {
        match self.log_format {
            LogFormat::Json => telemetry::batch_failed(batch),
            LogFormat::Text => {
                let mut text = format!("{}\n  at {}", batch.failure.headline(), batch.read);
                for line in batch.failure.detail.lines() {
                    text.push_str("\n  ");
                    text.push_str(line);
                }
                self.console.error(&text);
            }
        }
    }

    fn input_failed(&self, error: &InputError) {
        let chain = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        self.console.error(&chain.map(ToString::to_string).collect::<Vec<_>>().join(": "));
    }

    fn progress(&self, tally: &Tally) {
        if self.shows_progress {
            self.console.progress(&tally.to_string().chars().take(PROGRESS_COLUMNS).collect::<String>());
        }
    }
}

impl Reporter {
    fn summary(&self, summary: &Tally) {
        match self.log_format {
            LogFormat::Json => telemetry::run_ended(summary),
            LogFormat::Text => self.console.line(&summary.to_string()),
        }
    }
}

/// A port's name and a location, divided at the first `=`; what stands before it is a name only if it could be one.
fn port(text: &str) -> (Option<String>, Location) {
    match text.split_once('=') {
        Some((name, location)) if names::check_port_name(name).is_ok() => {
            (Some(name.to_owned()), Location::parse(location))
        }
        _ => (None, Location::parse(text)),
    }
}

/// For a file whose name begins like an inlet's name that is none.
fn name_hint(path: &Path) -> String {
    let path = path.to_string_lossy();
    match path.split_once('=') {
        Some((name, _)) if !name.is_empty() && !name.contains(['/', '.']) => {
            format!("; if \"{name}\" is meant as an inlet: names of inlets are lower-case letters, digits and `-`")
        }
        _ => String::new(),
    }
}

fn input(text: &str) -> Result<Input, String> {
    let (inlet, from) = port(text);
    refuse_empty(&from)?;
    Ok(Input { inlet, from })
}

fn output(text: &str) -> Result<Output, String> {
    let (outlet, to) = port(text);
    refuse_empty(&to)?;
    Ok(Output { outlet, to })
}

fn refuse_empty(location: &Location) -> Result<(), String> {
    match location {
        Location::File(path) if path.as_os_str().is_empty() => Err("the file's name is empty".into()),
        _ => Ok(()),
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err("a setting is KEY=VALUE".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inlet_without_an_input_is_not_bound() {
        let text = include_str!("../../../examples/cart-router/flow/descriptor.json");
        let mut descriptor = streamlet_protocol::json::from_json(text).unwrap();
        let mut side = descriptor.inlets[0].clone();
        side.name = "side".into();
        descriptor.inlets.push(side);
        let settings = Settings {
            inputs: ["side=a", "side=-"].map(|text| input(text).unwrap()).into(),
            outputs: Vec::new(),
            format: Format::Envelope,
            partitions: 1,
            caps: BatchCaps::default(),
        };
        let bound = start(&descriptor, Vec::new(), &settings).inlets;
        assert_eq!(bound, [Binding { port: "side".into(), topic: "a,-".into() }]);
    }

    #[test]
    fn a_name_before_the_first_equals_sign_is_a_port() {
        let check = |text: &str, name: Option<&str>, location: &str| {
            let (found, at) = port(text);
            assert_eq!((found.as_deref(), at.to_string().as_str()), (name, location), "{text}");
        };
        check("in=events.ndjson", Some("in"), "events.ndjson");
        check("in=-", Some("in"), "-");
        check("-", None, "-");
        check("in=a=b", Some("in"), "a=b");
        check("./a=b", None, "./a=b");
        check("events.ndjson", None, "events.ndjson");
        assert!(input("in=").is_err() && input("").is_err() && setting("key").is_err());
    }
}
