//! Failures on the way: `try_map`, `map_err` and `fails_with`.
//!
//! A failure of `try_map`'s goes up as the reason of the stop, and the same value comes down as the end, once. Failures of
//! another type cannot go up: the source is told that it is enough.

use crate::operators::debug_as_name;
use crate::signal::{End, Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// See [`Source::try_map`].
pub struct TryMap<S: Source, F> {
    upstream: Upstream<S>,
    f: F,
    end: Option<End<S::Error>>,
}

/// See [`Source::map_err`] and [`Source::fails_with`].
pub struct MapErr<S: Source, F> {
    upstream: Upstream<S>,
    f: F,
}

impl<S: Source, F> TryMap<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { upstream: Upstream::new(source).below("try_map"), f, end: None }
    }
}

impl<S: Source, F> MapErr<S, F> {
    #[inline]
    pub(crate) fn new(source: S, f: F) -> Self {
        Self { upstream: Upstream::new(source).below("map_err"), f }
    }
}

impl<S: Source, U, F: FnMut(S::Item) -> Result<U, S::Error>> Source for TryMap<S, F> {
    type Item = U;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(U, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, f, end } = self;
        if upstream.is_cut() {
            return Step::due(end, below);
        }
        let step = upstream.drive(below, &mut |item, hop, below| match f(item) {
            Ok(item) => emit(item, below),
            Err(error) => hop.cut(Stop::Failed(error)),
        });
        if !upstream.is_cut() {
            return step;
        }
        *end = upstream.failure();
        Step::due(end, below)
    }
}

impl<S: Source, E, F: FnMut(S::Error) -> E> Source for MapErr<S, F> {
    type Item = S::Item;
    type Error = E;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(&mut self, below: &mut Talkback<E>, emit: &mut impl FnMut(S::Item, &mut Talkback<E>)) -> Step<E> {
        self.upstream.drive_into(below, &mut |item, _, below| emit(item, below)).map_err(&mut self.f)
    }
}

debug_as_name! {
    TryMap [S: Source, F]: TryMap<S, F>,
    MapErr [S: Source, F]: MapErr<S, F>,
}
