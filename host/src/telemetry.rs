//! Every log event's target and name in one table.
//!
//! | target | event | level | fields |
//! |---|---|---|---|
//! | `guest` | a line that a guest wrote | info | `streamlet` `inlet` `partition` `stream` |
//! | `streamlet` | `batch failed` | error | `inlet` `partition` `first_offset` `last_offset` `offset` `read` `error` `detail` |
//! | `streamlet` | `run ended` | info | `records` `batches` `emits` `skipped` `failed_batches` `unprocessed` `records_per_second` |
//!
//! The last two are written with `--log-format json`; in text, people get the same as plain lines. A record's key or
//! value is in none of them.

use crate::batch::Failure;
use crate::guest::Owner;
use crate::sidecar::files::{FailedBatch, Tally};

/// Logs a line that a guest wrote to `stream`, already cut and escaped.
pub(crate) fn guest_line(owner: &Owner, stream: &'static str, line: &str) {
    let Owner { streamlet, lane } = owner;
    match lane {
        Some((inlet, partition)) => {
            tracing::info!(target: "guest", %streamlet, %inlet, partition, stream, "{line}");
        }
        None => tracing::info!(target: "guest", %streamlet, stream, "{line}"),
    }
}

/// Logs a batch that failed in a run.
pub(crate) fn batch_failed(batch: &FailedBatch) {
    let failure = &batch.failure;
    let (first_offset, last_offset) = failure.place.offsets;
    tracing::error!(
        target: "streamlet",
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
    tracing::warn!(target: "streamlet", batch_id, error = %failure.headline(), detail = %failure.detail, "batch failed");
}

/// Logs the end of a run.
pub(crate) fn run_ended(summary: &Tally) {
    tracing::info!(
        target: "streamlet",
        records = summary.records,
        batches = summary.batches,
        emits = ?summary.emits,
        skipped = summary.skipped,
        failed_batches = summary.failed_batches,
        unprocessed = summary.unprocessed,
        records_per_second = summary.records_per_second(),
        "run ended"
    );
}
