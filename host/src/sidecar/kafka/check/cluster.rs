//! The cluster behind the brokers: whether it lets a client in, and who it says it is.

use super::Problem;
use super::address::Address;
use super::client::Client;
use crate::sidecar::kafka::client::ClientSettings;

/// A cluster that has answered.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) id: Option<String>,
    /// Where it sends its clients.
    pub(super) brokers: Vec<Address>,
}

/// Asks it. Blocks, not for ever.
pub(super) fn ask(settings: &ClientSettings, topic: &str) -> Result<Cluster, Problem> {
    let client = Client::new(settings)?;
    let metadata = client.metadata(settings, topic)?;
    let brokers = metadata.brokers().iter().map(|broker| Address {
        host: broker.host().to_owned(),
        port: u16::try_from(broker.port()).unwrap_or_default(),
    });
    Ok(Cluster { brokers: brokers.collect(), id: client.cluster_id() })
}
