//! A Kafka client's settings: from the Java names that people have to those of librdkafka.
//!
//! Owns the table of names (`table` for Java's, `native` for librdkafka's own), the translation of values and
//! units, the defaults, and what must fit together. Refuses what would break delivery, what belongs to a key of its own,
//! and every name it does not know, with the nearest one it does; all of it at once. Warns of what has no effect here.
//! Never shows a value in a text, nor a secret in `Debug`. Reaches no network: values are checked by librdkafka's own
//! parser, a client is created by whoever runs.

pub use problem::{SettingProblem, SettingWarning};
pub use translation::{Given, Identity, Translated, translate};

mod assignor;
mod consistent;
mod defaults;
mod jaas;
mod native;
#[cfg(test)]
mod page;
mod problem;
mod sasl;
mod special;
mod stores;
mod table;
#[cfg(test)]
mod tests;
mod translation;
mod unit;

pub use defaults::MESSAGE_BYTES_MAX;

use std::collections::BTreeMap;
use std::fmt;

use rdkafka::ClientConfig;

/// Which side of a topic a client is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads, for an inlet.
    Consumer,
    /// Writes, for an outlet.
    Producer,
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Consumer => "consumer",
            Self::Producer => "producer",
        })
    }
}

/// librdkafka's settings of one client, by name, each under one name only. `Debug` hides secrets.
///
/// ```
/// use streamlet_host::sidecar::kafka::client::{ClientSettings, Role};
///
/// let mut settings = ClientSettings::new(Role::Consumer);
/// settings.set("sasl.password", "secret");
/// assert_eq!(settings.get("sasl.password"), Some("secret"));
/// assert!(!format!("{settings:?}").contains("\"secret\""));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSettings {
    role: Role,
    entries: BTreeMap<String, String>,
}

impl ClientSettings {
    /// No settings yet, not even defaults.
    pub fn new(role: Role) -> Self {
        Self { role, entries: BTreeMap::new() }
    }

    /// Which side it is on.
    pub fn role(&self) -> Role {
        self.role
    }

    /// `client.id`.
    pub fn client_id(&self) -> &str {
        self.get("client.id").unwrap_or_default()
    }

    /// `bootstrap.servers`.
    pub fn bootstrap(&self) -> &str {
        self.get("bootstrap.servers").unwrap_or_default()
    }

    /// A setting's value, by librdkafka's name; of two names for one setting by either.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.get(kept_as(key)).map(String::as_str)
    }

    /// Sets a value, in place of one there may be. Nothing is checked.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        self.entries.insert(kept_as(key).to_owned(), value.into());
    }

    /// Leaves a setting to librdkafka's default.
    pub fn remove(&mut self, key: &str) {
        self.entries.remove(kept_as(key));
    }

    /// Every setting, in order of name. Secrets are among them: this is for creating a client, not for showing.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// What a client is created from.
    pub fn config(&self) -> ClientConfig {
        self.entries.clone().into_iter().collect()
    }

    /// A whole number; none where it is not set.
    fn number(&self, key: &str) -> Option<i64> {
        self.get(key)?.parse().ok()
    }
}

impl fmt::Debug for ClientSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries().map(|(key, value)| (key, if is_secret(key) { "(hidden)" } else { value }));
        write!(formatter, "{} ", self.role)?;
        formatter.debug_map().entries(entries).finish()
    }
}

/// Whether a setting's value must not be shown, by its name, Java's or librdkafka's.
pub fn is_secret(key: &str) -> bool {
    const PARTS: [&str; 7] = ["password", "secret", "passphrase", "jaas", ".pem", "keystore.key", "certificate.chain"];
    PARTS.iter().any(|part| key.contains(part))
}

/// The name by which a setting is kept.
fn kept_as(key: &str) -> &str {
    native::find(key).map_or(key, |native| native.kept_as)
}
