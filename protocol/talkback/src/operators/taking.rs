//! The first items and no more: `take` and `take_while`.
//!
//! Own how many are left. When they have what they pass on they stop the source for good, at once, and end: together with
//! the last item, or at the next start if that made the sink stop.

use crate::operators::debug_as_name;
use crate::signal::{Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// See [`Source::take`].
pub struct Take<S: Source> {
    upstream: Upstream<S>,
    left: usize,
}

/// See [`Source::take_while`].
pub struct TakeWhile<S: Source, F> {
    upstream: Upstream<S>,
    f: F,
}

impl<S: Source> Take<S> {
    #[inline]
    pub(crate) fn new(source: S, left: usize) -> Self {
        Self { upstream: Upstream::new(source).below("take"), left }
    }
}

impl<S: Source, F> TakeWhile<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { upstream: Upstream::new(source).below("take_while"), f }
    }
}

impl<S: Source> Source for Take<S> {
    type Item = S::Item;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, left } = self;
        if *left == 0 {
            return Step::complete(below);
        }
        let step = upstream.drive(below, &mut |item, hop, below| {
            *left -= 1;
            if *left == 0 {
                hop.cut(Stop::Enough);
            }
            emit(item, below);
        });
        if *left == 0 { Step::complete(below) } else { step }
    }
}

impl<S: Source, F: FnMut(&S::Item) -> bool> Source for TakeWhile<S, F> {
    type Item = S::Item;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, f } = self;
        if upstream.is_cut() {
            return Step::complete(below);
        }
        let step = upstream.drive(below, &mut |item, hop, below| {
            if f(&item) { emit(item, below) } else { hop.cut(Stop::Enough) }
        });
        if upstream.is_cut() { Step::complete(below) } else { step }
    }
}

debug_as_name! {
    Take [S: Source]: Take<S>,
    TakeWhile [S: Source, F]: TakeWhile<S, F>,
}
