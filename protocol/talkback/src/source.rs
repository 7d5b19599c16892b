//! Sources: the trait, and every operator as a method of it.
//!
//! Owns what a source has to provide. Refuses nothing: what a source emits is checked by whoever drives it. A source ends
//! with the step that says so.

use core::any::type_name;
use core::convert::Infallible;

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::iterator::{Items, Results};
use crate::operators::{Both, Chain, Errors, Filter, FilterMap, FlatMap, Inspect, Map, MapErr, Merge, Picked, Scan};
#[cfg(feature = "alloc")]
use crate::operators::{Chunk, ChunkBytes, Handle, Remote, Shared};
use crate::operators::{Siding, Skip, Take, TakeWhile, TryMap};
use crate::signal::Step;
use crate::sink::Sink;
#[cfg(feature = "alloc")]
use crate::sources::BoxSource;
use crate::stream::Stream;
use crate::talkback::Talkback;

/// Generates data, or answers with data when it is asked to: the document's `Source`.
///
/// A source is a loop. [`drive`](Self::drive) is called after every signal of the sink, be it the last before a long
/// rest, and emits what the talkback allows. A source that answers requests is *pullable*:
///
/// ```
/// use core::convert::Infallible;
/// use talkback::{Source, State, Step, Talkback, for_each};
///
/// /// Answers each request with the next number.
/// struct Numbers(u64);
///
/// impl Source for Numbers {
///     type Item = u64;
///     type Error = Infallible;
///
///     fn drive(
///         &mut self,
///         talkback: &mut Talkback<Infallible>,
///         emit: &mut impl FnMut(u64, &mut Talkback<Infallible>),
///     ) -> Step<Infallible> {
///         while talkback.take_request() {
///             self.0 += 1;
///             emit(self.0, talkback);
///         }
///         Step::Idle
///     }
/// }
///
/// let mut sum = 0;
/// Numbers(0).take(4).connect(for_each(|n| sum += n)).run();
/// assert_eq!(sum, 10);
/// ```
///
/// One that emits unasked is *listenable*: its loop is `while talkback.may_emit()`. One that does both is hybrid.
pub trait Source: Sized {
    /// What it emits.
    type Item;
    /// Why it can fail; [`Infallible`] if it cannot.
    type Error;

    /// Whether the source greets its sink now. Asked when connected and then before each drive, until it does.
    #[inline]
    fn greets(&mut self) -> bool {
        true
    }

    /// Does what the sink has signalled: emits for as long as the talkback allows it, and returns when it does not, when
    /// something outside has to happen first, or with the end.
    ///
    /// It is called after signals, also after a stop, so that the source can let go of what it holds; it must then emit
    /// nothing and not end. It is not called after it has returned [`Step::Ended`].
    fn drive(
        &mut self,
        talkback: &mut Talkback<Self::Error>,
        emit: &mut impl FnMut(Self::Item, &mut Talkback<Self::Error>),
    ) -> Step<Self::Error>;

    /// What a violation calls this source; its type, if it has nothing better.
    fn name(&self) -> &'static str {
        type_name::<Self>()
    }

    /// Connects a sink. The source greets it at once if it is ready; data flows in [`Stream::run`].
    #[inline]
    fn connect<K: Sink<Self::Item, Self::Error>>(self, sink: K) -> Stream<Self, K> {
        Stream::new(self, sink)
    }

    /// Turns each item into another.
    #[inline]
    fn map<U, F: FnMut(Self::Item) -> U>(self, f: F) -> Map<Self, F> {
        Map::new(self, f)
    }

    /// Turns each item into another, or fails: then the source is stopped with the failure, and the stream ends with it.
    #[inline]
    fn try_map<U, F: FnMut(Self::Item) -> Result<U, Self::Error>>(self, f: F) -> TryMap<Self, F> {
        TryMap::new(self, f)
    }

    /// Passes on the items for which `f` is true. A request stands until an item passes.
    #[inline]
    fn filter<F: FnMut(&Self::Item) -> bool>(self, f: F) -> Filter<Self, F> {
        Filter::new(self, f)
    }

    /// Turns each item into another or into nothing. A request stands until an item passes.
    #[inline]
    fn filter_map<U, F: FnMut(Self::Item) -> Option<U>>(self, f: F) -> FilterMap<Self, F> {
        FilterMap::new(self, f)
    }

    /// Emits, for each item, all that its source emits, in order: the next item is asked for when that has ended. The
    /// items' sources cannot fail, as those of iterators; for others there is [`try_flat_map`](Self::try_flat_map).
    #[inline]
    fn flat_map<I, F>(self, f: F) -> FlatMap<Self, F, I>
    where
        I: Source<Error = Infallible>,
        F: FnMut(Self::Item) -> I,
    {
        FlatMap::new(self, f, |never| match never {})
    }

    /// As [`flat_map`](Self::flat_map), of sources that can fail: then the outer source is stopped with the failure, and
    /// the stream ends with it.
    #[inline]
    fn try_flat_map<I, F>(self, f: F) -> FlatMap<Self, F, I>
    where
        I: Source<Error = Self::Error>,
        F: FnMut(Self::Item) -> I,
    {
        FlatMap::new(self, f, |error| error)
    }

    /// Passes on `count` items, then stops the source ([`Stop::Enough`](crate::Stop::Enough)) and ends, with the last
    /// item or, if that made the sink stop, with the next start.
    #[inline]
    fn take(self, count: usize) -> Take<Self> {
        Take::new(self, count)
    }

    /// Passes items on until `f` is false, then stops the source and ends.
    #[inline]
    fn take_while<F: FnMut(&Self::Item) -> bool>(self, f: F) -> TakeWhile<Self, F> {
        TakeWhile::new(self, f)
    }

    /// Leaves the first `count` items out.
    #[inline]
    fn skip(self, count: usize) -> Skip<Self> {
        Skip::new(self, count)
    }

    /// Turns each item into another, with a state that all of them share.
    #[inline]
    fn scan<A, U, F: FnMut(&mut A, Self::Item) -> U>(self, state: A, f: F) -> Scan<Self, A, F> {
        Scan::new(self, state, f)
    }

    /// Shows each item to `f` and passes it on.
    #[inline]
    fn inspect<F: FnMut(&Self::Item)>(self, f: F) -> Inspect<Self, F> {
        Inspect::new(self, f)
    }

    /// Collects `count` items at a time, at least 1; the last chunk may be shorter. A failure comes after the items
    /// before it.
    #[cfg(feature = "alloc")]
    #[inline]
    fn chunk(self, count: usize) -> Chunk<Self> {
        Chunk::new(self, count)
    }

    /// Collects items of at most `bytes_max` bytes together, as `bytes` measures them; an item above that is alone.
    #[cfg(feature = "alloc")]
    #[inline]
    fn chunk_bytes<F: FnMut(&Self::Item) -> usize>(self, bytes_max: usize, bytes: F) -> ChunkBytes<Self, F> {
        ChunkBytes::new(self, bytes_max, bytes)
    }

    /// Emits all of this source, then all of `next`, which is asked to greet only then.
    #[inline]
    fn chain<S: Source<Item = Self::Item, Error = Self::Error>>(self, next: S) -> Chain<Self, S> {
        Chain::new(self, next)
    }

    /// Emits what either source emits, in turn while both can; ends when both have, or when one fails, which stops the
    /// other. A request goes to one source, and to the other if the first has nothing now.
    #[inline]
    fn merge<S: Source<Item = Self::Item, Error = Self::Error>>(self, other: S) -> Merge<Self, S> {
        Merge::new(self, other)
    }

    /// Gives each item to `side` as well, before it goes on. What `side` can do to the stream is told at [`Siding`].
    #[inline]
    fn tee<K>(self, side: K) -> Siding<Self, K, Both>
    where
        Self::Item: Clone,
        K: Sink<Self::Item, Self::Error>,
    {
        Siding::new(self, side, Both)
    }

    /// Gives the items for which `f` is true to `side` instead of passing them on.
    #[inline]
    fn route<K, F>(self, f: F, side: K) -> Siding<Self, K, Picked<F>>
    where
        K: Sink<Self::Item, Self::Error>,
        F: FnMut(&Self::Item) -> bool,
    {
        Siding::new(self, side, Picked(f))
    }

    /// Passes on what is `Ok`, and gives what is `Err` to `side`: dead letters. The stream goes on.
    #[inline]
    fn divert_err<T, X, K>(self, side: K) -> Siding<Self, K, Errors>
    where
        Self: Source<Item = Result<T, X>>,
        K: Sink<X, <Self as Source>::Error>,
    {
        Siding::new(self, side, Errors)
    }

    /// Turns a failure into another. A failure of the sink's reaches this source as
    /// [`Stop::Enough`](crate::Stop::Enough), since its type is another.
    #[inline]
    fn map_err<E, F: FnMut(Self::Error) -> E>(self, f: F) -> MapErr<Self, F> {
        MapErr::new(self, f)
    }

    /// Lets a source that cannot fail stand where one is asked for that fails with `E`.
    #[inline]
    fn fails_with<E>(self) -> MapErr<Self, fn(Infallible) -> E>
    where
        Self: Source<Error = Infallible>,
    {
        MapErr::new(self, |never| match never {})
    }

    /// One source for many sinks: every clone of what this returns is a source of the same items. At most `items_max`
    /// items, at least 1, wait for the slowest sink.
    #[cfg(feature = "alloc")]
    fn share(self, items_max: usize) -> Shared<Self>
    where
        Self::Item: Clone,
        Self::Error: Clone,
    {
        Shared::new(self, items_max)
    }

    /// Adds a handle by which other code, also on other threads, starts, requests and stops. What it signals is seen
    /// when the stream is run; `waker` is woken for that.
    #[cfg(feature = "alloc")]
    fn remote(self, waker: core::task::Waker) -> (Remote<Self>, Handle) {
        Remote::new(self, waker)
    }

    /// The same source behind one type for all that emit and fail alike, at the price of a call per item.
    #[cfg(feature = "alloc")]
    fn boxed<'a>(self) -> BoxSource<'a, Self::Item, Self::Error>
    where
        Self: 'a,
    {
        BoxSource::new(self)
    }

    /// The items as an iterator, which requests one at a time. It returns `None` at the end, and also when the source
    /// has nothing now.
    #[inline]
    fn items(self) -> Items<Self>
    where
        Self: Source<Error = Infallible>,
    {
        Items::new(self)
    }

    /// The items as an iterator of results; the failure, if there is one, comes last.
    #[inline]
    fn results(self) -> Results<Self> {
        Results::new(self)
    }

    /// The items as a `futures::Stream` of results; the failure, if there is one, comes last.
    #[cfg(feature = "futures")]
    #[inline]
    fn into_stream(self) -> crate::IntoStream<Self> {
        crate::IntoStream::new(self)
    }

    /// Runs the stream to its end and collects the items: [`collect`](crate::collect()) for a source that does not wait.
    #[cfg(feature = "alloc")]
    fn collect_vec(self) -> Result<Vec<Self::Item>, Self::Error> {
        self.connect(crate::collect::<Vec<_>>()).finish().map(crate::Collect::into_items)
    }
}
