//! The document's three examples.

use std::iter;

use talkback::{Source, State, iterable};

use crate::parties::{LogFive, Timer};

/// Numbers that look random.
fn random() -> impl Iterator<Item = u64> {
    iter::successors(Some(17_u64), |n| Some(n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)))
}

#[test]
fn a_timer_and_a_sink_that_logs_five() {
    let timer = Timer::default();
    let mut stream = timer.source().connect(LogFive::listening());
    for _ in 0..9 {
        timer.tick();
        stream.run();
    }
    assert_eq!(stream.sink().logged, [1, 2, 3, 4, 5], "without a request, and no more than five");
    assert_eq!(stream.state(), State::Enough);
}

#[test]
fn a_second_sink_joins_the_timer_later() {
    let timer = Timer::default();
    let mut first = timer.source().connect(LogFive::listening());
    timer.tick();
    timer.tick();
    let mut second = timer.source().connect(LogFive::listening());
    for _ in 0..4 {
        timer.tick();
        first.run();
        second.run();
    }
    assert_eq!(first.sink().logged, [1, 2, 3, 4, 5]);
    assert_eq!(second.sink().logged, [3, 4, 5, 6]);
}

#[test]
fn a_listening_sink_gets_nothing_of_a_pullable_source() {
    let mut stream = iterable(random()).connect(LogFive::listening());
    assert_eq!(stream.run(), State::Idle);
    assert_eq!(stream.sink().logged, []);
}

#[test]
fn a_requesting_sink_gets_five() {
    let mut stream = iterable(random()).connect(LogFive::requesting());
    assert_eq!(stream.run(), State::Enough);
    assert_eq!(stream.sink().logged, random().take(5).collect::<Vec<_>>());
}
