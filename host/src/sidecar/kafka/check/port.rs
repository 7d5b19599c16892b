//! One port on its cluster: its topic, and an inlet's group with what it has still to read.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::metadata::{Metadata, MetadataPartition};
use rdkafka::{Offset, TopicPartitionList};

use super::client::{Client, Heard};
use super::{GroupReport, MemberReport, OffsetReport, PortReport, Problem};
use crate::sidecar::kafka::client::ClientSettings;
use crate::sidecar::kafka::settings::{InletSettings, OutletSettings};

/// How long each question about a group may take, tries included.
const GROUP_WAIT: Duration = Duration::from_secs(5);
/// The wait before a coordinator that is not ready is asked again.
const RETRY_WAIT: Duration = Duration::from_millis(200);
/// Partitions that a text names; more of them are no help.
const NAMED_MAX: usize = 10;

/// A port, with its settings.
#[derive(Debug)]
pub(super) enum Port {
    Inlet(InletSettings),
    Outlet(OutletSettings),
}

impl Port {
    pub(super) fn settings(&self) -> &ClientSettings {
        match self {
            Self::Inlet(inlet) => &inlet.client,
            Self::Outlet(outlet) => &outlet.client,
        }
    }

    pub(super) fn topic(&self) -> &str {
        match self {
            Self::Inlet(inlet) => &inlet.topic,
            Self::Outlet(outlet) => &outlet.topic,
        }
    }

    /// Its kind and name.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Inlet(inlet) => format!("inlet \"{}\"", inlet.name),
            Self::Outlet(outlet) => format!("outlet \"{}\"", outlet.name),
        }
    }

    /// Looks at it. Blocks, not for ever.
    pub(super) fn check(&self) -> PortReport {
        let mut report = PortReport { port: self.name(), topic: self.topic().to_owned(), ..PortReport::default() };
        if let Err(problem) = self.look(&mut report) {
            report.problems.push(problem);
        }
        report
    }

    fn look(&self, report: &mut PortReport) -> Result<(), Problem> {
        let client = Client::new(self.settings())?;
        let metadata = client.metadata(self.settings(), self.topic())?;
        let topic = partitions(&metadata, self.topic());
        if let Ok(partitions) = topic {
            report.partitions = Some(partitions.len());
            report.problems.extend(leaderless(self.topic(), partitions));
        }
        if let (Self::Inlet(inlet), Client::Consumer(consumer)) = (self, &client) {
            report.group = Some(group(consumer, &inlet.group)?);
            if let Ok(partitions) = topic {
                let ids = partitions.iter().map(MetadataPartition::id).collect::<Vec<_>>();
                report.offsets = offsets(consumer, inlet, &ids)?;
                report.lag = Some(report.offsets.iter().map(|offset| offset.lag).sum());
            }
        }
        topic.map(drop)
    }
}

/// The topic's partitions, if it is there.
fn partitions<'a>(metadata: &'a Metadata, topic: &str) -> Result<&'a [MetadataPartition], Problem> {
    let missing = || Problem::NoTopic { topic: topic.to_owned() };
    let found = metadata.topics().iter().find(|found| found.name() == topic).ok_or_else(missing)?;
    match found.error().map(RDKafkaErrorCode::from) {
        None if found.partitions().is_empty() => Err(missing()),
        None => Ok(found.partitions()),
        Some(RDKafkaErrorCode::UnknownTopicOrPartition | RDKafkaErrorCode::UnknownTopic) => Err(missing()),
        Some(code) => Err(Problem::Topic { topic: topic.to_owned(), reason: code.to_string() }),
    }
}

fn leaderless(topic: &str, partitions: &[MetadataPartition]) -> Option<Problem> {
    let without = partitions.iter().filter(|partition| partition.leader() < 0);
    let mut ids = without.map(|partition| partition.id().to_string()).collect::<Vec<_>>();
    if ids.len() > NAMED_MAX {
        ids.truncate(NAMED_MAX);
        ids.push("…".into());
    }
    (!ids.is_empty()).then(|| Problem::NoLeader { topic: topic.to_owned(), partitions: ids.join(", ") })
}

/// What the coordinator says of a group. One that nobody has used yet is unknown to it, which is no problem.
fn group(consumer: &BaseConsumer<Heard>, name: &str) -> Result<GroupReport, Problem> {
    let list = patiently(|| consumer.fetch_group_list(Some(name), GROUP_WAIT));
    let list = list.map_err(|error| problem("learn the state", name, &error))?;
    let found = list.groups().iter().find(|group| group.name() == name);
    let members = found.map(rdkafka::groups::GroupInfo::members).unwrap_or_default();
    let member = |member: &rdkafka::groups::GroupMemberInfo| MemberReport {
        client_id: member.client_id().to_owned(),
        host: member.client_host().trim_start_matches('/').to_owned(),
    };
    Ok(GroupReport {
        name: name.to_owned(),
        state: found.map(|group| group.state().to_owned()),
        strategy: found.map(|group| group.protocol().to_owned()).unwrap_or_default(),
        members: members.iter().map(member).collect(),
    })
}

/// What the group has committed, and what there is.
fn offsets(
    consumer: &BaseConsumer<Heard>,
    inlet: &InletSettings,
    partitions: &[i32],
) -> Result<Vec<OffsetReport>, Problem> {
    let list = |offset| list(&inlet.topic, partitions, offset);
    let look = || {
        let committed = consumer.committed_offsets(list(Offset::Invalid)?, GROUP_WAIT)?;
        // Of times these two are places: the first record, and the one that will come next.
        let first = consumer.offsets_for_times(list(Offset::Beginning)?, GROUP_WAIT)?;
        let end = consumer.offsets_for_times(list(Offset::End)?, GROUP_WAIT)?;
        KafkaResult::Ok((committed, first, end))
    };
    let (committed, first, end) =
        patiently(look).map_err(|error| problem("learn the offsets", &inlet.group, &error))?;
    let reads_from_the_end = inlet.client.get("auto.offset.reset") == Some("latest");
    let offset =
        |list: &TopicPartitionList, partition: i32| match list.find_partition(&inlet.topic, partition)?.offset() {
            Offset::Offset(offset) => Some(offset),
            _ => None,
        };
    let report = |&partition: &i32| {
        let (first, end) = (offset(&first, partition)?, offset(&end, partition)?);
        let committed = offset(&committed, partition);
        let next = committed.unwrap_or(if reads_from_the_end { end } else { first });
        // What was deleted meanwhile is not read any more.
        Some(OffsetReport { partition, committed, first, end, lag: (end - next.max(first)).max(0) })
    };
    Ok(partitions.iter().filter_map(report).collect())
}

fn list(topic: &str, partitions: &[i32], offset: Offset) -> KafkaResult<TopicPartitionList> {
    let mut list = TopicPartitionList::new();
    for partition in partitions {
        list.add_partition_offset(topic, *partition, offset)?;
    }
    Ok(list)
}

/// Asks again while the coordinator says that it is not ready, as one is that was started a moment ago.
fn patiently<T>(ask: impl Fn() -> KafkaResult<T>) -> KafkaResult<T> {
    let began = Instant::now();
    loop {
        match ask() {
            Err(error) if is_passing(&error) && began.elapsed() < GROUP_WAIT => std::thread::sleep(RETRY_WAIT),
            answer => return answer,
        }
    }
}

fn is_passing(error: &KafkaError) -> bool {
    use RDKafkaErrorCode::{CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator};
    let code = error.rdkafka_error_code();
    code.is_some_and(|code| matches!(code, CoordinatorLoadInProgress | CoordinatorNotAvailable | NotCoordinator))
}

fn problem(what: &'static str, group: &str, error: &KafkaError) -> Problem {
    let reason = error.rdkafka_error_code().map_or_else(|| error.to_string(), |code| code.to_string());
    Problem::Group { what, group: group.to_owned(), reason }
}
