//! The words that travel: why a stream ended, why it was stopped, and what one drive came to.
//!
//! Owns plain data. Refuses nothing. Nothing here outlives the signal it describes.

use crate::talkback::Talkback;

/// Why a source ended: the reason that the document lets `end` carry, typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End<E> {
    /// Nothing is left. The document's `end()` without a reason.
    Complete,
    /// The source cannot go on. The document's `end(reason)`.
    Failed(E),
}

impl<E> End<E> {
    /// The same end with the failure turned into another.
    pub fn map_err<F>(self, f: impl FnOnce(E) -> F) -> End<F> {
        match self {
            Self::Complete => End::Complete,
            Self::Failed(error) => End::Failed(f(error)),
        }
    }
}

/// Why a sink stopped the stream: the reason that the document lets `stop` carry, typed.
///
/// A source may take any of them as its end; [`Stop::Pause`] tells it that the sink means to start again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stop<E> {
    /// For now: the source should keep its place. The document's `stop()` without a reason.
    Pause,
    /// For good: the sink has what it wanted, and the source may let go of what it holds.
    Enough,
    /// For good: the sink cannot go on.
    Failed(E),
}

impl<E> Stop<E> {
    /// The same stop for a party whose failures are of another type: a failure, which cannot cross, becomes
    /// [`Stop::Enough`].
    pub fn without_failure<F>(&self) -> Stop<F> {
        match self {
            Self::Pause => Stop::Pause,
            Self::Enough | Self::Failed(_) => Stop::Enough,
        }
    }
}

/// What one [`Source::drive`](crate::Source::drive) came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step<E> {
    /// The source has done what it was asked to. Only a signal of the sink brings more.
    Idle,
    /// The source would go on, but waits for something outside the stream: time, a message, another sink.
    Pending,
    /// The source has ended, once and for all: it is not driven again.
    Ended(End<E>),
}

impl<E> Step<E> {
    /// A complete end, if the stream is open for it now (rule 4); otherwise the source has to say so again.
    #[inline]
    pub fn complete(talkback: &Talkback<E>) -> Self {
        if talkback.may_emit() { Self::Ended(End::Complete) } else { Self::Idle }
    }

    /// An end that was put by, if there is one and the stream is open for it now (rule 4).
    #[inline]
    pub fn due(end: &mut Option<End<E>>, talkback: &Talkback<E>) -> Self {
        match end.take_if(|_| talkback.may_emit()) {
            Some(end) => Self::Ended(end),
            None => Self::Idle,
        }
    }

    /// The same step with the failure turned into another.
    pub fn map_err<F>(self, f: impl FnOnce(E) -> F) -> Step<F> {
        match self {
            Self::Idle => Step::Idle,
            Self::Pending => Step::Pending,
            Self::Ended(end) => Step::Ended(end.map_err(f)),
        }
    }
}

/// Where a [`Stream`](crate::Stream) stands after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// The source has not greeted yet, or waits for something outside.
    Waiting,
    /// The sink has not started the stream, or it is open and nothing is requested.
    Idle,
    /// The budget of the run is used up, and there may be more.
    More,
    /// The sink stopped with [`Stop::Pause`].
    Paused,
    /// The sink stopped with [`Stop::Enough`].
    Enough,
    /// The source ended, or the sink stopped, with a failure.
    Failed,
    /// The source ended without a reason.
    Complete,
}

impl State {
    /// Whether nothing is to be expected of the stream: ended, or stopped for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Enough | Self::Failed | Self::Complete)
    }
}
