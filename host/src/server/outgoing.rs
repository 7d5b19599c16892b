//! What a `Run` stream answers: messages from a queue bounded in bytes, until they end or a status cuts them off. It is
//! the body of the response itself, so that many messages go out as one piece of it; tonic's encoder takes them one by
//! one, and copies each.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::{BufMut as _, Bytes, BytesMut};
use http_body::{Body, Frame};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tonic::codegen::http::HeaderMap;
use tonic::{Code, Status};

use crate::codec::Frames;

/// Bytes of answers that may wait for the reader; one with more waits alone. Beyond them lanes wait, each with its own, so
/// more would hardly cost memory; but what waits for long is in no cache any more when it is sent.
const WAITING_BYTES_MAX: u32 = 512 << 10;
/// What an answer counts at least.
const ANSWER_BYTES_MIN: u32 = 256;
/// Bytes of messages that go out in one piece, if it is more than one.
const PIECE_BYTES_MAX: usize = 128 << 10;
/// Bytes of a piece that is sent together with others.
const SMALL_BYTES_MAX: usize = 8 << 10;

/// A batch's emits and, last, its ack or fail.
#[derive(Debug)]
struct Answer {
    /// The conversation it belongs to; a voided one's answers go nowhere.
    epoch: u64,
    frames: Frames,
    /// Given back once the transport has taken all of it.
    _room: OwnedSemaphorePermit,
}

/// The way to the stream. Clones share its room.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    answers: mpsc::UnboundedSender<Answer>,
    room: Arc<Semaphore>,
}

/// Room for an answer.
#[derive(Debug)]
pub(super) struct Room<'a> {
    queue: &'a Queue,
    room: OwnedSemaphorePermit,
}

impl Queue {
    /// Waits for room for an answer of so many bytes; there is none once nobody takes answers any more.
    pub(super) async fn reserve(&self, bytes: usize) -> Option<Room<'_>> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).clamp(ANSWER_BYTES_MIN, WAITING_BYTES_MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(bytes).await.ok()?;
        Some(Room { queue: self, room })
    }
}

impl Room<'_> {
    /// Sends the answer that the room is for.
    pub(super) fn send(self, epoch: u64, frames: Frames) {
        // Nobody takes it only if the stream has ended.
        let _ = self.queue.answers.send(Answer { epoch, frames, _room: self.room });
    }
}

/// The response stream.
#[derive(Debug)]
pub(super) struct Outgoing {
    answers: mpsc::UnboundedReceiver<Answer>,
    room: Arc<Semaphore>,
    /// The status that the stream ends with, before anything that still waits.
    status: Option<oneshot::Receiver<Status>>,
    epoch: Arc<AtomicU64>,
    current: Option<Answer>,
    /// The status has been sent; nothing follows it.
    is_over: bool,
    /// Tells the session, by being dropped, that the client is gone or has everything.
    _open: oneshot::Sender<()>,
}

/// The session's end of the stream.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) queue: Queue,
    pub(super) status: oneshot::Sender<Status>,
    /// The conversation whose answers are sent.
    pub(super) epoch: Arc<AtomicU64>,
    /// Comes when the stream has been dropped.
    pub(super) gone: oneshot::Receiver<()>,
}

/// Both ends of a response stream.
pub(super) fn channel() -> (Answers, Outgoing) {
    let (queue, answers) = mpsc::unbounded_channel();
    let room = Arc::new(Semaphore::new(WAITING_BYTES_MAX as usize));
    let (status, ended) = oneshot::channel();
    let (open, gone) = oneshot::channel();
    let epoch = Arc::new(AtomicU64::new(0));
    let queue = Queue { answers: queue, room: Arc::clone(&room) };
    let outgoing = Outgoing {
        answers,
        room,
        status: Some(ended),
        epoch: Arc::clone(&epoch),
        current: None,
        is_over: false,
        _open: open,
    };
    (Answers { queue, status, epoch, gone }, outgoing)
}

impl Outgoing {
    /// A small piece with the answers behind it that are small and ready too: one piece costs less to send than several.
    fn with_more(&mut self, piece: Bytes, epoch: u64, cx: &mut Context<'_>) -> Bytes {
        let mut more = BytesMut::new();
        while piece.len().max(more.len()) < SMALL_BYTES_MAX
            && self.current.is_none()
            && let Poll::Ready(Some(mut answer)) = self.answers.poll_recv(cx)
        {
            if answer.epoch == epoch
                && answer.frames.bytes() < SMALL_BYTES_MAX
                && let Some(next) = answer.frames.take(SMALL_BYTES_MAX)
            {
                if more.is_empty() {
                    more.reserve(SMALL_BYTES_MAX * 2);
                    more.put_slice(&piece);
                }
                more.put_slice(&next);
            }
            self.current = Some(answer).filter(|answer| !answer.frames.is_empty());
        }
        if more.is_empty() { piece } else { more.freeze() }
    }

    /// Takes no more answers, and nobody waits for room any more.
    fn close(&mut self) {
        self.answers.close();
        self.room.close();
        self.current = None;
    }

    /// The last frame of all: what the stream ends with.
    fn end(&mut self, status: &Status) -> Frame<Bytes> {
        self.is_over = true;
        self.close();
        let mut trailers = HeaderMap::new();
        if status.add_header(&mut trailers).is_err() {
            // A message that no header can carry; the code alone can.
            trailers.clear();
            let _ = Status::new(status.code(), "").add_header(&mut trailers);
        }
        Frame::trailers(trailers)
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        if let Some(status) = &mut self.status
            && let Poll::Ready(ended) = Pin::new(status).poll(cx)
        {
            self.status = None;
            if let Ok(status) = ended {
                return Poll::Ready(Some(Ok(self.end(&status))));
            }
        }
        loop {
            let epoch = self.epoch.load(Ordering::Acquire);
            if let Some(mut answer) = self.current.take()
                && answer.epoch == epoch
                && let Some(piece) = answer.frames.take(PIECE_BYTES_MAX)
            {
                self.current = Some(answer).filter(|answer| !answer.frames.is_empty());
                let piece = self.with_more(piece, epoch, cx);
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            match ready!(self.answers.poll_recv(cx)) {
                Some(answer) => self.current = Some(answer),
                None => {
                    let completed = Status::new(Code::Ok, "");
                    return Poll::Ready(Some(Ok(self.end(&completed))));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.close();
    }
}
