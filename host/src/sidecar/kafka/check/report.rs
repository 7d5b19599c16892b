//! What was found, for programs as JSON and for people as lines.

use serde::Serialize;

use super::Problem;
use super::wire::ApiRange;

/// Everything that was looked at.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Each way to a cluster, in the order of the ports.
    pub accesses: Vec<AccessReport>,
    /// The ports whose cluster could be asked.
    pub ports: Vec<PortReport>,
}

/// One way to one cluster.
#[derive(Debug, Clone, Serialize)]
pub struct AccessReport {
    /// The ports that take it, by kind and name.
    pub of: String,
    /// The brokers of `bootstrap.servers`.
    pub brokers: Vec<BrokerReport>,
    /// Brokers that the cluster named beside those.
    pub advertised: Vec<BrokerReport>,
    /// What it is; none if it did not let us in.
    pub cluster: Option<ClusterReport>,
    /// What is wrong with it as a whole.
    pub problems: Vec<Problem>,
}

/// One broker.
#[derive(Debug, Clone, Default, Serialize)]
pub struct BrokerReport {
    /// As it was written.
    pub address: String,
    /// Where it was reached, once the name was resolved.
    pub reached: Option<String>,
    /// Its TLS, where that is asked for.
    pub tls: Option<TlsReport>,
    /// Which requests it takes, of those that are used.
    pub apis: Vec<ApiRange>,
    /// The mechanisms it takes, where SASL is asked for.
    pub mechanisms: Vec<String>,
    /// What is wrong with it.
    pub problem: Option<Problem>,
}

/// What a broker showed in its handshake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TlsReport {
    /// Such as `TLSv1.3`.
    pub version: String,
    /// Whom its certificate is for.
    pub names: String,
    /// Until when.
    pub expires: String,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusterReport {
    /// Its own name; none if it tells none.
    pub id: Option<String>,
    /// How many brokers it has.
    pub brokers: usize,
}

/// One port.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PortReport {
    /// Its kind and name.
    pub port: String,
    /// Its topic.
    pub topic: String,
    /// How many partitions that has; none if it is not there.
    pub partitions: Option<usize>,
    /// An inlet's group.
    pub group: Option<GroupReport>,
    /// What the group has committed, by partition.
    pub offsets: Vec<OffsetReport>,
    /// How many records it has still to read.
    pub lag: Option<i64>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// A consumer group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupReport {
    /// Its name.
    pub name: String,
    /// As the coordinator calls it; none if it knows no such group.
    pub state: Option<String>,
    /// Its strategy of assignment; empty without members.
    pub strategy: String,
    /// Who is in it.
    pub members: Vec<MemberReport>,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemberReport {
    /// Its `client.id`.
    pub client_id: String,
    /// Where it is.
    pub host: String,
}

/// Where a group is in a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OffsetReport {
    /// Which.
    pub partition: i32,
    /// The next record it will read; none if it has committed nothing.
    pub committed: Option<i64>,
    /// The first record there is.
    pub first: i64,
    /// The offset after the last.
    pub end: i64,
    /// How many records it has still to read.
    pub lag: i64,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.problems().next().is_none()
    }

    /// Everything that is wrong.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        let accesses = self.accesses.iter().flat_map(|access| {
            let brokers = access.brokers.iter().chain(&access.advertised);
            access.problems.iter().chain(brokers.filter_map(|broker| broker.problem.as_ref()))
        });
        accesses.chain(self.ports.iter().flat_map(|port| &port.problems))
    }
}

impl AccessReport {
    pub(super) fn new(of: String) -> Self {
        Self { of, brokers: Vec::new(), advertised: Vec::new(), cluster: None, problems: Vec::new() }
    }
}

impl PortReport {
    pub(super) fn failed(port: String, problem: Problem) -> Self {
        Self { port, problems: vec![problem], ..Self::default() }
    }
}
