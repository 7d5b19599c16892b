//! What a client is set to before anything is given: Java's defaults where librdkafka's differ, and what the delivery
//! rules need.

use super::{ClientSettings, Identity, Role};

/// The most a record may weigh on Kafka, both ways, in bytes: the protocol's 4 MiB and room for framing. librdkafka's
/// own 1,000,000 would fail emits that the protocol allows.
pub const MESSAGE_BYTES_MAX: usize = 5 << 20;

/// What a consumer prefetches, in KiB, over all its partitions. librdkafka's 64 MiB is too much for a pod.
const QUEUED_KIBIBYTES_MAX: &str = "16384";

/// How soon a consumer whose prefetch was full fetches again. librdkafka's 1,000 would stall a busy partition.
const FETCH_BACKOFF_MILLIS: &str = "20";

/// Of every client.
const COMMON: &[(&str, &str)] = &[
    // The platform's rule; librdkafka's producer creates topics.
    ("allow.auto.create.topics", "false"),
    // Java's clients push only where a broker subscribes to them; librdkafka asks every broker.
    ("enable.metrics.push", "false"),
];

const CONSUMER: &[(&str, &str)] = &[
    ("auto.offset.reset", "earliest"),
    // Java's; librdkafka takes bytes that were damaged on their way.
    ("check.crcs", "true"),
    ("enable.auto.commit", "false"),
    ("enable.auto.offset.store", "false"),
    ("enable.partition.eof", "false"),
    ("fetch.queue.backoff.ms", FETCH_BACKOFF_MILLIS),
    // Java's; librdkafka reads committed.
    ("isolation.level", "read_uncommitted"),
    ("partition.assignment.strategy", "range"),
    ("queued.max.messages.kbytes", QUEUED_KIBIBYTES_MAX),
];

const PRODUCER: &[(&str, &str)] = &[
    // Below what topics take, so that a record which is refused was alone in its request, and the others are not refused
    // with it. librdkafka's megabyte is as much as most topics take; Java's 16 KiB costs throughput.
    ("batch.size", "131072"),
    // Java's; it keeps the order of a partition's records through retries.
    ("enable.idempotence", "true"),
    // Java's before 4.0. A batch's emits are all there at once: waiting for more of them only waits.
    ("linger.ms", "0"),
    // Java's; librdkafka tries for five minutes.
    ("message.timeout.ms", "120000"),
    // What may wait for the brokers; lanes wait beyond it. librdkafka's gibibyte is too much for a pod.
    ("queue.buffering.max.kbytes", "65536"),
    // Java's default partitioner, so that co-partitioning with other producers holds.
    ("partitioner", "murmur2_random"),
];

/// The settings of a client that is given none.
pub(super) fn settings(identity: &Identity<'_>) -> ClientSettings {
    let mut settings = ClientSettings::new(identity.role);
    settings.set("client.id", identity.client_id);
    settings.set("bootstrap.servers", identity.bootstrap);
    settings.set("message.max.bytes", MESSAGE_BYTES_MAX.to_string());
    let own = match identity.role {
        Role::Consumer => CONSUMER,
        Role::Producer => PRODUCER,
    };
    for (key, value) in COMMON.iter().chain(own) {
        settings.set(key, *value);
    }
    if identity.role == Role::Consumer {
        settings.set("group.id", identity.group);
        // Per partition. Ten batches are ahead of what a lane can do before the next fetch has come.
        let queued = identity.caps.records_max.saturating_mul(10).clamp(1_000, 100_000);
        settings.set("queued.min.messages", queued.to_string());
    }
    settings
}
