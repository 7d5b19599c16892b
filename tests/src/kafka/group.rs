//! What the coordinator knows of a consumer group.

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::groups::{GroupInfo, GroupMemberInfo};

use super::broker::unique;
use super::{Broker, Listener, until};

/// How long the coordinator may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A consumer group.
#[derive(Debug, Clone)]
pub struct Group {
    name: String,
    client: ClientConfig,
}

/// A member, and what it has been given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Member {
    /// Its `client.id`.
    pub client_id: String,
    /// Its partitions, by topic, in order. Empty while the group is being put in order.
    pub partitions: Vec<(String, i32)>,
}

impl Broker {
    /// A group that no other test uses, named after `name`.
    pub fn group(&self, name: &str) -> Group {
        self.group_named(&unique(name))
    }

    /// The group with exactly this name.
    pub fn group_named(&self, name: &str) -> Group {
        Group::of(name, self.client(Listener::Plaintext))
    }
}

impl Group {
    pub(super) fn of(name: &str, client: ClientConfig) -> Self {
        Self { name: name.to_owned(), client }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its state, such as `Stable`, `Empty`, `PreparingRebalance`, or `Dead` if there is none.
    pub fn state(&self) -> String {
        self.look(|group| group.state().to_owned()).unwrap_or_else(|| "Dead".to_owned())
    }

    /// Its members, in the order of their client's ids.
    pub fn members(&self) -> Vec<Member> {
        self.look(members).unwrap_or_default()
    }

    /// Waits until it is stable with this many members that have a partition each, at least, and gives them.
    ///
    /// # Panics
    /// It does not become so.
    #[track_caller]
    pub fn wait_stable(&self, count: usize) -> Vec<Member> {
        until(&format!("group {} stable with {count} members", self.name), || {
            let found = self.look(|group| (group.state() == "Stable").then(|| members(group)))??;
            // Cooperative members give partitions up in one generation and get them in the next.
            let is_done = found.len() == count && found.iter().all(|member| !member.partitions.is_empty());
            is_done.then_some(found)
        })
    }

    /// Settings of a consumer in it, through `PLAINTEXT`, from the beginning, that commits nothing by itself.
    pub fn consumer(&self) -> ClientConfig {
        let mut config = self.client.clone();
        config.set("group.id", &self.name).set("auto.offset.reset", "earliest").set("enable.auto.commit", "false");
        config
    }

    /// What the coordinator says, if it knows the group; it is asked again while it moves.
    #[track_caller]
    fn look<T>(&self, part: impl Fn(&GroupInfo) -> T) -> Option<T> {
        let consumer: BaseConsumer = self.client.create().expect("a client");
        until(&format!("what is said of group {}", self.name), || {
            let list = consumer.fetch_group_list(Some(&self.name), ANSWERS_WITHIN).ok()?;
            Some(list.groups().first().map(&part))
        })
    }
}

/// Members in order.
fn members(group: &GroupInfo) -> Vec<Member> {
    let member = |member: &GroupMemberInfo| Member {
        client_id: member.client_id().to_owned(),
        partitions: member.assignment().map(partitions).unwrap_or_default(),
    };
    let mut members = group.members().iter().map(member).collect::<Vec<_>>();
    members.sort();
    members
}

/// The partitions of an assignment, by the consumer protocol: version, then topics with their partitions.
fn partitions(assignment: &[u8]) -> Vec<(String, i32)> {
    fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
        let (taken, left) = rest.split_at_checked(count)?;
        *rest = left;
        Some(taken)
    }
    fn number(rest: &mut &[u8]) -> Option<i32> {
        Some(i32::from_be_bytes(take(rest, 4)?.try_into().ok()?))
    }
    let mut found = Vec::new();
    let mut read = |mut rest: &[u8]| -> Option<()> {
        take(&mut rest, 2)?;
        for _ in 0..number(&mut rest)? {
            let length = u16::from_be_bytes(take(&mut rest, 2)?.try_into().ok()?);
            let topic = String::from_utf8(take(&mut rest, length.into())?.to_vec()).ok()?;
            for _ in 0..number(&mut rest)? {
                found.push((topic.clone(), number(&mut rest)?));
            }
        }
        Some(())
    };
    // A member that waits for its partitions has nothing here.
    let _ = read(assignment);
    found.sort();
    found
}

#[test]
fn an_assignment_is_read() {
    let bytes = b"\0\x01\0\0\0\x02\0\x01a\0\0\0\x02\0\0\0\x03\0\0\0\x01\0\x01b\0\0\0\x01\0\0\0\0\xff\xff\xff\xff";
    assert_eq!(partitions(bytes), [("a".into(), 1), ("a".into(), 3), ("b".into(), 0)]);
    assert_eq!(partitions(b""), []);
}
