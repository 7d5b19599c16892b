//! Every log event's target and name in one table.
//!
//! | target | event | level | fields |
//! |---|---|---|---|
//! | `guest` | a line that a guest wrote | info | `streamlet` `inlet` `partition` `stream` |
//! | `guest` | `replaced between batches` | info | `streamlet` `inlet` `partition` |
//! | `guest` | `lines dropped` | warn | `streamlet` `inlet` `partition` `dropped` |
//! | `streamlet` | `ready` | info | `address` `streamlet` `instances` (pooled, on demand) `after_ms` |
//! | `streamlet` | `compiling`: after 2 s, then every 10 s | info | `component` `seconds` |
//! | `streamlet` | `compiled` | debug | `component` `after_ms` |
//! | `streamlet` | `compiled code found in the cache` | debug | `component` |
//! | `streamlet` | `compiled components are not kept…`: there is no cache that can be used | warn | `error` |
//! | `streamlet` | `a damaged entry of the cache is replaced`, `cannot read an entry…`, `cannot keep the…` | warn | `entry` `error` |
//! | `streamlet` | `entry of the cache removed to make room` | debug | `entry` |
//! | `streamlet` | `no pool for instances, making each on demand` | warn | `error` |
//! | `streamlet` | `the streamlet…` reads, looks for or tries what it was not granted; once each | info, warn | |
//! | `report` | `batch failed` | error | `inlet` `partition` `first_offset` `last_offset` `offset` `read` `error` `detail` |
//! | `streamlet` | `poison record set aside` | warn | `inlet` `partition` `offset` `read` `error` |
//! | `kafka` | what Kafka's clients log | debug | `facility` |
//! | `streamlet` | `trouble with Kafka`: a client's error; the same one again after 30 s | warn | `port` `error` `times` |
//! | `streamlet` | `waiting for a topic`, `waiting for a cluster` | warn | `port` `topic` `error` |
//! | `streamlet` | `ready` of a run on Kafka | info | `streamlet` `inlets` |
//! | `streamlet` | `partitions assigned`, `partitions revoked` | info | `topic` `assigned` `revoked` `lost` |
//! | `streamlet` | `batch failed` of a run on Kafka, which is tried again | warn | `error` `detail` `again_in_ms` |
//! | `streamlet` | `partition stalled`, once a stall | warn | `inlet` `partition` `stalled_s` `error` |
//! | `streamlet` | `conversation void` | error | `error` `again_in_ms` |
//! | `report` | `run ended` | info | `records` `batches` `emits` `emits_by_outlet` `skipped` `poison` `failed_batches` `unprocessed` `records_per_second` |
//!
//! Reports are what a command owes its user: no filter silences them, errors are among them, and they are events only
//! with `--log-format json`; in text, people get the same as plain lines. `serve` logs the rest of its life under
//! `streamlet` too. A record's key or value is in none of them.

#[cfg(feature = "kafka")]
use std::time::Duration;

use crate::batch::Failure;
use crate::console::REPORT;
use crate::guest::Owner;
use crate::sidecar::files::{FailedBatch, Tally};

/// Offsets of a batch's poison records that a line names.
const OFFSETS_MAX: usize = 20;

/// Logs a line that a guest wrote to `stream`, already cut and escaped.
pub(crate) fn guest_line(owner: &Owner, stream: &'static str, line: &str) {
    let Owner { streamlet, lane, .. } = owner;
    match lane {
        Some((inlet, partition)) => {
            tracing::info!(target: "guest", %streamlet, %inlet, partition, stream, "{line}");
        }
        None => tracing::info!(target: "guest", %streamlet, stream, "{line}"),
    }
}

/// What a guest was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Denied {
    Environment,
    Files,
    Writing,
    Network,
}

impl Denied {
    /// How many there are.
    pub(crate) const COUNT: usize = Self::Network as usize + 1;
}

/// Logs, once a process and capability, that a guest asked for what it was not granted. Reading an empty environment is
/// nothing denied, and what Rust's own panics do: it is told to those who look.
pub(crate) fn denied(denied: Denied) {
    match denied {
        Denied::Environment => tracing::debug!(
            target: "streamlet",
            "the streamlet reads its environment, which is empty; --env NAME[=VALUE] grants a variable"
        ),
        Denied::Files => tracing::warn!(
            target: "streamlet",
            "the streamlet looks for files, and none are granted; --dir HOST::GUEST grants a directory"
        ),
        Denied::Writing => tracing::warn!(
            target: "streamlet",
            "the streamlet may not write a file; a directory that --dir grants without `:ro` may be written to"
        ),
        Denied::Network => tracing::warn!(
            target: "streamlet",
            "the streamlet tries to use the network, which is not available to streamlets"
        ),
    }
}

/// Tells that a lane's guest wrote more lines than may be logged.
pub(crate) fn guest_lines_dropped(owner: &Owner, dropped: u64, lines_per_second: u32) {
    let Owner { streamlet, lane, .. } = owner;
    let lane = lane.as_ref();
    tracing::warn!(
        target: "guest",
        %streamlet,
        inlet = lane.map(|(inlet, _)| inlet),
        partition = lane.map(|(_, partition)| partition),
        dropped,
        "lines dropped: more than {lines_per_second} a second; raise it with --log-lines"
    );
}

/// Tells that a lane's instance was ended because it had outgrown what may be kept; later ones are not told.
pub(crate) fn instance_outgrown(owner: &Owner) {
    let Owner { streamlet, lane, .. } = owner;
    let lane = lane.as_ref();
    tracing::info!(
        target: "guest",
        %streamlet,
        inlet = lane.map(|(inlet, _)| inlet),
        partition = lane.map(|(_, partition)| partition),
        "replaced between batches: its memory has outgrown what is kept; raise it with --kept-memory"
    );
}

/// Logs the records of a batch that were set aside.
pub(crate) fn records_set_aside(batch_id: u64, poison: &[Failure]) {
    let Some(first) = poison.first() else { return };
    let offsets = poison.iter().take(OFFSETS_MAX).map(|failure| failure.place.offsets.0.to_string());
    tracing::warn!(
        target: "streamlet",
        batch_id,
        records = poison.len(),
        offsets = offsets.collect::<Vec<_>>().join(" "),
        error = %first.headline(),
        "poison records set aside"
    );
}

/// Logs a record that was set aside in a run, and where it was read.
pub(crate) fn record_set_aside(batch: &FailedBatch) {
    tracing::warn!(
        target: "streamlet",
        inlet = %batch.failure.place.inlet,
        partition = batch.failure.place.partition,
        offset = batch.failure.place.offsets.0,
        read = %batch.read,
        error = %batch.failure.headline(),
        "poison record set aside"
    );
}

/// Logs a batch that failed in a run.
pub(crate) fn batch_failed(batch: &FailedBatch) {
    let failure = &batch.failure;
    let (first_offset, last_offset) = failure.place.offsets;
    tracing::error!(
        target: REPORT,
        inlet = %failure.place.inlet,
        partition = failure.place.partition,
        first_offset,
        last_offset,
        offset = failure.record.map(|(_, offset)| offset),
        read = %batch.read,
        error = %failure.headline(),
        detail = %failure.detail,
        "batch failed"
    );
}

/// Logs a batch that failed in a conversation; the sidecar will bring it again.
pub(crate) fn batch_failed_in_conversation(batch_id: u64, failure: &Failure) {
    let detail = Some(&failure.detail).filter(|detail| !detail.is_empty()).map(tracing::field::display);
    tracing::warn!(target: "streamlet", batch_id, error = %failure.headline(), detail, "batch failed");
}

/// Tells a batch of a run on Kafka that failed; it is tried again after `wait`.
#[cfg(feature = "kafka")]
pub(crate) fn batch_failed_on_kafka(failure: &Failure, wait: Duration) {
    let detail = Some(&failure.detail).filter(|detail| !detail.is_empty()).map(tracing::field::display);
    let again_in_ms = wait.as_millis();
    tracing::warn!(target: "streamlet", error = %failure.headline(), detail, again_in_ms, "batch failed");
}

/// Tells the records of a batch of a run on Kafka that were set aside.
#[cfg(feature = "kafka")]
pub(crate) fn records_set_aside_on_kafka(poison: &[Failure]) {
    for failure in poison {
        tracing::warn!(
            target: "streamlet",
            inlet = %failure.place.inlet,
            partition = failure.place.partition,
            offset = failure.place.offsets.0,
            error = %failure.headline(),
            "poison record set aside"
        );
    }
}

/// Tells that a partition does not get past an error.
#[cfg(feature = "kafka")]
pub(crate) fn partition_stalled(inlet: &str, partition: i32, stalled: Duration, error: &str) {
    tracing::warn!(target: "streamlet", %inlet, partition, stalled_s = stalled.as_secs(), error, "partition stalled");
}

/// Tells that a conversation on Kafka is void, and when the next one begins.
#[cfg(feature = "kafka")]
pub(crate) fn conversation_void(error: &str, wait: Option<Duration>) {
    let again_in_ms = wait.map(|wait| wait.as_millis());
    tracing::error!(target: "streamlet", error, again_in_ms, "conversation void");
}

/// Tells that a run on Kafka has its partitions.
#[cfg(feature = "kafka")]
pub(crate) fn kafka_ready(streamlet: &str, conversation: &str, inlets: usize) {
    tracing::info!(target: "streamlet", %streamlet, conversation, inlets, "ready");
}

/// Tells that a topic is waited for.
#[cfg(feature = "kafka")]
pub(crate) fn topic_missing(direction: &str, port: &str, topic: &str, error: &str) {
    tracing::warn!(target: "streamlet", %port, %topic, error, "waiting for the topic of {direction} \"{port}\"; it is not created");
}

/// Tells that a cluster does not answer.
#[cfg(feature = "kafka")]
pub(crate) fn cluster_silent(port: &str, bootstrap: &str) {
    tracing::warn!(target: "streamlet", %port, %bootstrap, "waiting for a cluster");
}

/// Tells a Kafka client's error, which came so often since it was last told.
#[cfg(feature = "kafka")]
pub(crate) fn kafka_trouble(port: &str, error: &str, times: u64) {
    tracing::warn!(target: "streamlet", %port, error, times, "trouble with Kafka");
}

/// Passes on what a Kafka client logs.
#[cfg(feature = "kafka")]
pub(crate) fn kafka_log(facility: &str, text: &str) {
    tracing::debug!(target: "kafka", facility, "{text}");
}

/// Logs the end of a run.
pub(crate) fn run_ended(tally: &Tally) {
    let by_outlet = tally.emits.iter().map(|(outlet, count)| format!("{outlet}={count}")).collect::<Vec<_>>();
    tracing::info!(
        target: REPORT,
        records = tally.records,
        batches = tally.batches,
        emits = tally.emits.iter().map(|(_, count)| count).sum::<u64>(),
        emits_by_outlet = by_outlet.join(" "),
        skipped = tally.skipped,
        poison = tally.poison,
        failed_batches = tally.failed_batches,
        unprocessed = tally.unprocessed,
        records_per_second = tally.records_per_second(),
        "run ended"
    );
}
