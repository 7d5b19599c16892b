//! Producers: one per outlet, each with a thread that hears the brokers' reports.
//!
//! A batch's emits are handed over in their order, with keys and headers as they are; a full queue makes the lane wait,
//! never the host's memory grow. It refuses to hand over anything of a partition that was revoked meanwhile. Whatever
//! cannot be delivered for another reason than its own size is a fault. They end with the conversation: what waits in
//! them then is thrown away, since it will be written again.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Header as KafkaHeader, Headers, OwnedHeaders};
use rdkafka::producer::{
    BaseRecord, DeliveryResult, NoCustomPartitioner, Producer, ProducerContext, PurgeConfig, ThreadedProducer,
};
use rdkafka::{ClientContext, Message};

use super::client_events::ClientEvents;
use super::delivery::{Delivery, Refused};
use super::emits::{Bound, Emitted, framing_bytes, header_name, too_large_for_broker};
use super::fault::Faults;
use super::locks::lock;
use super::partition::Partition;
use super::settings::OutletSettings;
use crate::batch::Emit;

/// How long to wait for room in a producer's queue before looking again.
const QUEUE_FULL_WAIT: Duration = Duration::from_millis(2);

/// The producers of a conversation, by index of the outlet.
#[derive(Debug)]
pub(super) struct Producers {
    outlets: Vec<Outlet>,
    bound: Arc<Vec<Bound>>,
    keep_timestamps: bool,
    faults: Faults,
    /// Whether what waits was thrown away. Held while emits are handed over: what comes after those that were thrown away
    /// would stand before them.
    is_void: Mutex<bool>,
}

/// An outlet's producer. Several may share one.
struct Outlet {
    producer: SharedProducer,
}

/// A producer and its thread.
pub(super) type SharedProducer = Arc<ThreadedProducer<Reports>>;

impl std::fmt::Debug for Outlet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outlet").finish_non_exhaustive()
    }
}

/// A batch that was not handed over, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unwritten;

impl Producers {
    /// One producer per outlet.
    ///
    /// # Errors
    /// Settings that librdkafka refuses.
    pub(super) fn open(
        settings: &[OutletSettings],
        bound: &Arc<Vec<Bound>>,
        keep_timestamps: bool,
        faults: &Faults,
        events: &ClientEvents,
    ) -> Result<Self, KafkaError> {
        let open = |(index, outlet): (usize, &OutletSettings)| {
            let reports = Reports::new(bound, index, faults, events.of(&outlet.name));
            let producer = outlet.client.config().create_with_context(reports)?;
            Ok(Outlet { producer: Arc::new(producer) })
        };
        let outlets = settings.iter().enumerate().map(open).collect::<Result<_, KafkaError>>()?;
        Ok(Self {
            outlets,
            bound: Arc::clone(bound),
            keep_timestamps,
            faults: faults.clone(),
            is_void: Mutex::default(),
        })
    }

    /// One producer, a transaction's, for all outlets.
    pub(super) fn shared(
        producer: &SharedProducer,
        bound: &Arc<Vec<Bound>>,
        keep_timestamps: bool,
        faults: &Faults,
    ) -> Self {
        let outlets = bound.iter().map(|_| Outlet { producer: Arc::clone(producer) }).collect();
        Self { outlets, bound: Arc::clone(bound), keep_timestamps, faults: faults.clone(), is_void: Mutex::default() }
    }

    /// The producer of an outlet.
    pub(super) fn of(&self, outlet: usize) -> Option<&SharedProducer> {
        self.outlets.get(outlet).map(|outlet| &outlet.producer)
    }

    /// Hands a batch's emits over, waiting for room.
    ///
    /// # Errors
    /// The partition was revoked, or the conversation is void.
    pub(super) async fn write(
        &self,
        partition: &Partition,
        emits: &[Emitted],
        delivery: &Arc<Delivery>,
    ) -> Result<(), Unwritten> {
        let mut done = 0;
        while !self.write_some(partition, emits, &mut done, delivery)? {
            tokio::time::sleep(QUEUE_FULL_WAIT).await;
        }
        Ok(())
    }

    /// Hands over what there is room for, after the `done` that have been; says whether that was all.
    fn write_some(
        &self,
        partition: &Partition,
        emits: &[Emitted],
        done: &mut usize,
        delivery: &Arc<Delivery>,
    ) -> Result<bool, Unwritten> {
        let is_void = lock(&self.is_void);
        if *is_void {
            return Err(Unwritten);
        }
        let _claim = partition.claim().ok_or(Unwritten)?;
        for emit in emits.iter().flat_map(Emitted::emits).skip(*done) {
            match self.send(&emit, delivery) {
                Ok(()) => *done += 1,
                Err(Unsent::QueueFull) => return Ok(false),
                Err(Unsent::Lost(_)) => return Err(Unwritten),
            }
        }
        Ok(true)
    }

    /// Hands a batch's emits over to a transaction, on a thread that may block and has the claim on the partition.
    pub(super) fn write_blocking(&self, emits: &[Emitted], delivery: &Arc<Delivery>) -> KafkaResult<()> {
        for emit in emits.iter().flat_map(Emitted::emits) {
            loop {
                match self.send(&emit, delivery) {
                    Ok(()) => break,
                    Err(Unsent::QueueFull) => std::thread::sleep(QUEUE_FULL_WAIT),
                    Err(Unsent::Lost(error)) => return Err(error),
                }
            }
        }
        Ok(())
    }

    fn send(&self, emit: &Emit<'_>, delivery: &Arc<Delivery>) -> Result<(), Unsent> {
        let index = emit.outlet as usize;
        let (Some(outlet), Some(bound)) = (self.outlets.get(index), self.bound.get(index)) else {
            return Ok(());
        };
        let mut record = BaseRecord::<[u8], [u8], _>::with_opaque_to(&bound.topic, Arc::clone(delivery));
        record.key = emit.key();
        record.payload = emit.value();
        record.headers = headers(emit);
        record.timestamp = if self.keep_timestamps { emit.source.map(|source| source.timestamp_ms) } else { None };
        delivery.add();
        match outlet.producer.send(record) {
            Ok(()) => Ok(()),
            Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), _)) => {
                delivery.confirm();
                Err(Unsent::QueueFull)
            }
            Err((error, _)) => {
                delivery.lose();
                let Bound { name, topic, .. } = bound;
                self.faults.tell(format!("cannot write to topic \"{topic}\" of outlet \"{name}\": {error}"));
                Err(Unsent::Lost(error))
            }
        }
    }

    /// Throws away what has not been delivered: the conversation is void. Nothing is handed over any more.
    pub(super) fn purge(&self) {
        *lock(&self.is_void) = true;
        for outlet in &self.outlets {
            outlet.producer.purge(PurgeConfig::default().queue().inflight());
        }
    }
}

enum Unsent {
    QueueFull,
    Lost(KafkaError),
}

/// The headers of an emit, if it has any.
fn headers(emit: &Emit<'_>) -> Option<OwnedHeaders> {
    let headers = emit.headers();
    (headers.len() > 0).then(|| {
        let empty = OwnedHeaders::new_with_capacity(headers.len());
        headers.fold(empty, |all, header| all.insert(KafkaHeader { key: header_name(&header), value: header.value }))
    })
}

/// Bytes that a message took that is reported, at most: as [`Bound`] counted them before it was sent.
fn message_bytes(message: &BorrowedMessage<'_>) -> usize {
    let bytes = |part: Option<&[u8]>| part.map_or(0, <[u8]>::len);
    let headers = message.headers();
    let of_headers = headers.map_or(0, |headers| headers.iter().map(|of| of.key.len() + bytes(of.value)).sum());
    framing_bytes(headers.map_or(0, Headers::count)) + bytes(message.key()) + bytes(message.payload()) + of_headers
}

/// Hears what becomes of messages.
pub(super) struct Reports {
    bound: Arc<Vec<Bound>>,
    /// The outlet's index; a transaction's producer has several, so the topic decides.
    outlet: usize,
    faults: Faults,
    events: ClientEvents,
}

impl Reports {
    pub(super) fn new(bound: &Arc<Vec<Bound>>, outlet: usize, faults: &Faults, events: ClientEvents) -> Self {
        Self { bound: Arc::clone(bound), outlet, faults: faults.clone(), events }
    }

    fn bound(&self, topic: &str) -> Option<&Bound> {
        let own = self.bound.get(self.outlet).filter(|bound| bound.topic == topic);
        own.or_else(|| self.bound.iter().find(|bound| bound.topic == topic))
    }
}

impl std::fmt::Debug for Reports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reports").field("outlet", &self.outlet).finish_non_exhaustive()
    }
}

impl ClientContext for Reports {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, text: &str) {
        self.events.log(level, facility, text);
    }

    fn stats(&self, statistics: rdkafka::Statistics) {
        self.events.statistics(&statistics);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal) {
            self.faults.tell(format!("a Kafka producer cannot go on: {reason}"));
        }
        self.events.error(&error, reason);
    }
}

impl ProducerContext<NoCustomPartitioner> for Reports {
    type DeliveryOpaque = Arc<Delivery>;

    fn delivery(&self, result: &DeliveryResult<'_>, delivery: Arc<Delivery>) {
        let (error, message) = match result {
            Ok(_) => return delivery.confirm(),
            Err((error, message)) => (error, message),
        };
        let Some(bound) = self.bound(message.topic()) else { return delivery.lose() };
        match error.rdkafka_error_code() {
            Some(RDKafkaErrorCode::MessageSizeTooLarge | RDKafkaErrorCode::InvalidMessageSize)
                if message_bytes(message) >= bound.alone_bytes =>
            {
                let bytes = message_bytes(message);
                bound.broker_refused(bytes);
                delivery.refuse(Refused { why: too_large_for_broker(bound, bytes) });
            }
            // The conversation is void already, or a transaction's, which tells it itself.
            Some(RDKafkaErrorCode::PurgeQueue | RDKafkaErrorCode::PurgeInflight) => delivery.lose(),
            _ => {
                let Bound { name, topic, .. } = bound;
                let hint = match error.rdkafka_error_code() {
                    Some(RDKafkaErrorCode::MessageSizeTooLarge) => {
                        bound.broker_refused_several();
                        "; the topic's max.message.bytes is below batch.size: lower batch.size in the producer-config"
                    }
                    _ => "",
                };
                self.faults.tell(format!(
                    "topic \"{topic}\" of outlet \"{name}\" did not take an emit (partition {}): {error}{hint}",
                    message.partition()
                ));
                delivery.lose();
            }
        }
    }
}
