//! The protocol's rules as a machine without input or output: a message goes in, one step comes out.
//!
//! It owns what one `Run` stream may do next: whether a conversation has started, which batches are in flight, whether
//! the stream is draining. It refuses what breaks a rule, with the status that the stream ends with. It names no
//! runtime, sends nothing and runs nothing: whoever drives it performs the [`Step`]s, in order, and asks
//! [`Conversation::finish`] before answering a batch. It ends with a step that says so; every call after that is a no.

mod start;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use streamlet_protocol::Descriptor;

use crate::batch::{Batch, Start};
use crate::codec::{Inbound, InboundBatch};

/// What to do next.
#[derive(Debug)]
pub enum Step {
    /// Nothing.
    Wait,
    /// A conversation begins: whatever ran before is void, in this stream and in older ones.
    Begin(Box<Begin>),
    /// Run a batch on its lane and then [`Conversation::finish`] it.
    Run(Ticket, Batch),
    /// Answer this batch, which is empty, with an ack.
    Acknowledge(Ticket),
    /// Take no more; once every batch in flight is answered, the stream completes.
    Drain,
    /// Kill whatever runs and end the stream with this status.
    End(Refusal),
}

/// What a conversation begins with.
#[derive(Debug)]
pub struct Begin {
    /// Which of this stream's conversations it is, counted from 1.
    pub epoch: u64,
    /// What guests are started with.
    pub start: Start,
    /// The most bytes of an encoded `FromProcess`.
    pub message_bytes_max: usize,
    /// Configured keys that the streamlet does not declare.
    pub unknown_keys: Vec<String>,
}

/// A batch in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// The conversation it belongs to.
    pub epoch: u64,
    /// Its id in that conversation.
    pub batch_id: u64,
}

/// Why a stream ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The status that it ends with.
    pub code: Code,
    /// Which rule was broken, by what.
    pub message: String,
}

/// The statuses that a rule ends a stream with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A message that says nothing sensible whenever it came.
    InvalidArgument,
    /// A message that came at the wrong time.
    FailedPrecondition,
    /// A newer conversation has begun on another stream.
    Aborted,
}

/// One `Run` stream's conversation.
#[derive(Debug)]
pub struct Conversation {
    descriptor: Arc<Descriptor>,
    phase: Phase,
    epoch: u64,
    /// Inlet and partition of each batch in flight, by its id.
    in_flight: BTreeMap<u64, (u32, i32)>,
    /// The inlet partitions with a batch in flight.
    busy: BTreeSet<(u32, i32)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// Nothing has been started.
    Silent,
    /// Batches may come, for the inlets that are bound, by index.
    Open(Vec<bool>),
    /// Batches in flight finish.
    Draining,
    /// The stream has its status.
    Ended,
}

impl Conversation {
    /// A stream on which nothing has been said.
    pub fn new(descriptor: Arc<Descriptor>) -> Self {
        let (in_flight, busy) = (BTreeMap::new(), BTreeSet::new());
        Self { descriptor, phase: Phase::Silent, epoch: 0, in_flight, busy }
    }

    /// The sidecar said something.
    pub fn receive(&mut self, message: Inbound) -> Step {
        match (&self.phase, message) {
            (Phase::Ended, _) => Step::Wait,
            (Phase::Draining, _) => self.refuse(Code::FailedPrecondition, "a message came after Stop".into()),
            (_, Inbound::Empty) => {
                self.refuse(Code::InvalidArgument, "a ToProcess holds neither Start, Batch nor Stop".into())
            }
            (_, Inbound::Start(message)) => match start::resolve(&self.descriptor, message) {
                Ok(resolved) => self.begin(resolved),
                Err(problem) => self.refuse(Code::InvalidArgument, problem),
            },
            (Phase::Silent, Inbound::Batch(batch)) => {
                let message = format!("batch {} came before Start", batch.batch_id);
                self.refuse(Code::FailedPrecondition, message)
            }
            (Phase::Open(_), Inbound::Batch(batch)) => self.admit(batch),
            (_, Inbound::Stop(_)) => self.drain(),
        }
    }

    /// The sidecar will say no more: as after `Stop`, the batches in flight finish.
    pub fn half_closed(&mut self) -> Step {
        match self.phase {
            Phase::Silent | Phase::Open(_) => self.drain(),
            Phase::Draining | Phase::Ended => Step::Wait,
        }
    }

    /// A newer conversation has begun on another stream.
    pub fn superseded(&mut self) -> Step {
        match self.phase {
            Phase::Ended => Step::Wait,
            _ => self.refuse(Code::Aborted, "a newer conversation has begun on another stream".into()),
        }
    }

    /// The stream is gone, or its time to drain is over: nothing in flight will be answered.
    pub fn void(&mut self) {
        self.phase = Phase::Ended;
        self.in_flight.clear();
        self.busy.clear();
    }

    /// Whether this batch may be answered now. Says yes once, and only while the batch is in flight: an answer to
    /// anything else would break the protocol.
    pub fn finish(&mut self, ticket: Ticket) -> bool {
        if ticket.epoch != self.epoch {
            return false;
        }
        match self.in_flight.remove(&ticket.batch_id) {
            Some(place) => self.busy.remove(&place),
            None => false,
        }
    }

    fn begin(&mut self, resolved: start::Resolved) -> Step {
        self.void();
        self.epoch += 1;
        self.phase = Phase::Open(resolved.bound_inlets);
        Step::Begin(Box::new(Begin {
            epoch: self.epoch,
            start: resolved.start,
            message_bytes_max: resolved.message_bytes_max,
            unknown_keys: resolved.unknown_keys,
        }))
    }

    /// Checks a batch against the rules and puts it in flight.
    fn admit(&mut self, batch: InboundBatch) -> Step {
        let InboundBatch { batch_id, partition, .. } = batch;
        let Phase::Open(bound) = &self.phase else { return Step::Wait };
        let declared = (0u32..).zip(&self.descriptor.inlets).find(|(_, inlet)| inlet.name == batch.inlet);
        let Some((inlet, _)) = declared else {
            let message = format!("batch {batch_id} names inlet \"{}\", which is not declared", batch.inlet);
            return self.refuse(Code::InvalidArgument, message);
        };
        if bound.get(inlet as usize) != Some(&true) {
            let message = format!("batch {batch_id} names inlet \"{}\", which Start does not bind", batch.inlet);
            return self.refuse(Code::InvalidArgument, message);
        }
        if self.in_flight.contains_key(&batch_id) {
            let message = format!("a second batch has id {batch_id} while the first is in flight");
            return self.refuse(Code::FailedPrecondition, message);
        }
        if !self.busy.insert((inlet, partition)) {
            let message = format!(
                "batch {batch_id} came for inlet \"{}\" partition {partition} while another is in flight there",
                batch.inlet
            );
            return self.refuse(Code::FailedPrecondition, message);
        }
        self.in_flight.insert(batch_id, (inlet, partition));
        let ticket = Ticket { epoch: self.epoch, batch_id };
        match batch.of_inlet(inlet) {
            batch if batch.is_empty() => Step::Acknowledge(ticket),
            batch => Step::Run(ticket, batch),
        }
    }

    fn drain(&mut self) -> Step {
        self.phase = Phase::Draining;
        Step::Drain
    }

    fn refuse(&mut self, code: Code, message: String) -> Step {
        self.void();
        Step::End(Refusal { code, message })
    }
}

#[cfg(test)]
mod tests;
