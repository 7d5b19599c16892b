//! One type for all sources that emit and fail alike.
//!
//! Owns the source behind a pointer. Adds one indirect call per drive and one per item.

use alloc::boxed::Box;
use core::fmt;

use crate::signal::Step;
use crate::source::Source;
use crate::talkback::Talkback;

/// `emit`, as the boxed source calls it.
type Emit<'a, T, E> = &'a mut dyn FnMut(T, &mut Talkback<E>);

trait DynSource<T, E> {
    fn greets(&mut self) -> bool;
    fn drive(&mut self, talkback: &mut Talkback<E>, emit: Emit<'_, T, E>) -> Step<E>;
    fn name(&self) -> &'static str;
}

impl<S: Source> DynSource<S::Item, S::Error> for S {
    fn greets(&mut self) -> bool {
        Source::greets(self)
    }

    fn drive(&mut self, talkback: &mut Talkback<S::Error>, mut emit: Emit<'_, S::Item, S::Error>) -> Step<S::Error> {
        Source::drive(self, talkback, &mut emit)
    }

    fn name(&self) -> &'static str {
        Source::name(self)
    }
}

/// See [`Source::boxed`].
pub struct BoxSource<'a, T, E>(Box<dyn DynSource<T, E> + 'a>);

impl<'a, T, E> BoxSource<'a, T, E> {
    pub(crate) fn new(source: impl Source<Item = T, Error = E> + 'a) -> Self {
        Self(Box::new(source))
    }
}

impl<T, E> Source for BoxSource<'_, T, E> {
    type Item = T;
    type Error = E;

    fn greets(&mut self) -> bool {
        self.0.greets()
    }

    fn drive(&mut self, talkback: &mut Talkback<E>, emit: &mut impl FnMut(T, &mut Talkback<E>)) -> Step<E> {
        self.0.drive(talkback, emit)
    }

    fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl<T, E> fmt::Debug for BoxSource<'_, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BoxSource").field(&self.0.name()).finish()
    }
}
