//! The hop above an operator: a source that the operator drives on behalf of the sink below.
//!
//! Owns that source and its hop. Refuses an emission that the hop does not allow (rule 2), and to drive a source that has
//! ended. It ends with the source's end, or when the operator cuts it.

use core::fmt;

use crate::rule::Rule;
use crate::signal::{End, Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;

/// A source that an operator drives over a hop of its own, for operators that do more than pass signals through.
///
/// The hop follows the one below: started, requested, stopped and held as that is, before the drive and after every
/// item. An item that the operator does not emit leaves the request below standing, so the source goes on; an item that
/// it emits answers it. [`Talkback::wait`] and [`Talkback::cut`] on the hop are the operator's own say.
///
/// ```
/// use talkback::{Source, Step, Stop, Talkback, Upstream, iterable};
///
/// /// Passes items on until one is zero, which it keeps to itself.
/// struct UntilZero<S: Source> {
///     upstream: Upstream<S>,
/// }
///
/// impl<S: Source<Item = u32>> Source for UntilZero<S> {
///     type Item = u32;
///     type Error = S::Error;
///
///     fn greets(&mut self) -> bool {
///         self.upstream.greets()
///     }
///
///     fn drive(
///         &mut self,
///         below: &mut Talkback<S::Error>,
///         emit: &mut impl FnMut(u32, &mut Talkback<S::Error>),
///     ) -> Step<S::Error> {
///         let step = self.upstream.drive(below, &mut |item, hop, below| {
///             if item == 0 { hop.cut(Stop::Enough) } else { emit(item, below) }
///         });
///         if self.upstream.is_cut() { Step::complete(below) } else { step }
///     }
/// }
///
/// let source = UntilZero { upstream: Upstream::new(iterable([3, 1, 0, 4])) };
/// assert_eq!(source.items().collect::<Vec<_>>(), [3, 1]);
/// ```
pub struct Upstream<S: Source> {
    source: S,
    hop: Talkback<S::Error>,
}

impl<S: Source> Upstream<S> {
    /// Connects to the source; it greets in its own time.
    #[inline]
    pub fn new(source: S) -> Self {
        Self { hop: Talkback::new(source.name(), "an operator"), source }
    }

    /// The same, with a name of the operator for violations.
    #[inline]
    #[must_use]
    pub fn below(mut self, operator: &'static str) -> Self {
        self.hop.set_sink(operator);
        self
    }

    /// Whether the source has greeted, or does now.
    #[inline]
    pub fn greets(&mut self) -> bool {
        if !self.hop.is_greeted() && self.source.greets() {
            self.hop.greet();
        }
        self.hop.is_greeted()
    }

    /// Whether the source has ended.
    #[inline]
    pub fn is_ended(&self) -> bool {
        self.hop.is_ended()
    }

    /// Whether the operator has cut the source off.
    #[inline]
    pub fn is_cut(&self) -> bool {
        self.hop.is_cut()
    }

    /// The hop, between drives.
    #[inline]
    pub fn hop(&mut self) -> &mut Talkback<S::Error> {
        &mut self.hop
    }

    /// Drives the source. `receive` gets each item, this hop and the one below.
    ///
    /// A reason that the sink below stopped for is lent to the source while it is driven.
    #[inline]
    pub fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        receive: &mut impl FnMut(S::Item, &mut Talkback<S::Error>, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let step = self.drive_by(false, below, |reason| reason.take().unwrap_or(Stop::Pause), receive);
        below.reclaim(&mut self.hop);
        step
    }

    /// Lets the source see what was signalled below, and emit nothing.
    #[inline]
    pub fn signal(&mut self, below: &mut Talkback<S::Error>) -> Step<S::Error> {
        let step = self.drive_by(true, below, |reason| reason.take().unwrap_or(Stop::Pause), &mut |_, _, _| {});
        below.reclaim(&mut self.hop);
        step
    }

    /// Drives a source whose failures are of another type than those below. A sink's failure reaches it as
    /// [`Stop::Enough`].
    #[inline]
    pub fn drive_into<F>(
        &mut self,
        below: &mut Talkback<F>,
        receive: &mut impl FnMut(S::Item, &mut Talkback<S::Error>, &mut Talkback<F>),
    ) -> Step<S::Error> {
        self.drive_by(false, below, |reason| reason.as_ref().map_or(Stop::Pause, Stop::without_failure), receive)
    }

    #[inline]
    fn drive_by<F>(
        &mut self,
        wait: bool,
        below: &mut Talkback<F>,
        pass: impl Fn(&mut Option<Stop<F>>) -> Stop<S::Error>,
        receive: &mut impl FnMut(S::Item, &mut Talkback<S::Error>, &mut Talkback<F>),
    ) -> Step<S::Error> {
        if self.hop.is_ended() {
            return Step::Idle;
        }
        if !self.greets() {
            return Step::Pending;
        }
        let Self { source, hop } = self;
        hop.enter(below, &pass);
        if wait {
            hop.wait();
        }
        let step = drive_over(source, hop, below, pass, receive);
        if let Step::Ended(_) = &step {
            hop.end();
        }
        step
    }

    /// Stops the source for good, lets it see that, and gives the reason back.
    pub fn release(&mut self, reason: Stop<S::Error>) -> Stop<S::Error> {
        if !self.hop.is_open() {
            self.hop.cut(Stop::Enough);
            return reason;
        }
        self.hop.cut(reason);
        let _ = self.source.drive(&mut self.hop, &mut |_, hop| hop.violate(Rule::Emit));
        self.hop.take_reason().unwrap_or(Stop::Enough)
    }

    /// As [`release`](Self::release) for a failure, which becomes the end of the stream.
    pub fn fail(&mut self, error: S::Error) -> End<S::Error> {
        match self.release(Stop::Failed(error)) {
            Stop::Failed(error) => End::Failed(error),
            Stop::Pause | Stop::Enough => End::Complete,
        }
    }

    /// The failure that the operator cut the source off with, which becomes the end of the stream.
    pub fn failure(&mut self) -> Option<End<S::Error>> {
        match self.hop.take_reason() {
            Some(Stop::Failed(error)) if self.hop.is_cut() => Some(End::Failed(error)),
            reason => {
                self.hop.put_reason(reason);
                None
            }
        }
    }

    /// The source.
    pub fn source(&mut self) -> &mut S {
        &mut self.source
    }
}

/// Drives a source over a hop that has entered its drive.
#[inline]
pub(crate) fn drive_over<S: Source, F>(
    source: &mut S,
    hop: &mut Talkback<S::Error>,
    below: &mut Talkback<F>,
    pass: impl Fn(&mut Option<Stop<F>>) -> Stop<S::Error>,
    receive: &mut impl FnMut(S::Item, &mut Talkback<S::Error>, &mut Talkback<F>),
) -> Step<S::Error> {
    source.drive(hop, &mut |item, hop| {
        if !hop.may_emit() {
            return hop.violate(Rule::Emit);
        }
        below.answer(hop);
        receive(item, hop, below);
        below.restore_request();
        hop.follow(below, &pass);
    })
}

impl<S: Source> fmt::Debug for Upstream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("hop", &self.hop).finish_non_exhaustive()
    }
}
