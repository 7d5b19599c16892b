//! One hop of work, from whoever has it to whoever does it, by the six rules of sources and sinks.
//!
//! It owns where the hop stands: connected, greeted once the worker is there, open, stopped, ended, and for which reasons
//! it is stopped. Reasons are a set, so that whoever takes away its own does not take away another's. A signal out of turn
//! breaks a rule, which is a mistake of the host: it is ignored and counted, and a panic in tests. It ends with
//! [`Hop::end`], which also tells a stopped worker, since an end that falls due while it is stopped waits for its start.

use talkback::{Connection, End, Phase, Sink, Stop, Talkback};

/// Why a hop stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Pause {
    /// More waits for the worker than it should.
    #[cfg(any(feature = "kafka", test))]
    Behind = 1,
    /// What comes next cannot be read.
    #[cfg(any(feature = "kafka", test))]
    Unreadable = 2,
    /// The worker has given its instance back.
    Idle = 4,
    /// The worker has failed, and what it failed on may come again.
    Failed = 8,
}

/// Why a hop ended in the middle of something: it is another's now, or nobody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Void;

/// One hop.
#[derive(Debug)]
pub(crate) struct Hop {
    connection: Connection<(), Worker, Void>,
    /// A bit for each reason.
    pauses: u8,
}

/// Who does the work: starts as soon as it is greeted.
#[derive(Debug)]
struct Worker;

impl Sink<(), Void> for Worker {
    fn greet(&mut self, talkback: &mut Talkback<Void>) {
        talkback.start();
    }

    fn receive(&mut self, (): (), _: &mut Talkback<Void>) {}

    fn end(&mut self, _: &End<Void>) {}

    fn name(&self) -> &'static str {
        "lane"
    }
}

impl Hop {
    /// A hop from a source of this name, whose worker is not there yet.
    pub(crate) fn new(source: &'static str) -> Self {
        Self { connection: Connection::new(source, Worker), pauses: 0 }
    }

    /// The worker is there.
    pub(crate) fn greet(&mut self) {
        self.connection.greet();
        if self.pauses != 0 {
            self.connection.talkback().stop(Stop::Pause);
        }
    }

    pub(crate) fn is_greeted(&self) -> bool {
        self.connection.is_greeted()
    }

    /// The worker is ready for the next item.
    pub(crate) fn request(&mut self) {
        self.connection.talkback().request();
    }

    /// An item is handed over.
    pub(crate) fn hand(&mut self) {
        self.connection.talkback().take_request();
        self.connection.receive(());
    }

    /// Nothing more is wanted, for this reason among others.
    pub(crate) fn pause(&mut self, reason: Pause) {
        let was_paused = self.pauses != 0;
        self.pauses |= reason as u8;
        if !was_paused && self.phase() == Phase::Open {
            self.connection.talkback().stop(Stop::Pause);
        }
    }

    /// This reason is gone.
    pub(crate) fn resume(&mut self, reason: Pause) {
        self.pauses &= !(reason as u8);
        if self.pauses == 0 && self.phase() == Phase::Stopped {
            self.connection.talkback().start();
        }
    }

    /// Whether it is paused for this reason.
    #[cfg(any(feature = "kafka", test))]
    pub(crate) fn is_paused_for(&self, reason: Pause) -> bool {
        self.pauses & reason as u8 != 0
    }

    /// Whether it is paused for any reason.
    pub(crate) fn is_paused(&self) -> bool {
        self.pauses != 0
    }

    /// Nothing comes any more. Again is nothing, and before the worker is there nobody has to be told.
    pub(crate) fn end(&mut self, why: End<Void>) {
        self.pauses = 0;
        match self.phase() {
            Phase::Connected | Phase::Ended => {}
            Phase::Greeted | Phase::Stopped => {
                self.connection.talkback().start();
                self.connection.end(&why);
            }
            Phase::Open | Phase::Held => self.connection.end(&why),
        }
    }

    /// Where it stands.
    pub(crate) fn phase(&self) -> Phase {
        self.connection.phase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeted() -> Hop {
        let mut hop = Hop::new("a partition");
        hop.greet();
        hop
    }

    #[test]
    fn a_worker_may_come_late_and_is_stopped_if_it_has_to_be() {
        let mut hop = Hop::new("a partition");
        assert_eq!(hop.phase(), Phase::Connected);
        hop.pause(Pause::Unreadable);
        hop.greet();
        assert_eq!(hop.phase(), Phase::Stopped);
        hop.resume(Pause::Unreadable);
        assert_eq!(hop.phase(), Phase::Open);
    }

    #[test]
    fn whoever_takes_its_reason_away_leaves_the_others() {
        let mut hop = greeted();
        hop.pause(Pause::Behind);
        hop.pause(Pause::Unreadable);
        hop.pause(Pause::Behind);
        hop.resume(Pause::Behind);
        assert!(hop.is_paused() && hop.is_paused_for(Pause::Unreadable) && !hop.is_paused_for(Pause::Behind));
        assert_eq!(hop.phase(), Phase::Stopped);
        hop.resume(Pause::Unreadable);
        assert_eq!(hop.phase(), Phase::Open);
        // What was never paused is not started once more.
        hop.resume(Pause::Idle);
        assert_eq!(hop.phase(), Phase::Open);
    }

    #[test]
    fn an_end_reaches_a_stopped_worker_and_comes_once() {
        let mut hop = greeted();
        hop.pause(Pause::Behind);
        hop.end(End::Failed(Void));
        hop.end(End::Complete);
        assert_eq!(hop.phase(), Phase::Ended);
        assert!(!hop.is_paused());
        // Too late for anything.
        hop.pause(Pause::Behind);
        hop.resume(Pause::Behind);
        assert_eq!(hop.phase(), Phase::Ended);
    }

    #[test]
    #[should_panic(expected = "rule 2: source \"a partition\" emitted, but the stream is stopped")]
    fn what_is_handed_over_while_it_stands_still_breaks_a_rule() {
        let mut hop = greeted();
        hop.pause(Pause::Failed);
        hop.hand();
    }

    #[test]
    #[should_panic(expected = "rule 3: sink \"lane\" requested, but the stream is ended")]
    fn whoever_asks_after_the_end_breaks_a_rule() {
        let mut hop = greeted();
        hop.end(End::Complete);
        hop.request();
    }
}
