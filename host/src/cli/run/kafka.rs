//! `streamlet run` on Kafka: sidecar and process in one.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::FalseyValueParser;
use streamlet_protocol::Descriptor;
use streamlet_protocol::units::{self, UnitError};

use super::super::config_files::ConfigFiles;
use super::super::limits::duration;
use super::super::{Exit, signals};
use super::Run;
use super::files::FileFlags;
use super::progress::{self, Printer, Told};
use crate::console::Console;
use crate::guest::Component;
use crate::sidecar::kafka::{self, Delivery, Monitor, Options, PortTopic, QuickFlags, RunError, Settings};

/// Flags of Kafka mode.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kafka")]
pub(super) struct KafkaFlags {
    /// Run on Kafka as the sidecar's own streamlet.conf and descriptor.json in this directory say
    #[arg(long, value_name = "DIR", env = "FLOW_CONFIG_DIR", conflicts_with_all = ["bootstrap", "inlets", "outlets", "group"])]
    config_dir: Option<PathBuf>,
    /// Run on Kafka without files: the brokers to begin with
    #[arg(long, value_name = "HOST:PORT,…", env = "STREAMLET_BOOTSTRAP")]
    bootstrap: Option<String>,
    /// With --bootstrap, the topic an inlet reads; repeatable; INLET= may be left out when there is one inlet
    #[arg(long = "inlet", value_name = "[INLET=]TOPIC", value_parser = port_topic, requires = "bootstrap")]
    inlets: Vec<PortTopic>,
    /// With --bootstrap, the topic an outlet writes; repeatable
    #[arg(long = "outlet", value_name = "[OUTLET=]TOPIC", value_parser = port_topic, requires = "bootstrap")]
    outlets: Vec<PortTopic>,
    /// With --bootstrap, the consumer group [default: STREAMLET.STREAMLET.INLET]
    #[arg(long, value_name = "GROUP", requires = "bootstrap", env = "STREAMLET_GROUP")]
    group: Option<String>,
    /// Write emits and commit offsets in one transaction
    #[arg(long, env = "STREAMLET_EXACTLY_ONCE", value_parser = FalseyValueParser::new())]
    exactly_once: bool,
    /// The transactions' id, which no other member may have [default: the group and a random suffix]
    #[arg(long, value_name = "ID", requires = "exactly_once", env = "STREAMLET_TRANSACTIONAL_ID")]
    transactional_id: Option<String>,
    /// Emits keep the timestamp of the record they were made from, instead of getting a new one
    #[arg(long, env = "STREAMLET_KEEP_TIMESTAMPS", value_parser = FalseyValueParser::new())]
    keep_timestamps: bool,
    /// Print progress and the summary to standard output, one JSON object a line
    #[arg(long, env = "STREAMLET_JSON", value_parser = FalseyValueParser::new())]
    json: bool,
    /// How long batches in flight may take once the run is to stop
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "8 s", env = "STREAMLET_DRAIN_GRACE")]
    drain_grace: Duration,
    /// Keep the files `ready` and `alive` in this directory
    #[arg(long, value_name = "DIR", env = "FLOW_STATE_DIR")]
    state_dir: Option<PathBuf>,
    /// Serve /metrics, /ready and /alive on this port; 0 lets the system choose
    #[arg(long, value_name = "PORT", env = "FLOW_METRICS_PORT")]
    metrics_port: Option<u16>,
    /// The address to serve them on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", env = "STREAMLET_METRICS_ADDRESS")]
    metrics_address: IpAddr,
    /// Warn of a partition that has not got past an error for so long; a bare number is milliseconds
    #[arg(long, value_name = "DURATION", value_parser = platform_duration, default_value = "5 m", env = "FLOW_STALL_WARNING_AFTER")]
    stall_warning_after: Duration,
    /// The longest wait before a failed batch, or a void conversation, is tried again; a bare number is milliseconds
    #[arg(long, value_name = "DURATION", value_parser = platform_duration, default_value = "30 s", env = "FLOW_RECONNECT_MAX_BACKOFF")]
    max_backoff: Duration,
}

/// Where the settings come from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Directory(&'a Path),
    Flags {
        /// The brokers.
        bootstrap: &'a str,
    },
}

#[expect(clippy::unnecessary_wraps, reason = "clap's shape of a parser that keeps its type simple")]
fn port_topic(text: &str) -> Result<PortTopic, String> {
    Ok(PortTopic::parse(text))
}

/// By the platform's rule, for what the platform's environment may hold.
fn platform_duration(text: &str) -> Result<Duration, UnitError> {
    units::parse_duration(text).map(Duration::from_nanos)
}

impl KafkaFlags {
    /// Where the settings come from; none means file mode.
    ///
    /// # Errors
    /// Flags of both modes.
    pub(super) fn source(&self, files: &FileFlags) -> anyhow::Result<Option<Source<'_>>> {
        let (source, flag) = match (&self.config_dir, &self.bootstrap) {
            (Some(directory), _) => (Source::Directory(directory), "--config-dir (or FLOW_CONFIG_DIR)"),
            (None, Some(bootstrap)) => (Source::Flags { bootstrap }, "--bootstrap (or STREAMLET_BOOTSTRAP)"),
            (None, None) => {
                anyhow::ensure!(
                    !self.exactly_once && !self.json && !self.keep_timestamps,
                    "--exactly-once, --keep-timestamps and --json are for Kafka; say which with --config-dir or --bootstrap"
                );
                return Ok(None);
            }
        };
        if let Some(given) = files.given() {
            anyhow::bail!("{given} reads or writes files, and {flag} runs on Kafka; leave one of them out");
        }
        Ok(Some(source))
    }
}

impl Run {
    /// Runs on Kafka until a signal comes.
    pub(super) async fn on_kafka(&self, source: Source<'_>, console: &Console) -> anyhow::Result<Exit> {
        // What is wrong with files is told before a component is compiled.
        let files = match source {
            Source::Directory(directory) => Some(ConfigFiles::read(directory)?),
            Source::Flags { .. } => None,
        };
        let component = match self.open(console).await? {
            Ok(component) => component,
            Err(exit) => return Ok(exit),
        };
        let descriptor = component.descriptor();
        if let Some(files) = &files
            && !files.agree(console, descriptor)
        {
            return Ok(Exit::No);
        }
        let Some(settings) = self.kafka_settings(source, files.as_ref(), console, descriptor)? else {
            return Ok(Exit::Broke);
        };
        for warning in &settings.warnings {
            tracing::warn!(target: "streamlet", "{warning}");
        }
        let options = self.kafka_options(&settings, descriptor)?;
        self.converse(&component, &settings, &options, console).await
    }

    /// The settings; none if there are problems, which have been reported.
    fn kafka_settings(
        &self,
        source: Source<'_>,
        files: Option<&ConfigFiles>,
        console: &Console,
        descriptor: &Descriptor,
    ) -> anyhow::Result<Option<Settings>> {
        let problems = match (source, files) {
            (Source::Flags { bootstrap }, _) => {
                let flags = QuickFlags {
                    bootstrap: bootstrap.to_owned(),
                    inlets: self.kafka.inlets.clone(),
                    outlets: self.kafka.outlets.clone(),
                    group: self.kafka.group.clone(),
                    parameters: self.settings.clone(),
                    caps: self.caps(),
                };
                match Settings::from_flags(&flags, descriptor) {
                    Ok(settings) => return Ok(Some(settings)),
                    Err(problems) => problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
                }
            }
            (Source::Directory(_), Some(files)) => {
                anyhow::ensure!(
                    self.settings.is_empty(),
                    "--set is for a run without --config-dir; there, parameters are in flow.config of streamlet.conf"
                );
                match Settings::from_conf(&files.conf, descriptor, &|name| std::env::var(name).ok()) {
                    Ok(settings) => return Ok(Some(settings)),
                    Err(problems) => problems.iter().map(ToString::to_string).collect(),
                }
            }
            (Source::Directory(_), None) => Vec::new(),
        };
        for problem in &problems {
            console.error(problem);
        }
        Ok(None)
    }

    fn kafka_options(&self, settings: &Settings, descriptor: &Descriptor) -> anyhow::Result<Options> {
        let KafkaFlags { transactional_id, .. } = &self.kafka;
        let delivery = if self.kafka.exactly_once {
            let group = settings.inlets.first().map_or(settings.streamlet.as_str(), |inlet| &inlet.group);
            let suffixed = || format!("{group}.{}", kafka::unique());
            Delivery::ExactlyOnce { transactional_id: transactional_id.clone().unwrap_or_else(suffixed) }
        } else {
            Delivery::AtLeastOnce
        };
        Ok(Options {
            delivery,
            policy: self.policy.resolve(descriptor)?,
            keep_timestamps: self.kafka.keep_timestamps,
            drain_grace: self.kafka.drain_grace,
            back_off_max: self.kafka.max_backoff,
            stall_warning_after: self.kafka.stall_warning_after,
            state_dir: self.kafka.state_dir.clone(),
            metrics: self.kafka.metrics_port.map(|port| SocketAddr::new(self.kafka.metrics_address, port)),
        })
    }

    async fn converse(
        &self,
        component: &Arc<Component>,
        settings: &Settings,
        options: &Options,
        console: &Console,
    ) -> anyhow::Result<Exit> {
        let began = Instant::now();
        let names = |ports: &[streamlet_protocol::Port]| ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
        let descriptor = component.descriptor();
        let monitor = Monitor::new(&names(&descriptor.inlets), &names(&descriptor.outlets), component.memory_bytes())?;
        let told = match (self.quiet, self.kafka.json) {
            (false, true) => Told::Program,
            (false, false) if console.shows_progress() => Told::Person,
            _ => Told::Nobody,
        };
        let printer = Arc::new(Printer::new());
        let telling =
            tokio::spawn(progress::tell(told, console.clone(), Arc::clone(&printer), Arc::clone(&monitor), began));
        let ended = kafka::run(component, settings, options, &monitor, signals::first()).await;
        telling.abort();
        if told == Told::Person {
            console.progress("");
        }
        let ending = match ended {
            Ok(ending) => ending,
            Err(error @ RunError::Clusters(_)) => {
                console.error(&error.to_string());
                return Ok(Exit::No);
            }
            Err(error) => return Err(error.into()),
        };
        if !ending.finished {
            let grace = options.drain_grace.as_secs_f64();
            console.error(&format!(
                "stopped: some batches in flight were not finished within {grace} s and were given up; nothing is lost, \
                 their records come again"
            ));
        }
        let state = monitor.state();
        if told == Told::Program {
            printer.print(&state, "ended", began);
            printer.finish();
        } else if !self.quiet {
            console.line(&progress::summary(&state, began.elapsed()));
        }
        Ok(if ending.finished { Exit::Yes } else { Exit::No })
    }
}
