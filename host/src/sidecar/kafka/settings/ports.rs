//! `flow.inlets` and `flow.outlets`: each port's topic, and its client's settings.

use streamlet_protocol::descriptor::{Direction, Port};
use streamlet_protocol::{names, units};

use super::keys::{Keys, Problems};
use super::parameters::unit_reason;
use super::problem::ConfProblem;
use super::{InletSettings, OutletSettings, TOPIC_RULE, is_topic, message_bytes_max};
use crate::sidecar::files::BatchCaps;
use crate::sidecar::kafka::client::{ClientSettings, Given, Identity, Role, translate};
use crate::sidecar::kafka::hocon::{Object, Value};

const INLET: &[&str] =
    &["topic", "group", "client-id", "bootstrap.servers", "connection-config", "consumer-config", "batch"];
const OUTLET: &[&str] = &["topic", "client-id", "bootstrap.servers", "connection-config", "producer-config"];
const BATCH: &[&str] = &["max-records", "max-bytes"];
const SERVERS: &str = "bootstrap.servers = \"HOST:PORT\"";

/// What is read of a port besides the port itself.
pub(super) struct Reading<'a> {
    /// `<pipeline>.<streamlet>`.
    pub(super) prefix: String,
    pub(super) problems: &'a mut Problems,
    pub(super) warnings: &'a mut Vec<String>,
}

impl Reading<'_> {
    /// The declared ports, each with its fields and the line of its key. Tells those that are missing or too many.
    pub(super) fn ports<'a>(
        &mut self,
        flow: &Keys<'a>,
        direction: Direction,
        declared: &'a [Port],
    ) -> Vec<(&'a str, &'a Object, usize)> {
        let block = flow.object(&format!("{direction}s"), self.problems);
        let line = block.map_or(flow.line, |(_, line)| line);
        let fields = block.map_or(&[][..], |(object, _)| object.fields.as_slice());
        for field in fields.iter().filter(|field| !declared.iter().any(|port| port.name == field.key)) {
            let names = declared.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
            let nearest = names::nearest(&field.key, names.iter().map(String::as_str)).map(str::to_owned);
            let name = field.key.clone();
            self.problems.add(field.line, ConfProblem::PortUndeclared { direction, name, nearest, names });
        }
        let mut found = Vec::new();
        for port in declared {
            let field = fields.iter().find(|field| field.key == port.name && field.value != Value::Null);
            match field.map(|field| (field, &field.value)) {
                Some((field, Value::Object(object))) => found.push((port.name.as_str(), object, field.line)),
                Some((field, other)) => {
                    let (key, within) = (port.name.clone(), format!("flow.{direction}s"));
                    let (expected, found) = ("an object", other.kind());
                    self.problems.add(field.line, ConfProblem::Kind { key, within, expected, found });
                }
                None => self.problems.add(line, ConfProblem::PortMissing { direction, name: port.name.clone() }),
            }
        }
        found
    }

    pub(super) fn inlet(&mut self, name: &str, object: &Object, line: usize) -> InletSettings {
        let keys = Keys::open(object, line, format!("inlet \"{name}\""), INLET, self.problems);
        let topic = self.topic(&keys);
        let default = format!("{}.{name}", self.prefix);
        let group = keys.optional("group", self.problems).unwrap_or(&default).to_owned();
        let caps = self.caps(&keys);
        let client = self.client(&keys, name, Role::Consumer, &group, caps);
        let record_bytes_max = message_bytes_max(&client);
        InletSettings { name: name.to_owned(), topic, group, client, caps, record_bytes_max }
    }

    pub(super) fn outlet(&mut self, name: &str, object: &Object, line: usize) -> OutletSettings {
        let keys = Keys::open(object, line, format!("outlet \"{name}\""), OUTLET, self.problems);
        let topic = self.topic(&keys);
        let client = self.client(&keys, name, Role::Producer, "", BatchCaps::default());
        let message_bytes_max = message_bytes_max(&client);
        OutletSettings { name: name.to_owned(), topic, client, message_bytes_max }
    }

    fn topic(&mut self, keys: &Keys<'_>) -> String {
        let topic = keys.required("topic", "topic = \"…\"", self.problems).unwrap_or_default();
        if !topic.is_empty() && !is_topic(topic) {
            let line = keys.field("topic").map_or(keys.line, |field| field.line);
            keys.wrong_value("topic", line, TOPIC_RULE, self.problems);
        }
        topic.to_owned()
    }

    fn caps(&mut self, keys: &Keys<'_>) -> BatchCaps {
        let mut caps = BatchCaps::default();
        let Some((batch, line)) = keys.object("batch", self.problems) else { return caps };
        let within = format!("batch of {}", keys.within);
        let batch = Keys::open(batch, line, within, BATCH, self.problems);
        if let Some((text, line)) = batch.text("max-records", self.problems) {
            match text.trim().parse() {
                Ok(records @ 1..) => caps.records_max = records,
                _ => batch.wrong_value("max-records", line, "a whole number from 1", self.problems),
            }
        }
        if let Some((text, line)) = batch.text("max-bytes", self.problems) {
            match units::parse_size(text).map(usize::try_from) {
                Ok(Ok(bytes @ 1..)) => caps.bytes_max = bytes,
                Ok(_) => batch.wrong_value("max-bytes", line, "a memory size from 1 B", self.problems),
                Err(reason) => {
                    let reason = unit_reason(text, &reason);
                    let expected = format!("a memory size, such as \"512k\" or \"1 MiB\": {reason}");
                    batch.wrong_value("max-bytes", line, &expected, self.problems);
                }
            }
        }
        caps
    }

    fn client(&mut self, keys: &Keys<'_>, port: &str, role: Role, group: &str, caps: BatchCaps) -> ClientSettings {
        let default = format!("{}.{port}", self.prefix);
        let client_id = keys.optional("client-id", self.problems).unwrap_or(&default);
        let bootstrap = self.servers(keys);
        let (direction, block) = match role {
            Role::Consumer => (Direction::Inlet, "consumer-config"),
            Role::Producer => (Direction::Outlet, "producer-config"),
        };
        let connection = self.block(keys, "connection-config");
        let own = self.block(keys, block);
        // The client's own block wins; `null` there takes away what the connection's block has.
        let shared = connection.into_iter().filter(|(given, _)| !own.iter().any(|(other, _)| other.key == given.key));
        let given = shared.chain(own.iter().cloned()).filter(|(_, is_set)| *is_set).map(|(given, _)| given);
        let identity = Identity { role, client_id, bootstrap: &bootstrap, group, caps };
        let translated = translate(&identity, &given.collect::<Vec<_>>());
        // What is missing has no line of its own.
        let place = |line: usize| if line == 0 { keys.line } else { line };
        for (line, problem) in translated.problems {
            let port = port.to_owned();
            self.problems.add(place(line), ConfProblem::Setting { direction, port, problem });
        }
        for (line, warning) in translated.warnings {
            let path = &self.problems.path;
            self.warnings.push(format!("{path}:{}: {direction} \"{port}\": {warning}", place(line)));
        }
        translated.settings
    }

    /// `bootstrap.servers`, a text or a list.
    fn servers(&mut self, keys: &Keys<'_>) -> String {
        match keys.field("bootstrap.servers") {
            Some(field) if matches!(field.value, Value::List(_)) => {
                let joined = joined(&field.value).filter(|joined| !joined.is_empty());
                if joined.is_none() {
                    keys.wrong_value("bootstrap.servers", field.line, "a list of HOST:PORT", self.problems);
                }
                joined.unwrap_or_default()
            }
            _ => keys.required("bootstrap.servers", SERVERS, self.problems).unwrap_or_default().to_owned(),
        }
    }

    /// The settings of a block, each with whether it is one: `null` is none.
    fn block(&mut self, keys: &Keys<'_>, key: &str) -> Vec<(Given, bool)> {
        let mut settings = Vec::new();
        if let Some((object, _)) = keys.object(key, self.problems) {
            let within = format!("{key} of {}", keys.within);
            self.settings(object, "", &within, &mut settings);
        }
        settings
    }

    fn settings(&mut self, object: &Object, above: &str, within: &str, settings: &mut Vec<(Given, bool)>) {
        for field in &object.fields {
            let key = format!("{above}{}", field.key);
            if let Value::Object(inner) = &field.value {
                self.settings(inner, &format!("{key}."), within, settings);
                continue;
            }
            match joined(&field.value) {
                Some(value) => {
                    settings.push((Given { key, line: field.line, value }, field.value != Value::Null));
                }
                None => {
                    let (within, expected) = (within.to_owned(), "a single value or a list of them");
                    let found = "a list of other things";
                    self.problems.add(field.line, ConfProblem::Kind { key, within, expected, found });
                }
            }
        }
    }
}

/// A setting's text: Java has lists as one text with commas.
fn joined(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Text(text) => Some(text.clone()),
        Value::List(values) => {
            let texts = values.iter().map(|value| match value {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            });
            Some(texts.collect::<Option<Vec<_>>>()?.join(","))
        }
        Value::Object(_) => None,
    }
}
