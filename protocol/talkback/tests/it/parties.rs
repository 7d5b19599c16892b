//! Sources and sinks of the tests: what they do is told by their names, and they write down what was done to them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use talkback::{End, Sink, Source, Step, Stop, Talkback};

/// What happened, in order.
pub(crate) type Log = Rc<RefCell<Vec<String>>>;

/// The log's lines, taken out.
pub(crate) fn lines(log: &Log) -> Vec<String> {
    log.take()
}

/// Logs five items: the document's first sink, which listens, and its last, which requests.
pub(crate) struct LogFive<T> {
    pub(crate) logged: Vec<T>,
    requests: bool,
}

impl<T> LogFive<T> {
    pub(crate) fn listening() -> Self {
        Self { logged: Vec::new(), requests: false }
    }

    pub(crate) fn requesting() -> Self {
        Self { logged: Vec::new(), requests: true }
    }
}

impl<T, E> Sink<T, E> for LogFive<T> {
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        talkback.start();
        if self.requests {
            talkback.request();
        }
    }

    fn receive(&mut self, item: T, talkback: &mut Talkback<E>) {
        self.logged.push(item);
        if self.logged.len() == 5 {
            talkback.stop(Stop::Enough);
        } else if self.requests {
            talkback.request();
        }
    }

    fn end(&mut self, _: &End<E>) {}
}

/// The document's timer: tells every sink that has started the time, each time the clock moves.
#[derive(Clone, Default)]
pub(crate) struct Timer(Rc<Cell<u32>>);

impl Timer {
    pub(crate) fn tick(&self) {
        self.0.set(self.0.get() + 1);
    }

    pub(crate) fn source(&self) -> Ticks {
        Ticks { timer: self.clone(), told: None }
    }
}

/// The timer's side of one sink.
pub(crate) struct Ticks {
    timer: Timer,
    /// The last time that this sink was told, while it is plugged in.
    told: Option<u32>,
}

impl Source for Ticks {
    type Item = u32;
    type Error = &'static str;

    fn drive(
        &mut self,
        talkback: &mut Talkback<&'static str>,
        emit: &mut impl FnMut(u32, &mut Talkback<&'static str>),
    ) -> Step<&'static str> {
        if !talkback.is_open() {
            self.told = None;
            return Step::Idle;
        }
        let now = self.timer.0.get();
        let told = self.told.get_or_insert(now);
        while *told < now && talkback.may_emit() {
            *told += 1;
            emit(*told, talkback);
        }
        Step::Pending
    }
}

/// A pulled source of these items that writes down why it is stopped, that it is dropped, and how deep it is.
pub(crate) struct Spy<I> {
    items: I,
    log: Log,
    greets_after: usize,
    was_open: bool,
    depth: usize,
}

pub(crate) fn spy<I: IntoIterator>(items: I, log: &Log) -> Spy<I::IntoIter> {
    Spy { items: items.into_iter(), log: Rc::clone(log), greets_after: 0, was_open: false, depth: 0 }
}

impl<I> Spy<I> {
    pub(crate) fn late(mut self) -> Self {
        self.greets_after = 2;
        self
    }
}

impl<I: Iterator> Source for Spy<I> {
    type Item = I::Item;
    type Error = &'static str;

    fn greets(&mut self) -> bool {
        self.greets_after = self.greets_after.saturating_sub(1);
        self.greets_after == 0
    }

    fn drive(
        &mut self,
        talkback: &mut Talkback<&'static str>,
        emit: &mut impl FnMut(I::Item, &mut Talkback<&'static str>),
    ) -> Step<&'static str> {
        self.was_open |= talkback.is_open();
        self.depth += 1;
        assert_eq!(self.depth, 1, "a drive inside a drive");
        let mut step = Step::Idle;
        while talkback.take_request() {
            match self.items.next() {
                Some(item) => emit(item, talkback),
                None => {
                    step = Step::Ended(End::Complete);
                    break;
                }
            }
        }
        if self.was_open && !talkback.is_open() {
            self.log.borrow_mut().push(format!("{:?}", talkback.stopped().unwrap()));
            self.was_open = false;
        }
        self.depth -= 1;
        step
    }
}

impl<I> Drop for Spy<I> {
    fn drop(&mut self) {
        self.log.borrow_mut().push("source dropped".to_string());
    }
}

/// A sink that writes down what it gets, and reacts to an item with the signals of its script.
pub(crate) struct Scripted {
    pub(crate) log: Log,
    pub(crate) on_greet: &'static str,
    pub(crate) on_receive: &'static str,
}

/// Requests each item, and writes down all.
pub(crate) fn scripted(log: &Log, on_greet: &'static str, on_receive: &'static str) -> Scripted {
    Scripted { log: Rc::clone(log), on_greet, on_receive }
}

/// `s`tart, `r`equest, `p`ause, `e`nough, `f`ail.
pub(crate) fn signal(signals: &str, talkback: &mut Talkback<&'static str>) {
    for signal in signals.chars() {
        match signal {
            's' => talkback.start(),
            'r' => talkback.request(),
            'p' => talkback.stop(Stop::Pause),
            'e' => talkback.stop(Stop::Enough),
            'f' => talkback.stop(Stop::Failed("the sink")),
            other => panic!("{other:?} is no signal"),
        }
    }
}

impl<T: std::fmt::Debug> Sink<T, &'static str> for Scripted {
    fn greet(&mut self, talkback: &mut Talkback<&'static str>) {
        signal(self.on_greet, talkback);
    }

    fn receive(&mut self, item: T, talkback: &mut Talkback<&'static str>) {
        self.log.borrow_mut().push(format!("{item:?}"));
        signal(self.on_receive, talkback);
    }

    fn end(&mut self, why: &End<&'static str>) {
        self.log.borrow_mut().push(format!("{why:?}"));
    }

    fn name(&self) -> &'static str {
        "scripted"
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.log.borrow_mut().push("sink dropped".to_string());
    }
}
