//! Signals from elsewhere: a handle that other code keeps, on this thread or another.
//!
//! Owns the mailbox between the two, one word. Refuses nothing: a signal that no longer fits when it arrives is dropped, as
//! the stream may have changed meanwhile. Ends with the stream; a handle may outlive it and then does nothing.

use alloc::sync::Arc;
use core::convert::Infallible;
use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};
use core::task::Waker;

use crate::operators::debug_as_name;
use crate::signal::{Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;

const PAUSE: u8 = 1;
const ENOUGH: u8 = 2;
const START: u8 = 4;
const REQUEST: u8 = 8;

struct Mailbox {
    /// What was signalled and not seen, in this order: a stop, a start, a request.
    signals: AtomicU8,
    waker: Waker,
}

/// A talkback to keep: [`Clone`], [`Send`] and [`Sync`]. See [`Source::remote`].
///
/// ```
/// use core::task::Waker;
/// use talkback::{Source, State, Stop, collect, pour};
///
/// let (source, handle) = pour(1..=3).remote(Waker::noop().clone());
/// let mut stream = source.connect(collect::<Vec<u8>>());
/// handle.stop(Stop::Pause);
/// assert_eq!(stream.run(), State::Paused);
/// handle.start();
/// assert_eq!(stream.run(), State::Complete);
/// assert_eq!(stream.sink().items(), &[1, 2, 3]);
/// ```
#[derive(Clone)]
pub struct Handle(Arc<Mailbox>);

impl Handle {
    /// Starts, when the stream sees it.
    pub fn start(&self) {
        self.signal(|signals| (signals | START) & !REQUEST);
    }

    /// Requests one item, when the stream sees it.
    pub fn request(&self) {
        self.signal(|signals| signals | REQUEST);
    }

    /// Stops, when the stream sees it: in a running stream before the next item. A handle cannot fail.
    pub fn stop(&self, reason: Stop<Infallible>) {
        let stop = match reason {
            Stop::Pause => PAUSE,
            Stop::Enough => ENOUGH,
            Stop::Failed(never) => match never {},
        };
        self.signal(|_| stop);
    }

    fn signal(&self, change: impl Fn(u8) -> u8) {
        let _ = self.0.signals.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |signals| Some(change(signals)));
        self.0.waker.wake_by_ref();
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handle")
    }
}

/// See [`Source::remote`].
pub struct Remote<S> {
    source: S,
    mailbox: Arc<Mailbox>,
}

impl<S> Remote<S> {
    pub(crate) fn new(source: S, waker: Waker) -> (Self, Handle) {
        let mailbox = Arc::new(Mailbox { signals: AtomicU8::new(0), waker });
        (Self { source, mailbox: Arc::clone(&mailbox) }, Handle(mailbox))
    }
}

impl Mailbox {
    #[inline]
    fn empty_into<E>(&self, talkback: &mut Talkback<E>) {
        if self.signals.load(Ordering::Relaxed) != 0 {
            self.signal_all(talkback);
        }
    }

    #[cold]
    fn signal_all<E>(&self, talkback: &mut Talkback<E>) {
        let signals = self.signals.swap(0, Ordering::AcqRel);
        if signals & (PAUSE | ENOUGH) != 0 && talkback.is_open() {
            talkback.stop(if signals & PAUSE == 0 { Stop::Enough } else { Stop::Pause });
        }
        if signals & START != 0 && talkback.is_greeted() && !talkback.is_open() && !talkback.is_ended() {
            talkback.start();
        }
        if signals & REQUEST != 0 && talkback.is_open() {
            talkback.request();
        }
    }
}

impl<S: Source> Source for Remote<S> {
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
        let Self { source, mailbox } = self;
        mailbox.empty_into(talkback);
        source.drive(talkback, &mut |item, talkback| {
            emit(item, talkback);
            mailbox.empty_into(talkback);
        })
    }
}

debug_as_name! { Remote [S]: Remote<S> }
