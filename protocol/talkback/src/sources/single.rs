//! Sources of one item, or none.
//!
//! Own that item or failure. Each keeps its place over a stop and a start, and ends once the stream is open for it.

use core::convert::Infallible;
use core::marker::PhantomData;

use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;

/// Answers the first request with the item, and ends. Pullable.
#[inline]
pub fn once<T>(item: T) -> Once<T> {
    Once(Some(item))
}

/// Ends as soon as it is started.
#[inline]
pub fn empty<T>() -> Empty<T> {
    Empty(PhantomData)
}

/// Ends with the failure as soon as it is started.
#[inline]
pub fn failed<T, E>(error: E) -> Failed<T, E> {
    Failed(Some(End::Failed(error)), PhantomData)
}

/// See [`once`].
#[derive(Debug, Clone)]
pub struct Once<T>(Option<T>);

impl<T> Source for Once<T> {
    type Item = T;
    type Error = Infallible;

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(T, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        if self.0.is_some()
            && talkback.take_request()
            && let Some(item) = self.0.take()
        {
            emit(item, talkback);
        }
        if self.0.is_none() { Step::complete(talkback) } else { Step::Idle }
    }
}

/// See [`empty`].
#[derive(Debug, Clone)]
pub struct Empty<T>(PhantomData<fn() -> T>);

impl<T> Source for Empty<T> {
    type Item = T;
    type Error = Infallible;

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        _: &mut impl FnMut(T, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        Step::complete(talkback)
    }
}

/// See [`failed`].
#[derive(Debug, Clone)]
pub struct Failed<T, E>(Option<End<E>>, PhantomData<fn() -> T>);

impl<T, E> Source for Failed<T, E> {
    type Item = T;
    type Error = E;

    #[inline]
    fn drive(&mut self, talkback: &mut Talkback<E>, _: &mut impl FnMut(T, &mut Talkback<E>)) -> Step<E> {
        Step::due(&mut self.0, talkback)
    }
}
