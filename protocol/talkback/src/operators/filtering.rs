//! One item in, one or none out: `filter`, `filter_map` and `skip`.
//!
//! Own their closures. Signals pass through; an item that is left out gives its request back, so the source goes on in the
//! same loop, without recursion.

use crate::operators::debug_as_name;
use crate::signal::Step;
use crate::source::Source;
use crate::talkback::Talkback;

/// See [`Source::filter`].
pub struct Filter<S, F> {
    source: S,
    f: F,
}

/// See [`Source::filter_map`].
pub struct FilterMap<S, F> {
    source: S,
    f: F,
}

/// See [`Source::skip`].
pub struct Skip<S> {
    source: S,
    left: usize,
}

impl<S, F> Filter<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { source, f }
    }
}

impl<S, F> FilterMap<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { source, f }
    }
}

impl<S> Skip<S> {
    #[inline]
    pub(crate) fn new(source: S, left: usize) -> Self {
        Self { source, left }
    }
}

impl<S: Source, F: FnMut(&S::Item) -> bool> Source for Filter<S, F> {
    type Item = S::Item;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.source.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { source, f } = self;
        source.drive(talkback, &mut |item, talkback| {
            if f(&item) { emit(item, talkback) } else { talkback.restore_request() }
        })
    }
}

impl<S: Source, U, F: FnMut(S::Item) -> Option<U>> Source for FilterMap<S, F> {
    type Item = U;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.source.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(U, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { source, f } = self;
        source.drive(talkback, &mut |item, talkback| match f(item) {
            Some(item) => emit(item, talkback),
            None => talkback.restore_request(),
        })
    }
}

impl<S: Source> Source for Skip<S> {
    type Item = S::Item;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.source.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { source, left } = self;
        source.drive(talkback, &mut |item, talkback| {
            if *left == 0 {
                emit(item, talkback);
            } else {
                *left -= 1;
                talkback.restore_request();
            }
        })
    }
}

debug_as_name! {
    Filter [S, F]: Filter<S, F>,
    FilterMap [S, F]: FilterMap<S, F>,
    Skip [S]: Skip<S>,
}
