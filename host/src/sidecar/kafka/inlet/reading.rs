//! From a consumer's message to a record of a batch: one copy, of key, value and headers, into the batch's arena.
//!
//! A record that no batch may hold, being too large or having a header whose name is not UTF-8, blocks its partition.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rdkafka::Message as _;
use rdkafka::message::{BorrowedHeaders, BorrowedMessage, Headers as _};

use super::context::Context;
use crate::batch::Header;
use crate::sidecar::kafka::partition::{Incoming, Partition, Unreadable};
use crate::sidecar::kafka::settings::InletSettings;

/// A record's timestamp where it has none, as Kafka writes it.
const NO_TIMESTAMP: i64 = -1;

/// Reads what one turn of the thread finds, and remembers which lanes to wake.
pub(super) struct Reader<'a> {
    context: &'a Context,
    settings: &'a InletSettings,
    touched: HashMap<i32, Arc<Partition>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(context: &'a Context, settings: &'a InletSettings) -> Self {
        Self { context, settings, touched: HashMap::new() }
    }

    /// Takes a message in.
    pub(super) fn read(&mut self, message: &BorrowedMessage<'_>) {
        let number = message.partition();
        let partition = match self.touched.entry(number) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => match self.context.partition(number) {
                Some(partition) => entry.insert(partition),
                // One that was taken away while the message was on its way is another member's.
                None => return,
            },
        };
        let unreadable = |why: String| {
            let (topic, offset) = (&self.settings.topic, message.offset());
            let why = format!("topic \"{topic}\", partition {number}, offset {offset}: the record {why}");
            Unreadable { offset, why }
        };
        let Some(headers) = message.headers().map_or(Some(Vec::new()), headers_of) else {
            return partition.block(unreadable("has a header whose name is not UTF-8".into()));
        };
        let record = Incoming {
            offset: message.offset(),
            timestamp_ms: message.timestamp().to_millis().unwrap_or(NO_TIMESTAMP),
            key: message.key(),
            value: message.payload(),
            headers: &headers,
        };
        let (bytes, bytes_max) = (record.weight_bytes(), self.settings.record_bytes_max);
        if bytes > bytes_max {
            let why = format!(
                "takes {bytes} bytes, and a record may take {bytes_max}; raise message.max.bytes in the inlet's \
                 consumer-config"
            );
            return partition.block(unreadable(why));
        }
        partition.push(&record);
    }

    /// Lets the lanes have it.
    pub(super) fn wake(self) {
        for partition in self.touched.values() {
            partition.wake();
        }
    }
}

/// The headers of a message; none if a name is not UTF-8, on which the client library panics.
fn headers_of(headers: &BorrowedHeaders) -> Option<Vec<Header<'_>>> {
    catch_unwind(AssertUnwindSafe(|| {
        let headers = headers.iter().map(|header| Header { name: header.key.as_bytes(), value: header.value });
        headers.collect()
    }))
    .ok()
}
