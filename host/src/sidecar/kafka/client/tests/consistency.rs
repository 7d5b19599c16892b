//! Settings that must fit together.

use super::{CONSUMER, PRODUCER, check};

#[test]
fn sizes_of_fetches() {
    check(
        CONSUMER,
        &[("fetch.max.bytes", "1 MiB")],
        &[
            "fetch.max.bytes=5242880",
            "1 warns: Kafka setting \"fetch.max.bytes\": it is raised to 5242880, since message.max.bytes is that much",
        ],
    );
    check(
        CONSUMER,
        &[("max.partition.fetch.bytes", "200 MiB")],
        &["fetch.max.bytes=209715200", "fetch.message.max.bytes=209715200"],
    );
    check(CONSUMER, &[("message.max.bytes", "200 MiB")], &["message.max.bytes=209715200"]);
    check(
        CONSUMER,
        &[("fetch.max.bytes", "200 MiB"), ("receive.message.max.bytes", "100 MiB")],
        &[
            "fetch.max.bytes=209715200",
            "receive.message.max.bytes=209715712",
            "2 warns: Kafka setting \"receive.message.max.bytes\": it is raised to 209715712, for a response of \
         fetch.max.bytes",
        ],
    );
}

#[test]
fn groups() {
    check(
        CONSUMER,
        &[("session.timeout.ms", "10 minutes")],
        &["max.poll.interval.ms=600000", "session.timeout.ms=600000"],
    );
    check(CONSUMER, &[("max.poll.interval.ms", "30 s")], &["max.poll.interval.ms=30000", "session.timeout.ms=30000"]);
    check(
        CONSUMER,
        &[("max.poll.interval.ms", "5 s"), ("session.timeout.ms", "6 s")],
        &[
            "max.poll.interval.ms=6000",
            "session.timeout.ms=6000",
            "1 warns: Kafka setting \"max.poll.interval.ms\": it is raised to 6000, since session.timeout.ms is that \
             much",
        ],
    );
    check(
        CONSUMER,
        &[("group.protocol", "CONSUMER"), ("group.remote.assignor", "uniform")],
        &["group.protocol=consumer", "group.remote.assignor=uniform", "no partition.assignment.strategy"],
    );
    check(
        CONSUMER,
        &[("group.protocol", "consumer"), ("session.timeout.ms", "6000")],
        &["2: Kafka settings \"session.timeout.ms\" and \"group.protocol\" do not go together: with group.protocol = \
         consumer it is the broker's; remove it"],
    );
}

#[test]
fn idempotence() {
    check(
        PRODUCER,
        &[("max.in.flight.requests.per.connection", "50")],
        &[
            "max.in.flight.requests.per.connection=5",
            "1 warns: Kafka setting \"max.in.flight.requests.per.connection\": it is lowered to 5, the most with which order \
         is kept",
        ],
    );
    check(
        PRODUCER,
        &[("acks", "1")],
        &[
            "acks=1",
            "enable.idempotence=false",
            "max.in.flight.requests.per.connection=1",
            "1 warns: Kafka setting \"acks\": it switches idempotence off: a record may be written twice, or be lost with \
         its broker",
        ],
    );
    check(
        PRODUCER,
        &[("enable.idempotence", "false"), ("retries", "0")],
        &["enable.idempotence=false", "max.in.flight.requests.per.connection=1", "retries=0"],
    );
    check(
        PRODUCER,
        &[("enable.idempotence", "true"), ("acks", "1")],
        &[
            "2: Kafka settings \"acks\" and \"enable.idempotence\" do not go together: an idempotent producer has acks = all; \
         write that, or enable.idempotence = false",
        ],
    );
}

#[test]
fn times() {
    check(
        PRODUCER,
        &[("linger.ms", "10 s"), ("delivery.timeout.ms", "5 s")],
        &[
            "1: Kafka settings \"linger.ms\" and \"delivery.timeout.ms\" do not go together: a record would time out before \
         it is sent; lower linger.ms",
        ],
    );
    check(
        PRODUCER,
        &[("delivery.timeout.ms", "0"), ("linger.ms", "10 s")],
        &["linger.ms=10000", "message.timeout.ms=0"],
    );
    check(
        CONSUMER,
        &[("retry.backoff.ms", "5 s"), ("reconnect.backoff.max.ms", "20 ms")],
        &[
            "reconnect.backoff.max.ms=20",
            "reconnect.backoff.ms=20",
            "retry.backoff.max.ms=5000",
            "retry.backoff.ms=5000",
        ],
    );
    check(CONSUMER, &[("retry.backoff.ms", "0")], &["retry.backoff.ms=1"]);
}
