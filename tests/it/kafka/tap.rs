//! The tap on the wire: what it sees of an ordinary client, and what it does to one.

use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use streamlet_tests::kafka::tap::{Direction, Fault, first_flexible};
use streamlet_tests::kafka::{Broker, Listener, Mechanism, PATIENCE, Topic, until};

/// What the third document lists.
const DOCUMENTED: [i16; 14] = [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 17, 18, 36];

/// Produces a record, reads it in a group, commits and leaves.
fn there_and_back(config: &ClientConfig, group: &str, topic: &Topic) {
    let producer: BaseProducer = config.create().unwrap();
    producer.send(BaseRecord::<(), str>::to(topic.name()).partition(0).payload("a")).unwrap();
    producer.flush(PATIENCE).unwrap();
    let mut config = config.clone();
    config.set("group.id", group).set("auto.offset.reset", "earliest").set("heartbeat.interval.ms", "100");
    let consumer: BaseConsumer = config.create().unwrap();
    consumer.subscribe(&[topic.name()]).unwrap();
    until("the record", || consumer.poll(Duration::from_millis(200)).filter(Result::is_ok).map(drop));
    // A heartbeat is sent between two polls.
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(500) {
        consumer.poll(Duration::from_millis(50));
    }
    consumer.commit_consumer_state(CommitMode::Sync).unwrap();
    consumer.unsubscribe();
}

#[test]
fn every_documented_api_of_a_plain_client_is_seen() {
    let Some(broker) = Broker::shared() else { return };
    let (topic, group, client_id) = (broker.topic("tapped", 1), broker.group("tapped"), broker.unique("tapped"));
    let tap = broker.sasl_tap();
    let mut config = broker.client_at(Listener::Sasl(Mechanism::Scram256), &tap.address());
    config.set("client.id", &client_id).set("enable.metrics.push", "false").set("enable.auto.commit", "false");
    there_and_back(&config, group.name(), &topic);
    until("the client to leave", || tap.keys(&client_id).contains(&13).then_some(()));

    let keys = tap.keys(&client_id);
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), DOCUMENTED, "{:?}", tap.summary(&client_id));
    // Of this client every API but the handshake has a flexible version, and ApiVersions is asked for in one.
    let flexible = tap
        .requests()
        .into_keys()
        .filter(|kind| first_flexible(kind.api_key).is_some_and(|first| kind.api_version >= first));
    assert!(flexible.count() > 3, "{:?}", tap.summary(&client_id));
    assert_eq!(tap.count(&client_id, 13), 1);
}

#[test]
fn without_sasl_a_client_says_nothing_of_it() {
    let Some(broker) = Broker::shared() else { return };
    let (topic, group, client_id) = (broker.topic("plain", 1), broker.group("plain"), broker.unique("plain"));
    let mut config = broker.client_at(Listener::Plaintext, &broker.tap().address());
    config.set("client.id", &client_id).set("enable.metrics.push", "false").set("enable.idempotence", "true");
    there_and_back(&config, group.name(), &topic);
    let keys = broker.tap().keys(&client_id);
    assert!(!keys.contains(&17) && !keys.contains(&36) && keys.contains(&22), "{keys:?}");
}

#[test]
fn a_cut_client_comes_back() {
    let Some(broker) = Broker::shared() else { return };
    let client_id = broker.unique("cut");
    let consumer = client(broker, &client_id);
    consumer.fetch_metadata(None, PATIENCE).unwrap();
    let greetings = broker.tap().count(&client_id, 18);
    broker.tap().cut_client(&client_id);
    until("an answer over a new connection", || consumer.fetch_metadata(None, Duration::from_secs(2)).ok());
    assert!(broker.tap().count(&client_id, 18) > greetings, "a new connection begins with ApiVersions");
}

#[test]
fn faults_are_felt_and_end() {
    let Some(broker) = Broker::own() else { return };
    let tap = broker.tap();
    let consumer = client(&broker, "faulty");
    let ask = |patience: Duration| consumer.fetch_metadata(None, patience);
    ask(PATIENCE).unwrap();

    tap.fault(Fault::Delay(Duration::from_millis(300)));
    let began = Instant::now();
    ask(PATIENCE).unwrap();
    // There and back.
    assert!(began.elapsed() >= Duration::from_millis(600), "{:?}", began.elapsed());

    tap.fault(Fault::BlackHole);
    assert!(ask(Duration::from_millis(500)).is_err(), "no answer");
    tap.fault(None);
    ask(PATIENCE).expect("what was held goes on");

    // Every second byte of a response's length is another: it cannot be read.
    tap.fault(Fault::Garble { direction: Direction::Answers, every: 2 });
    assert!(ask(Duration::from_millis(500)).is_err(), "no answer that makes sense");
    tap.fault(Fault::Refuse);
    tap.cut();
    assert!(ask(Duration::from_millis(500)).is_err(), "no connection");
    tap.fault(None);
    until("an answer", || ask(Duration::from_secs(2)).ok());
}

fn client(broker: &Broker, client_id: &str) -> BaseConsumer {
    let mut config = broker.client_at(Listener::Plaintext, &broker.tap().address());
    config.set("client.id", client_id).set("reconnect.backoff.max.ms", "200").create().unwrap()
}
