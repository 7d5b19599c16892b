//! Makes, fills and prints a topic, to try a streamlet on the Kafka that `tests/kafka/kafka start` starts:
//!
//! - `topic BROKER make TOPIC PARTITIONS`
//! - `topic BROKER fill TOPIC FILE [KEY_FIELD]`: a line is a record's value, its key the field of that name
//! - `topic BROKER print TOPIC`: a line per committed record: partition, offset, key, value

#![expect(clippy::print_stderr, reason = "a program says what it cannot do")]

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::error::KafkaError;
use rdkafka::metadata::MetadataTopic;
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _};
use rdkafka::{ClientConfig, Message as _, Offset, TopicPartitionList};

/// How long Kafka may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    let arguments = arguments.iter().map(String::as_str).collect::<Vec<_>>();
    let outcome = match arguments.as_slice() {
        [broker, "make", topic, partitions] => make(broker, topic, partitions),
        [broker, "fill", topic, file] => fill(broker, topic, file, None),
        [broker, "fill", topic, file, key_field] => fill(broker, topic, file, Some(key_field)),
        [broker, "print", topic] => print(broker, topic),
        _ => Err("usage: topic BROKER make TOPIC PARTITIONS | fill TOPIC FILE [KEY_FIELD] | print TOPIC".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn client(broker: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", broker).set("group.id", "topic").set("enable.auto.commit", "false");
    config.set("allow.auto.create.topics", "false").set("enable.partition.eof", "true");
    config.set("partitioner", "murmur2_random");
    config
}

fn make(broker: &str, topic: &str, partitions: &str) -> Outcome {
    let admin: AdminClient<DefaultClientContext> = client(broker).create()?;
    let new = NewTopic::new(topic, partitions.parse()?, TopicReplication::Fixed(1));
    let options = AdminOptions::new().request_timeout(Some(PATIENCE)).operation_timeout(Some(PATIENCE));
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    for made in runtime.block_on(admin.create_topics([&new], &options))? {
        made.map_err(|(topic, code)| format!("cannot make topic \"{topic}\": {code}"))?;
    }
    Ok(())
}

fn fill(broker: &str, topic: &str, file: &str, key_field: Option<&str>) -> Outcome {
    let producer: BaseProducer = client(broker).create()?;
    let file = std::fs::File::open(file).map_err(|error| format!("cannot read \"{file}\": {error}"))?;
    for line in std::io::BufReader::new(file).lines() {
        let line = line?;
        let key = match key_field {
            Some(field) => {
                let value = serde_json::from_str::<serde_json::Value>(&line)?;
                value.get(field).and_then(serde_json::Value::as_str).map(str::to_owned)
            }
            None => None,
        };
        let mut record = BaseRecord::<str, str>::to(topic).payload(&line);
        record.key = key.as_deref();
        while let Err((error, unsent)) = producer.send(record) {
            if error.rdkafka_error_code() != Some(rdkafka::error::RDKafkaErrorCode::QueueFull) {
                return Err(error.into());
            }
            producer.poll(Duration::from_millis(10));
            record = unsent;
        }
        producer.poll(Duration::ZERO);
    }
    Ok(producer.flush(PATIENCE)?)
}

fn print(broker: &str, topic: &str) -> Outcome {
    let consumer: BaseConsumer = client(broker).create()?;
    let metadata = consumer.fetch_metadata(Some(topic), PATIENCE)?;
    let mut list = TopicPartitionList::new();
    for partition in metadata.topics().iter().flat_map(MetadataTopic::partitions) {
        list.add_partition_offset(topic, partition.id(), Offset::Beginning)?;
    }
    let mut unread = list.count();
    consumer.assign(&list)?;
    let mut out = std::io::stdout().lock();
    while unread > 0 {
        match consumer.poll(PATIENCE) {
            None => return Err("no broker answers".into()),
            Some(Err(KafkaError::PartitionEOF(_))) => unread -= 1,
            Some(Err(error)) => return Err(error.into()),
            Some(Ok(message)) => {
                let text = |bytes: Option<&[u8]>| bytes.map_or("(null)".into(), String::from_utf8_lossy).into_owned();
                let (key, value) = (text(message.key()), text(message.payload()));
                writeln!(out, "{}:{}\t{key}\t{value}", message.partition(), message.offset())?;
            }
        }
    }
    Ok(())
}
