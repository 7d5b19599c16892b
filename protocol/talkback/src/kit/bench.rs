//! What stands around an operator: sources above it and sinks beside it, which watch what it does to them.
//!
//! Owns the log of one script. The probes themselves keep every rule.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::kit::script::SharedChoices;
use crate::rule::Policy;
use crate::signal::{End, Step, Stop};
use crate::sink::Sink;
use crate::source::Source;
use crate::talkback::Talkback;

/// What a probe saw last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Idle,
    Open,
    Closed,
    Gone,
}

#[derive(Debug, Default)]
struct Log {
    fault: Option<String>,
    probes: Vec<Seen>,
}

/// Makes the sources and side sinks of an operator under test, and watches them.
#[derive(Debug, Clone)]
pub struct Bench {
    log: Rc<RefCell<Log>>,
    choices: SharedChoices,
}

impl Bench {
    pub(crate) fn new(choices: &SharedChoices) -> Self {
        Self { log: Rc::default(), choices: Rc::clone(choices) }
    }

    /// A source that answers each request with one of the items. It resumes, and ends on demand.
    pub fn pulled<I: IntoIterator>(&self, items: I) -> Probe<I::IntoIter> {
        self.probe(items, true, false)
    }

    /// A source that emits the items while it is open. It resumes, and ends eagerly.
    pub fn pushed<I: IntoIterator>(&self, items: I) -> Probe<I::IntoIter> {
        self.probe(items, false, true)
    }

    /// A source that emits one item unasked each time it is driven, and answers requests. It resumes, and ends when
    /// something is due and nothing is left.
    pub fn hybrid<I: IntoIterator>(&self, items: I) -> Probe<I::IntoIter> {
        self.probe(items, true, true)
    }

    fn probe<I: IntoIterator>(&self, items: I, pulled: bool, pushed: bool) -> Probe<I::IntoIter> {
        let mut log = self.log.borrow_mut();
        log.probes.push(Seen::Idle);
        Probe {
            items: items.into_iter(),
            pulled,
            pushed,
            asked_to_greet: 0,
            greets_at: 0,
            greeted: false,
            slow: false,
            waited: false,
            end: Some(End::Complete),
            bench: self.clone(),
            id: log.probes.len() - 1,
        }
    }

    /// A sink beside the stream, which listens and, as the script has it, stops because it has enough.
    pub fn side(&self) -> SideProbe {
        SideProbe { greeted: false, open: false, ended: false, bench: self.clone() }
    }

    fn fault(&self, what: String) {
        self.log.borrow_mut().fault.get_or_insert(what);
    }

    pub(crate) fn take_fault(&self) -> Option<String> {
        self.log.borrow_mut().fault.take()
    }

    /// Whether some source was last seen open.
    pub(crate) fn has_open(&self) -> bool {
        self.log.borrow().probes.contains(&Seen::Open)
    }

    /// Whether some source was not dropped.
    pub(crate) fn has_undropped(&self) -> bool {
        self.log.borrow().probes.iter().any(|seen| *seen != Seen::Gone)
    }
}

/// A source of the bench. Fails, if it does, with a text.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a trait of its own")]
pub struct Probe<I> {
    items: I,
    pulled: bool,
    pushed: bool,
    asked_to_greet: usize,
    greets_at: usize,
    greeted: bool,
    slow: bool,
    waited: bool,
    end: Option<End<&'static str>>,
    bench: Bench,
    id: usize,
}

impl<I> Probe<I> {
    /// It greets when it is asked for the third time.
    #[must_use]
    pub fn late(mut self) -> Self {
        self.greets_at = 2;
        self
    }

    /// It waits before each item until it is driven once more.
    #[must_use]
    pub fn slow(mut self) -> Self {
        self.slow = true;
        self
    }

    /// It ends with this failure.
    #[must_use]
    pub fn failing(mut self, error: &'static str) -> Self {
        self.end = Some(End::Failed(error));
        self
    }

    fn see(&self, seen: Seen) {
        if let Some(last) = self.bench.log.borrow_mut().probes.get_mut(self.id) {
            *last = seen;
        }
    }

    fn watch(&self, talkback: &mut Talkback<&'static str>) {
        talkback.set_policy(Policy::Count);
        if let Some(violation) = talkback.last_violation() {
            self.bench.fault(format!("above the operator, {violation}"));
        }
        if !self.greeted {
            self.bench.fault("the operator drove a source that had not greeted".to_string());
        }
        if self.end.is_none() {
            self.bench.fault("the operator drove a source that had ended".to_string());
        }
    }
}

impl<I: Iterator> Source for Probe<I> {
    type Item = I::Item;
    type Error = &'static str;

    fn greets(&mut self) -> bool {
        self.asked_to_greet += 1;
        self.greeted |= self.asked_to_greet > self.greets_at;
        self.greeted
    }

    fn drive(
        &mut self,
        talkback: &mut Talkback<&'static str>,
        emit: &mut impl FnMut(I::Item, &mut Talkback<&'static str>),
    ) -> Step<&'static str> {
        self.watch(talkback);
        let mut unasked = !self.pulled;
        let mut hybrid = self.pulled && self.pushed;
        let step = loop {
            let due = talkback.may_emit() && (talkback.is_requested() && self.pulled || unasked || hybrid);
            if !due {
                break Step::Idle;
            }
            if self.slow && !self.waited {
                self.waited = true;
                break Step::Pending;
            }
            self.waited = false;
            // As many sources do: the request is taken before it is known that nothing is left.
            if self.pulled && !hybrid {
                talkback.take_request();
            }
            let Some(item) = self.items.next() else {
                break self.end.take().map_or(Step::Idle, Step::Ended);
            };
            hybrid = false;
            unasked = !self.pulled;
            emit(item, talkback);
        };
        self.see(if self.end.is_some() && talkback.is_open() { Seen::Open } else { Seen::Closed });
        if let Some(violation) = talkback.last_violation() {
            self.bench.fault(format!("above the operator, {violation}"));
        }
        step
    }
}

impl<I> Drop for Probe<I> {
    fn drop(&mut self) {
        self.see(Seen::Gone);
    }
}

/// A sink of the bench beside the stream, which keeps its own account of what it was sent.
#[derive(Debug)]
pub struct SideProbe {
    greeted: bool,
    open: bool,
    ended: bool,
    bench: Bench,
}

impl SideProbe {
    fn accuse(&self, number: u8, deed: &str) {
        let state = match self {
            Self { ended: true, .. } => "has ended",
            Self { greeted: false, .. } => "has not greeted it",
            _ => "is stopped",
        };
        self.bench.fault(format!(
            "beside the stream, rule {number}: the operator {deed} a side sink, but the stream {state}"
        ));
    }
}

impl<T, E> Sink<T, E> for SideProbe {
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        if self.greeted {
            self.bench.fault("beside the stream, rule 1: the operator greeted a side sink twice".to_string());
            return;
        }
        self.greeted = true;
        self.open = true;
        talkback.set_policy(Policy::Count);
        talkback.start();
    }

    fn receive(&mut self, _: T, talkback: &mut Talkback<E>) {
        if !self.open {
            return self.accuse(2, "emitted to");
        }
        let stops = self.bench.choices.borrow_mut().choose(3) == 2;
        self.bench.choices.borrow_mut().say(|| format!("aside{}", if stops { " (stop: enough)" } else { "" }));
        if stops {
            talkback.stop(Stop::Enough);
            self.open = false;
        }
    }

    fn end(&mut self, _: &End<E>) {
        if !self.open {
            return self.accuse(4, "ended");
        }
        self.ended = true;
        self.open = false;
    }
}
