//! A subject: what is sent to it, every sink gets that listens at the time.
//!
//! Owns the items that a slow sink has still to get, bounded. Refuses an item when it is full or has ended. Sending inside
//! a receive only queues, so feedback neither recurses nor finds anything borrowed.

use alloc::rc::Rc;
use core::cell::RefCell;
use core::fmt;
use core::task::Waker;

use crate::operators::{Queues, ReaderId};
use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;

/// A hot source for any number of sinks, fed by whoever holds a clone of it. On one thread.
///
/// Items are queued by [`send`](Self::send) and emitted when the streams run. A sink gets what is sent while its stream is
/// open, also if it pauses before it has it; what is sent while it is stopped is not for it. Listenable; ends when it
/// is told to, after what is queued.
///
/// ```
/// use core::convert::Infallible;
/// use talkback::{End, Hub, Source, collect};
///
/// let hub = Hub::<u8, Infallible>::new(16);
/// let mut plain = hub.source().connect(collect::<Vec<u8>>());
/// let mut doubled = hub.source().map(|n| n * 2).connect(collect::<Vec<u8>>());
/// for n in [1, 2] {
///     hub.send(n).unwrap();
///     plain.run();
///     doubled.run();
/// }
/// assert_eq!((&plain.sink().items()[..], &doubled.sink().items()[..]), (&[1, 2][..], &[2, 4][..]));
/// ```
pub struct Hub<T, E> {
    queues: Rc<RefCell<Queues<T, E>>>,
}

/// Why an item was not taken; with the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsent<T> {
    /// The slowest sink has not had as many items yet as the hub may hold: run its stream, or drop it.
    Full(T),
    /// The hub has ended.
    Ended(T),
}

impl<T: Clone, E: Clone> Hub<T, E> {
    /// A hub that holds at most `items_max` items, at least 1, for its slowest sink.
    pub fn new(items_max: usize) -> Self {
        Self { queues: Rc::new(RefCell::new(Queues::new(items_max))) }
    }

    /// A source for one sink.
    pub fn source(&self) -> HubSource<T, E> {
        let id = self.queues.borrow_mut().join();
        HubSource { queues: Rc::clone(&self.queues), id, open: false }
    }

    /// Queues an item for every sink whose stream is open.
    pub fn send(&self, item: T) -> Result<(), Unsent<T>> {
        let mut queues = self.queues.borrow_mut();
        if queues.end().is_some() {
            return Err(Unsent::Ended(item));
        }
        if !queues.has_room() {
            return Err(Unsent::Full(item));
        }
        queues.push(item, false);
        let waiting = queues.take_waiting();
        drop(queues);
        waiting.into_iter().for_each(Waker::wake);
        Ok(())
    }

    /// Ends every stream, once it has emitted what is queued for it. Only the first end counts.
    pub fn end(&self, why: End<E>) {
        let mut queues = self.queues.borrow_mut();
        queues.set_end(why);
        let waiting = queues.take_waiting();
        drop(queues);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl<T, E> Clone for Hub<T, E> {
    fn clone(&self) -> Self {
        Self { queues: Rc::clone(&self.queues) }
    }
}

/// One sink's side of a [`Hub`].
pub struct HubSource<T: Clone, E: Clone> {
    queues: Rc<RefCell<Queues<T, E>>>,
    id: ReaderId,
    /// What the queues know.
    open: bool,
}

impl<T: Clone, E: Clone> HubSource<T, E> {
    fn set_open(&mut self, open: bool) {
        if self.open != open {
            self.open = open;
            self.queues.borrow_mut().set_open(self.id, open);
        }
    }
}

impl<T: Clone, E: Clone> Source for HubSource<T, E> {
    type Item = T;
    type Error = E;

    fn drive(&mut self, talkback: &mut Talkback<E>, emit: &mut impl FnMut(T, &mut Talkback<E>)) -> Step<E> {
        self.set_open(talkback.is_open());
        while talkback.may_emit() {
            let item = {
                let mut queues = self.queues.borrow_mut();
                let Some(item) = queues.next(self.id) else {
                    if let Some(end) = queues.end() {
                        return Step::Ended(end.clone());
                    }
                    queues.wait(self.id, talkback.waker());
                    return Step::Pending;
                };
                item
            };
            emit(item, talkback);
        }
        self.set_open(talkback.is_open());
        Step::Idle
    }
}

impl<T: Clone, E: Clone> Drop for HubSource<T, E> {
    fn drop(&mut self) {
        self.queues.borrow_mut().leave(self.id);
    }
}

impl<T, E> fmt::Debug for Hub<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hub")
    }
}

impl<T: Clone, E: Clone> fmt::Debug for HubSource<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("HubSource").field(&self.id).finish()
    }
}
