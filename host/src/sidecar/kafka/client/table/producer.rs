//! Names of Java's producer.

use super::{Role, Row, ignored, refused, to, with};
use crate::sidecar::kafka::client::special;
use crate::sidecar::kafka::client::unit::Unit::{Boolean, Bytes, BytesAsKibibytes, Count, Millis, Word};

const CLASS: &str = "records pass as bytes, through no Java class";
const LEVEL: &str = "of the `compression.type` that is given; another one's warns";

pub(in crate::sidecar::kafka::client) const ROWS: &[Row] = &[
    with(
        "acks",
        special::acks,
        "`acks`",
        "`all` or `-1`; `1` warns and switches idempotence off; `0` is refused, since it confirms nothing",
    )
    .of(Role::Producer),
    with("batch.size", special::batch_size, "`batch.size`", "bytes; 0 becomes 1").of(Role::Producer),
    to("buffer.memory", "queue.buffering.max.kbytes", BytesAsKibibytes).of(Role::Producer),
    with("compression.gzip.level", special::gzip_level, "`compression.level`", LEVEL).of(Role::Producer),
    with("compression.lz4.level", special::lz4_level, "`compression.level`", LEVEL).of(Role::Producer),
    to("compression.type", "compression.type", Word).of(Role::Producer),
    with("compression.zstd.level", special::zstd_level, "`compression.level`", LEVEL).of(Role::Producer),
    to("delivery.timeout.ms", "message.timeout.ms", Millis).of(Role::Producer),
    to("enable.idempotence", "enable.idempotence", Boolean).of(Role::Producer),
    ignored("key.serializer", CLASS).of(Role::Producer),
    to("linger.ms", "linger.ms", Millis).of(Role::Producer),
    ignored("max.block.ms", "a full queue is waited for").of(Role::Producer),
    to("max.in.flight.requests.per.connection", "max.in.flight.requests.per.connection", Count).of(Role::Producer),
    to("max.request.size", "message.max.bytes", Bytes).of(Role::Producer),
    ignored("metadata.max.idle.ms", "an outlet writes the one topic it is bound to").of(Role::Producer),
    ignored("partitioner.adaptive.partitioning.enable", "keyless emits spread evenly").of(Role::Producer),
    ignored("partitioner.availability.timeout.ms", "keyless emits spread evenly").of(Role::Producer),
    with(
        "partitioner.class",
        special::partitioner_class,
        "`partitioner`",
        "Java's default is `murmur2_random`, as unless given; the uniform and round robin ones become `random`, and \
         warn; others are refused",
    )
    .of(Role::Producer),
    with("partitioner.ignore.keys", special::ignore_keys, "`partitioner`", "`true` becomes `random`")
        .of(Role::Producer),
    to("retries", "retries", Count).of(Role::Producer),
    to("transaction.timeout.ms", "transaction.timeout.ms", Millis).of(Role::Producer),
    with("transaction.two.phase.commit.enable", special::two_phase, "", "`true` is refused").of(Role::Producer),
    refused("transactional.id", "give --transactional-id instead"),
    ignored("value.serializer", CLASS).of(Role::Producer),
];
