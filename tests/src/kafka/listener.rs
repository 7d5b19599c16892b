//! The listeners of the tests' node, and a client's settings for each.

use rdkafka::ClientConfig;

/// How SASL lets a client in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// `PLAIN`.
    Plain,
    /// `SCRAM-SHA-256`.
    Scram256,
    /// `SCRAM-SHA-512`.
    Scram512,
}

impl Mechanism {
    /// All that the node lets in.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Scram256, Self::Scram512];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::Scram256 => "SCRAM-SHA-256",
            Self::Scram512 => "SCRAM-SHA-512",
        }
    }
}

/// A way to the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// `PLAINTEXT`.
    Plaintext,
    /// `SASL_PLAINTEXT`.
    Sasl(Mechanism),
    /// `SSL`; its certificate is for 127.0.0.1 alone.
    Ssl,
    /// `SASL_SSL`.
    SaslSsl(Mechanism),
}

impl Listener {
    /// `security.protocol`, which is also the listener's name.
    pub fn protocol(self) -> &'static str {
        match self {
            Self::Plaintext => "PLAINTEXT",
            Self::Sasl(_) => "SASL_PLAINTEXT",
            Self::Ssl => "SSL",
            Self::SaslSsl(_) => "SASL_SSL",
        }
    }

    /// Its mechanism, where it has SASL.
    pub fn mechanism(self) -> Option<Mechanism> {
        match self {
            Self::Sasl(mechanism) | Self::SaslSsl(mechanism) => Some(mechanism),
            Self::Plaintext | Self::Ssl => None,
        }
    }

    /// Whether it has TLS.
    pub fn is_encrypted(self) -> bool {
        matches!(self, Self::Ssl | Self::SaslSsl(_))
    }
}

/// What of a node a client has to know.
#[derive(Debug)]
pub(super) struct Access<'a> {
    pub address: &'a str,
    pub ca: &'a str,
    pub username: &'a str,
    pub password: &'a str,
}

/// Settings, by librdkafka's names.
pub(super) fn client(listener: Listener, access: &Access<'_>) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", access.address).set("security.protocol", listener.protocol());
    if listener.is_encrypted() {
        config.set("ssl.ca.location", access.ca);
    }
    if let Some(mechanism) = listener.mechanism() {
        config.set("sasl.mechanism", mechanism.name());
        config.set("sasl.username", access.username).set("sasl.password", access.password);
    }
    config
}
