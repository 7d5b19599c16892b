//! Sinks, and a connected sink as whoever feeds it holds it.
//!
//! Owns the `Sink` trait and, in [`Connection`], rules 1, 2 and 4. Refuses a second greeting, an item into a stream that
//! is not open, and a second end. A connection ends with its end, or is dropped.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use crate::rule::{Phase, Policy, Violation};
use crate::signal::{End, Stop};
use crate::talkback::Talkback;

/// Consumes data, and can ask for more: the document's `Sink`.
///
/// A sink signals while it is greeted and while it receives, on the talkback that it is handed for as long as that
/// takes. Signals are recorded and acted upon after it has returned.
///
/// ```
/// use talkback::{End, Sink, Source, State, Stop, Talkback, iterable};
///
/// /// Takes five items and logs them.
/// #[derive(Default)]
/// struct LogFive(Vec<u32>);
///
/// impl<E> Sink<u32, E> for LogFive {
///     fn greet(&mut self, talkback: &mut Talkback<E>) {
///         talkback.start();
///         talkback.request();
///     }
///     fn receive(&mut self, item: u32, talkback: &mut Talkback<E>) {
///         self.0.push(item);
///         if self.0.len() == 5 { talkback.stop(Stop::Enough) } else { talkback.request() }
///     }
///     fn end(&mut self, _: &End<E>) {}
/// }
///
/// let mut stream = iterable(1..).connect(LogFive::default());
/// assert_eq!(stream.run(), State::Enough);
/// assert_eq!(stream.sink().0, [1, 2, 3, 4, 5]);
/// ```
pub trait Sink<T, E> {
    /// The source greets, at most once (rule 1). The sink may start the stream here, and request.
    fn greet(&mut self, talkback: &mut Talkback<E>);

    /// The source emits an item; the stream is open (rule 2).
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>);

    /// The source ends, once (rule 4). Nothing can be asked of it any more, so there is no talkback.
    fn end(&mut self, why: &End<E>);

    /// What a violation calls this sink; its type, if it has nothing better.
    fn name(&self) -> &'static str {
        type_name::<Self>()
    }
}

impl<T, E, K: Sink<T, E> + ?Sized> Sink<T, E> for &mut K {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        (**self).greet(talkback);
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        (**self).receive(item, talkback);
    }

    #[inline]
    fn end(&mut self, why: &End<E>) {
        (**self).end(why);
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }
}

#[cfg(feature = "alloc")]
impl<T, E, K: Sink<T, E> + ?Sized> Sink<T, E> for alloc::boxed::Box<K> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        (**self).greet(talkback);
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        (**self).receive(item, talkback);
    }

    #[inline]
    fn end(&mut self, why: &End<E>) {
        (**self).end(why);
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }
}

/// A connected sink with its hop, for whoever feeds it by hand: an operator with a second sink, a host's lane.
///
/// ```
/// use core::convert::Infallible;
/// use talkback::{Connection, End, collect};
///
/// let mut connection = Connection::<u8, _, Infallible>::new("a lane", collect::<Vec<u8>>());
/// connection.greet();
/// for item in [1, 2, 3] {
///     if connection.talkback().take_request() {
///         connection.receive(item);
///     }
/// }
/// connection.end(&End::Complete);
/// assert_eq!(connection.into_sink().into_items(), [1, 2, 3]);
/// ```
pub struct Connection<T, K, E> {
    pub(crate) sink: K,
    pub(crate) talkback: Talkback<E>,
    items: PhantomData<fn(T)>,
}

impl<T, K: Sink<T, E>, E> Connection<T, K, E> {
    /// Connects the sink to a source of this name, which has still to greet.
    #[inline]
    pub fn new(source: &'static str, sink: K) -> Self {
        Self { talkback: Talkback::new(source, sink.name()), sink, items: PhantomData }
    }

    /// Greets the sink. Rule 1: once.
    #[inline]
    pub fn greet(&mut self) {
        if self.talkback.greet() {
            self.sink.greet(&mut self.talkback);
        }
    }

    /// Whether the sink was greeted.
    #[inline]
    pub fn is_greeted(&self) -> bool {
        self.talkback.is_greeted()
    }

    /// Where the hop stands.
    pub fn phase(&self) -> Phase {
        self.talkback.phase()
    }

    /// Emits an item to the sink. Rule 2: only if open; otherwise the item is dropped.
    #[inline]
    pub fn receive(&mut self, item: T) {
        if self.talkback.deliver() {
            self.sink.receive(item, &mut self.talkback);
        }
    }

    /// Ends the stream. Rule 4: only if open, so once.
    #[inline]
    pub fn end(&mut self, why: &End<E>) {
        if self.talkback.end() {
            self.sink.end(why);
        }
    }

    /// What the sink has signalled.
    #[inline]
    pub fn talkback(&mut self) -> &mut Talkback<E> {
        &mut self.talkback
    }

    /// The reason of the last stop, taken out.
    #[inline]
    pub fn take_stopped(&mut self) -> Option<Stop<E>> {
        self.talkback.take_reason()
    }

    /// The sink.
    pub fn sink(&self) -> &K {
        &self.sink
    }

    /// The sink, released from the connection.
    pub fn into_sink(self) -> K {
        self.sink
    }

    /// What a violation on this hop does from now on.
    pub fn set_policy(&mut self, policy: Policy) {
        self.talkback.set_policy(policy);
    }

    /// The last violation on this hop.
    pub fn last_violation(&self) -> Option<Violation> {
        self.talkback.last_violation()
    }
}

impl<T, K, E> fmt::Debug for Connection<T, K, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("talkback", &self.talkback).finish_non_exhaustive()
    }
}
