//! The lanes of one conversation: a task each, made when its partition's first batch comes, killed with the
//! conversation, and a bounded number of them: for one more, the lane that has been idle longest ends.
//!
//! A small batch of a lane whose calls are quick is begun on the stream's own task, since handing it to another costs more
//! than it takes. What is not over at once goes on as a task, and so many in a row are followed by everybody else's turn.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{self, Notify, OwnedMutexGuard, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::outgoing::Queue;
use crate::batch::{Batch, Failure, Output};
use crate::codec::{EncodeFault, Frames, encode_emits};
use crate::conversation::{Conversation, Ticket};
use crate::guest::Guest;
use crate::lane::{Door, Lane, Policy};
use crate::telemetry;

/// Lanes of a conversation; beyond it the idle end, and with none idle no more is read.
const LANES_MAX: usize = 4096;
/// How long a lane may be idle where no limit is meant: a moment in so many years can be told.
const IDLE_MAX: Duration = Duration::from_hours(24 * 365);
/// Bytes of a batch that may be begun on the stream's task; it may also be at most twice as large as the lane's last.
const SMALL_BYTES_MAX: usize = 16 << 10;
/// Batches in a row that are begun there, each of which is expected to take 50 us at most.
const IN_A_ROW_MAX: u32 = 8;
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
    pub(super) answers: Queue,
    pub(super) outlets: Vec<String>,
    pub(super) message_bytes_max: usize,
    pub(super) policy: Policy,
    /// Told each time that a lane has answered.
    pub(super) answered: Notify,
}

/// The running lanes. Dropping them kills their guests.
#[derive(Debug)]
pub(super) struct Lanes {
    context: Arc<Context>,
    running: HashMap<(u32, i32), Running>,
    /// Counts batches, to tell which lane has been idle longest.
    batches: u64,
    /// Batches that were begun on the stream's task since others had their turn.
    in_a_row: u32,
    tasks: JoinSet<()>,
}

/// Something that happened to a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// One has answered, so that there may be room for one more batch.
    Answered,
    /// One has panicked, which is a bug of the host: its batch would never be answered.
    Died,
}

/// A lane, seen from outside.
#[derive(Debug)]
struct Running {
    /// To its task.
    queue: mpsc::Sender<(Ticket, Batch)>,
    seat: Arc<sync::Mutex<Seated>>,
    is_busy: Arc<AtomicBool>,
    /// When its last batch came, as counted by [`Lanes::batches`].
    last: u64,
}

/// A lane where whoever has a batch for it finds it.
#[derive(Debug)]
struct Seated {
    lane: Lane,
    /// When its last batch was over.
    last: Instant,
    /// How large that was.
    bytes: usize,
}

impl Lanes {
    pub(super) fn new(context: Context) -> Self {
        Self { context: Arc::new(context), running: HashMap::new(), batches: 0, in_a_row: 0, tasks: JoinSet::new() }
    }

    /// Hands a batch to its lane. The conversation lets only one be in flight there, so the queue has room.
    pub(super) async fn run(&mut self, ticket: Ticket, batch: Batch) {
        let key = (batch.inlet, batch.partition);
        if !self.running.contains_key(&key) {
            self.make_room();
        }
        self.batches += 1;
        let running = self.running.entry(key).or_insert_with(|| {
            let (queue, batches) = mpsc::channel(1);
            let (context, is_busy) = (Arc::clone(&self.context), Arc::new(AtomicBool::new(false)));
            let lane = Lane::new(Arc::clone(&context.guest), key.0, key.1, context.policy);
            let seat = Arc::new(sync::Mutex::new(Seated { lane, last: Instant::now(), bytes: 0 }));
            self.tasks.spawn(drive(Arc::clone(&seat), batches, Arc::clone(&is_busy), context));
            Running { queue, seat, is_busy, last: 0 }
        });
        running.last = self.batches;
        running.is_busy.store(true, Ordering::Release);
        let bytes = batch.arena.len();
        let is_quick = |seated: &OwnedMutexGuard<Seated>| {
            bytes <= seated.bytes.saturating_mul(2) && seated.lane.is_quick_with(&batch)
        };
        let seat = Some(&running.seat).filter(|_| bytes <= SMALL_BYTES_MAX);
        match seat.and_then(|seat| Arc::clone(seat).try_lock_owned().ok()).filter(is_quick) {
            Some(seated) => {
                let (is_busy, context) = (Arc::clone(&running.is_busy), Arc::clone(&self.context));
                self.begin(Box::pin(process(seated, ticket, batch, is_busy, context))).await;
                self.in_a_row += 1;
            }
            // A lane ends before its queue only if the conversation is over.
            None => drop(running.queue.send((ticket, batch)).await),
        }
        // A large one is in this processor's caches, where its lane should have it before the next one is read.
        if self.in_a_row >= IN_A_ROW_MAX || bytes > SMALL_BYTES_MAX {
            self.in_a_row = 0;
            step_back().await;
        }
    }

    /// Begins a batch here. What is not over at once goes on as a task, and a panic becomes one's.
    async fn begin(&mut self, mut batch: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let begun = poll_fn(|cx| Poll::Ready(catch_unwind(AssertUnwindSafe(|| batch.as_mut().poll(cx)))));
        match begun.await {
            Ok(Poll::Ready(())) => {}
            Ok(Poll::Pending) => drop(self.tasks.spawn(batch)),
            Err(panic) => drop(self.tasks.spawn(async { resume_unwind(panic) })),
        }
    }

    /// Whether one more batch may come, for whichever partition.
    pub(super) fn has_room(&self) -> bool {
        self.running.len() < LANES_MAX || self.idle().next().is_some()
    }

    /// What happens to lanes while the stream says nothing. Those that have ended well are let go meanwhile.
    pub(super) async fn event(&mut self, has_room: bool) -> Event {
        loop {
            tokio::select! {
                () = self.context.answered.notified(), if !has_room => return Event::Answered,
                Some(ended) = self.tasks.join_next() => match ended {
                    Err(lost) if lost.is_panic() => return Event::Died,
                    _ => {}
                },
                else => std::future::pending().await,
            }
        }
    }

    /// Ends the lane that has been idle longest if there are as many as may be.
    fn make_room(&mut self) {
        if self.running.len() >= LANES_MAX
            && let Some((key, _)) = self.idle().min_by_key(|(_, running)| running.last)
        {
            let key = *key;
            self.running.remove(&key);
        }
    }

    fn idle(&self) -> impl Iterator<Item = (&(u32, i32), &Running)> {
        self.running.iter().filter(|(_, running)| !running.is_busy.load(Ordering::Acquire))
    }

    /// Acknowledges an empty batch.
    pub(super) fn acknowledge(&mut self, ticket: Ticket) {
        let context = Arc::clone(&self.context);
        let ack = Frames::ack(ticket.batch_id);
        self.tasks.spawn(async move { context.answer(ticket, ack, &AtomicBool::default()).await });
    }

    /// Waits until every batch in flight is answered. No more may come.
    pub(super) async fn drain(&mut self) {
        self.running.clear();
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Lets the task that was woken last have this thread, while any other thread that is free may go on with this one. A task
/// that yields by tokio's own function waits for its thread instead.
async fn step_back() {
    let mut has_stepped = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_stepped, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// One lane's task: a batch after the other, until its queue ends.
async fn drive(
    seat: Arc<sync::Mutex<Seated>>,
    mut batches: mpsc::Receiver<(Ticket, Batch)>,
    is_busy: Arc<AtomicBool>,
    context: Arc<Context>,
) {
    let idle_max = context.guest.idle_max().min(IDLE_MAX);
    // One timer for all batches: arming one wakes up whoever waits for the system, so it goes off early and is set anew.
    let mut idle = pin!(sleep(idle_max));
    loop {
        let next = loop {
            tokio::select! {
                biased;
                next = batches.recv() => break next,
                () = &mut idle => {}
            }
            let mut seated = seat.lock().await;
            if seated.last.elapsed() >= idle_max {
                // Its next batch comes here, since it is not quick without an instance.
                seated.lane.rest();
                drop(seated);
                break batches.recv().await;
            }
            idle.as_mut().reset(seated.last + idle_max);
        };
        let Some((ticket, batch)) = next else { return };
        let seated = Arc::clone(&seat).lock_owned().await;
        process(seated, ticket, batch, Arc::clone(&is_busy), Arc::clone(&context)).await;
    }
}

/// Runs a batch and answers it.
async fn process(
    mut seated: OwnedMutexGuard<Seated>,
    ticket: Ticket,
    batch: Batch,
    is_busy: Arc<AtomicBool>,
    context: Arc<Context>,
) {
    let door = Encoding { ticket, context: Arc::clone(&context) };
    seated.bytes = batch.arena.len();
    let frames = match seated.lane.run(&Arc::new(batch), &door).await {
        Ok(ran) => {
            telemetry::records_set_aside(ticket.batch_id, &ran.poison);
            Frames::joined(ran.emits).acknowledged(ticket.batch_id)
        }
        Err(failure) => {
            telemetry::batch_failed_in_conversation(ticket.batch_id, &failure);
            Frames::fail(ticket.batch_id, context.fail_text(&failure))
        }
    };
    seated.last = Instant::now();
    drop(seated);
    context.answer(ticket, frames, &is_busy).await;
    context.answered.notify_one();
}

/// A batch's emits as frames.
#[derive(Clone)]
struct Encoding {
    ticket: Ticket,
    context: Arc<Context>,
}

impl Door for Encoding {
    type Emits = Frames;

    fn accept(&self, batch: &Arc<Batch>, parts: Vec<Output>) -> Result<Frames, Box<Failure>> {
        self.context.encode(self.ticket, batch, &parts)
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
    /// flight is given up and its answer queued in one go, so that a sidecar which has seen the ack may send the next; and
    /// the lane has come to rest by then.
    async fn answer(&self, ticket: Ticket, frames: Frames, is_busy: &AtomicBool) {
        let Some(room) = self.answers.reserve(frames.bytes()).await else { return };
        is_busy.store(false, Ordering::Release);
        if self.conversation.lock().unwrap_or_else(PoisonError::into_inner).finish(ticket) {
            room.send(self.epoch, frames);
        }
    }
}
