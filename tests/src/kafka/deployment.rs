//! A streamlet as an operator deploys it on Kafka: a directory with `streamlet.conf` and `descriptor.json`, and flags.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::broker::unique;
use super::running::Running;
use super::{Group, Topic};
use crate::guests;
use crate::program::Program;

/// What every consumer of a test has: a member that was killed is given up soon.
const CONSUMER: [(&str, &str); 2] = [("session.timeout.ms", "3000"), ("heartbeat.interval.ms", "300")];

/// A deployment, which may be started any number of times.
#[derive(Debug, Clone)]
pub struct Deployment {
    binary: PathBuf,
    component: PathBuf,
    group: String,
    client_id: String,
    bootstrap: String,
    outlets_bootstrap: Option<String>,
    inlets: Vec<(String, String)>,
    outlets: Vec<(String, String)>,
    parameters: Vec<(String, String)>,
    consumer: Vec<(String, String)>,
    producer: Vec<(String, String)>,
    records_max: usize,
    flags: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Deployment {
    /// A guest of the tests on the brokers at `bootstrap`, run by the binary at `binary`, with no ports yet.
    pub fn new(binary: impl AsRef<Path>, package: &str, bootstrap: &str, group: &Group) -> Self {
        let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        Self {
            binary: binary.as_ref().to_owned(),
            component: guests::component(package),
            group: group.name().to_owned(),
            client_id: unique("member"),
            bootstrap: bootstrap.to_owned(),
            outlets_bootstrap: None,
            inlets: Vec::new(),
            outlets: Vec::new(),
            parameters: Vec::new(),
            consumer: CONSUMER.map(own).to_vec(),
            producer: Vec::new(),
            records_max: 100,
            flags: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// With an inlet.
    #[must_use]
    pub fn inlet(self, port: &str, topic: &Topic) -> Self {
        self.inlet_named(port, topic.name())
    }

    /// With an inlet on a topic that need not exist.
    #[must_use]
    pub fn inlet_named(mut self, port: &str, topic: &str) -> Self {
        self.inlets.push((port.to_owned(), topic.to_owned()));
        self
    }

    /// With an outlet.
    #[must_use]
    pub fn outlet(self, port: &str, topic: &Topic) -> Self {
        self.outlet_named(port, topic.name())
    }

    /// With an outlet on a topic that need not exist.
    #[must_use]
    pub fn outlet_named(mut self, port: &str, topic: &str) -> Self {
        self.outlets.push((port.to_owned(), topic.to_owned()));
        self
    }

    /// With its outlets on other brokers.
    #[must_use]
    pub fn outlets_at(self, bootstrap: &str) -> Self {
        Self { outlets_bootstrap: Some(bootstrap.to_owned()), ..self }
    }

    /// With a parameter.
    #[must_use]
    pub fn set(mut self, key: &str, value: &str) -> Self {
        self.parameters.push((key.to_owned(), value.to_owned()));
        self
    }

    /// With a setting of its consumers.
    #[must_use]
    pub fn consumer(mut self, key: &str, value: &str) -> Self {
        self.consumer.push((key.to_owned(), value.to_owned()));
        self
    }

    /// With a setting of its producers.
    #[must_use]
    pub fn producer(mut self, key: &str, value: &str) -> Self {
        self.producer.push((key.to_owned(), value.to_owned()));
        self
    }

    /// With at most so many records in a batch.
    #[must_use]
    pub fn records_max(self, records_max: usize) -> Self {
        Self { records_max, ..self }
    }

    /// With more flags.
    #[must_use]
    pub fn flags(mut self, flags: &[&str]) -> Self {
        self.flags.extend(flags.iter().map(|flag| (*flag).to_owned()));
        self
    }

    /// With this in its environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As another member, which has a client's name of its own.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { client_id: unique("member"), ..self.clone() }
    }

    /// The name of its clients.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Its `streamlet.conf`.
    pub fn conf(&self) -> String {
        let mut text = String::from("flow {\n  pipeline = tests\n  streamlet = tested\n");
        let _ = writeln!(text, "  config = {{{}}}", settings(&self.parameters));
        text.push_str("  inlets {\n");
        for (port, topic) in &self.inlets {
            let Self { group, client_id, bootstrap, records_max, .. } = self;
            let consumer = settings(&self.consumer);
            let _ = writeln!(
                text,
                "    {port} {{\n      topic = \"{topic}\"\n      group = \"{group}\"\n      client-id = \"{client_id}\"\n      \
                 bootstrap.servers = \"{bootstrap}\"\n      consumer-config {{{consumer}}}\n      \
                 batch {{ max-records = {records_max}, max-bytes = 1 MiB }}\n    }}"
            );
        }
        text.push_str("  }\n  outlets {\n");
        for (port, topic) in &self.outlets {
            let (client_id, producer) = (&self.client_id, settings(&self.producer));
            let bootstrap = self.outlets_bootstrap.as_ref().unwrap_or(&self.bootstrap);
            let _ = writeln!(
                text,
                "    {port} {{\n      topic = \"{topic}\"\n      client-id = \"{client_id}\"\n      \
                 bootstrap.servers = \"{bootstrap}\"\n      producer-config {{{producer}}}\n    }}"
            );
        }
        text.push_str("  }\n}\n");
        text
    }

    /// What the component declares, as it is deployed.
    pub fn descriptor(&self) -> String {
        static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let describe = || {
            let ran = Program::at(&self.binary).args(&["descriptor"]).arg(&self.component).run();
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            ran.stdout
        };
        known.entry(self.component.clone()).or_insert_with(describe).clone()
    }

    /// Starts it.
    #[track_caller]
    pub fn start(&self) -> Running {
        self.start_with(&self.conf(), &self.descriptor())
    }

    /// Starts it with these files.
    #[track_caller]
    pub fn start_with(&self, conf: &str, descriptor: &str) -> Running {
        let directory = std::env::temp_dir().join(format!("streamlet-tests-{}-{}", std::process::id(), unique("flow")));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("streamlet.conf"), conf).unwrap();
        fs::write(directory.join("descriptor.json"), descriptor).unwrap();
        let program = Program::at(&self.binary).args(&["run"]).arg(&self.component);
        let program = self.environment.iter().fold(program, |program, (name, value)| program.env(name, value));
        let flags = self.flags.iter().map(String::as_str).collect::<Vec<_>>();
        Running::start(program.args(&flags), directory)
    }
}

/// Settings as HOCON; a value is always text.
fn settings(settings: &[(String, String)]) -> String {
    settings.iter().fold(String::new(), |mut text, (key, value)| {
        let _ = writeln!(text, " \"{key}\" = \"{value}\"");
        text
    })
}
