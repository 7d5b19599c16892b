//! The quick case: brokers, topics and a group by flags. Their author is the one who reads a problem, so that texts are
//! quoted here.

use streamlet_protocol::descriptor::{Direction, Port};
use streamlet_protocol::parameter::{ConfigProblem, resolve_text};
use streamlet_protocol::{Descriptor, names};
use thiserror::Error;

use super::{InletSettings, OutletSettings, Settings, TOPIC_RULE, is_topic, message_bytes_max};
use crate::sidecar::files::BatchCaps;
use crate::sidecar::kafka::client::{Identity, Role, translate};

/// What the flags say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickFlags {
    /// `--bootstrap HOST:PORT`.
    pub bootstrap: String,
    /// `--inlet [INLET=]TOPIC`.
    pub inlets: Vec<PortTopic>,
    /// `--outlet [OUTLET=]TOPIC`.
    pub outlets: Vec<PortTopic>,
    /// `--group GROUP`. Of several inlets each has its own, `GROUP.INLET`.
    pub group: Option<String>,
    /// `--set KEY=VALUE`.
    pub parameters: Vec<(String, String)>,
    /// How much a batch may hold.
    pub caps: BatchCaps,
}

/// A port's topic. Without a name it belongs to the only port of its direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortTopic {
    /// The port's name.
    pub port: Option<String>,
    /// The topic's.
    pub topic: String,
}

impl PortTopic {
    /// `PORT=TOPIC` or `TOPIC`. Neither name can have a `=`.
    pub fn parse(text: &str) -> Self {
        match text.split_once('=') {
            Some((port, topic)) => Self { port: Some(port.to_owned()), topic: topic.to_owned() },
            None => Self { port: None, topic: text.to_owned() },
        }
    }
}

/// Why the flags cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FlagProblem {
    /// Nothing to connect to.
    #[error("--bootstrap is empty; give it a broker, as in --bootstrap localhost:9092")]
    BootstrapEmpty,
    /// A port that the component does not declare.
    #[error("--{direction}: there is no {direction} {name:?}; {}", declared(*direction, names, nearest.as_deref()))]
    PortUndeclared {
        /// Which way.
        direction: Direction,
        /// As given.
        name: String,
        /// The declared name most like it.
        nearest: Option<String>,
        /// The declared names.
        names: Vec<String>,
    },
    /// A topic without a port, which could be any of several, or none.
    #[error("--{direction} {topic} needs the name of its {direction}, as in --{direction} {}={topic}; {}", names.first().map_or("NAME", String::as_str), declared(*direction, names, None))]
    PortNameless {
        /// Which way.
        direction: Direction,
        /// As given.
        topic: String,
        /// The declared names.
        names: Vec<String>,
    },
    /// A port with two topics.
    #[error("{direction} {name:?} is given two topics; give it one")]
    PortTwice {
        /// Which way.
        direction: Direction,
        /// Its name.
        name: String,
    },
    /// A declared port without a topic.
    #[error("{direction} {name:?} has no topic; give it with --{direction} {name}=TOPIC")]
    PortMissing {
        /// Which way.
        direction: Direction,
        /// Its name.
        name: String,
    },
    /// Not a name for a topic.
    #[error("{direction} {name:?}: {topic:?} is not {TOPIC_RULE}")]
    Topic {
        /// Which way.
        direction: Direction,
        /// The port's name.
        name: String,
        /// As given.
        topic: String,
    },
    /// Not a name for a group.
    #[error("--group is empty; leave it out, or name the consumer group")]
    GroupEmpty,
    /// A required parameter without a value.
    #[error("parameter {0:?} is required and has no value; give it with --set {0}=VALUE")]
    ParameterMissing(String),
    /// Anything else about a parameter.
    #[error("--set: {0}")]
    Parameter(ConfigProblem),
}

pub(super) fn read(flags: &QuickFlags, descriptor: &Descriptor) -> Result<Settings, Vec<FlagProblem>> {
    let mut problems = Vec::new();
    if flags.bootstrap.trim().is_empty() {
        problems.push(FlagProblem::BootstrapEmpty);
    }
    if flags.group.as_ref().is_some_and(|group| group.trim().is_empty()) {
        problems.push(FlagProblem::GroupEmpty);
    }
    let inlets = bind(Direction::Inlet, &flags.inlets, &descriptor.inlets, &mut problems);
    let outlets = bind(Direction::Outlet, &flags.outlets, &descriptor.outlets, &mut problems);
    let config = match resolve_text(&descriptor.parameters, &flags.parameters) {
        Ok(resolved) => resolved.values,
        Err(found) => {
            problems.extend(found.into_iter().map(|problem| match problem {
                ConfigProblem::Missing { key, .. } => FlagProblem::ParameterMissing(key),
                problem => FlagProblem::Parameter(problem),
            }));
            Vec::new()
        }
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let name = &descriptor.name;
    let (pipeline, streamlet) = (name.clone(), name.clone());
    let is_only = inlets.len() == 1;
    let inlets = inlets.into_iter().map(|(port, topic)| inlet(flags, name, port, topic, is_only)).collect();
    let outlets = outlets.into_iter().map(|(port, topic)| outlet(flags, name, port, topic)).collect();
    Ok(Settings { pipeline, streamlet, config, inlets, outlets, warnings: Vec::new() })
}

fn inlet(flags: &QuickFlags, streamlet: &str, port: String, topic: String, is_only: bool) -> InletSettings {
    let client_id = format!("{streamlet}.{streamlet}.{port}");
    let group = match &flags.group {
        None => client_id.clone(),
        Some(group) if is_only => group.clone(),
        // Members of one group that read different topics would rebalance each other.
        Some(group) => format!("{group}.{port}"),
    };
    let caps = flags.caps;
    let identity =
        Identity { role: Role::Consumer, client_id: &client_id, bootstrap: &flags.bootstrap, group: &group, caps };
    let client = translate(&identity, &[]).settings;
    let record_bytes_max = message_bytes_max(&client);
    InletSettings { name: port, topic, group, client, caps, record_bytes_max }
}

fn outlet(flags: &QuickFlags, streamlet: &str, port: String, topic: String) -> OutletSettings {
    let client_id = format!("{streamlet}.{streamlet}.{port}");
    let identity = Identity {
        role: Role::Producer,
        client_id: &client_id,
        bootstrap: &flags.bootstrap,
        group: "",
        caps: flags.caps,
    };
    let client = translate(&identity, &[]).settings;
    let message_bytes_max = message_bytes_max(&client);
    OutletSettings { name: port, topic, client, message_bytes_max }
}

/// Each declared port with its topic.
fn bind(
    direction: Direction,
    given: &[PortTopic],
    declared: &[Port],
    problems: &mut Vec<FlagProblem>,
) -> Vec<(String, String)> {
    let names = || declared.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
    let mut bound: Vec<(&str, &str)> = Vec::new();
    for PortTopic { port, topic } in given {
        let found = match (port, declared) {
            (None, [only]) => Some(only),
            (None, _) => {
                problems.push(FlagProblem::PortNameless { direction, topic: topic.clone(), names: names() });
                continue;
            }
            (Some(name), _) => declared.iter().find(|port| port.name == *name),
        };
        let Some(found) = found else {
            let name = port.clone().unwrap_or_default();
            let nearest = names::nearest(&name, declared.iter().map(|port| port.name.as_str())).map(str::to_owned);
            problems.push(FlagProblem::PortUndeclared { direction, name, nearest, names: names() });
            continue;
        };
        if bound.iter().any(|(name, _)| *name == found.name) {
            problems.push(FlagProblem::PortTwice { direction, name: found.name.clone() });
        }
        if !is_topic(topic) {
            let (name, topic) = (found.name.clone(), topic.clone());
            problems.push(FlagProblem::Topic { direction, name, topic });
        }
        bound.push((&found.name, topic));
    }
    let mut topics = Vec::new();
    for port in declared {
        match bound.iter().find(|(name, _)| *name == port.name) {
            Some((name, topic)) => topics.push(((*name).to_owned(), (*topic).to_owned())),
            None => problems.push(FlagProblem::PortMissing { direction, name: port.name.clone() }),
        }
    }
    topics
}

fn declared(direction: Direction, names: &[String], nearest: Option<&str>) -> String {
    let names = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    match nearest {
        _ if names.is_empty() => format!("the streamlet declares no {direction}"),
        Some(nearest) => format!("did you mean \"{nearest}\"? declared: {names}"),
        None => format!("declared: {names}"),
    }
}
