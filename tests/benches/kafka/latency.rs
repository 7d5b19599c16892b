//! The way of a single record: produced, processed, consumed.

use std::time::{Duration, Instant};

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{Message as _, Offset, TopicPartitionList};
use streamlet_tests::kafka::{Broker, Listener, Topic};

use crate::cart;

/// How long a record may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Records before anything is timed.
const WARM_UP: usize = 20;
/// The pause between two.
const PAUSE: Duration = Duration::from_millis(5);

/// The times of so many records, one after the other.
pub(crate) fn measure(
    broker: &Broker,
    input: &Topic,
    outputs: &[Topic; 2],
    count: usize,
    value_bytes: usize,
) -> Vec<Duration> {
    let mut config = broker.client(Listener::Plaintext);
    config.set("linger.ms", "0").set("group.id", broker.unique("reader"));
    let producer: BaseProducer = config.create().unwrap();
    let consumer: BaseConsumer = config.create().unwrap();
    let mut list = TopicPartitionList::new();
    for topic in outputs {
        for partition in 0..topic.partitions() {
            list.add_partition_offset(topic.name(), partition, Offset::Beginning).unwrap();
        }
    }
    consumer.assign(&list).unwrap();
    let one = |number: usize| {
        let (key, value) = (format!("cart-{number}"), cart(number, value_bytes));
        let began = Instant::now();
        producer.send(BaseRecord::to(input.name()).key(&key).payload(&value)).map_err(|(error, _)| error).unwrap();
        loop {
            producer.poll(Duration::ZERO);
            if let Some(Ok(message)) = consumer.poll(Duration::from_millis(1))
                && message.key() == Some(key.as_bytes())
            {
                let elapsed = began.elapsed();
                std::thread::sleep(PAUSE);
                return elapsed;
            }
            assert!(began.elapsed() < PATIENCE, "record {number} does not come");
        }
    };
    let times = (0..WARM_UP + count).map(one).collect::<Vec<_>>();
    producer.flush(PATIENCE).unwrap();
    times.into_iter().skip(WARM_UP).collect()
}
