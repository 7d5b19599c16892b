//! The sinks that most streams end in: `for_each`, `try_for_each`, `fold` and `collect`.
//!
//! Owns what they gather. They start when greeted, ask for an item, and for another after each; they never pause.

use core::fmt;

use crate::signal::{End, Stop};
use crate::sink::Sink;
use crate::talkback::Talkback;

/// Calls `f` with each item.
#[inline]
pub fn for_each<T, F: FnMut(T)>(f: F) -> ForEach<F> {
    ForEach(f)
}

/// Calls `f` with each item, and stops the stream with its failure.
#[inline]
pub fn try_for_each<T, E, F: FnMut(T) -> Result<(), E>>(f: F) -> TryForEach<F> {
    TryForEach(f)
}

/// Adds each item to a value.
#[inline]
pub fn fold<A, T, F: FnMut(&mut A, T)>(value: A, f: F) -> Fold<A, F> {
    Fold { value, f }
}

/// Collects the items.
#[inline]
pub fn collect<C: Default>() -> Collect<C> {
    Collect(C::default())
}

/// See [`for_each`].
pub struct ForEach<F>(F);

impl<T, E, F: FnMut(T)> Sink<T, E> for ForEach<F> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        talkback.start();
        talkback.request();
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        (self.0)(item);
        talkback.request();
    }

    fn end(&mut self, _: &End<E>) {}
}

/// See [`try_for_each`].
pub struct TryForEach<F>(F);

impl<T, E, F: FnMut(T) -> Result<(), E>> Sink<T, E> for TryForEach<F> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        talkback.start();
        talkback.request();
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        match (self.0)(item) {
            Ok(()) => talkback.request(),
            Err(error) => talkback.stop(Stop::Failed(error)),
        }
    }

    fn end(&mut self, _: &End<E>) {}
}

/// See [`fold`].
pub struct Fold<A, F> {
    value: A,
    f: F,
}

impl<A, F> Fold<A, F> {
    /// The value so far.
    pub fn value(&self) -> &A {
        &self.value
    }

    /// The value.
    pub fn into_value(self) -> A {
        self.value
    }
}

impl<T, E, A, F: FnMut(&mut A, T)> Sink<T, E> for Fold<A, F> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        talkback.start();
        talkback.request();
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        (self.f)(&mut self.value, item);
        talkback.request();
    }

    fn end(&mut self, _: &End<E>) {}
}

/// See [`collect`].
#[derive(Debug, Clone, Default)]
pub struct Collect<C>(C);

impl<C> Collect<C> {
    /// The items so far.
    pub fn items(&self) -> &C {
        &self.0
    }

    /// The items.
    pub fn into_items(self) -> C {
        self.0
    }
}

impl<T, E, C: Extend<T>> Sink<T, E> for Collect<C> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        talkback.start();
        talkback.request();
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        self.0.extend(Some(item));
        talkback.request();
    }

    fn end(&mut self, _: &End<E>) {}
}

impl<F> fmt::Debug for ForEach<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForEach")
    }
}

impl<F> fmt::Debug for TryForEach<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TryForEach")
    }
}

impl<A: fmt::Debug, F> fmt::Debug for Fold<A, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fold").field("value", &self.value).finish_non_exhaustive()
    }
}
