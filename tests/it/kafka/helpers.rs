//! The node and the helpers themselves: every listener, records as they were, groups, and ends.

use std::net::TcpStream;

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use streamlet_tests::kafka::{Broker, Listener, Mechanism, PATIENCE, Record, until};

fn check_listener(listener: Listener) {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("listener", 2);
    let consumer: BaseConsumer = broker.client(listener).create().unwrap();
    let metadata = consumer.fetch_metadata(Some(topic.name()), PATIENCE).unwrap();
    assert_eq!(metadata.topics().first().map(|topic| topic.partitions().len()), Some(2));
    let [node] = metadata.brokers() else { panic!("{} nodes", metadata.brokers().len()) };
    assert_eq!(
        format!("{}:{}", node.host(), node.port()),
        broker.address_of(listener),
        "clients stay with the listener"
    );
}

#[test]
fn plaintext() {
    check_listener(Listener::Plaintext);
}

#[test]
fn sasl_with_every_mechanism() {
    Mechanism::ALL.into_iter().map(Listener::Sasl).for_each(check_listener);
}

#[test]
fn ssl() {
    check_listener(Listener::Ssl);
}

#[test]
fn sasl_over_ssl_with_every_mechanism() {
    Mechanism::ALL.into_iter().map(Listener::SaslSsl).for_each(check_listener);
}

#[test]
fn records_come_back_as_they_were() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("records", 3);
    let records = [
        Record::new("value").key("key").header("h", "v").timestamp(1_700_000_000_000),
        Record::new("").key("").header("", "").header("twice", "1").header("twice", "2"),
        Record::tombstone().key([0, 255]).null_header("null").header("binary", [0, 255]).partition(2),
        Record::new([0, 159, 146, 150]).partition(2),
        Record::tombstone(),
    ];
    let placed = topic.produce(&records);
    assert_eq!(placed, [(0, 0), (0, 1), (2, 0), (2, 1), (0, 2)]);
    let found = topic.read();
    let mut expect = records.to_vec();
    for ((record, (partition, offset)), found) in
        expect.iter_mut().zip(placed).zip([0, 1, 3, 4, 2].map(|at| &found[at]))
    {
        (record.partition, record.offset) = (partition, offset);
        // Without a timestamp they have that of their moment.
        record.timestamp = record.timestamp.or(found.timestamp);
    }
    expect.sort_by_key(|record| (record.partition, record.offset));
    assert_eq!(found, expect);
    assert_eq!(topic.ends(), [3, 0, 2]);
}

#[test]
fn large_records_pass_where_the_topic_takes_them() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic_with("large", 1, &[("max.message.bytes", "9000000")]);
    topic.produce(&[Record::new(vec![7; 8 << 20])]);
    assert_eq!(topic.wait_for(1)[0].value.as_ref().map(Vec::len), Some(8 << 20));
}

#[test]
fn a_group_its_members_and_what_it_has_committed() {
    let Some(broker) = Broker::shared() else { return };
    let (topic, group) = (broker.topic("group", 2), broker.group("group"));
    topic.produce(&[Record::new("a"), Record::new("b").partition(1), Record::new("c").partition(1)]);
    assert_eq!((group.members(), topic.committed(&group)), (vec![], vec![None, None]));

    let consumer: BaseConsumer = group.consumer().set("client.id", "one").create().unwrap();
    consumer.subscribe(&[topic.name()]).unwrap();
    let mut read = 0;
    until("three records", || {
        read += usize::from(consumer.poll(PATIENCE).is_some_and(|message| message.is_ok()));
        (read == 3).then_some(())
    });
    consumer.commit_consumer_state(rdkafka::consumer::CommitMode::Sync).unwrap();
    topic.wait_committed(&group);
    assert_eq!(topic.committed(&group), [Some(1), Some(2)]);
    let members = group.wait_stable(1);
    assert_eq!(members[0].client_id, "one");
    assert_eq!(members[0].partitions, [(topic.name().to_owned(), 0), (topic.name().to_owned(), 1)]);
    drop(consumer);
    until("the group to be empty", || (group.state() == "Empty").then_some(()));
}

#[test]
fn a_killed_node_comes_back_with_its_data() {
    let Some(broker) = Broker::own() else { return };
    let topic = broker.topic("kept", 1);
    topic.produce(&[Record::new("before")]);
    broker.kill();
    assert!(TcpStream::connect(broker.address()).is_err(), "nobody listens");
    broker.restart();
    topic.produce(&[Record::new("between")]);
    broker.restart();
    topic.produce(&[Record::new("after")]);
    let texts = topic.read().iter().map(Record::text).collect::<Vec<_>>();
    assert_eq!(texts, ["before", "between", "after"]);

    let address = broker.address().to_owned();
    drop(broker);
    assert!(TcpStream::connect(address).is_err(), "it ends with its value");
}
