//! Settings by table: what is given, and what becomes of it. Whatever has no problem makes a real client.

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::producer::BaseProducer;

use super::table::Rule;
use super::unit::Unit;
use super::{ClientSettings, Given, Identity, Role, native, table, translate};
use crate::sidecar::files::BatchCaps;

mod consistency;
mod security;

const CONSUMER: Role = Role::Consumer;
const PRODUCER: Role = Role::Producer;

fn identity(role: Role) -> Identity<'static> {
    // Nobody listens at this address.
    Identity { role, client_id: "c", bootstrap: "127.0.0.1:1", group: "g", caps: BatchCaps::default() }
}

/// Creates a client, which needs no broker.
#[track_caller]
fn create(settings: &ClientSettings) {
    let mut config = settings.config();
    config.set_log_level(rdkafka::config::RDKafkaLogLevel::Emerg);
    let created = match settings.role() {
        Role::Consumer => config.create::<BaseConsumer>().map(|consumer| consumer.unsubscribe()),
        Role::Producer => config.create::<BaseProducer>().map(drop),
    };
    if let Err(error) = created {
        panic!("{error}: {settings:?}");
    }
}

/// `expected` has a line for each setting that is not its default, each warning, and each problem.
#[track_caller]
fn check(role: Role, given: &[(&str, &str)], expected: &[&str]) {
    let given = (1..).zip(given).map(|(line, (key, value))| Given { key: (*key).into(), line, value: (*value).into() });
    let translated = translate(&identity(role), &given.collect::<Vec<_>>());
    let mut found = Vec::new();
    if translated.problems.is_empty() {
        let defaults = translate(&identity(role), &[]).settings;
        let changed = translated.settings.entries().filter(|(name, value)| defaults.get(name) != Some(*value));
        found.extend(changed.map(|(name, value)| format!("{name}={value}")));
        let removed = defaults.entries().filter(|(name, _)| translated.settings.get(name).is_none());
        found.extend(removed.map(|(name, _)| format!("no {name}")));
        create(&translated.settings);
    }
    found.extend(translated.warnings.iter().map(|(line, warning)| format!("{line} warns: {warning}")));
    found.extend(translated.problems.iter().map(|(line, problem)| format!("{line}: {problem}")));
    assert_eq!(found, expected);
}

#[test]
fn defaults_make_clients() {
    let consumer = translate(&identity(CONSUMER), &[]).settings;
    create(&consumer);
    assert_eq!((consumer.client_id(), consumer.bootstrap(), consumer.get("group.id")), ("c", "127.0.0.1:1", Some("g")));
    for (name, value) in [
        ("isolation.level", "read_uncommitted"),
        ("message.max.bytes", "5242880"),
        ("enable.auto.commit", "false"),
        ("allow.auto.create.topics", "false"),
        ("partition.assignment.strategy", "range"),
        ("queued.min.messages", "1000"),
    ] {
        assert_eq!(consumer.get(name), Some(value), "{name}");
    }
    let producer = translate(&identity(PRODUCER), &[]).settings;
    create(&producer);
    for (name, value) in [
        ("partitioner", "murmur2_random"),
        ("message.max.bytes", "5242880"),
        ("enable.idempotence", "true"),
        ("allow.auto.create.topics", "false"),
        ("queue.buffering.max.ms", "0"),
    ] {
        assert_eq!(producer.get(name), Some(value), "{name}");
    }
    assert_eq!(producer.get("group.id"), None);
}

#[test]
fn java_names_of_a_consumer() {
    check(
        CONSUMER,
        &[("fetch.max.wait.ms", "200 ms"), ("max.partition.fetch.bytes", "2 MiB")],
        &["fetch.message.max.bytes=2097152", "fetch.wait.max.ms=200"],
    );
    check(CONSUMER, &[("auto.offset.reset", "LATEST")], &["auto.offset.reset=latest"]);
    check(CONSUMER, &[("auto.offset.reset", "none")], &["auto.offset.reset=error"]);
    check(
        CONSUMER,
        &[("auto.offset.reset", "by_duration:PT1H")],
        &[
            "1: Kafka setting \"auto.offset.reset\" has a value that is not supported: write earliest or latest; a duration \
         has no counterpart",
        ],
    );
    check(
        CONSUMER,
        &[("request.timeout.ms", "20000"), ("receive.buffer.bytes", "-1")],
        &["socket.receive.buffer.bytes=0", "socket.timeout.ms=20000"],
    );
    check(CONSUMER, &[("enable.auto.commit", "false"), ("enable.auto.offset.store", "false")], &[]);
    check(
        CONSUMER,
        &[("enable.auto.commit", "true")],
        &[
            "1: Kafka setting \"enable.auto.commit\" has a value that is not supported: offsets are committed by streamlet \
         once a batch is delivered; remove it, or write false",
        ],
    );
    check(
        CONSUMER,
        &[("max.poll.records", "500"), ("acks", "all"), ("allow.auto.create.topics", "true")],
        &[
            "1 warns: Kafka setting \"max.poll.records\" has no effect: a batch's size is `batch { max-records, max-bytes }`",
            "2 warns: Kafka setting \"acks\" has no effect on a consumer",
            "3 warns: Kafka setting \"allow.auto.create.topics\" has no effect: topics are never created by a client; create \
         them beforehand",
        ],
    );
}

#[test]
fn java_names_of_a_producer() {
    check(
        PRODUCER,
        &[
            ("max.request.size", "8 MiB"),
            ("buffer.memory", "33554433"),
            ("delivery.timeout.ms", "3 minutes"),
            ("compression.type", "ZSTD"),
            ("compression.zstd.level", "3"),
            ("acks", "all"),
            ("batch.size", "0"),
            ("linger.ms", "500us"),
            ("request.timeout.ms", "30 s"),
            ("metadata.max.age.ms", "5 m"),
        ],
        &[
            "acks=all",
            "batch.size=1",
            "compression.level=3",
            "compression.type=zstd",
            "linger.ms=0.5",
            "message.max.bytes=8388608",
            "message.timeout.ms=180000",
            "queue.buffering.max.kbytes=32769",
            "request.timeout.ms=30000",
            "topic.metadata.refresh.interval.ms=300000",
        ],
    );
    check(
        PRODUCER,
        &[("compression.gzip.level", "3")],
        &["1 warns: Kafka setting \"compression.gzip.level\" has no effect: compression.type is not gzip"],
    );
    check(
        PRODUCER,
        &[("partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner")],
        &[
            "partitioner=random",
            "1 warns: Kafka setting \"partitioner.class\": emits go to random partitions, whatever their keys",
        ],
    );
    check(
        PRODUCER,
        &[("acks", "0"), ("partitioner.class", "com.example.Mine")],
        &[
            "1: Kafka setting \"acks\" has a value that is not supported: nothing would confirm a delivery, so offsets of \
         lost records would be committed; remove it, or write all",
            "2: Kafka setting \"partitioner.class\" has a value that is not supported: no Java class runs here; write \
         partitioner = murmur2_random, random, consistent_random or fnv1a_random",
        ],
    );
}

#[test]
fn names_of_librdkafka() {
    check(
        PRODUCER,
        &[("queue.buffering.max.ms", "5"), ("socket.keepalive.enable", "true")],
        &["linger.ms=5", "socket.keepalive.enable=true"],
    );
    check(PRODUCER, &[("linger.ms", "1"), ("queue.buffering.max.ms", "2")], &["linger.ms=2"]);
    check(
        CONSUMER,
        &[("queued.min.messages", "0"), ("check.crcs", "maybe"), ("fetch.min.bytes", "one")],
        &[
            "1: Kafka setting \"queued.min.messages\" has a value it does not take; it takes 1 .. 10000000",
            "2: Kafka setting \"check.crcs\" has a value it does not take; it takes true or false",
            "3: Kafka setting \"fetch.min.bytes\" has a value it does not take; it takes bytes, or a size such as \"1 MiB\"",
        ],
    );
    check(
        CONSUMER,
        &[("enable.partition.eof", "true"), ("plugin.library.paths", "x")],
        &[
            "1: Kafka setting \"enable.partition.eof\" is not supported: a partition has no end that matters to a streamlet",
            "2: Kafka setting \"plugin.library.paths\" is not supported: it loads code into the host",
        ],
    );
}

#[test]
fn no_other_name_goes_round_a_refusal() {
    check(
        PRODUCER,
        &[("request.required.acks", "0")],
        &["1: Kafka setting \"request.required.acks\" is not supported: write `acks`"],
    );
    check(
        CONSUMER,
        &[("security.protocol", "SASL_SSL"), ("sasl.mechanisms", "oauthbearer"), ("sasl.oauthbearer.method", "oidc")],
        &[
            "2: Kafka setting \"sasl.mechanisms\" has a value that is not supported: OAUTHBEARER is not among its \
             mechanisms: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI",
            "3: Kafka setting \"sasl.oauthbearer.method\" is not supported: the mechanism OAUTHBEARER is not; take \
             PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI",
        ],
    );
}

#[test]
fn keys_of_their_own_and_unknown_ones() {
    check(
        CONSUMER,
        &[("group.id", "x"), ("client.id", "x"), ("bootstrap.servers", "x"), ("transactional.id", "x")],
        &[
            "1: Kafka setting \"group.id\" is not supported: write it beside `topic`, as `group`",
            "2: Kafka setting \"client.id\" is not supported: write it beside `topic`, as `client-id`",
            "3: Kafka setting \"bootstrap.servers\" is not supported: write it beside `topic`, as `bootstrap.servers`",
            "4: Kafka setting \"transactional.id\" is not supported: give --transactional-id instead",
        ],
    );
    check(
        CONSUMER,
        &[("auto.ofset.reset", "x"), ("schema.registry.url", "x")],
        &[
            "1: unknown Kafka setting \"auto.ofset.reset\"; did you mean \"auto.offset.reset\"?",
            "2: unknown Kafka setting \"schema.registry.url\"",
        ],
    );
    check(CONSUMER, &[("fetch.min.bytes", "x"), ("fetch.min.bytes", "10")], &["fetch.min.bytes=10"]);
}

#[test]
fn strategies() {
    let key = "partition.assignment.strategy";
    let class = |name: &str| format!("org.apache.kafka.clients.consumer.{name}Assignor");
    check(CONSUMER, &[(key, "RoundRobin")], &["partition.assignment.strategy=roundrobin"]);
    check(CONSUMER, &[(key, "cooperativesticky")], &["partition.assignment.strategy=cooperative-sticky"]);
    check(CONSUMER, &[(key, "RANGE")], &[]);
    check(
        CONSUMER,
        &[(key, "sticky")],
        &[
            "partition.assignment.strategy=cooperative-sticky",
            "1 warns: Kafka setting \"partition.assignment.strategy\": librdkafka has no eager sticky strategy; it is \
         cooperativesticky, which all members of the group must use",
        ],
    );
    for other in ["cooperative-sticky", "round-robin", "range,roundrobin", "", "com.example.Assignor"] {
        check(
            CONSUMER,
            &[(key, other)],
            &[
                "partition.assignment.strategy=roundrobin",
                "1 warns: Kafka setting \"partition.assignment.strategy\": its value is none of cooperativesticky, range, \
             roundrobin, sticky, so it is roundrobin; write one of them",
            ],
        );
    }
    check(CONSUMER, &[(key, &class("CooperativeSticky"))], &["partition.assignment.strategy=cooperative-sticky"]);
    check(
        CONSUMER,
        &[(key, &format!("{}, {}", class("RoundRobin"), class("Range")))],
        &["partition.assignment.strategy=roundrobin,range"],
    );
    check(
        CONSUMER,
        &[(key, &format!("{},{}", class("Range"), class("CooperativeSticky")))],
        &[
            "1 warns: Kafka setting \"partition.assignment.strategy\": eager and cooperative strategies cannot be offered \
         together; it is range, which all members of the group must offer",
        ],
    );
}

/// A value of the kind that the setting takes.
fn plausible(java: &str, unit: Unit) -> &'static str {
    match (java, unit) {
        ("client.dns.lookup", _) => "use_all_dns_ips",
        ("metadata.recovery.strategy", _) => "rebootstrap",
        ("isolation.level", _) => "READ_COMMITTED",
        ("group.protocol", _) => "CLASSIC",
        ("security.protocol", _) => "SSL",
        ("compression.type", _) => "lz4",
        (_, Unit::Word) => panic!("{java} needs a value"),
        ("max.in.flight.requests.per.connection", _) => "5",
        (_, Unit::Text) => "some-text",
        (_, Unit::Boolean) => "TRUE",
        (_, Unit::Count) => "3",
        (_, Unit::Millis) => "5 s",
        (_, Unit::Bytes | Unit::BytesAsKibibytes) => "8 MiB",
    }
}

#[test]
fn every_translated_name_makes_a_client() {
    let mut translated = 0;
    for row in table::rows() {
        let Rule::To(name, unit) = row.rule else { continue };
        for role in [CONSUMER, PRODUCER].into_iter().filter(|role| row.role.is_none_or(|own| own == *role)) {
            let given = [Given { key: row.java.into(), line: 1, value: plausible(row.java, unit).into() }];
            let found = translate(&identity(role), &given);
            assert_eq!((found.problems.len(), found.warnings.len()), (0, 0), "{found:?}");
            assert!(found.settings.get(name).is_some(), "{name}");
            create(&found.settings);
            translated += 1;
        }
    }
    assert!(translated > 50, "{translated}");
}

#[test]
fn the_tables_are_librdkafkas_and_have_no_name_twice() {
    for native in native::ALLOWED {
        // Whether the value is right or not, the name is known.
        let config: rdkafka::ClientConfig = [(native.name.to_owned(), "1".to_owned())].into_iter().collect();
        if let Err(error) = config.create_native_config() {
            assert!(!format!("{error:?}").contains("CONF_UNKNOWN"), "{error:?}");
        }
        assert!(native::find(native.kept_as).is_some_and(|kept| kept.kept_as == native.kept_as), "{}", native.name);
        assert!(native::refusal(native.name).is_none(), "{}", native.name);
    }
    let mut names = table::rows().map(|row| row.java).collect::<Vec<_>>();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for row in table::rows() {
        if let Rule::To(name, _) = row.rule {
            assert!(native::find(name).is_some(), "{name}");
        }
    }
}
