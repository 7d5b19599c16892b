//! The floor: consume what there is, produce it, wait until it is delivered, commit, and again.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _};
use rdkafka::message::DeliveryResult;
use rdkafka::producer::{BaseRecord, ProducerContext, ThreadedProducer};
use rdkafka::{ClientContext, Message as _, Offset, TopicPartitionList};

use crate::process::settings;

/// Records of one turn: what eight partitions' batches hold together.
const RECORDS_MAX: usize = 800;

/// `BROKER GROUP INPUT VALID REVIEW`, for ever.
pub(crate) fn run(arguments: &[String]) {
    let [broker, group, input, outputs @ ..] = arguments else { panic!("BROKER GROUP INPUT VALID REVIEW") };
    let settings = settings(broker, group, input, outputs);
    let consumer: BaseConsumer = settings.inlets[0].client.config().create().unwrap();
    let producer: ThreadedProducer<Count> =
        settings.outlets[0].client.config().create_with_context(Count::default()).unwrap();
    consumer.subscribe(&[input]).unwrap();
    let mut next = HashMap::new();
    loop {
        let mut wait = Duration::from_millis(100);
        let mut sent = 0;
        while sent < RECORDS_MAX {
            let Some(message) = consumer.poll(wait) else { break };
            let message = message.unwrap();
            wait = Duration::ZERO;
            let output = &outputs[usize::try_from(message.offset()).unwrap() % outputs.len()];
            let mut record = BaseRecord::<[u8], [u8]>::to(output);
            (record.key, record.payload) = (message.key(), message.payload());
            producer.send(record).map_err(|(error, _)| error).unwrap();
            next.insert(message.partition(), message.offset() + 1);
            sent += 1;
        }
        let context = rdkafka::producer::Producer::context(&producer);
        while context.0.load(Ordering::Acquire) < sent {
            std::thread::park_timeout(Duration::from_micros(50));
        }
        context.0.fetch_sub(sent, Ordering::AcqRel);
        if sent > 0 {
            let mut list = TopicPartitionList::new();
            for (partition, offset) in next.drain() {
                list.add_partition_offset(input, partition, Offset::Offset(offset)).unwrap();
            }
            consumer.commit(&list, CommitMode::Sync).unwrap();
        }
    }
}

/// Counts what is delivered.
#[derive(Default)]
struct Count(Arc<AtomicUsize>);

impl ClientContext for Count {}

impl ProducerContext for Count {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        assert!(result.is_ok());
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}
