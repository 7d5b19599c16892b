//! All items of one source, then all of the next: `flat_map`.
//!
//! Owns the inner source of the item it is at. Refuses to let the outer source emit meanwhile, so order is the items' own.
//! Ends when both have ended, or when either fails.

use crate::operators::debug_as_name;
use crate::signal::{End, Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::{Upstream, drive_over};

/// See [`Source::flat_map`] and [`Source::try_flat_map`].
pub struct FlatMap<S: Source, F, I: Source> {
    outer: Upstream<S>,
    f: F,
    /// The source of the item it is at, with its hop, if that did not end at once.
    inner: Option<(I, Talkback<I::Error>)>,
    /// Turns an inner source's failure into one of the stream.
    error: fn(I::Error) -> S::Error,
    /// The outer source's end, which waits for the inner one; or a failure, which waits for a start.
    end: Option<End<S::Error>>,
}

impl<S: Source, F, I: Source> FlatMap<S, F, I> {
    #[inline]
    pub(crate) fn new(source: S, f: F, error: fn(I::Error) -> S::Error) -> Self {
        Self { outer: Upstream::new(source).below("flat_map"), f, inner: None, error, end: None }
    }
}

/// Drives an inner source over its hop. Its failures are of another type, so it is told no other.
///
/// Each call has a closure of its own for `receive`: so the source's loop is compiled for it alone, and into it.
#[inline]
fn drive_inner<I: Source, E>(
    inner: &mut I,
    hop: &mut Talkback<I::Error>,
    below: &mut Talkback<E>,
    receive: &mut impl FnMut(I::Item, &mut Talkback<I::Error>, &mut Talkback<E>),
) -> Step<I::Error> {
    if !hop.is_greeted() {
        if !inner.greets() {
            return Step::Pending;
        }
        hop.greet();
    }
    let pass = |reason: &mut Option<Stop<E>>| reason.as_ref().map_or(Stop::Pause, Stop::without_failure);
    hop.enter(below, pass);
    let step = drive_over(inner, hop, below, pass, receive);
    if let Step::Ended(_) = &step {
        hop.end();
    }
    step
}

impl<S, F, I> Source for FlatMap<S, F, I>
where
    S: Source,
    I: Source,
    F: FnMut(S::Item) -> I,
{
    type Item = I::Item;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.outer.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(I::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { outer, f, inner, error: into, end } = self;
        if let Some((running, hop)) = inner {
            match drive_inner(running, hop, below, &mut |item, _, below| emit(item, below)) {
                Step::Ended(why) => {
                    *inner = None;
                    if let End::Failed(error) = why {
                        *end = Some(outer.fail(into(error)));
                    }
                }
                step => {
                    if !below.is_open() && !outer.is_ended() {
                        outer.signal(below);
                    }
                    return step.map_err(*into);
                }
            }
        }
        if end.is_some() || outer.is_cut() || outer.is_ended() {
            return Step::due(end, below);
        }
        // The inner sources run inside the outer one's loop: no inner source is stored that ends at once.
        let mut stays = Step::Idle;
        let step = outer.drive(below, &mut |item, hop, below| {
            // What answers the request is an item of the inner source.
            below.restore_request();
            let mut begun = f(item);
            let mut inner_hop = Talkback::new(begun.name(), "flat_map");
            match drive_inner(&mut begun, &mut inner_hop, below, &mut |item, _, below| emit(item, below)) {
                Step::Ended(End::Complete) => {}
                Step::Ended(End::Failed(error)) => hop.cut(Stop::Failed(into(error))),
                step => {
                    stays = step.map_err(*into);
                    *inner = Some((begun, inner_hop));
                    hop.wait();
                }
            }
        });
        match step {
            Step::Ended(why) => *end = Some(why),
            _ if outer.is_cut() => *end = outer.failure(),
            step if inner.is_none() => return step,
            _ => {}
        }
        if inner.is_some() { stays } else { Step::due(end, below) }
    }
}

debug_as_name! { FlatMap [S: Source, F, I: Source]: FlatMap<S, F, I> }
