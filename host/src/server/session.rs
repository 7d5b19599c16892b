//! One `Run` stream: performs what its conversation decides.
//!
//! It owns the stream's lanes and its answers. It ends when the conversation says so, when a newer one has begun
//! elsewhere, when the client is gone, or when the grace for draining is over; then its lanes are killed with it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tonic::{Code as GrpcCode, Status, Streaming};

use super::lanes::{Context, Event, Lanes};
use super::outgoing::Answers;
use super::run::Current;
use super::{Served, Shutdown};
use crate::codec::Inbound;
use crate::conversation::{Begin, Code, Conversation, Refusal, Step};
use crate::guest::Component;
use crate::lane::Policy;

/// Bytes of a status message: the sidecar's transport loses trailers over 8 KiB, and a message may take three bytes of
/// trailer for each of its own.
const STATUS_BYTES_MAX: usize = 2 << 10;

/// One stream.
pub(super) struct Session {
    component: Arc<Component>,
    conversation: Arc<Mutex<Conversation>>,
    current: Current,
    shutdown: Shutdown,
    policy: Policy,
    superseded: Arc<Notify>,
    answers: Answers,
    lanes: Option<Lanes>,
}

/// Whether a stream goes on.
enum Next {
    Listen,
    Drain,
    End(Option<Status>),
}

impl Session {
    pub(super) fn new(
        Served { component, policy }: Served,
        current: Current,
        shutdown: Shutdown,
        answers: Answers,
    ) -> Self {
        let conversation = Conversation::new(Arc::new(component.descriptor().clone()));
        let (conversation, superseded) = (Arc::new(Mutex::new(conversation)), Arc::new(Notify::new()));
        Self { component, conversation, current, shutdown, policy, superseded, answers, lanes: None }
    }

    /// Runs the stream to its end.
    pub(super) async fn drive(mut self, mut inbound: Streaming<Inbound>) {
        let shutdown = self.shutdown.clone();
        let mut grace_over = std::pin::pin!(shutdown.grace_over());
        let status = loop {
            // Asked once: a lane that comes to rest between two answers would be waited for by nobody.
            let has_room = self.lanes.as_ref().is_none_or(Lanes::has_room);
            let next = tokio::select! {
                message = inbound.message(), if has_room => match message {
                    Ok(Some(message)) => {
                        let step = self.conversation().receive(message);
                        self.perform(step).await
                    }
                    Ok(None) => {
                        let step = self.conversation().half_closed();
                        self.perform(step).await
                    }
                    Err(status) => Self::broken(&status),
                },
                event = event(self.lanes.as_mut(), has_room) => match event {
                    Event::Answered => Next::Listen,
                    Event::Died => {
                        tracing::error!(target: "streamlet", "a lane died of a bug of the host; the conversation ends");
                        Next::End(Some(Status::internal("the host panicked; its log has the reason")))
                    }
                },
                () = self.superseded.notified() => {
                    let step = self.conversation().superseded();
                    self.perform(step).await
                }
                _ = &mut self.answers.gone => left(),
                () = &mut grace_over => Next::End(None),
            };
            match next {
                Next::Listen => {}
                Next::Drain => break self.drain().await,
                Next::End(status) => break status,
            }
        };
        self.conversation().void();
        // Killed before the stream ends. A guest that is on a thread at this moment goes on until it next yields.
        self.lanes = None;
        if let Some(status) = status {
            // Nobody takes it only if the client is gone.
            let _ = self.answers.status.send(status);
        }
    }
}

impl Session {
    async fn perform(&mut self, step: Step) -> Next {
        match step {
            Step::Wait => {}
            Step::Begin(begin) => self.begin(*begin),
            Step::Run(ticket, batch) => {
                if let Some(lanes) = &mut self.lanes {
                    lanes.run(ticket, batch).await;
                }
            }
            Step::Acknowledge(ticket) => {
                if let Some(lanes) = &mut self.lanes {
                    lanes.acknowledge(ticket);
                }
            }
            Step::Drain => return Next::Drain,
            Step::End(refusal) => return Next::End(Some(refused(&refusal))),
        }
        Next::Listen
    }

    /// Begins a conversation; the one before, here or elsewhere, is void from now on.
    fn begin(&mut self, begin: Begin) {
        let Begin { epoch, start, message_bytes_max, unknown_keys } = begin;
        self.lanes = None;
        self.answers.epoch.store(epoch, Ordering::Release);
        self.current.take_over(&self.superseded);
        tracing::info!(
            target: "streamlet",
            conversation = %start.conversation_id,
            pipeline = %start.pipeline,
            streamlet = %start.streamlet,
            "conversation started"
        );
        for key in unknown_keys {
            tracing::warn!(target: "streamlet", %key, "configured, but not declared by the streamlet: ignored");
        }
        let outlets = self.component.descriptor().outlets.iter().map(|outlet| outlet.name.clone()).collect();
        self.lanes = Some(Lanes::new(Context {
            epoch,
            guest: Arc::new(self.component.converse(start)),
            conversation: Arc::clone(&self.conversation),
            answers: self.answers.queue.clone(),
            outlets,
            message_bytes_max,
            policy: self.policy,
            answered: Notify::new(),
        }));
    }

    /// Lets the batches in flight finish, within the grace. The stream completes either way.
    async fn drain(&mut self) -> Option<Status> {
        tracing::info!(target: "streamlet", "conversation stopped");
        let deadline = Instant::now() + self.shutdown.grace();
        let Some(lanes) = &mut self.lanes else { return None };
        tokio::select! {
            () = lanes.drain() => None,
            () = tokio::time::sleep_until(deadline) => None,
            () = self.shutdown.grace_over() => None,
            () = self.superseded.notified() => match self.conversation().superseded() {
                Step::End(refusal) => Some(refused(&refusal)),
                _ => None,
            },
            _ = &mut self.answers.gone => None,
        }
    }

    /// The client cannot be read any more: it is gone, or what it sent is no message, which the status says.
    fn broken(status: &Status) -> Next {
        match status.code() {
            GrpcCode::InvalidArgument | GrpcCode::OutOfRange | GrpcCode::ResourceExhausted => {
                tracing::warn!(target: "streamlet", reason = %status.message(), "a message cannot be read");
                Next::End(Some(bounded(status.code(), status.message())))
            }
            _ => left(),
        }
    }

    /// Nothing panics while it holds the lock.
    fn conversation(&self) -> MutexGuard<'_, Conversation> {
        self.conversation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client is gone, whichever way that was noticed first.
fn left() -> Next {
    tracing::info!(target: "streamlet", "conversation ended by the sidecar");
    Next::End(None)
}

/// What happens to lanes, if there are any.
async fn event(lanes: Option<&mut Lanes>, has_room: bool) -> Event {
    match lanes {
        Some(lanes) => lanes.event(has_room).await,
        None => std::future::pending().await,
    }
}

/// A refusal as the stream's status, and in the log.
fn refused(refusal: &Refusal) -> Status {
    let code = match refusal.code {
        Code::InvalidArgument => GrpcCode::InvalidArgument,
        Code::FailedPrecondition => GrpcCode::FailedPrecondition,
        Code::Aborted => GrpcCode::Aborted,
    };
    match refusal.code {
        Code::Aborted => tracing::info!(target: "streamlet", "conversation superseded by a newer one"),
        _ => tracing::warn!(target: "streamlet", reason = %refusal.message, "stream refused"),
    }
    bounded(code, &refusal.message)
}

fn bounded(code: GrpcCode, message: &str) -> Status {
    let (kept, _) = message.split_at(message.floor_char_boundary(STATUS_BYTES_MAX));
    Status::new(code, kept)
}
