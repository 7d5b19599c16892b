//! A `streamlet.conf` from its outside in.

use streamlet_protocol::Descriptor;
use streamlet_protocol::descriptor::Direction;
use streamlet_protocol::names;

use super::keys::{Keys, Problems};
use super::parameters;
use super::ports::Reading;
use super::problem::{ConfError, ConfProblem};
use super::{ConfFile, Settings};
use crate::sidecar::kafka::hocon::{self, Document, Object, Value};

const FLOW: &[&str] = &["pipeline", "streamlet", "config", "inlets", "outlets"];

pub(super) fn read(
    conf: &ConfFile,
    descriptor: &Descriptor,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Settings, Vec<ConfError>> {
    let document = hocon::parse(&conf.text, environment).map_err(|errors| {
        let located = errors.into_iter().map(|error| ConfError {
            path: conf.path.clone(),
            line: error.line,
            column: Some(error.column),
            problem: ConfProblem::Syntax(error.reason),
        });
        located.collect::<Vec<_>>()
    })?;
    let mut problems = Problems { path: conf.path.clone(), found: Vec::new() };
    siblings(&document, &mut problems);
    let settings = match document.root.get("flow").map(|field| (field.line, &field.value)) {
        Some((line, Value::Object(object))) => Some(flow(object, line, descriptor, &mut problems)),
        Some((line, other)) => {
            let (key, within) = ("flow".to_owned(), "the file".to_owned());
            problems.add(line, ConfProblem::Kind { key, within, expected: "an object", found: other.kind() });
            None
        }
        None => {
            let (within, example) = ("the file".to_owned(), "flow { pipeline = …, streamlet = …, inlets { … } }");
            problems.add(1, ConfProblem::Missing { key: "flow", within, example });
            None
        }
    };
    let mut found = problems.found;
    found.sort_by_key(|error| error.line);
    match settings {
        Some(settings) if found.is_empty() => Ok(settings),
        _ => Err(found),
    }
}

/// What is beside `flow` is there for substitutions, or by mistake.
fn siblings(document: &Document, problems: &mut Problems) {
    for field in &document.root.fields {
        if field.key == "flow" || document.referenced.contains(&field.key) {
            continue;
        }
        let nearest = names::nearest(&field.key, ["flow"]).map(str::to_owned);
        let (key, within, known) = (field.key.clone(), "the file".to_owned(), vec!["flow"]);
        problems.add(field.line, ConfProblem::Unknown { key, within, nearest, known });
    }
}

fn flow(object: &Object, line: usize, descriptor: &Descriptor, problems: &mut Problems) -> Settings {
    let keys = Keys::open(object, line, "flow".to_owned(), FLOW, problems);
    let pipeline = keys.required("pipeline", "pipeline = NAME", problems).unwrap_or_default();
    let streamlet = keys.required("streamlet", "streamlet = NAME", problems).unwrap_or_default();
    let empty = Object::default();
    let is_readable = keys.field("config").is_none_or(|field| matches!(field.value, Value::Object(_)));
    let (config, config_line) = keys.object("config", problems).unwrap_or((&empty, line));
    let config = if is_readable {
        parameters::resolve(config, config_line, &descriptor.parameters, problems)
    } else {
        Vec::new()
    };
    let mut warnings = Vec::new();
    let mut reading = Reading { prefix: format!("{pipeline}.{streamlet}"), problems, warnings: &mut warnings };
    let inlets = reading.ports(&keys, Direction::Inlet, &descriptor.inlets);
    let inlets = inlets.into_iter().map(|(name, object, line)| reading.inlet(name, object, line)).collect();
    let outlets = reading.ports(&keys, Direction::Outlet, &descriptor.outlets);
    let outlets = outlets.into_iter().map(|(name, object, line)| reading.outlet(name, object, line)).collect();
    Settings { pipeline: pipeline.to_owned(), streamlet: streamlet.to_owned(), config, inlets, outlets, warnings }
}
