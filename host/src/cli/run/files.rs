//! `streamlet run` on files and standard input.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use clap::builder::FalseyValueParser;
use streamlet_protocol::parameter::ParameterValue;
use streamlet_protocol::{Descriptor, names};

use super::super::log::LogFormat;
use super::super::open::refuse_component;
use super::super::{Exit, signals};
use super::Run;
use super::reporter::Reporter;
use crate::batch::{Binding, Start};
use crate::console::Console;
use crate::sidecar::BatchCaps;
use crate::sidecar::files::{self, Ending, Format, Input, Location, Observer, Output, Settings, Stopped};

/// Flags of file mode.
#[derive(Debug, Args)]
pub(super) struct FileFlags {
    /// Read an inlet's records from a file, or from standard input (`-`); repeatable; INLET= may be left out when there
    /// is one inlet; without any, standard input
    #[arg(long = "input", value_name = "[INLET=]FILE", value_parser = input)]
    pub(super) inputs: Vec<Input>,
    /// Write an outlet's emits to a file, replacing it, instead of to standard output; repeatable
    #[arg(long = "output", value_name = "[OUTLET=]FILE", value_parser = output)]
    pub(super) outputs: Vec<Output>,
    /// Take each record's key from this top-level field of its value, which is a JSON object then
    #[arg(long, value_name = "FIELD", conflicts_with = "envelope", env = "STREAMLET_KEY_FIELD")]
    key_field: Option<String>,
    /// Read envelopes: {"key": …, "headers": […], "value": …}
    #[arg(long, env = "STREAMLET_ENVELOPE", value_parser = FalseyValueParser::new())]
    envelope: bool,
    /// Partitions per inlet; keyed records go where Kafka's Java client would put them, others take turns
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=4096), env = "STREAMLET_PARTITIONS")]
    partitions: u32,
}

impl Run {
    /// Runs on files and standard input.
    pub(super) async fn on_files(&self, console: &Console, log_format: LogFormat) -> anyhow::Result<Exit> {
        self.check_inputs(console)?;
        self.check_outputs()?;
        let component = match self.open(console).await? {
            Ok(component) => component,
            Err(exit) => return Ok(exit),
        };
        let Some(config) = self.config(console, component.descriptor()) else { return Ok(Exit::Broke) };
        let policy = self.policy.resolve(component.descriptor())?;
        let settings = self.files.settings(self.caps());
        let start = start(component.descriptor(), config, &settings);
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
        for input in &self.files.inputs {
            if let Location::File(path) = &input.from
                && let Err(error) = std::fs::metadata(path)
            {
                anyhow::bail!("cannot read input \"{}\": {error}{}", path.display(), name_hint(path));
            }
        }
        if self.files.inputs.is_empty() && std::io::stdin().is_terminal() && !self.quiet {
            console.line("reading records from standard input, one a line, until its end (Ctrl-D)");
        }
        Ok(())
    }

    /// An output that is the component would be emptied before anything is known of it.
    fn check_outputs(&self) -> anyhow::Result<()> {
        for output in &self.files.outputs {
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

impl FileFlags {
    /// One of them that is given, on the command line or in the environment.
    #[cfg(feature = "kafka")]
    pub(super) fn given(&self) -> Option<&'static str> {
        [
            (!self.inputs.is_empty(), "--input"),
            (!self.outputs.is_empty(), "--output"),
            (self.key_field.is_some(), "--key-field"),
            (self.envelope, "--envelope"),
        ]
        .into_iter()
        .find_map(|(is_given, flag)| is_given.then_some(flag))
    }

    fn settings(&self, caps: BatchCaps) -> Settings {
        let format = match (self.envelope, &self.key_field) {
            (true, _) => Format::Envelope,
            (false, key_field) => Format::Plain { key_field: key_field.clone() },
        };
        Settings {
            inputs: self.inputs.clone(),
            outputs: self.outputs.clone(),
            format,
            partitions: self.partitions,
            caps,
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

/// The conversation of this run. On files there is no pipeline and no deployment, so the streamlet's own name
/// stands for both; ports are bound to what they read and write.
fn start(descriptor: &Descriptor, config: Vec<(String, ParameterValue)>, settings: &Settings) -> Start {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inlet_without_an_input_is_not_bound() {
        let text = include_str!("../../../../examples/cart-router/flow/descriptor.json");
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
        assert!(input("in=").is_err() && input("").is_err());
    }
}
