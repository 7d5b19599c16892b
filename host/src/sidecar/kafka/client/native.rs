//! The names librdkafka 2.12 itself has: which may be given, what each takes, and which would break the host's work.
//!
//! Taken from its CONFIGURATION.md. Names of callbacks and of OAUTHBEARER are not among them; they are unknown here. Two
//! names of one setting become one, so that what is given replaces a default.

use super::Role;

/// A name of librdkafka's.
#[derive(Debug)]
pub(super) struct Native {
    pub(super) name: &'static str,
    /// The name it is kept by: of several for one setting, always the same.
    pub(super) kept_as: &'static str,
    /// Whose it is; none where it is everybody's.
    pub(super) role: Option<Role>,
    /// What it takes, as the documentation has it; empty for any text.
    pub(super) takes: &'static str,
}

/// The setting of this name.
pub(super) fn find(name: &str) -> Option<&'static Native> {
    ALLOWED.iter().find(|native| native.name == name)
}

/// Why a setting of this name is the host's own.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason)
}

const CONSUMER: Option<Role> = Some(Role::Consumer);
const PRODUCER: Option<Role> = Some(Role::Producer);

const fn plain(name: &'static str, role: Option<Role>, takes: &'static str) -> Native {
    Native { name, kept_as: name, role, takes }
}

const fn alias(name: &'static str, kept_as: &'static str, role: Option<Role>, takes: &'static str) -> Native {
    Native { name, kept_as, role, takes }
}

/// What breaks delivery, or is set by the host or by a key of its own.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("auto.commit.enable", "offsets are committed by streamlet once a batch is delivered"),
    ("bootstrap.servers", "write it beside `topic`, as `bootstrap.servers`"),
    ("builtin.features", "what is built in cannot be chosen"),
    ("client.id", "write it beside `topic`, as `client-id`"),
    ("consume.callback.max.messages", "it is about callbacks, which streamlet does not use"),
    ("delivery.report.only.error", "a batch is committed once every delivery has been reported"),
    ("enable.auto.offset.store", "offsets are committed by streamlet once a batch is delivered"),
    ("enable.partition.eof", "a partition has no end that matters to a streamlet"),
    ("enabled_events", "streamlet listens to the events itself"),
    ("group.id", "write it beside `topic`, as `group`"),
    ("group.protocol.type", "streamlets are consumers"),
    ("internal.termination.signal", "signals are the host's"),
    ("log.queue", "streamlet takes the log itself"),
    ("offset.store.method", "offsets are committed by streamlet once a batch is delivered"),
    ("offset.store.path", "offsets are committed by streamlet once a batch is delivered"),
    ("offset.store.sync.interval.ms", "offsets are committed by streamlet once a batch is delivered"),
    ("plugin.library.paths", "it loads code into the host"),
    ("queuing.strategy", "emits leave in their order"),
    ("request.required.acks", "write `acks`"),
    ("ssl.engine.id", "it loads code into the host"),
    ("ssl.engine.location", "it loads code into the host"),
    ("statistics.interval.ms", "streamlet takes the statistics itself; its metrics are on FLOW_METRICS_PORT"),
    ("transactional.id", "give --transactional-id instead"),
];

/// What may be given.
pub(super) const ALLOWED: &[Native] = &[
    plain("acks", PRODUCER, "-1 .. 1000"),
    plain("allow.auto.create.topics", None, "true, false"),
    plain("api.version.fallback.ms", None, "0 .. 604800000"),
    plain("api.version.request", None, "true, false"),
    plain("api.version.request.timeout.ms", None, "1 .. 300000"),
    plain("auto.offset.reset", CONSUMER, "smallest, earliest, beginning, largest, latest, end, error"),
    plain("batch.num.messages", PRODUCER, "1 .. 1000000"),
    plain("batch.size", PRODUCER, "1 .. 2147483647"),
    plain("broker.address.family", None, "any, v4, v6"),
    plain("broker.address.ttl", None, "0 .. 86400000"),
    plain("broker.version.fallback", None, ""),
    plain("check.crcs", CONSUMER, "true, false"),
    plain("client.dns.lookup", None, "use_all_dns_ips, resolve_canonical_bootstrap_servers_only"),
    plain("client.rack", None, ""),
    alias("compression.codec", "compression.type", PRODUCER, "none, gzip, snappy, lz4, zstd"),
    plain("compression.level", PRODUCER, "-1 .. 12"),
    plain("compression.type", PRODUCER, "none, gzip, snappy, lz4, zstd"),
    plain("connections.max.idle.ms", None, "0 .. 2147483647"),
    plain("coordinator.query.interval.ms", CONSUMER, "1 .. 3600000"),
    plain(
        "debug",
        None,
        "generic, broker, topic, metadata, feature, queue, msg, protocol, cgrp, security, fetch, interceptor, plugin, consumer, admin, eos, mock, assignor, conf, telemetry, all",
    ),
    alias("delivery.timeout.ms", "message.timeout.ms", PRODUCER, "0 .. 2147483647"),
    plain("enable.gapless.guarantee", PRODUCER, "true, false"),
    plain("enable.idempotence", PRODUCER, "true, false"),
    plain("enable.metrics.push", None, "true, false"),
    plain("enable.random.seed", None, "true, false"),
    plain("enable.ssl.certificate.verification", None, "true, false"),
    plain("fetch.error.backoff.ms", CONSUMER, "0 .. 300000"),
    plain("fetch.max.bytes", CONSUMER, "0 .. 2147483135"),
    plain("fetch.message.max.bytes", CONSUMER, "1 .. 1000000000"),
    plain("fetch.min.bytes", CONSUMER, "1 .. 100000000"),
    plain("fetch.queue.backoff.ms", CONSUMER, "0 .. 300000"),
    plain("fetch.wait.max.ms", CONSUMER, "0 .. 300000"),
    plain("group.instance.id", CONSUMER, ""),
    plain("group.protocol", CONSUMER, "classic, consumer"),
    plain("group.remote.assignor", CONSUMER, ""),
    plain("heartbeat.interval.ms", CONSUMER, "1 .. 3600000"),
    plain("isolation.level", CONSUMER, "read_uncommitted, read_committed"),
    plain("linger.ms", PRODUCER, "0 .. 900000"),
    plain("log.connection.close", None, "true, false"),
    plain("log.thread.name", None, "true, false"),
    plain("log_level", None, "0 .. 7"),
    alias("max.in.flight", "max.in.flight.requests.per.connection", None, "1 .. 1000000"),
    plain("max.in.flight.requests.per.connection", None, "1 .. 1000000"),
    alias("max.partition.fetch.bytes", "fetch.message.max.bytes", CONSUMER, "1 .. 1000000000"),
    plain("max.poll.interval.ms", CONSUMER, "1 .. 86400000"),
    plain("message.copy.max.bytes", None, "0 .. 1000000000"),
    plain("message.max.bytes", None, "1000 .. 1000000000"),
    alias("message.send.max.retries", "retries", PRODUCER, "0 .. 2147483647"),
    plain("message.timeout.ms", PRODUCER, "0 .. 2147483647"),
    plain("metadata.max.age.ms", None, "1 .. 86400000"),
    plain("metadata.recovery.rebootstrap.trigger.ms", None, "0 .. 2147483647"),
    plain("metadata.recovery.strategy", None, "none, rebootstrap"),
    plain("partition.assignment.strategy", CONSUMER, ""),
    plain("partitioner", PRODUCER, ""),
    plain("produce.offset.report", PRODUCER, "true, false"),
    plain("queue.buffering.backpressure.threshold", PRODUCER, "1 .. 1000000"),
    plain("queue.buffering.max.kbytes", PRODUCER, "1 .. 2147483647"),
    plain("queue.buffering.max.messages", PRODUCER, "0 .. 2147483647"),
    alias("queue.buffering.max.ms", "linger.ms", PRODUCER, "0 .. 900000"),
    plain("queued.max.messages.kbytes", CONSUMER, "1 .. 2097151"),
    plain("queued.min.messages", CONSUMER, "1 .. 10000000"),
    plain("receive.message.max.bytes", None, "1000 .. 2147483647"),
    plain("reconnect.backoff.jitter.ms", None, "0 .. 3600000"),
    plain("reconnect.backoff.max.ms", None, "0 .. 3600000"),
    plain("reconnect.backoff.ms", None, "0 .. 3600000"),
    plain("request.timeout.ms", PRODUCER, "1 .. 900000"),
    plain("retries", PRODUCER, "0 .. 2147483647"),
    plain("retry.backoff.max.ms", None, "1 .. 300000"),
    plain("retry.backoff.ms", None, "1 .. 300000"),
    plain("sasl.kerberos.keytab", None, ""),
    plain("sasl.kerberos.kinit.cmd", None, ""),
    plain("sasl.kerberos.min.time.before.relogin", None, "0 .. 86400000"),
    plain("sasl.kerberos.principal", None, ""),
    plain("sasl.kerberos.service.name", None, ""),
    plain("sasl.mechanism", None, ""),
    alias("sasl.mechanisms", "sasl.mechanism", None, ""),
    plain("sasl.password", None, ""),
    plain("sasl.username", None, ""),
    plain("security.protocol", None, "plaintext, ssl, sasl_plaintext, sasl_ssl"),
    plain("session.timeout.ms", CONSUMER, "1 .. 3600000"),
    plain("socket.blocking.max.ms", None, "1 .. 60000"),
    plain("socket.connection.setup.timeout.ms", None, "1000 .. 2147483647"),
    plain("socket.keepalive.enable", None, "true, false"),
    plain("socket.max.fails", None, "0 .. 1000000"),
    plain("socket.nagle.disable", None, "true, false"),
    plain("socket.receive.buffer.bytes", None, "0 .. 100000000"),
    plain("socket.send.buffer.bytes", None, "0 .. 100000000"),
    plain("socket.timeout.ms", None, "10 .. 300000"),
    plain("ssl.ca.certificate.stores", None, ""),
    plain("ssl.ca.location", None, ""),
    plain("ssl.ca.pem", None, ""),
    plain("ssl.certificate.location", None, ""),
    plain("ssl.certificate.pem", None, ""),
    plain("ssl.cipher.suites", None, ""),
    plain("ssl.crl.location", None, ""),
    plain("ssl.curves.list", None, ""),
    plain("ssl.endpoint.identification.algorithm", None, "none, https"),
    plain("ssl.key.location", None, ""),
    plain("ssl.key.password", None, ""),
    plain("ssl.key.pem", None, ""),
    plain("ssl.keystore.location", None, ""),
    plain("ssl.keystore.password", None, ""),
    plain("ssl.providers", None, ""),
    plain("ssl.sigalgs.list", None, ""),
    plain("sticky.partitioning.linger.ms", PRODUCER, "0 .. 900000"),
    plain("topic.blacklist", None, ""),
    plain("topic.metadata.propagation.max.ms", None, "0 .. 3600000"),
    plain("topic.metadata.refresh.fast.cnt", None, "0 .. 1000"),
    plain("topic.metadata.refresh.fast.interval.ms", None, "1 .. 60000"),
    plain("topic.metadata.refresh.interval.ms", None, "-1 .. 3600000"),
    plain("topic.metadata.refresh.sparse", None, "true, false"),
    plain("transaction.timeout.ms", PRODUCER, "1000 .. 2147483647"),
];
