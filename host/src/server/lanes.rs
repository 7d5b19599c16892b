//! The lanes of one conversation: a task each, made when its partition's first batch comes, killed with the
//! conversation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::outgoing::Answer;
use crate::batch::{Batch, Failure, Output};
use crate::codec::{EncodeFault, Frames, encode_emits};
use crate::conversation::{Conversation, Ticket};
use crate::guest::Guest;
use crate::lane::Lane;
use crate::telemetry;

/// Bytes of a failure's text in a `Fail`.
const FAIL_BYTES_MAX: usize = 16 << 10;
/// Bytes of a `Fail` beside its text.
const FAIL_FRAMING_BYTES: usize = 32;

/// What the lanes of a conversation share.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) epoch: u64,
    pub(super) guest: Arc<Guest>,
    pub(super) conversation: Arc<Mutex<Conversation>>,
    pub(super) answers: mpsc::Sender<Answer>,
    pub(super) outlets: Vec<String>,
    pub(super) message_bytes_max: usize,
}

/// The running lanes. Dropping them kills their guests.
#[derive(Debug)]
pub(super) struct Lanes {
    context: Arc<Context>,
    queues: HashMap<(u32, i32), mpsc::Sender<(Ticket, Batch)>>,
    tasks: JoinSet<()>,
}

impl Lanes {
    pub(super) fn new(context: Context) -> Self {
        Self { context: Arc::new(context), queues: HashMap::new(), tasks: JoinSet::new() }
    }

    /// Hands a batch to its lane. The conversation lets only one be in flight there, so the queue has room.
    pub(super) async fn run(&mut self, ticket: Ticket, batch: Batch) {
        let key = (batch.inlet, batch.partition);
        let queue = self.queues.entry(key).or_insert_with(|| {
            let (queue, batches) = mpsc::channel(1);
            let lane = Lane::new(Arc::clone(&self.context.guest), key.0, key.1);
            self.tasks.spawn(drive(lane, batches, Arc::clone(&self.context)));
            queue
        });
        // A lane ends before its queue only if the conversation is over.
        let _ = queue.send((ticket, batch)).await;
    }

    /// Acknowledges an empty batch.
    pub(super) fn acknowledge(&mut self, ticket: Ticket) {
        // Those that are done are let go, or a long conversation would collect them.
        while self.tasks.try_join_next().is_some() {}
        let context = Arc::clone(&self.context);
        self.tasks.spawn(async move { context.answer(ticket, Frames::default(), Frames::ack(ticket.batch_id)).await });
    }

    /// Waits until every batch in flight is answered. No more may come.
    pub(super) async fn drain(&mut self) {
        self.queues.clear();
        while self.tasks.join_next().await.is_some() {}
    }
}

/// One lane's task: a batch after the other, until its queue ends.
async fn drive(mut lane: Lane, mut batches: mpsc::Receiver<(Ticket, Batch)>, context: Arc<Context>) {
    while let Some((ticket, batch)) = batches.recv().await {
        let batch = Arc::new(batch);
        let result = lane.run(&batch).await;
        let encoded = result.map_err(Box::new).and_then(|parts| context.encode(ticket, &batch, &parts));
        match encoded {
            Ok(emits) => context.answer(ticket, emits, Frames::ack(ticket.batch_id)).await,
            Err(failure) => {
                telemetry::batch_failed_in_conversation(ticket.batch_id, &failure);
                let text = context.fail_text(&failure);
                context.answer(ticket, Frames::default(), Frames::fail(ticket.batch_id, text)).await;
            }
        }
    }
}

impl Context {
    fn encode(&self, ticket: Ticket, batch: &Batch, parts: &[Output]) -> Result<Frames, Box<Failure>> {
        let encoded = encode_emits(ticket.batch_id, &self.outlets, batch, parts, self.message_bytes_max);
        encoded.map_err(|fault: EncodeFault| {
            let record = fault.offset().and_then(|offset| Some((batch.index_of(offset)?, offset)));
            Box::new(Failure::unsendable(self.guest.place(batch), record, fault.to_string()))
        })
    }

    /// A failure's text, as much as fits a `Fail` and the conversation's messages.
    fn fail_text(&self, failure: &Failure) -> String {
        let bytes_max = FAIL_BYTES_MAX.min(self.message_bytes_max.saturating_sub(FAIL_FRAMING_BYTES));
        let mut text = failure.to_string();
        text.truncate(text.floor_char_boundary(bytes_max));
        text
    }

    /// Sends a batch's answer once there is room for it, and if the batch is still in flight by then. Its place in
    /// flight is given up and its answer queued in one go, so that a sidecar which has seen the ack may send the next.
    async fn answer(&self, ticket: Ticket, emits: Frames, end: Frames) {
        let Ok(room) = self.answers.reserve().await else { return };
        if self.conversation.lock().unwrap_or_else(PoisonError::into_inner).finish(ticket) {
            room.send(Answer { epoch: self.epoch, emits, end });
        }
    }
}
