//! A second sink beside the stream: `tee`, `route` and `divert_err`.
//!
//! Owns the second sink and its hop. Refuses it nothing that the six rules give it: the side sink starts and stops as any
//! sink does. Ends both with the source's end.

use core::fmt;

use crate::signal::{End, Step, Stop};
use crate::sink::{Connection, Sink};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// What goes on, and what goes aside.
pub trait Part<T> {
    /// What goes on.
    type Main;
    /// What goes aside.
    type Side;

    /// Decides about an item.
    fn part(&mut self, item: T) -> (Option<Self::Main>, Option<Self::Side>);
}

/// Of [`Source::tee`]: everything goes both ways.
#[derive(Debug, Clone, Copy)]
pub struct Both;

/// Of [`Source::route`]: what the closure picks goes aside.
#[derive(Clone, Copy)]
pub struct Picked<F>(pub(crate) F);

/// Of [`Source::divert_err`]: errors go aside.
#[derive(Debug, Clone, Copy)]
pub struct Errors;

impl<T: Clone> Part<T> for Both {
    type Main = T;
    type Side = T;

    #[inline]
    fn part(&mut self, item: T) -> (Option<T>, Option<T>) {
        (Some(item.clone()), Some(item))
    }
}

impl<T, F: FnMut(&T) -> bool> Part<T> for Picked<F> {
    type Main = T;
    type Side = T;

    #[inline]
    fn part(&mut self, item: T) -> (Option<T>, Option<T>) {
        if (self.0)(&item) { (None, Some(item)) } else { (Some(item), None) }
    }
}

impl<T, X> Part<Result<T, X>> for Errors {
    type Main = T;
    type Side = X;

    #[inline]
    fn part(&mut self, item: Result<T, X>) -> (Option<T>, Option<X>) {
        match item {
            Ok(item) => (Some(item), None),
            Err(error) => (None, Some(error)),
        }
    }
}

/// A stream with a side sink. See [`Source::tee`], [`Source::route`] and [`Source::divert_err`].
///
/// Items are pushed to the side sink; it need not request them. If it stops
///
/// - for now, or has not started, the stream waits for it ([`side`](Self::side) is how to start it again);
/// - because it has enough, its items are dropped and the stream goes on;
/// - because it failed, the source is stopped with the failure and the stream ends with it.
///
/// It is ended with the source's end. If the main sink stops the stream for good, no end is due: both are released.
pub struct Siding<S: Source, K, P: Part<S::Item>> {
    upstream: Upstream<S>,
    side: Connection<P::Side, K, S::Error>,
    part: P,
    end: Option<End<S::Error>>,
}

impl<S: Source, P: Part<S::Item>, K: Sink<P::Side, S::Error>> Siding<S, K, P> {
    #[inline]
    pub(crate) fn new(source: S, side: K, part: P) -> Self {
        let upstream = Upstream::new(source).below("siding");
        Self { upstream, side: Connection::new("siding", side), part, end: None }
    }

    /// The side sink with its hop.
    pub fn side(&mut self) -> &mut Connection<P::Side, K, S::Error> {
        &mut self.side
    }
}

/// What the side sink lets the stream do.
enum Verdict<E> {
    Go,
    Wait,
    Fail(E),
}

#[inline]
fn verdict<T, K: Sink<T, E>, E>(side: &mut Connection<T, K, E>) -> Verdict<E> {
    if side.talkback().is_open() {
        return Verdict::Go;
    }
    match side.take_stopped() {
        Some(Stop::Failed(error)) => Verdict::Fail(error),
        Some(Stop::Enough) => {
            side.talkback().put_reason(Some(Stop::Enough));
            Verdict::Go
        }
        reason => {
            side.talkback().put_reason(reason);
            Verdict::Wait
        }
    }
}

impl<S: Source, P: Part<S::Item>, K: Sink<P::Side, S::Error>> Source for Siding<S, K, P> {
    type Item = P::Main;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        if self.upstream.greets() && !self.side.is_greeted() {
            self.side.greet();
        }
        self.side.is_greeted()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(P::Main, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, side, part, end } = self;
        if upstream.is_cut() {
            return Step::due(end, below);
        }
        let mut waits = false;
        let step = match verdict(side) {
            Verdict::Go => upstream.drive(below, &mut |item, hop, below| {
                let (main, aside) = part.part(item);
                if let Some(aside) = aside
                    && side.talkback().is_open()
                {
                    side.receive(aside);
                    match verdict(side) {
                        Verdict::Go => {}
                        Verdict::Wait => {
                            waits = true;
                            hop.wait();
                        }
                        Verdict::Fail(error) => hop.cut(Stop::Failed(error)),
                    }
                }
                if let Some(main) = main {
                    emit(main, below);
                }
            }),
            Verdict::Wait => {
                waits = below.is_open();
                upstream.signal(below)
            }
            Verdict::Fail(error) => {
                *end = Some(upstream.fail(error));
                return Step::due(end, below);
            }
        };
        if upstream.is_cut() {
            *end = upstream.failure();
            return Step::due(end, below);
        }
        match step {
            Step::Ended(why) => {
                if side.talkback().is_open() {
                    side.end(&why);
                }
                Step::Ended(why)
            }
            Step::Idle if waits && below.is_open() => Step::Pending,
            step => step,
        }
    }
}

impl<F> fmt::Debug for Picked<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Picked")
    }
}

impl<S: Source, K, P: Part<S::Item>> fmt::Debug for Siding<S, K, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Siding").field("side", &self.side).finish_non_exhaustive()
    }
}
