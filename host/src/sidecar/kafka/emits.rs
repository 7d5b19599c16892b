//! The Kafka door: what a topic can carry of a guest's output, checked before anything of the batch is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::settings::OutletSettings;
use crate::batch::{Batch, Emit, Failure, Header, Output, Place, weight_bytes};
use crate::guest::Guest;
use crate::lane::Door;

/// Bytes that a message takes beside key, value and headers, at most: seven numbers of variable width and one byte.
const MESSAGE_FRAMING_BYTES: usize = 45;
/// Bytes that a header takes beside name and value, at most: their lengths.
const HEADER_FRAMING_BYTES: usize = 10;

/// `batch.size` where nothing is set.
const BATCH_BYTES: usize = 1_000_000;

/// What a batch, or a part of one, emits, and what it amounts to.
#[derive(Debug)]
pub(super) struct Emitted {
    batch: Arc<Batch>,
    parts: Vec<Output>,
    /// Emits and their bytes, by index of the outlet.
    pub(super) amounts: Vec<(u64, u64)>,
    /// Whether a broker may refuse one of them, and take what comes behind it.
    pub(super) is_refusable: bool,
}

impl Emitted {
    pub(super) fn bytes(&self) -> u64 {
        self.parts.iter().map(Output::bytes).sum()
    }

    pub(super) fn emits(&self) -> impl Iterator<Item = Emit<'_>> {
        self.parts.iter().flat_map(|part| part.emits(&self.batch))
    }
}

/// An outlet's topic, and what it takes.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) name: String,
    pub(super) topic: String,
    /// Bytes of a message that the producer sends: `message.max.bytes`.
    pub(super) message_bytes_max: usize,
    /// Bytes from which on a message is alone in its request, so that a refusal is about itself: `batch.size`.
    pub(super) alone_bytes: usize,
    /// Bytes of a message that a broker has refused. What is as large is refused here, before anything is written.
    refused_bytes: AtomicUsize,
    /// A broker has refused several messages together, so that any may be refused.
    refuses_several: AtomicBool,
}

impl Bound {
    pub(super) fn new(settings: &OutletSettings) -> Self {
        let OutletSettings { name, topic, client, message_bytes_max } = settings;
        let batch_bytes = client.get("batch.size").and_then(|bytes| bytes.parse().ok()).unwrap_or(BATCH_BYTES);
        Self {
            name: name.clone(),
            topic: topic.clone(),
            message_bytes_max: *message_bytes_max,
            alone_bytes: batch_bytes,
            refused_bytes: AtomicUsize::new(usize::MAX),
            refuses_several: AtomicBool::new(false),
        }
    }

    /// A broker has refused a message that was alone in its request.
    pub(super) fn broker_refused(&self, message_bytes: usize) {
        self.refused_bytes.fetch_min(message_bytes, Ordering::AcqRel);
    }

    /// A broker has refused messages that were in one request: the topic takes less than `batch.size`.
    pub(super) fn broker_refused_several(&self) {
        self.refuses_several.store(true, Ordering::Release);
    }

    /// Whether a broker may refuse a message of so many bytes, and take what comes behind it.
    fn may_be_refused(&self, message_bytes: usize) -> bool {
        message_bytes >= self.alone_bytes || self.refuses_several.load(Ordering::Acquire)
    }

    /// The bytes that an emit takes as a message, or why it cannot be sent.
    fn check(&self, emit: &Emit<'_>) -> Result<usize, String> {
        let Self { name, topic, message_bytes_max, .. } = self;
        if emit.headers().any(|header| header.name.contains(&0)) {
            return Err(format!(
                "outlet \"{name}\": a header's name has a zero byte, which Kafka's client cannot carry"
            ));
        }
        let bytes = message_bytes(emit);
        if bytes > *message_bytes_max {
            return Err(format!(
                "outlet \"{name}\": the emit takes {bytes} bytes, and a message to topic \"{topic}\" may take \
                 {message_bytes_max}; raise max.request.size in the outlet's producer-config"
            ));
        }
        if bytes >= self.refused_bytes.load(Ordering::Acquire) {
            return Err(too_large_for_broker(self, bytes));
        }
        Ok(bytes)
    }
}

/// Why a broker refuses an emit, in the author's words.
pub(super) fn too_large_for_broker(outlet: &Bound, bytes: usize) -> String {
    let Bound { name, topic, .. } = outlet;
    format!(
        "outlet \"{name}\": the emit takes {bytes} bytes, and the broker refuses it as too large for topic \"{topic}\"; \
         raise the topic's max.message.bytes, then start the streamlet again"
    )
}

/// Bytes that an emit takes as a message, at most.
fn message_bytes(emit: &Emit<'_>) -> usize {
    let headers = emit.headers();
    framing_bytes(headers.len()) + weight_bytes(emit.key(), emit.value(), headers)
}

/// Bytes that a message with so many headers takes beside what is in it, at most.
pub(super) fn framing_bytes(headers: usize) -> usize {
    MESSAGE_FRAMING_BYTES + headers * HEADER_FRAMING_BYTES
}

/// Bytes of a record's name, as text; guests and the consumer have been held to UTF-8.
pub(super) fn header_name<'a>(header: &Header<'a>) -> &'a str {
    std::str::from_utf8(header.name).unwrap_or_default()
}

/// What the outlets' topics take.
#[derive(Debug, Clone)]
pub(super) struct Topics {
    pub(super) guest: Arc<Guest>,
    pub(super) outlets: Arc<Vec<Bound>>,
}

impl Topics {
    /// A failure of a batch whose emit a broker refused.
    pub(super) fn refused(&self, batch: &Batch, why: String) -> Failure {
        Failure::unsendable(self.guest.place(batch), None, why)
    }

    /// A failure of a partition that stands before a record that cannot be read.
    pub(super) fn unreadable(&self, inlet: u32, partition: i32, offset: i64, why: String) -> Failure {
        let inlet =
            self.guest.descriptor().inlets.get(inlet as usize).map_or_else(String::new, |port| port.name.clone());
        let place = Place { inlet, partition, offsets: (offset, offset) };
        Failure::unreadable(place, why)
    }
}

impl Door for Topics {
    type Emits = Emitted;

    fn accept(&self, batch: &Arc<Batch>, parts: Vec<Output>) -> Result<Emitted, Box<Failure>> {
        let mut amounts = vec![(0, 0); self.outlets.len()];
        let mut is_refusable = false;
        for emit in parts.iter().flat_map(|part| part.emits(batch)) {
            let index = emit.outlet as usize;
            // The checker has found every outlet declared; all that are declared are bound.
            let (Some(outlet), Some((count, bytes))) = (self.outlets.get(index), amounts.get_mut(index)) else {
                continue;
            };
            let message_bytes = outlet.check(&emit).map_err(|why| {
                let record = emit.source_index.zip(emit.source).map(|(index, record)| (index, record.offset));
                Box::new(Failure::unsendable(self.guest.place(batch), record, why))
            })?;
            is_refusable |= outlet.may_be_refused(message_bytes);
            *count += 1;
            *bytes += (message_bytes - framing_bytes(emit.headers().len())) as u64;
        }
        Ok(Emitted { batch: Arc::clone(batch), parts, amounts, is_refusable })
    }
}
