//! One source for many sinks: `share`.
//!
//! Owns the source, its hop and the items that some sink has not had yet. Starts the source with the first sink that
//! starts, pauses it with the last that stops. Refuses to drive the source while the slowest sink lags by `items_max`.

use alloc::rc::Rc;
use core::cell::RefCell;
use core::task::Waker;

use crate::operators::debug_as_name;
use crate::operators::queues::{Queues, ReaderId};
use crate::signal::{Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;

/// One sink's side of a shared source; clone it for another. See [`Source::share`].
///
/// A request of any sink is put to the source; the item that answers it goes to every sink that is open, to each when it
/// has requested one itself. Items that the source emits unasked go to every open sink. A sink that does not keep up lets
/// the others wait. On one thread.
pub struct Shared<S: Source>
where
    S::Item: Clone,
    S::Error: Clone,
{
    common: Rc<Common<S>>,
    id: ReaderId,
}

struct Common<S: Source> {
    queues: RefCell<Queues<S::Item, S::Error>>,
    /// Borrowed only while the source runs, which never calls a sink.
    source: RefCell<Upper<S>>,
}

struct Upper<S: Source> {
    source: S,
    hop: Talkback<S::Error>,
}

impl<S: Source> Shared<S>
where
    S::Item: Clone,
    S::Error: Clone,
{
    pub(crate) fn new(source: S, items_max: usize) -> Self {
        let hop = Talkback::new(source.name(), "share");
        let mut queues = Queues::new(items_max);
        let id = queues.join();
        let common = Common { queues: RefCell::new(queues), source: RefCell::new(Upper { source, hop }) };
        Self { common: Rc::new(common), id }
    }

    /// Opens or closes this side, and starts or pauses the source with the first or the last.
    fn settle(&self, open: bool) {
        let any = {
            let mut queues = self.common.queues.borrow_mut();
            queues.set_open(self.id, open);
            queues.is_open()
        };
        let Ok(mut upper) = self.common.source.try_borrow_mut() else { return };
        let Upper { source, hop } = &mut *upper;
        if hop.is_ended() || any == hop.is_open() {
            return;
        }
        if any {
            hop.start();
        } else {
            hop.stop(Stop::Pause);
            hop.hold(true);
            let _ = source.drive(hop, &mut |_, hop| {
                hop.deliver();
            });
        }
    }

    /// Lets the source emit one item for all; whether there is something new, or why not.
    fn advance(&self, below: &Talkback<S::Error>) -> Result<(), Step<S::Error>> {
        let Ok(mut upper) = self.common.source.try_borrow_mut() else { return Err(Step::Pending) };
        let Upper { source, hop } = &mut *upper;
        hop.set_policy(below.policy());
        if let Some(waker) = below.waker() {
            hop.set_waker(waker);
        }
        if below.is_requested() {
            hop.request();
        }
        hop.hold(false);
        let mut came = false;
        let step = source.drive(hop, &mut |item, hop| {
            let pulled = hop.is_answering();
            if hop.deliver() {
                self.common.queues.borrow_mut().push(item, pulled);
                hop.hold(true);
                came = true;
            }
        });
        drop(upper);
        let mut queues = self.common.queues.borrow_mut();
        match step {
            Step::Ended(end) => {
                self.common.source.borrow_mut().hop.end();
                queues.set_end(end);
            }
            _ if came => {}
            step => {
                queues.wait(self.id, below.waker());
                return Err(step);
            }
        }
        let waiting = queues.take_waiting();
        drop(queues);
        waiting.into_iter().for_each(Waker::wake);
        Ok(())
    }
}

impl<S: Source> Clone for Shared<S>
where
    S::Item: Clone,
    S::Error: Clone,
{
    fn clone(&self) -> Self {
        let id = self.common.queues.borrow_mut().join();
        Self { common: Rc::clone(&self.common), id }
    }
}

impl<S: Source> Source for Shared<S>
where
    S::Item: Clone,
    S::Error: Clone,
{
    type Item = S::Item;
    type Error = S::Error;

    fn greets(&mut self) -> bool {
        let Ok(mut upper) = self.common.source.try_borrow_mut() else { return false };
        let Upper { source, hop } = &mut *upper;
        if !hop.is_greeted() && source.greets() {
            hop.greet();
        }
        hop.is_greeted()
    }

    fn drive(
        &mut self,
        talkback: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        self.settle(talkback.is_open());
        while talkback.may_emit() {
            let peeked = self.common.queues.borrow().peek(self.id);
            if let Some(pulled) = peeked {
                if pulled && !talkback.take_request() {
                    return Step::Idle;
                }
                let item = self.common.queues.borrow_mut().next(self.id);
                self.wake_for_room();
                if let Some(item) = item {
                    emit(item, talkback);
                }
                continue;
            }
            {
                let mut queues = self.common.queues.borrow_mut();
                if let Some(end) = queues.end() {
                    return Step::Ended(end.clone());
                }
                if !queues.has_room() {
                    queues.wait(self.id, talkback.waker());
                    return Step::Pending;
                }
            }
            if let Err(step) = self.advance(talkback) {
                return step;
            }
        }
        if !talkback.is_open() {
            self.settle(false);
        }
        Step::Idle
    }
}

impl<S: Source> Shared<S>
where
    S::Item: Clone,
    S::Error: Clone,
{
    /// Those who waited for room may go on.
    fn wake_for_room(&self) {
        let waiting = {
            let mut queues = self.common.queues.borrow_mut();
            if queues.has_room() { queues.take_waiting() } else { return }
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl<S: Source> Drop for Shared<S>
where
    S::Item: Clone,
    S::Error: Clone,
{
    fn drop(&mut self) {
        self.settle(false);
        self.common.queues.borrow_mut().leave(self.id);
    }
}

debug_as_name! {
    Shared [S: Source<Item: Clone, Error: Clone>]: Shared<S>,
}
