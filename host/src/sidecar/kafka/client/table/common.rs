//! Names that all of Java's clients have, besides security.

use super::{Row, ignored, refused, to, with};
use crate::sidecar::kafka::client::special;
use crate::sidecar::kafka::client::unit::Unit::{Boolean, Bytes, Millis, Text, Word};

const METRICS: &str = "metrics are streamlet's own, on FLOW_METRICS_PORT";
const CLASS: &str = "records pass as bytes, through no Java class";

pub(in crate::sidecar::kafka::client) const ROWS: &[Row] = &[
    refused("bootstrap.servers", "write it beside `topic`, as `bootstrap.servers`"),
    refused("client.id", "write it beside `topic`, as `client-id`"),
    with(
        "allow.auto.create.topics",
        special::auto_create,
        "`allow.auto.create.topics`",
        "always `false`; `true` warns",
    ),
    ignored("auto.include.jmx.reporter", METRICS),
    to("client.dns.lookup", "client.dns.lookup", Word),
    to("client.rack", "client.rack", Text),
    refused("config.providers*", "write ${NAME} in the file, which takes the environment's variable"),
    to("connections.max.idle.ms", "connections.max.idle.ms", Millis),
    ignored("default.api.timeout.ms", "every wait here has a limit of its own"),
    to("enable.metrics.push", "enable.metrics.push", Boolean),
    ignored("interceptor.classes", CLASS),
    with(
        "metadata.max.age.ms",
        special::metadata_age,
        "`topic.metadata.refresh.interval.ms`",
        "librdkafka's setting of Java's name is the age of its cache, which follows",
    ),
    to("metadata.recovery.rebootstrap.trigger.ms", "metadata.recovery.rebootstrap.trigger.ms", Millis),
    to("metadata.recovery.strategy", "metadata.recovery.strategy", Word),
    ignored("metric.reporters", METRICS),
    ignored("metrics.context.*", METRICS),
    ignored("metrics.num.samples", METRICS),
    ignored("metrics.recording.level", METRICS),
    ignored("metrics.sample.window.ms", METRICS),
    to("receive.buffer.bytes", "socket.receive.buffer.bytes", Bytes),
    to("reconnect.backoff.max.ms", "reconnect.backoff.max.ms", Millis),
    to("reconnect.backoff.ms", "reconnect.backoff.ms", Millis),
    with(
        "request.timeout.ms",
        special::request_timeout,
        "`socket.timeout.ms` of a consumer, `request.timeout.ms` of a producer",
        "milliseconds",
    ),
    to("retry.backoff.max.ms", "retry.backoff.max.ms", Millis),
    with("retry.backoff.ms", special::retry_backoff, "`retry.backoff.ms`", "milliseconds; 0 becomes 1"),
    to("send.buffer.bytes", "socket.send.buffer.bytes", Bytes),
    ignored("socket.connection.setup.timeout.max.ms", "the time for a connection does not grow"),
    to("socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.ms", Millis),
];
