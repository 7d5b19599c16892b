//! Looks at Kafka as a run would find it, and says in plain words what is wrong; `streamlet kafka check` prints it.
//!
//! Ports whose clients reach the same cluster in the same way are looked at together: each broker's name, socket, TLS,
//! and what it answers to requests of our own, since librdkafka tells none of its versions and mechanisms (`probe`,
//! `tls`, `wire`); whether a Kerberos ticket can be had, where one is needed (`ticket`); then, through librdkafka
//! with the port's own settings, whether the cluster lets the client in (`cluster`), and each port's topic, group and
//! lag (`port`). Nothing is written, nobody joins a group, no topic is created. No value of a record and no secret is in
//! any text. It ends by itself: every wait has an end.

mod access;
mod address;
mod client;
mod cluster;
mod port;
mod probe;
mod problem;
mod report;
mod ticket;
mod tls;
mod wire;

use std::time::Duration;

use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use access::Access;
use port::Port;
use probe::Origin;
pub use problem::Problem;
pub use report::{
    AccessReport, BrokerReport, ClusterReport, GroupReport, MemberReport, OffsetReport, PortReport, Report, TlsReport,
};
pub use wire::{ApiRange, api_name};

use super::settings::Settings;

/// How long everything of one cluster may take: the sum of the waits of its parts.
const ACCESS_WAIT: Duration = Duration::from_secs(110);

/// Looks at everything that the ports of `settings` need.
pub async fn check(settings: &Settings) -> Report {
    let mut checks = JoinSet::new();
    for (index, access) in Access::all(settings).into_iter().enumerate() {
        checks.spawn(async move {
            let name = access.name();
            let checked = timeout(ACCESS_WAIT, one(access)).await;
            (index, checked.unwrap_or_else(|_| given_up(name)))
        });
    }
    let mut checked = checks.join_all().await;
    checked.sort_by_key(|(index, _)| *index);
    let (accesses, ports): (Vec<_>, Vec<_>) = checked.into_iter().map(|(_, checked)| checked).unzip();
    Report { accesses, ports: ports.concat() }
}

/// One way to one cluster, and the ports that take it.
async fn one(access: Access) -> (AccessReport, Vec<PortReport>) {
    let mut report = AccessReport::new(access.name());
    match address::parse(access.settings.bootstrap()) {
        Ok(addresses) => report.brokers = probe::all(&addresses, Origin::Bootstrap, &access.settings).await,
        Err(problem) => report.problems.push(problem),
    }
    if !report.brokers.iter().any(|broker| broker.problem.is_none()) {
        return (report, Vec::new());
    }
    let settings = access.settings.clone();
    let topic = access.ports.first().map(|port| port.topic().to_owned()).unwrap_or_default();
    let asked = blocking(move || ticket::get(&settings).and_then(|()| cluster::ask(&settings, &topic)));
    match asked.await {
        Ok(cluster) => {
            let told = cluster.brokers.iter().cloned();
            let unseen = told.filter(|told| !report.brokers.iter().any(|broker| broker.address == told.to_string()));
            let unseen = unseen.take(address::BROKERS_MAX).collect::<Vec<_>>();
            report.advertised = probe::all(&unseen, Origin::Cluster, &access.settings).await;
            report.cluster = Some(ClusterReport { id: cluster.id, brokers: cluster.brokers.len() });
        }
        Err(problem) => {
            report.problems.push(problem);
            return (report, Vec::new());
        }
    }
    let mut checks = JoinSet::new();
    for (index, port) in access.ports.into_iter().enumerate() {
        let name = port.name();
        checks.spawn(async move {
            let checked = blocking(move || Ok(port.check())).await;
            (index, checked.unwrap_or_else(|problem| PortReport::failed(name, problem)))
        });
    }
    let mut checked = checks.join_all().await;
    checked.sort_by_key(|(index, _)| *index);
    (report, checked.into_iter().map(|(_, port)| port).collect())
}

/// A look that did not end in time: a name server, perhaps, that answers nothing.
fn given_up(name: String) -> (AccessReport, Vec<PortReport>) {
    let problem = Problem::GivenUp { seconds: ACCESS_WAIT.as_secs() };
    (AccessReport { problems: vec![problem], ..AccessReport::new(name) }, Vec::new())
}

/// Runs what blocks on a thread of its own.
async fn blocking<T: Send + 'static>(look: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    spawn_blocking(look).await.unwrap_or(Err(Problem::Ours))
}
