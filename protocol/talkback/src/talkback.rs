//! One hop between a source and a sink: what the sink has signalled, and whether it was allowed to.
//!
//! Owns the state of the hop and rules 3, 5 and 6. Signals are recorded here, never acted on: the source's loop looks at
//! them, so that a signal made inside a `receive` cannot recurse. A hop ends with the source's end, or is dropped.

use core::fmt;
use core::task::Waker;

use crate::rule::{self, Phase, Policy, Rule, Violation};
use crate::signal::Stop;

/// How a sink talks to its source: the document's `start`, `request` and `stop`, each recorded for the source's loop.
///
/// Sources read it: [`take_request`](Self::take_request) before an item that answers a request,
/// [`may_emit`](Self::may_emit) before one that does not.
///
/// A request is a flag and no counter: two requests before an item are one. A stop withdraws it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "single flags, which the optimizer follows through a chain one by one"
)]
pub struct Talkback<E> {
    greeted: bool,
    open: bool,
    ended: bool,
    requested: bool,
    /// The item on its way answers a request. Whoever delivers it clears this; whoever drops it restores the request.
    answering: bool,
    /// No emission now: the run's budget is used up.
    held: bool,
    /// No emission until the operator below drives again.
    waits: bool,
    /// The operator below has stopped for good, whatever its own sink does.
    cut: bool,
    policy: Policy,
    starts: u32,
    /// The hop below's `starts` that this hop has followed.
    followed: u32,
    violations: u32,
    last: Option<(Rule, Phase)>,
    reason: Option<Stop<E>>,
    waker: Option<Waker>,
    source: &'static str,
    sink: &'static str,
}

/// What a sink may signal.
impl<E> Talkback<E> {
    /// Asks the source to start sending, or to go on after a stop.
    ///
    /// Rule 5: only if greeted, not open and not ended.
    #[inline]
    pub fn start(&mut self) {
        if !self.greeted || self.open || self.ended {
            return self.violate(Rule::Start);
        }
        self.open = true;
        self.starts = self.starts.wrapping_add(1);
        self.reason = None;
    }

    /// Asks for one item. A request that is not answered yet stays the only one.
    ///
    /// Rule 3: only if open.
    #[inline]
    pub fn request(&mut self) {
        if !self.open {
            return self.violate(Rule::Request);
        }
        self.requested = true;
    }

    /// Asks the source to send nothing more, until the next start if there is one. Withdraws an open request.
    ///
    /// Rule 6: only if open.
    #[inline]
    pub fn stop(&mut self, reason: Stop<E>) {
        if !self.open {
            return self.violate(Rule::Stop);
        }
        self.open = false;
        self.requested = false;
        self.answering = false;
        self.reason = Some(reason);
    }
}

/// What a source reads.
impl<E> Talkback<E> {
    /// Whether the stream is open: greeted, started, not stopped since, not ended.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether an item may be emitted now, requested or not: open, and not held by a budget or a busy operator.
    #[inline]
    pub fn may_emit(&self) -> bool {
        self.open && !self.held
    }

    /// Whether a request is open, be it held or not.
    #[inline]
    pub fn is_requested(&self) -> bool {
        self.requested
    }

    /// Takes the open request, if an item may be emitted for it now.
    #[inline]
    pub fn take_request(&mut self) -> bool {
        let taken = self.open && self.requested && !self.held;
        if taken {
            self.requested = false;
            self.answering = true;
        }
        taken
    }

    /// Whether the item on its way answers a request. Only an operator sees this, between the source and the sink.
    #[inline]
    pub fn is_answering(&self) -> bool {
        self.answering
    }

    /// Lets the request stand that an item was to answer, because the item is dropped on its way, as by a filter.
    #[inline]
    pub fn restore_request(&mut self) {
        if self.answering {
            self.answering = false;
            self.requested = true;
        }
    }

    /// The reason of the last stop, if the stream is stopped.
    #[inline]
    pub fn stopped(&self) -> Option<&Stop<E>> {
        self.reason.as_ref()
    }

    /// How often the stream was started, wrapping. A stop and a start between two looks of a source show only here.
    #[inline]
    pub fn starts(&self) -> u32 {
        self.starts
    }

    /// Who wants to be woken when a source that returned [`Step::Pending`](crate::Step::Pending) can go on.
    #[inline]
    pub fn waker(&self) -> Option<&Waker> {
        self.waker.as_ref()
    }
}

/// Rules.
impl<E> Talkback<E> {
    /// Where the hop stands.
    pub fn phase(&self) -> Phase {
        phase([self.ended, self.open, self.held, self.greeted, self.starts > 0])
    }

    /// What a violation on this hop does from now on. Operators give their own hops the policy of the hop below.
    pub fn set_policy(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// Violations on this hop that were counted.
    pub fn violations(&self) -> u32 {
        self.violations
    }

    /// The last violation on this hop.
    pub fn last_violation(&self) -> Option<Violation> {
        self.last.map(|(rule, phase)| self.violation(rule, phase))
    }

    fn violation(&self, rule: Rule, phase: Phase) -> Violation {
        let operator = match rule.party() {
            rule::Party::Source => self.source,
            rule::Party::Sink => self.sink,
        };
        Violation { rule, operator, phase }
    }

    /// Only values go into the cold function, no reference to this hop: so the optimizer can keep the hop in registers.
    #[inline]
    pub(crate) fn violate(&mut self, rule: Rule) {
        self.violations = self.violations.saturating_add(1);
        let operator = if rule.party() == rule::Party::Source { self.source } else { self.sink };
        let flags = [self.ended, self.open, self.held, self.greeted, self.starts > 0];
        self.last = Some((rule, complain(self.policy, rule, operator, flags)));
    }
}

/// A violation happened, on a hop with these flags.
#[cold]
#[inline(never)]
#[expect(clippy::panic, reason = "what debug builds and tests are to stop at")]
fn complain(policy: Policy, rule: Rule, operator: &'static str, flags: [bool; 5]) -> Phase {
    let phase = phase(flags);
    rule::count();
    match policy {
        Policy::Panic => panic!("{}", Violation { rule, operator, phase }),
        Policy::Count => phase,
    }
}

fn phase([ended, open, held, greeted, started]: [bool; 5]) -> Phase {
    match (ended, open, greeted) {
        (true, ..) => Phase::Ended,
        (_, true, _) if held => Phase::Held,
        (_, true, _) => Phase::Open,
        (.., false) => Phase::Connected,
        _ if started => Phase::Stopped,
        _ => Phase::Greeted,
    }
}

/// What the two ends of a hop do to it, inside this crate.
impl<E> Talkback<E> {
    #[inline]
    pub(crate) fn new(source: &'static str, sink: &'static str) -> Self {
        Self {
            greeted: false,
            open: false,
            ended: false,
            requested: false,
            answering: false,
            held: false,
            waits: false,
            cut: false,
            policy: Policy::default(),
            starts: 0,
            followed: 0,
            violations: 0,
            last: None,
            reason: None,
            waker: None,
            source,
            sink,
        }
    }

    /// The source greets; `false` if it already had.
    #[inline]
    pub(crate) fn greet(&mut self) -> bool {
        if self.greeted {
            self.violate(Rule::Greet);
            return false;
        }
        self.greeted = true;
        true
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn policy(&self) -> Policy {
        self.policy
    }

    #[inline]
    pub(crate) fn is_greeted(&self) -> bool {
        self.greeted
    }

    /// The source emits; `false` if it may not.
    #[inline]
    pub(crate) fn deliver(&mut self) -> bool {
        if !self.may_emit() {
            self.violate(Rule::Emit);
            return false;
        }
        self.answering = false;
        true
    }

    /// The source ends; `false` if it may not.
    #[inline]
    pub(crate) fn end(&mut self) -> bool {
        if !self.open {
            self.violate(Rule::End);
            return false;
        }
        self.close();
        true
    }

    #[inline]
    pub(crate) fn set_sink(&mut self, sink: &'static str) {
        self.sink = sink;
    }

    /// Nothing passes any more.
    #[inline]
    pub(crate) fn close(&mut self) {
        self.ended = true;
        self.open = false;
        self.requested = false;
        self.answering = false;
    }

    #[inline]
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    #[inline]
    pub(crate) fn hold(&mut self, held: bool) {
        self.held = held;
    }

    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.held
    }

    pub(crate) fn set_waker(&mut self, waker: &Waker) {
        match &mut self.waker {
            Some(known) if known.will_wake(waker) => {}
            other => *other = Some(waker.clone()),
        }
    }

    #[inline]
    pub(crate) fn take_reason(&mut self) -> Option<Stop<E>> {
        self.reason.take()
    }

    #[inline]
    pub(crate) fn put_reason(&mut self, reason: Option<Stop<E>>) {
        self.reason = reason;
    }
}

/// What an operator does to the hop above it.
impl<E> Talkback<E> {
    /// Lets the source above wait until it is driven again: the operator has what it can carry.
    #[inline]
    pub fn wait(&mut self) {
        self.waits = true;
        self.held = true;
    }

    /// Stops the source above for good, whatever the sink below does afterwards.
    #[inline]
    pub fn cut(&mut self, reason: Stop<E>) {
        if self.open {
            self.stop(reason);
        }
        self.cut = true;
    }

    #[inline]
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Before a drive: as [`follow`](Self::follow), and what does not change within a drive.
    #[inline]
    pub(crate) fn enter<F>(&mut self, below: &mut Talkback<F>, pass: impl FnOnce(&mut Option<Stop<F>>) -> Stop<E>) {
        self.waits = false;
        self.policy = below.policy;
        if let Some(waker) = &below.waker {
            self.set_waker(waker);
        }
        self.follow(below, pass);
    }

    /// Signals upwards what the sink below has signalled since this hop last followed it.
    #[inline]
    pub(crate) fn follow<F>(&mut self, below: &mut Talkback<F>, pass: impl FnOnce(&mut Option<Stop<F>>) -> Stop<E>) {
        if self.cut || self.ended {
            return;
        }
        if self.open && (!below.open || self.followed != below.starts) {
            self.stop(pass(&mut below.reason));
        }
        if below.open && !self.open {
            self.start();
            self.followed = below.starts;
        }
        self.requested = below.requested;
        self.held = below.held || self.waits;
    }

    /// Before an item goes on below: it answers the request below if it answered the one above.
    #[inline]
    pub(crate) fn answer<F>(&mut self, above: &mut Talkback<F>) {
        self.answering = above.answering && self.requested;
        self.requested &= !self.answering;
        above.answering = false;
    }

    /// After a drive: takes the reason back that `follow` lent upwards.
    #[inline]
    pub(crate) fn reclaim(&mut self, above: &mut Self) {
        if !self.open && self.starts > 0 && self.reason.is_none() && !above.cut {
            self.reason = above.reason.take();
        }
    }
}

impl<E> fmt::Debug for Talkback<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talkback")
            .field("source", &format_args!("{}", rule::Short(self.source)))
            .field("sink", &format_args!("{}", rule::Short(self.sink)))
            .field("phase", &self.phase())
            .field("requested", &self.requested)
            .field("starts", &self.starts)
            .field("violations", &self.violations)
            .finish_non_exhaustive()
    }
}
