//! Each of the six rules, allowed and refused: a panic with a message, or a number.

use std::panic::{AssertUnwindSafe, catch_unwind};

use talkback::{Connection, End, Phase, Policy, Rule, Sink, Source, State, Step, Stop, Talkback, violations_total};

use crate::parties::{Log, lines, scripted, spy};

/// What the stream does with a sink of these scripts, or how it panics.
fn panics(on_greet: &'static str, on_receive: &'static str) -> Result<State, String> {
    let log = Log::default();
    let run = || spy(0..3, &log).connect(scripted(&log, on_greet, on_receive)).run();
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| *panic.downcast::<String>().unwrap())
}

/// The connection of a sink with this script, greeted, in which violations count.
fn greeted(on_greet: &'static str) -> (Connection<u8, impl Sink<u8, &'static str>, &'static str>, Log) {
    let log = Log::default();
    let mut connection = Connection::new("a test", scripted(&log, on_greet, ""));
    connection.set_policy(Policy::Count);
    connection.greet();
    (connection, log)
}

#[test]
fn rule_1_a_source_greets_once() {
    let (mut connection, _) = greeted("s");
    assert_eq!(connection.last_violation(), None);
    assert_eq!(connection.talkback().phase(), Phase::Open);
    connection.greet();
    let violation = connection.last_violation().unwrap();
    assert_eq!(violation.to_string(), "rule 1: source \"a test\" greeted, but the stream is open");
    assert_eq!((violation.rule, connection.talkback().starts()), (Rule::Greet, 1), "the sink was not called again");
}

#[test]
fn rule_2_a_source_emits_only_into_an_open_stream() {
    let (mut connection, log) = greeted("s");
    connection.receive(1);
    assert_eq!((connection.last_violation(), lines(&log)), (None, vec!["1".to_string()]));
    for (script, phase) in [("", Phase::Greeted), ("sp", Phase::Stopped)] {
        let (mut connection, log) = greeted(script);
        connection.receive(1);
        let violation = connection.last_violation().unwrap();
        assert_eq!((violation.rule, violation.phase), (Rule::Emit, phase));
        assert_eq!(lines(&log), [""; 0], "the item is dropped");
    }
    let log = Log::default();
    let mut early = Connection::<u8, _, _>::new("a test", scripted(&log, "s", ""));
    early.set_policy(Policy::Count);
    early.receive(1);
    assert_eq!(
        early.last_violation().unwrap().to_string(),
        "rule 2: source \"a test\" emitted, but the stream is not greeted yet"
    );
}

#[test]
fn rule_3_a_sink_requests_only_of_an_open_stream() {
    assert_eq!(panics("sr", "r"), Ok(State::Complete));
    let early = "rule 3: sink \"scripted\" requested, but the stream is not started yet";
    assert_eq!(panics("rs", ""), Err(early.to_string()));
    let late = "rule 3: sink \"scripted\" requested, but the stream is stopped";
    assert_eq!(panics("sr", "pr"), Err(late.to_string()));
}

#[test]
fn rule_4_a_source_ends_only_an_open_stream_and_once() {
    let (mut connection, log) = greeted("s");
    connection.end(&End::Complete);
    assert_eq!(connection.last_violation(), None);
    connection.end(&End::Failed("again"));
    assert_eq!(lines(&log), ["Complete"], "the second end did not reach the sink");
    let violation = connection.last_violation().unwrap();
    assert_eq!(violation.to_string(), "rule 4: source \"a test\" ended, but the stream is ended");
    let (mut stopped, log) = greeted("sp");
    stopped.end(&End::Complete);
    assert_eq!((stopped.last_violation().unwrap().phase, lines(&log).len()), (Phase::Stopped, 0));
}

#[test]
fn rule_5_a_sink_starts_what_is_not_open() {
    assert_eq!(panics("spsr", "psr"), Ok(State::Complete), "again after a stop");
    let twice = "rule 5: sink \"scripted\" started, but the stream is open";
    assert_eq!(panics("ss", ""), Err(twice.to_string()));
    assert_eq!(panics("sr", "s"), Err(twice.to_string()));
    let (mut connection, _) = greeted("s");
    connection.end(&End::Complete);
    connection.talkback().start();
    let ended = "rule 5: sink \"scripted\" started, but the stream is ended";
    assert_eq!(connection.last_violation().unwrap().to_string(), ended);
}

#[test]
fn rule_6_a_sink_stops_what_is_open() {
    assert_eq!(panics("sr", "e"), Ok(State::Enough));
    let never = "rule 6: sink \"scripted\" stopped, but the stream is not started yet";
    assert_eq!(panics("p", ""), Err(never.to_string()));
    let twice = "rule 6: sink \"scripted\" stopped, but the stream is stopped";
    assert_eq!(panics("sr", "pe"), Err(twice.to_string()));
}

/// Emits although it was stopped, and ends although it is.
struct Deaf;

impl Source for Deaf {
    type Item = u8;
    type Error = &'static str;

    fn drive(
        &mut self,
        talkback: &mut Talkback<&'static str>,
        emit: &mut impl FnMut(u8, &mut Talkback<&'static str>),
    ) -> Step<&'static str> {
        if !talkback.may_emit() {
            return Step::Idle;
        }
        emit(1, talkback);
        emit(2, talkback);
        Step::Ended(End::Complete)
    }

    fn name(&self) -> &'static str {
        "deaf"
    }
}

#[test]
fn what_panics_in_tests_is_ignored_and_counted_when_told_so() {
    let log = Log::default();
    let total = violations_total();
    let mut stream = Deaf.map(|n| n).connect(scripted(&log, "", "p"));
    stream.set_policy(Policy::Count);
    stream.start();
    assert_eq!(stream.run(), State::Paused);
    assert_eq!(lines(&log), ["1"], "the item after the stop did not reach the sink, and the end neither");
    assert_eq!(stream.talkback().violations(), 2);
    assert!(violations_total() >= total + 2);
    let violation = stream.talkback().last_violation().unwrap();
    assert_eq!(violation.to_string(), "rule 4: source \"Map<Deaf, _>\" ended, but the stream is stopped");
    stream.start();
    assert_eq!(stream.run(), State::Complete, "the end waited for the start");
    assert_eq!(lines(&log), ["Complete"]);
}

#[test]
#[should_panic = "rule 2: source \"deaf\" emitted, but the stream is stopped"]
fn what_is_counted_when_told_so_panics_in_tests() {
    let _ = Deaf.connect(scripted(&Log::default(), "s", "p")).run();
}

#[test]
fn signals_from_outside_keep_the_same_rules() {
    let log = Log::default();
    let mut stream = spy(0..9, &log).connect(scripted(&log, "", ""));
    stream.set_policy(Policy::Count);
    stream.request();
    assert_eq!(stream.talkback().last_violation().unwrap().rule, Rule::Request);
    stream.stop(Stop::Enough);
    assert_eq!(stream.talkback().last_violation().unwrap().rule, Rule::Stop);
    stream.start();
    stream.start();
    assert_eq!(stream.talkback().last_violation().unwrap().rule, Rule::Start);
    assert_eq!(stream.talkback().violations(), 3);
    stream.request();
    stream.run();
    assert_eq!(lines(&log), ["0"]);
}

#[test]
#[should_panic = "rule 2: source \"deaf\" emitted, but the stream is stopped"]
fn a_violation_inside_a_chain_names_its_own_party() {
    let _ = Deaf.take(5).map(|n| n + 1).connect(scripted(&Log::default(), "s", "p")).run();
}
