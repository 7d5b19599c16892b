//! One item in, one item out: `map`, `inspect` and `scan`.
//!
//! Own their closures and state. Signals pass through, so their hop is the source's own; an end passes as it comes.

use crate::operators::debug_as_name;
use crate::signal::Step;
use crate::source::Source;
use crate::talkback::Talkback;

/// See [`Source::map`].
pub struct Map<S, F> {
    source: S,
    f: F,
}

/// See [`Source::inspect`].
pub struct Inspect<S, F> {
    source: S,
    f: F,
}

/// See [`Source::scan`].
pub struct Scan<S, A, F> {
    source: S,
    state: A,
    f: F,
}

impl<S, F> Map<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { source, f }
    }
}

impl<S, F> Inspect<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { source, f }
    }
}

impl<S, A, F> Scan<S, A, F> {
    #[inline]
    pub(crate) fn new(source: S, state: A, f: F) -> Self {
        Self { source, state, f }
    }
}

impl<S: Source, U, F: FnMut(S::Item) -> U> Source for Map<S, F> {
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
        source.drive(talkback, &mut |item, talkback| emit(f(item), talkback))
    }
}

impl<S: Source, F: FnMut(&S::Item)> Source for Inspect<S, F> {
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
            f(&item);
            emit(item, talkback);
        })
    }
}

impl<S: Source, A, U, F: FnMut(&mut A, S::Item) -> U> Source for Scan<S, A, F> {
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
        let Self { source, state, f } = self;
        source.drive(talkback, &mut |item, talkback| emit(f(state, item), talkback))
    }
}

debug_as_name! {
    Map [S, F]: Map<S, F>,
    Inspect [S, F]: Inspect<S, F>,
    Scan [S, A, F]: Scan<S, A, F>,
}
