//! Planted faults: the kit finds each, and says which rule, who, and the shortest script that shows it.

use std::convert::Infallible;
use std::ops::Range;

use talkback::kit::{self, Bench, Failure};
use talkback::{Connection, End, Sink, Source, Step, Stop, Talkback, Upstream};

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    EmitsBeforeStart,
    EmitsTwicePerRequest,
    IgnoresStop,
    LosesAnItemAtPause,
    EndsWhileStopped,
    NeverEnds,
    LeavesARequestOpen,
}

/// Counts up to three, pulled.
struct Faulty {
    fault: Fault,
    items: Range<u8>,
}

impl Source for Faulty {
    type Item = u8;
    type Error = Infallible;

    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(u8, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        match self.fault {
            Fault::EmitsBeforeStart if talkback.starts() == 0 => emit(1, talkback),
            Fault::EndsWhileStopped if !talkback.is_open() && talkback.starts() > 0 => {
                return Step::Ended(End::Complete);
            }
            Fault::LosesAnItemAtPause if talkback.starts() > 1 && self.items.start == 1 => self.items.start = 2,
            Fault::LeavesARequestOpen if self.items.start == 2 => return Step::Idle,
            _ => {}
        }
        while talkback.take_request() {
            match self.items.next() {
                Some(item) => {
                    emit(item, talkback);
                    if self.fault == Fault::EmitsTwicePerRequest && talkback.may_emit() {
                        self.items.next().into_iter().for_each(|item| emit(item, talkback));
                    }
                    if self.fault == Fault::IgnoresStop && !talkback.is_open() {
                        self.items.next().into_iter().for_each(|item| emit(item, talkback));
                    }
                }
                None if self.fault == Fault::NeverEnds => return Step::Idle,
                None => return Step::Ended(End::Complete),
            }
        }
        Step::Idle
    }
}

fn source(fault: Fault) -> Result<(), Failure> {
    kit::source("counter", move |_| Faulty { fault, items: 0..3 }).items(0..3).ends_on_demand().check().map(drop)
}

/// The failure of a check, with the lines joined; what differs is shown.
#[track_caller]
fn finds(result: Result<(), Failure>, what: &str, script: &str) {
    let failure = result.expect_err("a fault was planted");
    assert_eq!((failure.what.as_str(), failure.script.as_str()), (what, script));
    assert!(
        failure.to_string().starts_with(&format!("{}: {what}\n  script: {script}\n  found in script ", failure.name))
    );
}

#[test]
fn sources() {
    assert_eq!(source(Fault::None), Ok(()));
    finds(
        source(Fault::EmitsBeforeStart),
        "rule 2: it emitted 1, but the stream is not started",
        "greet; drive; receive 1",
    );
    finds(
        source(Fault::EmitsTwicePerRequest),
        "declared pulled, but it emitted 1 without a request",
        "greet; start; request; drive; receive 0; receive 1",
    );
    finds(
        source(Fault::IgnoresStop),
        "rule 2: it emitted 1, but the stream is stopped",
        "greet; start; request; drive; receive 0 (pause); receive 1",
    );
    finds(
        source(Fault::LosesAnItemAtPause),
        "item 2 is 2 instead of 1",
        "greet; start; request; drive one; receive 0 (pause, start, request); drive; receive 2",
    );
    finds(source(Fault::EndsWhileStopped), "rule 4: it ended, but the stream is stopped", "greet; start; pause; drive");
    finds(
        source(Fault::NeverEnds),
        "a request was not answered, and it neither waits nor has it ended",
        "greet; start; request; drive; receive 0 (request); receive 1 (request); receive 2 (request)",
    );
    finds(
        source(Fault::LeavesARequestOpen),
        "a request was not answered, and it neither waits nor has it ended",
        "greet; start; request; drive; receive 0 (request); receive 1; request; drive",
    );
}

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    GreetsTwice,
    EmitsBeforeGreeting,
    EndsTwice,
    EmitsAfterEnd,
    EmitsToTheStopped,
    KeepsAStopToItself,
    RequestsWhenStopped,
    StartsTwice,
    DrivesAfterEnd,
}

/// Lends its talkback to a side sink, which the operator calls by hand.
struct Lender;

impl Sink<u8, &'static str> for Lender {
    fn greet(&mut self, _: &mut Talkback<&'static str>) {}
    fn receive(&mut self, _: u8, _: &mut Talkback<&'static str>) {}
    fn end(&mut self, _: &End<&'static str>) {}
}

/// Passes items on and to a side sink.
struct FaultyTee<S: Source, K> {
    wrong: Wrong,
    upstream: Upstream<S>,
    side: K,
    beside: Connection<u8, Lender, &'static str>,
}

impl<S, K> Source for FaultyTee<S, K>
where
    S: Source<Item = u8, Error = &'static str>,
    K: Sink<u8, &'static str>,
{
    type Item = u8;
    type Error = &'static str;

    fn greets(&mut self) -> bool {
        if self.wrong == Wrong::EmitsBeforeGreeting {
            self.side.receive(1, self.beside.talkback());
        }
        if self.upstream.greets() && !self.beside.is_greeted() {
            self.beside.greet();
            self.side.greet(self.beside.talkback());
            if self.wrong == Wrong::GreetsTwice {
                self.side.greet(self.beside.talkback());
            }
        }
        self.beside.is_greeted()
    }

    fn drive(
        &mut self,
        below: &mut Talkback<&'static str>,
        emit: &mut impl FnMut(u8, &mut Talkback<&'static str>),
    ) -> Step<&'static str> {
        let Self { wrong, upstream, side, beside } = self;
        match wrong {
            Wrong::KeepsAStopToItself if !below.is_open() => return Step::Idle,
            Wrong::RequestsWhenStopped if !below.is_open() && upstream.hop().starts() > 0 => upstream.hop().request(),
            Wrong::StartsTwice if upstream.hop().is_open() => upstream.hop().start(),
            _ => {}
        }
        let step = upstream.drive(below, &mut |item, _, below| {
            if beside.talkback().is_open() || *wrong == Wrong::EmitsToTheStopped {
                side.receive(item, beside.talkback());
            }
            emit(item, below);
        });
        if let Step::Ended(end) = &step {
            if beside.talkback().is_open() {
                side.end(end);
                match wrong {
                    Wrong::EndsTwice => side.end(end),
                    Wrong::EmitsAfterEnd => side.receive(1, beside.talkback()),
                    _ => {}
                }
            }
            if *wrong == Wrong::DrivesAfterEnd {
                let _ = upstream.source().drive(below, emit);
            }
        }
        step
    }
}

fn operator(wrong: Wrong) -> Result<(), Failure> {
    let make = move |bench: &Bench| FaultyTee {
        wrong,
        upstream: Upstream::new(bench.pulled(0..2)).below("faulty tee"),
        side: bench.side(),
        beside: Connection::new("faulty tee", Lender),
    };
    kit::source("faulty tee", make).items(0..2).check().map(drop)
}

#[test]
fn operators() {
    assert_eq!(operator(Wrong::Nothing), Ok(()));
    finds(
        operator(Wrong::GreetsTwice),
        "beside the stream, rule 1: the operator greeted a side sink twice",
        "greet; drive",
    );
    finds(
        operator(Wrong::EmitsBeforeGreeting),
        "beside the stream, rule 2: the operator emitted to a side sink, but the stream has not greeted it",
        "greet; drive",
    );
    finds(
        operator(Wrong::EndsTwice),
        "beside the stream, rule 4: the operator ended a side sink, but the stream has ended",
        "greet; start; request; drive; aside; receive 0 (request); aside; receive 1 (request); end: Complete",
    );
    finds(
        operator(Wrong::EmitsAfterEnd),
        "beside the stream, rule 2: the operator emitted to a side sink, but the stream has ended",
        "greet; start; request; drive; aside; receive 0 (request); aside; receive 1 (request); end: Complete",
    );
    finds(
        operator(Wrong::EmitsToTheStopped),
        "beside the stream, rule 2: the operator emitted to a side sink, but the stream is stopped",
        "greet; start; request; drive; aside (stop: enough); receive 0 (request); receive 1",
    );
    finds(
        operator(Wrong::KeepsAStopToItself),
        "the stream is stopped, but a source above is still open",
        "greet; start; drive; pause; drive",
    );
    finds(
        operator(Wrong::RequestsWhenStopped),
        "above the operator, rule 3: sink \"faulty tee\" requested, but the stream is stopped",
        "greet; start; request; drive one; aside; receive 0 (pause); drive",
    );
    finds(
        operator(Wrong::StartsTwice),
        "above the operator, rule 5: sink \"faulty tee\" started, but the stream is open",
        "greet; start; drive; request; drive; aside; receive 0",
    );
    finds(
        operator(Wrong::DrivesAfterEnd),
        "the operator drove a source that had ended",
        "greet; start; request; drive; aside (stop: enough); receive 0 (request); receive 1 (request); end: Complete",
    );
}

#[derive(Clone, Copy, PartialEq)]
enum Bad {
    Nothing,
    StartsTwice,
    RequestsBeforeStart,
    RequestsWhenStopped,
    StopsTwice,
    ForgetsToRequest,
}

/// Takes two items.
struct FaultySink {
    bad: Bad,
    left: u8,
}

impl<E> Sink<u8, E> for FaultySink {
    fn greet(&mut self, talkback: &mut Talkback<E>) {
        if self.bad == Bad::RequestsBeforeStart {
            talkback.request();
        }
        talkback.start();
        if self.bad == Bad::StartsTwice {
            talkback.start();
        }
        talkback.request();
    }

    fn receive(&mut self, _: u8, talkback: &mut Talkback<E>) {
        self.left -= 1;
        if self.left > 0 {
            if self.bad != Bad::ForgetsToRequest {
                talkback.request();
            }
            return;
        }
        talkback.stop(Stop::Enough);
        match self.bad {
            Bad::StopsTwice => talkback.stop(Stop::Enough),
            Bad::RequestsWhenStopped => talkback.request(),
            _ => {}
        }
    }

    fn end(&mut self, _: &End<E>) {}

    fn name(&self) -> &'static str {
        "take two"
    }
}

fn sink(bad: Bad) -> Result<(), Failure> {
    kit::sink("a sink", move || FaultySink { bad, left: 2 }, 0..5).requests().check().map(drop)
}

#[test]
fn sinks() {
    assert_eq!(sink(Bad::Nothing), Ok(()));
    finds(sink(Bad::StartsTwice), "rule 5: sink \"take two\" started, but the stream is open", "greet");
    finds(
        sink(Bad::RequestsBeforeStart),
        "rule 3: sink \"take two\" requested, but the stream is not started yet",
        "greet",
    );
    finds(
        sink(Bad::RequestsWhenStopped),
        "rule 3: sink \"take two\" requested, but the stream is stopped",
        "greet; receive 0; receive 1",
    );
    finds(
        sink(Bad::StopsTwice),
        "rule 6: sink \"take two\" stopped, but the stream is stopped",
        "greet; receive 0; receive 1",
    );
    finds(
        sink(Bad::ForgetsToRequest),
        "declared to request, but the stream is open and nothing is requested",
        "greet; receive 0",
    );
}
