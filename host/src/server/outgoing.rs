//! What a `Run` stream answers: frames from a bounded queue, until they end or a status cuts them off.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::Stream;
use tonic::Status;

use crate::codec::Frames;

/// Batches' answers that may wait for the reader. Beyond them lanes wait.
const ANSWERS_MAX: usize = 4;

/// A batch's emits and, last, its ack or fail.
#[derive(Debug)]
pub(super) struct Answer {
    /// The conversation it belongs to; a voided one's answers go nowhere.
    pub(super) epoch: u64,
    pub(super) emits: Frames,
    pub(super) end: Frames,
}

/// The response stream.
#[derive(Debug)]
pub(super) struct Outgoing {
    answers: mpsc::Receiver<Answer>,
    /// The status that the stream ends with, before anything that still waits.
    status: Option<oneshot::Receiver<Status>>,
    epoch: Arc<AtomicU64>,
    current: Option<Answer>,
    /// Tells the session, by being dropped, that the client is gone or has everything.
    _open: oneshot::Sender<()>,
}

/// The session's end of the stream.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) queue: mpsc::Sender<Answer>,
    pub(super) status: oneshot::Sender<Status>,
    /// The conversation whose answers are sent.
    pub(super) epoch: Arc<AtomicU64>,
    /// Comes when the stream has been dropped.
    pub(super) gone: oneshot::Receiver<()>,
}

/// Both ends of a response stream.
pub(super) fn channel() -> (Answers, Outgoing) {
    let (queue, answers) = mpsc::channel(ANSWERS_MAX);
    let (status, ended) = oneshot::channel();
    let (open, gone) = oneshot::channel();
    let epoch = Arc::new(AtomicU64::new(0));
    let outgoing = Outgoing { answers, status: Some(ended), epoch: Arc::clone(&epoch), current: None, _open: open };
    (Answers { queue, status, epoch, gone }, outgoing)
}

impl Stream for Outgoing {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(status) = &mut self.status
            && let Poll::Ready(ended) = Pin::new(status).poll(cx)
        {
            self.status = None;
            if let Ok(status) = ended {
                self.answers.close();
                self.current = None;
                return Poll::Ready(Some(Err(status)));
            }
        }
        loop {
            let epoch = self.epoch.load(Ordering::Acquire);
            if let Some(answer) = &mut self.current
                && answer.epoch == epoch
                && let Some(frame) = answer.emits.pop().or_else(|| answer.end.pop())
            {
                return Poll::Ready(Some(Ok(frame)));
            }
            match ready!(self.answers.poll_recv(cx)) {
                Some(answer) => self.current = Some(answer),
                None => return Poll::Ready(None),
            }
        }
    }
}
