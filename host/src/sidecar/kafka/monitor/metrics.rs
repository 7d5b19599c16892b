//! Every metric in one table, in Prometheus' text format.
//!
//! | name | labels | counts |
//! |---|---|---|
//! | `ankka_flow_sidecar_in_flight` | `inlet` `partition` | batches that the guest or the brokers have |
//! | `ankka_flow_sidecar_stalled_seconds` | `inlet` `partition` | since when it has not got past an error; 0 if it has |
//! | `streamlet_ready` | | 1 while it runs |
//! | `streamlet_conversations_total` | | conversations begun |
//! | `streamlet_records_total`, `streamlet_record_bytes_total` | `inlet` | records of written batches, their keys, values and headers |
//! | `streamlet_records_set_aside_total` | `inlet` | poison records skipped or sent to the dead-letter outlet |
//! | `streamlet_batches_total` | `inlet` | written batches |
//! | `streamlet_failures_total` | `inlet` `kind` | failed tries of batches: `refused` `not_started` `trapped` `broke` `limited` `timed_out` `host` |
//! | `streamlet_emits_total`, `streamlet_emit_bytes_total` | `outlet` | emits written |
//! | `streamlet_lag_records` | `inlet` `partition` | records in the topic that are not written yet |
//! | `streamlet_paused` | `inlet` `partition` | 1 while the broker is to send nothing: too much waits, or a record cannot be read |
//! | `streamlet_stream_violations_total` | | signals out of turn between a partition and its lane: mistakes of the host |
//! | `streamlet_batch_seconds` | `inlet` | histogram: from taking a batch until its emits are confirmed, tries included |
//! | `streamlet_commit_seconds` | `inlet` | histogram: how long the broker took to commit |
//! | `streamlet_guest_memory_bytes` | | linear memory of all live instances |
//! | `streamlet_kafka_sent_bytes`, `streamlet_kafka_received_bytes`, `streamlet_kafka_requests`, `streamlet_kafka_queued_messages` | `client_id` | a Kafka client's own counts |
//!
//! The first two are the platform's sidecar's; the others are named after the product.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use prometheus::{
    Encoder as _, Histogram, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts,
    Registry, TextEncoder,
};

use super::partition::{PartitionMonitor, Written};
use crate::batch::Cause;

/// Bounds of the histograms, in seconds: from a loopback round trip to a deadline.
const SECONDS: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];
/// Every cause and its label.
const CAUSES: [(Cause, &str); 7] = [
    (Cause::Refused, "refused"),
    (Cause::NotStarted, "not_started"),
    (Cause::Trapped, "trapped"),
    (Cause::Broke, "broke"),
    (Cause::Limited, "limited"),
    (Cause::TimedOut, "timed_out"),
    (Cause::Host, "host"),
];

/// The process's metrics.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    pub(super) ready: IntGauge,
    pub(super) conversations: IntCounter,
    pub(super) outlets: Vec<OutletMetrics>,
    guest_memory: IntGauge,
    in_flight: IntGaugeVec,
    stalled: IntGaugeVec,
    lag: IntGaugeVec,
    paused: IntGaugeVec,
    violations: IntCounter,
    records: IntCounterVec,
    record_bytes: IntCounterVec,
    set_aside: IntCounterVec,
    batches: IntCounterVec,
    failures: IntCounterVec,
    batch_seconds: HistogramVec,
    commit_seconds: HistogramVec,
    clients: Clients,
}

/// One outlet's.
#[derive(Debug)]
pub(super) struct OutletMetrics {
    pub(super) emits: IntCounter,
    bytes: IntCounter,
}

/// One inlet's, looked up once.
#[derive(Debug, Clone)]
pub(super) struct InletMetrics {
    pub(super) records: IntCounter,
    bytes: IntCounter,
    pub(super) set_aside: IntCounter,
    pub(super) batches: IntCounter,
    /// Emits of its records; metrics have them by outlet.
    pub(super) emits: Arc<AtomicU64>,
    failures: Vec<IntCounter>,
    batch_seconds: Histogram,
    pub(super) commit_seconds: Histogram,
}

/// Kafka clients' own counts.
#[derive(Debug)]
struct Clients {
    sent: IntGaugeVec,
    received: IntGaugeVec,
    requests: IntGaugeVec,
    queued: IntGaugeVec,
}

impl Metrics {
    pub(super) fn new(outlets: &[String]) -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let of_port = &["inlet"][..];
        let of_partition = &["inlet", "partition"][..];
        let emits = counters(&registry, "streamlet_emits_total", "emits written", &["outlet"])?;
        let emit_bytes = counters(&registry, "streamlet_emit_bytes_total", "their bytes", &["outlet"])?;
        let outlet = |name: &String| {
            let emits = emits.get_metric_with_label_values(&[name])?;
            Ok(OutletMetrics { emits, bytes: emit_bytes.get_metric_with_label_values(&[name])? })
        };
        let outlets = outlets.iter().map(outlet).collect::<Result<_, prometheus::Error>>()?;
        let gauge = |name: &str, help: &str| {
            let gauge = IntGauge::new(name, help)?;
            registry.register(Box::new(gauge.clone()))?;
            Ok::<_, prometheus::Error>(gauge)
        };
        let ready = gauge("streamlet_ready", "1 while it runs")?;
        let guest_memory = gauge("streamlet_guest_memory_bytes", "linear memory of all live instances")?;
        let counter = |name: &str, help: &str| {
            let counter = IntCounter::new(name, help)?;
            registry.register(Box::new(counter.clone()))?;
            Ok::<_, prometheus::Error>(counter)
        };
        let conversations = counter("streamlet_conversations_total", "conversations begun")?;
        let violations = counter("streamlet_stream_violations_total", "signals out of turn")?;
        Ok(Self {
            ready,
            guest_memory,
            conversations,
            outlets,
            in_flight: gauges(&registry, "ankka_flow_sidecar_in_flight", "batches in flight", of_partition)?,
            stalled: gauges(
                &registry,
                "ankka_flow_sidecar_stalled_seconds",
                "since when it has not got past an error",
                of_partition,
            )?,
            lag: gauges(&registry, "streamlet_lag_records", "records in the topic, not written yet", of_partition)?,
            paused: gauges(&registry, "streamlet_paused", "1 while the broker is to send nothing", of_partition)?,
            violations,
            records: counters(&registry, "streamlet_records_total", "records of written batches", of_port)?,
            record_bytes: counters(&registry, "streamlet_record_bytes_total", "their bytes", of_port)?,
            set_aside: counters(&registry, "streamlet_records_set_aside_total", "poison records set aside", of_port)?,
            batches: counters(&registry, "streamlet_batches_total", "written batches", of_port)?,
            failures: counters(&registry, "streamlet_failures_total", "failed tries of batches", &["inlet", "kind"])?,
            batch_seconds: histograms(&registry, "streamlet_batch_seconds", "from taking to confirmed")?,
            commit_seconds: histograms(&registry, "streamlet_commit_seconds", "how long commits took")?,
            clients: Clients::new(&registry)?,
            registry,
        })
    }

    pub(super) fn inlet(&self, name: &str) -> Result<InletMetrics, prometheus::Error> {
        let failures = CAUSES.iter().map(|(_, kind)| self.failures.get_metric_with_label_values(&[name, kind]));
        Ok(InletMetrics {
            records: self.records.get_metric_with_label_values(&[name])?,
            bytes: self.record_bytes.get_metric_with_label_values(&[name])?,
            set_aside: self.set_aside.get_metric_with_label_values(&[name])?,
            batches: self.batches.get_metric_with_label_values(&[name])?,
            emits: Arc::default(),
            failures: failures.collect::<Result<_, _>>()?,
            batch_seconds: self.batch_seconds.get_metric_with_label_values(&[name])?,
            commit_seconds: self.commit_seconds.get_metric_with_label_values(&[name])?,
        })
    }

    /// Emits and bytes, by index of the outlet.
    pub(super) fn emitted(&self, emits: &[(u64, u64)]) {
        for (outlet, (count, bytes)) in self.outlets.iter().zip(emits) {
            outlet.emits.inc_by(*count);
            outlet.bytes.inc_by(*bytes);
        }
    }

    /// A partition's gauges, as they are now.
    pub(super) fn partition(&self, partition: &PartitionMonitor) {
        let number = partition.number.to_string();
        let labels = &[partition.inlet.as_str(), number.as_str()];
        let set = |gauge: &IntGaugeVec, value: u64| {
            if let Ok(gauge) = gauge.get_metric_with_label_values(labels) {
                gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            }
        };
        set(&self.in_flight, partition.in_flight() as u64);
        set(&self.paused, u64::from(partition.is_paused()));
        set(&self.stalled, partition.stalled().as_secs());
        if let Some(lag) = partition.lag() {
            set(&self.lag, lag);
        }
    }

    /// A partition that is no longer this member's has no gauges.
    pub(super) fn forget(&self, inlet: &str, number: i32) {
        let number = number.to_string();
        for gauge in [&self.in_flight, &self.stalled, &self.lag, &self.paused] {
            // One that was never asked for is not there.
            let _ = gauge.remove_label_values(&[inlet, &number]);
        }
    }

    pub(super) fn client(&self, statistics: &rdkafka::Statistics) {
        self.clients.set(statistics);
    }

    pub(super) fn set_guest_memory(&self, bytes: u64) {
        self.guest_memory.set(i64::try_from(bytes).unwrap_or(i64::MAX));
    }

    pub(super) fn text(&self) -> Result<String, prometheus::Error> {
        let violations = talkback::violations_total() as u64;
        self.violations.inc_by(violations.saturating_sub(self.violations.get()));
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl InletMetrics {
    pub(super) fn written(&self, written: &Written, after: Duration) {
        self.records.inc_by(written.records);
        self.bytes.inc_by(written.bytes);
        self.set_aside.inc_by(written.set_aside);
        self.batches.inc();
        self.emits.fetch_add(written.emits.iter().map(|(count, _)| count).sum(), Ordering::Relaxed);
        self.batch_seconds.observe(after.as_secs_f64());
    }

    pub(super) fn failed(&self, cause: Cause) {
        if let Some((_, failures)) = CAUSES.iter().zip(&self.failures).find(|((of, _), _)| *of == cause) {
            failures.inc();
        }
    }

    /// Failed tries, whatever the cause.
    pub(super) fn failures(&self) -> u64 {
        self.failures.iter().map(IntCounter::get).sum()
    }
}

impl Clients {
    fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let gauge = |name: &str, help: &str| gauges(registry, name, help, &["client_id"]);
        Ok(Self {
            sent: gauge("streamlet_kafka_sent_bytes", "bytes that a Kafka client has sent")?,
            received: gauge("streamlet_kafka_received_bytes", "bytes that a Kafka client has received")?,
            requests: gauge("streamlet_kafka_requests", "requests that a Kafka client has sent")?,
            queued: gauge("streamlet_kafka_queued_messages", "messages in a Kafka client's queues")?,
        })
    }

    fn set(&self, statistics: &rdkafka::Statistics) {
        let values = [
            (&self.sent, statistics.tx_bytes),
            (&self.received, statistics.rx_bytes),
            (&self.requests, statistics.tx),
            (&self.queued, i64::try_from(statistics.msg_cnt).unwrap_or(i64::MAX)),
        ];
        for (gauge, value) in values {
            if let Ok(gauge) = gauge.get_metric_with_label_values(&[&statistics.client_id]) {
                gauge.set(value);
            }
        }
    }
}

fn counters(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> Result<IntCounterVec, prometheus::Error> {
    let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
    registry.register(Box::new(counters.clone()))?;
    Ok(counters)
}

fn gauges(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> Result<IntGaugeVec, prometheus::Error> {
    let gauges = IntGaugeVec::new(Opts::new(name, help), labels)?;
    registry.register(Box::new(gauges.clone()))?;
    Ok(gauges)
}

fn histograms(registry: &Registry, name: &str, help: &str) -> Result<HistogramVec, prometheus::Error> {
    let options = HistogramOpts::new(name, help).buckets(SECONDS.to_vec());
    let histograms = HistogramVec::new(options, &["inlet"])?;
    registry.register(Box::new(histograms.clone()))?;
    Ok(histograms)
}
