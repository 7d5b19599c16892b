//! What is put in while chaos reigns: numbers, in order within each key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use streamlet_tests::kafka::{Broker, Listener, Topic};

/// Keys, of which each partition has some.
pub(crate) const KEYS: u64 = 60;
/// Numbers at a time, and the pause after them: enough that something is always in flight.
const AT_A_TIME: u64 = 300;
const PAUSE: Duration = Duration::from_millis(20);
/// How long the last of them may take to arrive.
const PATIENCE: Duration = Duration::from_mins(2);

/// The thread that puts numbers in.
pub(crate) struct Load {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Load {
    /// Begins with 0. Number `n` has the key `n % KEYS`, so a key's numbers ascend.
    pub(crate) fn start(broker: &Broker, input: &Topic) -> Self {
        let mut config = broker.client(Listener::Plaintext);
        config.set("enable.idempotence", "true").set("partitioner", "murmur2_random").set("linger.ms", "1");
        let producer: BaseProducer = config.create().unwrap();
        let (topic, is_over) = (input.name().to_owned(), Arc::new(AtomicBool::new(false)));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let mut number = 0;
            while !over.load(Ordering::Relaxed) {
                for _ in 0..AT_A_TIME {
                    send(&producer, &topic, number);
                    number += 1;
                }
                producer.poll(PAUSE);
            }
            producer.flush(PATIENCE).expect("all are delivered");
            number
        });
        Self { is_over, thread }
    }

    /// Ends it, and says how many numbers there are.
    pub(crate) fn stop(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn send(producer: &BaseProducer, topic: &str, number: u64) {
    let (key, value) = ((number % KEYS).to_string(), format!("{number} {}", "x".repeat(200)));
    let mut record = BaseRecord::to(topic).key(&key).payload(&value);
    while let Err((_, unsent)) = producer.send(record) {
        producer.poll(Duration::from_millis(10));
        record = unsent;
    }
}
