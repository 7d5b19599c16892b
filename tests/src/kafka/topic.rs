//! A topic of a test's own: made, filled, and read as a whole.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, ProducerContext};
use rdkafka::{ClientConfig, ClientContext, Message as _, Offset, TopicPartitionList};

use super::broker::unique;
use super::{Broker, Group, Listener, PATIENCE, Record, until};

/// What a test's own producers and consumers may carry.
const MESSAGE_BYTES_MAX: &str = "64000000";

/// A topic.
#[derive(Debug, Clone)]
pub struct Topic {
    name: String,
    partitions: i32,
    client: ClientConfig,
}

impl Broker {
    /// A name after `name` that nothing else in this process has: for a topic that is not to exist, a client, a
    /// transaction.
    pub fn unique(&self, name: &str) -> String {
        unique(name)
    }

    /// Makes a topic that no other test uses, named after `name`.
    ///
    /// # Panics
    /// It cannot be made.
    pub fn topic(&self, name: &str, partitions: i32) -> Topic {
        self.topic_with(name, partitions, &[])
    }

    /// As [`Broker::topic`], with settings such as `max.message.bytes`.
    ///
    /// # Panics
    /// It cannot be made.
    pub fn topic_with(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) -> Topic {
        self.topic_named(&unique(name), partitions, settings)
    }

    /// Makes a topic with exactly this name.
    ///
    /// # Panics
    /// It cannot be made.
    pub fn topic_named(&self, name: &str, partitions: i32, settings: &[(&str, &str)]) -> Topic {
        let client = self.client(Listener::Plaintext);
        let new = settings
            .iter()
            .fold(NewTopic::new(name, partitions, TopicReplication::Fixed(1)), |new, (key, value)| new.set(key, value));
        let admin: AdminClient<DefaultClientContext> = client.create().expect("a client");
        let options = AdminOptions::new().request_timeout(Some(PATIENCE)).operation_timeout(Some(PATIENCE));
        let made = blocking(admin.create_topics([&new], &options)).expect("Kafka answers");
        assert!(made.iter().all(Result::is_ok), "topic {name}: {made:?}");
        let topic = Topic::of(name, partitions, client);
        topic.wait_for_leaders();
        topic
    }

    /// Changes settings of a topic; those that are not named get their defaults.
    ///
    /// # Panics
    /// They cannot be changed.
    pub fn configure(&self, topic: &Topic, settings: &[(&str, &str)]) {
        let admin: AdminClient<DefaultClientContext> = self.client(Listener::Plaintext).create().expect("a client");
        let config = AlterConfig::new(ResourceSpecifier::Topic(topic.name()));
        let config = settings.iter().fold(config, |config, (key, value)| config.set(key, value));
        let options = AdminOptions::new().request_timeout(Some(PATIENCE));
        let changed = blocking(admin.alter_configs([&config], &options)).expect("Kafka answers");
        assert!(changed.iter().all(Result::is_ok), "{changed:?}");
    }

    /// The names of all topics there are.
    ///
    /// # Panics
    /// Nobody answers.
    pub fn topics(&self) -> BTreeSet<String> {
        let consumer: BaseConsumer = self.client(Listener::Plaintext).create().expect("a client");
        let metadata = consumer.fetch_metadata(None, PATIENCE).expect("Kafka answers");
        metadata.topics().iter().map(|topic| topic.name().to_owned()).collect()
    }
}

impl Topic {
    pub(super) fn of(name: &str, partitions: i32, client: ClientConfig) -> Self {
        Self { name: name.to_owned(), partitions, client }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many partitions it has.
    pub fn partitions(&self) -> i32 {
        self.partitions
    }

    /// Produces records, each to the partition that it names, and waits until all are there. Returns where, in order.
    ///
    /// # Panics
    /// One is refused.
    #[track_caller]
    pub fn produce(&self, records: &[Record]) -> Vec<(i32, i64)> {
        let mut config = self.client.clone();
        config.set("message.max.bytes", MESSAGE_BYTES_MAX).set("linger.ms", "1").set("enable.idempotence", "true");
        let placed = Placed(Mutex::new(vec![None; records.len()]));
        let producer: BaseProducer<Placed> = config.create_with_context(placed).expect("a client");
        for (index, record) in records.iter().enumerate() {
            self.send(&producer, index, record);
        }
        producer.flush(PATIENCE).expect("all are delivered");
        let placed = producer.context().0.lock().unwrap();
        placed.iter().map(|place| place.clone().expect("told").expect("delivered")).collect()
    }

    fn send(&self, producer: &BaseProducer<Placed>, index: usize, record: &Record) {
        let mut base = BaseRecord::with_opaque_to(&self.name, Box::new(index)).partition(record.partition);
        base.key = record.key.as_deref();
        base.payload = record.value.as_deref();
        base.timestamp = record.timestamp;
        base.headers = record.owned_headers();
        let began = Instant::now();
        while let Err((error, unsent)) = producer.send(base) {
            let is_full = error.rdkafka_error_code() == Some(RDKafkaErrorCode::QueueFull);
            assert!(is_full && began.elapsed() < PATIENCE, "record {index}: {error}");
            producer.poll(Duration::from_millis(10));
            base = unsent;
        }
        producer.poll(Duration::ZERO);
    }

    /// Everything in it that is committed, by partition and offset.
    #[track_caller]
    pub fn read(&self) -> Vec<Record> {
        self.read_all("read_committed")
    }

    /// Everything in it, with what belongs to transactions that are open or were aborted.
    #[track_caller]
    pub fn read_uncommitted(&self) -> Vec<Record> {
        self.read_all("read_uncommitted")
    }

    /// Waits until it has so many committed records, and gives all it has then.
    ///
    /// # Panics
    /// They do not come; what is there is told.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Record> {
        self.wait_for_within(PATIENCE, count)
    }

    /// As [`Topic::wait_for`], with a patience of the test's own.
    ///
    /// # Panics
    /// As [`Topic::wait_for`].
    #[track_caller]
    pub fn wait_for_within(&self, patience: Duration, count: usize) -> Vec<Record> {
        let began = Instant::now();
        loop {
            // Counting offsets is cheap, but offsets count what ends a transaction too.
            let ends = self.ends().iter().sum::<i64>();
            let found = if ends >= i64::try_from(count).unwrap() { self.read() } else { Vec::new() };
            if found.len() >= count {
                return found;
            }
            assert!(began.elapsed() < patience, "{}: {} records instead of {count}", self.name, found.len());
            thread::sleep(super::INTERVAL);
        }
    }

    /// The offset after the last record, by partition.
    ///
    /// # Panics
    /// Nobody answers.
    #[track_caller]
    pub fn ends(&self) -> Vec<i64> {
        let consumer: BaseConsumer = self.client.create().expect("a client");
        let end = |partition| {
            until("the end of a partition", || consumer.fetch_watermarks(&self.name, partition, PATIENCE).ok()).1
        };
        (0..self.partitions).map(end).collect()
    }

    /// What a group has committed, by partition; none where it has committed nothing.
    ///
    /// # Panics
    /// Nobody answers.
    #[track_caller]
    pub fn committed(&self, group: &Group) -> Vec<Option<i64>> {
        let consumer: BaseConsumer = group.consumer().create().expect("a client");
        let committed =
            until("committed offsets", || consumer.committed_offsets(self.all(Offset::Invalid), PATIENCE).ok());
        let offset = |partition| match committed.find_partition(&self.name, partition).map(|found| found.offset()) {
            Some(Offset::Offset(offset)) => Some(offset),
            _ => None,
        };
        (0..self.partitions).map(offset).collect()
    }

    /// Waits until a group has committed all there is.
    ///
    /// # Panics
    /// It does not; what it has committed is told.
    #[track_caller]
    pub fn wait_committed(&self, group: &Group) {
        let began = Instant::now();
        loop {
            let (ends, committed) = (self.ends(), self.committed(group));
            if committed.iter().zip(&ends).all(|(committed, end)| committed.unwrap_or(0) == *end) {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{}: {committed:?} of {ends:?} are committed", self.name);
            thread::sleep(super::INTERVAL);
        }
    }

    #[track_caller]
    fn read_all(&self, isolation: &str) -> Vec<Record> {
        let mut config = self.client.clone();
        config.set("group.id", unique("reader")).set("enable.auto.commit", "false").set("enable.partition.eof", "true");
        config.set("isolation.level", isolation).set("fetch.wait.max.ms", "10").set("check.crcs", "true");
        config.set("message.max.bytes", MESSAGE_BYTES_MAX).set("fetch.message.max.bytes", MESSAGE_BYTES_MAX);
        let consumer: BaseConsumer = config.create().expect("a client");
        consumer.assign(&self.all(Offset::Beginning)).expect("it can be read");
        let mut unread = (0..self.partitions).collect::<BTreeSet<_>>();
        let mut found = Vec::new();
        let began = Instant::now();
        while !unread.is_empty() {
            assert!(
                began.elapsed() < PATIENCE,
                "{}: {} partitions are not read to their ends",
                self.name,
                unread.len()
            );
            match consumer.poll(Duration::from_millis(100)) {
                Some(Ok(message)) if unread.contains(&message.partition()) => found.push(Record::from(&message)),
                Some(Err(KafkaError::PartitionEOF(partition))) => {
                    unread.remove(&partition);
                }
                // A broker that is being started again, or records after the end.
                Some(Ok(_) | Err(_)) | None => {}
            }
        }
        found.sort_by_key(|record| (record.partition, record.offset));
        found
    }

    fn all(&self, offset: Offset) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for partition in 0..self.partitions {
            list.add_partition_offset(&self.name, partition, offset).expect("an offset");
        }
        list
    }

    /// A topic is made before its partitions are led.
    fn wait_for_leaders(&self) {
        let consumer: BaseConsumer = self.client.create().expect("a client");
        until(&format!("leaders of topic {}", self.name), || {
            let metadata = consumer.fetch_metadata(Some(&self.name), PATIENCE).ok()?;
            let partitions = metadata.topics().first()?.partitions();
            let led = partitions.iter().filter(|partition| partition.leader() >= 0 && partition.error().is_none());
            (led.count() == usize::try_from(self.partitions).unwrap()).then_some(())
        });
    }
}

/// Partition and offset of a record, or why it was refused.
type Place = Result<(i32, i64), KafkaError>;

/// Where each record of a call went, by its index.
#[derive(Debug)]
struct Placed(Mutex<Vec<Option<Place>>>);

impl ClientContext for Placed {}

impl ProducerContext for Placed {
    type DeliveryOpaque = Box<usize>;

    fn delivery(&self, result: &DeliveryResult<'_>, index: Box<usize>) {
        let place = match result {
            Ok(message) => Ok((message.partition(), message.offset())),
            Err((error, _)) => Err(error.clone()),
        };
        self.0.lock().unwrap()[*index] = Some(place);
    }
}

/// Waits for a future on a thread of its own: a test may be within a runtime or without one.
fn blocking<F: Future<Output: Send> + Send>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join()).expect("no panic")
}
