//! Names of Java's consumer.

use super::{Role, Row, ignored, refused, to, with};
use crate::sidecar::kafka::client::unit::Unit::{Boolean, Bytes, Millis, Text, Word};
use crate::sidecar::kafka::client::{assignor, special};

const CLASS: &str = "records pass as bytes, through no Java class";
const COMMITS: &str = "offsets are committed by streamlet once a batch is delivered";

pub(in crate::sidecar::kafka::client) const ROWS: &[Row] = &[
    ignored("auto.commit.interval.ms", COMMITS).of(Role::Consumer),
    with(
        "auto.offset.reset",
        special::offset_reset,
        "`auto.offset.reset`",
        "`earliest` unless given; `latest`; `none` becomes `error`; `by_duration:` is refused",
    )
    .of(Role::Consumer),
    to("check.crcs", "check.crcs", Boolean).of(Role::Consumer),
    with("enable.auto.commit", special::auto_commit, "`enable.auto.commit`", "always `false`; `true` is refused")
        .of(Role::Consumer),
    ignored("exclude.internal.topics", "an inlet reads the one topic it is bound to").of(Role::Consumer),
    to("fetch.max.bytes", "fetch.max.bytes", Bytes).of(Role::Consumer),
    to("fetch.max.wait.ms", "fetch.wait.max.ms", Millis).of(Role::Consumer),
    to("fetch.min.bytes", "fetch.min.bytes", Bytes).of(Role::Consumer),
    refused("group.id", "write it beside `topic`, as `group`"),
    to("group.instance.id", "group.instance.id", Text).of(Role::Consumer),
    to("group.protocol", "group.protocol", Word).of(Role::Consumer),
    to("group.remote.assignor", "group.remote.assignor", Text).of(Role::Consumer),
    to("heartbeat.interval.ms", "heartbeat.interval.ms", Millis).of(Role::Consumer),
    ignored("internal.leave.group.on.close", "a group is left when a run ends").of(Role::Consumer),
    ignored("internal.throw.on.fetch.stable.offset.unsupported", "it is about brokers before 2.5").of(Role::Consumer),
    to("isolation.level", "isolation.level", Word).of(Role::Consumer),
    ignored("key.deserializer", CLASS).of(Role::Consumer),
    to("max.partition.fetch.bytes", "fetch.message.max.bytes", Bytes).of(Role::Consumer),
    to("max.poll.interval.ms", "max.poll.interval.ms", Millis).of(Role::Consumer),
    ignored("max.poll.records", "a batch's size is `batch { max-records, max-bytes }`").of(Role::Consumer),
    with(
        "partition.assignment.strategy",
        assignor::translate,
        "`partition.assignment.strategy`",
        "`range` unless given; `roundrobin`; `cooperativesticky`; `sticky` becomes the cooperative one and warns; \
         Java's class names mean what they say; everything else is `roundrobin` and warns",
    )
    .of(Role::Consumer),
    to("session.timeout.ms", "session.timeout.ms", Millis).of(Role::Consumer),
    refused("share.*", "inlets read as consumer groups, not as share groups"),
    ignored("value.deserializer", CLASS).of(Role::Consumer),
];
