//! What a run on Kafka is told: by the sidecar's own `streamlet.conf`, or by a few flags.
//!
//! Owns the shape of both, their defaults, and the check against what the component declares: the ports are exactly its
//! own, the parameters are of their types. Refuses unknown keys, and tells every problem at once, with file and line.
//! Reads no file, no environment and no network: texts and a look-up are handed in. Never shows a configured value.

pub use flags::{FlagProblem, PortTopic, QuickFlags};
pub use problem::{ConfError, ConfProblem};

mod conf;
mod flags;
mod keys;
mod parameters;
mod ports;
mod problem;
#[cfg(test)]
mod tests;

use streamlet_protocol::{Descriptor, ParameterValue};

use super::client::{ClientSettings, MESSAGE_BYTES_MAX};
use crate::sidecar::files::BatchCaps;

/// Everything a run on Kafka is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The pipeline's name.
    pub pipeline: String,
    /// The deployment's name, which need not be the descriptor's.
    pub streamlet: String,
    /// A value for each declared parameter, in the order of declaration.
    pub config: Vec<(String, ParameterValue)>,
    /// The inlets, in the descriptor's order.
    pub inlets: Vec<InletSettings>,
    /// The outlets, in the descriptor's order.
    pub outlets: Vec<OutletSettings>,
    /// What has no effect or another one than written, a line each. Without values.
    pub warnings: Vec<String>,
}

/// Where an inlet reads, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InletSettings {
    /// The inlet's name.
    pub name: String,
    /// What it reads.
    pub topic: String,
    /// The consumer group.
    pub group: String,
    /// The consumer's settings, its group among them.
    pub client: ClientSettings,
    /// How much a batch may hold.
    pub caps: BatchCaps,
    /// The most a record may weigh: the consumer's `message.max.bytes`.
    pub record_bytes_max: usize,
}

/// Where an outlet writes, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutletSettings {
    /// The outlet's name.
    pub name: String,
    /// What it writes.
    pub topic: String,
    /// The producer's settings.
    pub client: ClientSettings,
    /// The most an emit may weigh: the producer's `message.max.bytes`.
    pub message_bytes_max: usize,
}

/// A `streamlet.conf`. `Debug` shows its path only.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfFile {
    /// For messages.
    pub path: String,
    /// HOCON.
    pub text: String,
}

impl std::fmt::Debug for ConfFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.path)
    }
}

impl Settings {
    /// Reads a `streamlet.conf` for a component. Substitutions are looked up in the file, and then in `environment`.
    pub fn from_conf(
        conf: &ConfFile,
        descriptor: &Descriptor,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Vec<ConfError>> {
        conf::read(conf, descriptor, environment)
    }

    /// Takes the flags of the quick case. Pipeline and streamlet have the descriptor's name.
    pub fn from_flags(flags: &QuickFlags, descriptor: &Descriptor) -> Result<Self, Vec<FlagProblem>> {
        flags::read(flags, descriptor)
    }
}

/// A client's `message.max.bytes`.
fn message_bytes_max(client: &ClientSettings) -> usize {
    client.get("message.max.bytes").and_then(|bytes| bytes.parse().ok()).unwrap_or(MESSAGE_BYTES_MAX)
}

/// Whether Kafka allows a topic of this name. A `^` at its beginning would make a pattern of it, too.
fn is_topic(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=249).contains(&name.len()) && name != "." && name != ".." && name.bytes().all(is_allowed)
}

/// The rule of [`is_topic`], in words.
const TOPIC_RULE: &str = "a topic's name: 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-'";
