//! From `Iterator`, pulled or poured.
//!
//! Owns the iterator, which keeps its place over a stop and a start. Ends when the iterator does; the next item is asked of
//! it only when it may be emitted.

use core::convert::Infallible;
use core::fmt;

use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;

/// Answers each request with the iterator's next item. Pullable; resumes; its end comes with the request after the last
/// item.
///
/// ```
/// use talkback::{Source, iterable};
///
/// assert_eq!(iterable(["a", "b"]).collect_vec(), Ok(vec!["a", "b"]));
/// ```
#[inline]
pub fn iterable<I: IntoIterator>(items: I) -> Iterable<I::IntoIter> {
    Iterable(items.into_iter())
}

/// Emits the iterator's items unasked, for as long as the stream is open. Listenable; resumes; ends with the last item.
///
/// ```
/// use core::convert::Infallible;
/// use talkback::{End, Sink, Source, State, Talkback, pour};
///
/// /// Listens, and requests nothing.
/// struct Listen(Vec<u8>);
///
/// impl Sink<u8, Infallible> for Listen {
///     fn greet(&mut self, talkback: &mut Talkback<Infallible>) {
///         talkback.start();
///     }
///     fn receive(&mut self, item: u8, _: &mut Talkback<Infallible>) {
///         self.0.push(item);
///     }
///     fn end(&mut self, _: &End<Infallible>) {}
/// }
///
/// let mut stream = pour([1, 2]).connect(Listen(Vec::new()));
/// assert_eq!(stream.run(), State::Complete);
/// assert_eq!(stream.sink().0, [1, 2]);
/// ```
#[inline]
pub fn pour<I: IntoIterator>(items: I) -> Poured<I::IntoIter> {
    Poured(items.into_iter())
}

/// See [`iterable`].
pub struct Iterable<I>(I);

impl<I: Iterator> Source for Iterable<I> {
    type Item = I::Item;
    type Error = Infallible;

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(I::Item, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        while talkback.take_request() {
            match self.0.next() {
                Some(item) => emit(item, talkback),
                None => return Step::Ended(End::Complete),
            }
        }
        Step::Idle
    }
}

/// See [`pour`].
pub struct Poured<I>(I);

impl<I: Iterator> Source for Poured<I> {
    type Item = I::Item;
    type Error = Infallible;

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(I::Item, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        while talkback.may_emit() {
            match self.0.next() {
                Some(item) => emit(item, talkback),
                None => return Step::Ended(End::Complete),
            }
        }
        Step::Idle
    }
}

impl<I> fmt::Debug for Iterable<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Iterable")
    }
}

impl<I> fmt::Debug for Poured<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Poured")
    }
}
