//! From and to `futures::Stream`.
//!
//! Owns the adapted stream or source. Lets no stream that is always ready starve the others of a task: after
//! [`ITEMS_PER_DRIVE`] items it wakes its task and waits. Ends with the stream.

use core::convert::Infallible;
use core::fmt;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use futures_core::Stream;

use crate::iterator::{Pulled, Puller};
use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;

/// Items that a `futures::Stream` is asked for in one drive.
pub const ITEMS_PER_DRIVE: usize = 128;

/// Answers each request with the stream's next item. Pullable; resumes. Run it with
/// [`poll_run`](crate::Stream::poll_run), whose task it wakes.
#[inline]
pub fn from_stream<S: Stream + Unpin>(stream: S) -> FromStream<S> {
    FromStream(stream)
}

/// See [`from_stream`].
pub struct FromStream<S>(S);

impl<S: Stream + Unpin> Source for FromStream<S> {
    type Item = S::Item;
    type Error = Infallible;

    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        let waker = talkback.waker().unwrap_or(Waker::noop()).clone();
        let mut context = Context::from_waker(&waker);
        let mut left = ITEMS_PER_DRIVE;
        while talkback.is_requested() && talkback.may_emit() {
            if left == 0 {
                waker.wake_by_ref();
                return Step::Pending;
            }
            left -= 1;
            match Pin::new(&mut self.0).poll_next(&mut context) {
                Poll::Ready(Some(item)) => {
                    talkback.take_request();
                    emit(item, talkback);
                }
                Poll::Ready(None) => return Step::Ended(End::Complete),
                Poll::Pending => return Step::Pending,
            }
        }
        Step::Idle
    }
}

/// See [`Source::into_stream`].
pub struct IntoStream<S: Source>(Puller<S>);

impl<S: Source> IntoStream<S> {
    #[inline]
    pub(crate) fn new(source: S) -> Self {
        Self(Puller::new(source, "into_stream"))
    }
}

/// Nothing in it is pinned: the source is only ever driven by reference.
impl<S: Source> Unpin for IntoStream<S> {}

impl<S: Source> Stream for IntoStream<S> {
    type Item = Result<S::Item, S::Error>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.hop().set_waker(context.waker());
        match self.0.pull() {
            Pulled::Item(item) => Poll::Ready(Some(Ok(item))),
            Pulled::Ended(End::Failed(error)) => Poll::Ready(Some(Err(error))),
            Pulled::Ended(End::Complete) => Poll::Ready(None),
            Pulled::Waiting => Poll::Pending,
        }
    }
}

impl<S> fmt::Debug for FromStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FromStream")
    }
}

impl<S: Source> fmt::Debug for IntoStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IntoStream")
    }
}
