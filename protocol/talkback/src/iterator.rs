//! To `Iterator`: a source whose sink is whoever calls `next`.
//!
//! Owns the source and its hop. Asks for one item at a time and holds the source after it. Ends with the source, or is
//! dropped.

use core::convert::Infallible;
use core::fmt;

use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;

/// One item at a time, for whoever asks from outside.
pub(crate) struct Puller<S: Source> {
    source: S,
    hop: Talkback<S::Error>,
    end: Option<End<S::Error>>,
}

/// What a pull came to.
pub(crate) enum Pulled<T, E> {
    Item(T),
    Ended(End<E>),
    /// The source has nothing now.
    Waiting,
}

impl<S: Source> Puller<S> {
    #[inline]
    pub(crate) fn new(source: S, sink: &'static str) -> Self {
        Self { hop: Talkback::new(source.name(), sink), source, end: None }
    }

    #[cfg(feature = "futures")]
    pub(crate) fn hop(&mut self) -> &mut Talkback<S::Error> {
        &mut self.hop
    }

    #[inline]
    pub(crate) fn pull(&mut self) -> Pulled<S::Item, S::Error> {
        let Self { source, hop, end } = self;
        if hop.is_ended() {
            return Pulled::Ended(end.take().unwrap_or(End::Complete));
        }
        if !hop.is_greeted() {
            if !source.greets() {
                return Pulled::Waiting;
            }
            hop.greet();
            hop.start();
        }
        hop.request();
        hop.hold(false);
        let mut slot = None;
        let step = source.drive(hop, &mut |item, hop| {
            if hop.deliver() {
                slot = Some(item);
                hop.hold(true);
            }
        });
        if let Step::Ended(why) = step {
            hop.end();
            if slot.is_none() {
                return Pulled::Ended(why);
            }
            *end = Some(why);
        }
        slot.map_or(Pulled::Waiting, Pulled::Item)
    }
}

/// See [`Source::items`].
pub struct Items<S: Source>(Puller<S>);

impl<S: Source> Items<S> {
    #[inline]
    pub(crate) fn new(source: S) -> Self {
        Self(Puller::new(source, "items"))
    }
}

impl<S: Source<Error = Infallible>> Iterator for Items<S> {
    type Item = S::Item;

    #[inline]
    fn next(&mut self) -> Option<S::Item> {
        match self.0.pull() {
            Pulled::Item(item) => Some(item),
            Pulled::Ended(_) | Pulled::Waiting => None,
        }
    }
}

/// See [`Source::results`].
pub struct Results<S: Source>(Puller<S>);

impl<S: Source> Results<S> {
    #[inline]
    pub(crate) fn new(source: S) -> Self {
        Self(Puller::new(source, "results"))
    }
}

impl<S: Source> Iterator for Results<S> {
    type Item = Result<S::Item, S::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self.0.pull() {
            Pulled::Item(item) => Some(Ok(item)),
            Pulled::Ended(End::Failed(error)) => Some(Err(error)),
            Pulled::Ended(End::Complete) | Pulled::Waiting => None,
        }
    }
}

impl<S: Source> fmt::Debug for Items<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("hop", &self.0.hop).finish_non_exhaustive()
    }
}

impl<S: Source> fmt::Debug for Results<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results").field("hop", &self.0.hop).finish_non_exhaustive()
    }
}
