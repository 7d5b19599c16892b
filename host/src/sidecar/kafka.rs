//! The sidecar role on Kafka: what it is told, by files and by flags.

pub mod client;
pub mod deployed;
pub mod hocon;
pub mod settings;
