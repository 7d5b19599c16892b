//! Whether inlets and outlets are on one cluster, which a transaction cannot do without.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rdkafka::error::KafkaResult;
use rdkafka::producer::{BaseProducer, Producer as _};
use tokio::task::spawn_blocking;

use super::client::ClientSettings;
use super::client_events::ClientEvents;
use super::monitor::Monitor;
use super::settings::Settings;
use crate::telemetry;

/// How long a cluster may take to say which one it is.
const ANSWER_WAIT: Duration = Duration::from_secs(5);
/// The wait before one that did not answer is asked again.
const RETRY_WAIT: Duration = Duration::from_secs(1);

/// Ports that no transaction can span.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "--exactly-once needs all ports on one cluster: {first} is on cluster {first_id}, {second} on cluster {second_id}; \
     leave it out, or move the topics together"
)]
pub struct ClustersError {
    first: String,
    first_id: String,
    second: String,
    second_id: String,
}

/// Asks the cluster of every port, as long as it takes.
pub(super) async fn check(settings: &Settings, monitor: &Arc<Monitor>) -> Result<(), ClustersError> {
    let inlets = settings.inlets.iter().map(|inlet| (format!("inlet \"{}\"", inlet.name), &inlet.client));
    let outlets = settings.outlets.iter().map(|outlet| (format!("outlet \"{}\"", outlet.name), &outlet.client));
    let mut known = BTreeMap::<String, String>::new();
    let mut first = None::<(String, String)>;
    for (port, client) in inlets.chain(outlets) {
        let id = match known.get(client.bootstrap()) {
            Some(id) => id.clone(),
            None => {
                let id = id_of(&port, client, monitor).await;
                known.insert(client.bootstrap().to_owned(), id.clone());
                id
            }
        };
        match &first {
            None => first = Some((port, id)),
            Some((_, first_id)) if *first_id == id => {}
            Some((first, first_id)) => {
                let (first, first_id) = (first.clone(), first_id.clone());
                return Err(ClustersError { first, first_id, second: port, second_id: id });
            }
        }
    }
    Ok(())
}

async fn id_of(port: &str, client: &ClientSettings, monitor: &Arc<Monitor>) -> String {
    let mut is_told = false;
    loop {
        let config = client.config();
        let asked = spawn_blocking(move || {
            let client: BaseProducer = config.create()?;
            KafkaResult::Ok(client.client().fetch_cluster_id(ANSWER_WAIT))
        });
        match asked.await {
            Ok(Ok(Some(id))) => return id,
            Ok(Err(error)) => ClientEvents::new(monitor).of(port).error(&error, ""),
            _ if std::mem::replace(&mut is_told, true) => {}
            _ => telemetry::cluster_silent(port, client.bootstrap()),
        }
        tokio::time::sleep(RETRY_WAIT).await;
    }
}
