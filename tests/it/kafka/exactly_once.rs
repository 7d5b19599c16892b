//! Exactly once: kills at random points, members that fence each other, and clusters that no transaction spans.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::producer::{BaseProducer, Producer as _};
use rdkafka::{Offset, TopicPartitionList};
use streamlet_tests::kafka::events::{check, events, saying};
use streamlet_tests::kafka::{Broker, Listener, Mock, Record, Topic};

use super::Scene;

/// Kills, at least; more until one has met an open transaction, up to the second number.
const KILLS: (usize, usize) = (5, 12);
/// How long a group takes to have one more member.
const JOINS_WITHIN: Duration = Duration::from_secs(8);
/// How long a step of a test's own transaction may take.
const STEP_WITHIN: Duration = Duration::from_secs(30);

fn carts(each: usize) -> Vec<Record> {
    events(16, each, 4, |cart, number| if (cart + number) % 2 == 0 { "pause" } else { "pause-other" })
}

/// Records of transactions that were aborted, or are not ended.
fn uncommitted(topic: &Topic) -> usize {
    topic.read_uncommitted().len().saturating_sub(topic.read().len())
}

/// A number that nobody can know before, below `max`.
fn chance(max: u128) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() / 1000;
    u64::try_from(now % max).unwrap()
}

#[test]
fn every_event_is_at_its_outlet_exactly_once_however_often_the_member_is_killed() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "exactly", 4);
    let id = broker.unique("transactions");
    scene.faulty = scene.faulty.set("pause", "1 ms").records_max(3);
    scene.faulty = scene.faulty.flags(&["--exactly-once", "--transactional-id", &id]);
    let sent = carts(80);
    scene.input.produce(&sent);
    let mut kills = 0;
    while kills < KILLS.0 || (kills < KILLS.1 && uncommitted(&scene.out) + uncommitted(&scene.other) == 0) {
        let before = scene.emitted();
        let running = scene.faulty.start();
        running.wait("some more events", || (scene.emitted() > before + 20).then_some(()));
        std::thread::sleep(Duration::from_micros(chance(50_000)));
        running.kill();
        kills += 1;
    }
    let (met, done) = (uncommitted(&scene.out) + uncommitted(&scene.other), scene.input.committed(&scene.group));
    assert!(met > 0, "no kill of {kills} met an open transaction");
    assert!(done.iter().flatten().sum::<i64>() < 1280, "it was killed in the middle: {done:?}");
    let running = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(running.stop().code, Some(0));
    let found =
        [("pause", &scene.out), ("pause-other", &scene.other)].map(|(word, topic)| (saying(&sent, word), topic.read()));
    for (sent, found) in found {
        assert_eq!(check(&sent, &found), 0, "none is there twice; {kills} kills, {met} records aborted");
    }
}

/// Its successor has another id, and waits for the transaction that nobody ends.
#[test]
fn a_killed_member_without_an_id_of_its_own_leaves_nothing_twice() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "anonymous", 4);
    scene.faulty = scene.faulty.set("pause", "1 ms").records_max(3).flags(&["--exactly-once"]);
    let sent = carts(20);
    scene.input.produce(&sent);
    let running = scene.faulty.start();
    running.wait("some events", || (scene.emitted() > 20).then_some(()));
    running.kill();
    let running = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(running.stop().code, Some(0));
    for (word, topic) in [("pause", &scene.out), ("pause-other", &scene.other)] {
        let sent = saying(&sent, word);
        // What stands behind the open transaction cannot be read before the broker has given that up.
        assert_eq!(check(&sent, &topic.wait_for(sent.len())), 0);
    }
}

#[test]
fn members_that_join_and_leave_repeat_nothing() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "joining", 4);
    scene.faulty = scene.faulty.set("pause", "2 ms").records_max(3).flags(&["--exactly-once"]);
    let sent = carts(60);
    scene.input.produce(&sent);
    let first = scene.faulty.start();
    first.wait("some events", || (scene.emitted() > 20).then_some(()));
    let second = scene.faulty.another().start();
    scene.group.wait_stable(2);
    let joined = scene.input.committed(&scene.group);
    assert!(joined.iter().flatten().sum::<i64>() < 960, "it joined under load: {joined:?}");
    assert_eq!(first.stop().code, Some(0));
    scene.input.wait_committed(&scene.group);
    assert_eq!(second.stop().code, Some(0));
    assert_eq!(check(&saying(&sent, "pause"), &scene.out.read()), 0);
    assert_eq!(check(&saying(&sent, "pause-other"), &scene.other.read()), 0);
}

/// What is asked for while it cannot be said, and asked for again as members come, is not taken for nothing committed.
#[test]
fn partitions_with_an_open_transaction_are_not_read_from_their_beginning_when_members_come() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "open", 4);
    let strategy = scene.faulty.consumer("partition.assignment.strategy", "cooperativesticky");
    scene.faulty = strategy.set("pause", "0 ms").flags(&["--exactly-once"]);
    let (before, after) = (carts(5), carts(7).split_off(5 * 16));
    scene.input.produce(&before);
    let running = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(running.stop().code, Some(0));
    let emitted = scene.emitted();

    let open = OpenTransaction::begin(broker, &scene);
    let first = scene.faulty.start();
    first.wait_for("waiting for committed offsets");
    let second = scene.faulty.another().start();
    let began = Instant::now();
    while began.elapsed() < JOINS_WITHIN {
        assert_eq!(scene.emitted(), emitted, "nothing is read while the transaction is open");
        std::thread::sleep(Duration::from_millis(100));
    }
    open.abort();
    scene.input.produce(&after);
    scene.input.wait_committed(&scene.group);
    assert_eq!([first.stop().code, second.stop().code], [Some(0); 2]);
    let sent = [before, after].concat();
    assert_eq!(check(&saying(&sent, "pause"), &scene.out.read()), 0);
    assert_eq!(check(&saying(&sent, "pause-other"), &scene.other.read()), 0);
}

/// A transaction of somebody else that would commit every partition's offset.
struct OpenTransaction(BaseProducer);

impl OpenTransaction {
    fn begin(broker: &Broker, scene: &Scene) -> Self {
        let mut client = broker.client(Listener::Plaintext);
        client.set("transactional.id", broker.unique("open")).set("transaction.timeout.ms", "60000");
        let producer: BaseProducer = client.create().unwrap();
        let consumer: BaseConsumer = scene.group.consumer().create().unwrap();
        let mut offsets = TopicPartitionList::new();
        for (partition, committed) in (0..).zip(scene.input.committed(&scene.group)) {
            let committed = Offset::Offset(committed.expect("its offset is committed"));
            offsets.add_partition_offset(scene.input.name(), partition, committed).unwrap();
        }
        producer.init_transactions(STEP_WITHIN).unwrap();
        producer.begin_transaction().unwrap();
        // The group has no members, and believes whoever is none.
        producer.send_offsets_to_transaction(&offsets, &consumer.group_metadata().unwrap(), STEP_WITHIN).unwrap();
        Self(producer)
    }

    fn abort(self) {
        self.0.abort_transaction(STEP_WITHIN).unwrap();
    }
}

#[test]
fn of_two_members_with_one_transactional_id_the_older_is_fenced_off() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "fenced", 4);
    let id = broker.unique("transactions");
    scene.faulty = scene.faulty.set("pause", "5 ms").records_max(3);
    scene.faulty = scene.faulty.flags(&["--exactly-once", "--transactional-id", &id, "--max-backoff", "1 s"]);
    let sent = carts(40);
    scene.input.produce(&sent);
    let older = scene.faulty.start();
    older.wait("some events", || (scene.emitted() > 20).then_some(()));
    let newer = scene.faulty.another().start();
    let line = older.wait_for("conversation void");
    assert!(line.to_lowercase().contains("fenced") || line.contains("producer epoch"), "it says why: {line}");
    // They fence each other as long as there are both.
    newer.stop();
    scene.input.wait_committed(&scene.group);
    older.stop();
    assert_eq!(check(&saying(&sent, "pause"), &scene.out.read()), 0);
    assert_eq!(check(&saying(&sent, "pause-other"), &scene.other.read()), 0);
}

#[test]
fn ports_on_two_clusters_are_refused() {
    let Some(broker) = Broker::shared() else { return };
    let (scene, elsewhere) = (Scene::new(broker, "clusters", 1), Mock::start());
    let running = scene.faulty.outlets_at(&elsewhere.address()).flags(&["--exactly-once"]).start();
    let ended = running.end();
    assert_eq!(ended.code, Some(1));
    let line = ended.log.iter().find(|line| line.contains("--exactly-once needs all ports on one cluster"));
    let line = line.unwrap_or_else(|| panic!("{:?}", ended.log));
    assert!(line.contains("inlet \"in\" is on cluster") && line.contains("outlet \"o"), "{line}");
}

#[test]
fn a_poison_record_stalls_its_partition_only() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "poison-once", 2);
    let poisoned =
        [Record::new("before"), Record::new("fail"), Record::new("after"), Record::new("beside").partition(1)];
    scene.input.produce(&poisoned);
    let running = scene.faulty.records_max(1).flags(&["--exactly-once"]).start();
    running.wait_for("batch failed");
    scene.input.produce(&[Record::new("beside later").partition(1)]);
    running.wait("the other partition", || (scene.input.committed(&scene.group) == [Some(1), Some(2)]).then_some(()));
    assert!(running.is_ready() && (running.conversations() - 1.0).abs() < 0.5);
    assert_eq!(running.stop().code, Some(0));
    assert_eq!(scene.out.read().len(), 3);
}
