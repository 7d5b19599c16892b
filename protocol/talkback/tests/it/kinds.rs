//! Pushed, pulled and hybrid sources behind one interface; greetings that come later; pauses without loss.

use talkback::{Hub, Source, State, Stop, collect, iterable, pour};

use crate::parties::{Log, lines, scripted, spy};

#[test]
fn a_pushed_source_needs_no_request() {
    let log = Log::default();
    let mut stream = pour(0..3).fails_with().connect(scripted(&log, "s", ""));
    assert_eq!(stream.run(), State::Complete);
    assert_eq!(lines(&log), ["0", "1", "2", "Complete"]);
}

#[test]
fn a_pulled_source_answers_each_request_once() {
    let log = Log::default();
    let mut stream = iterable(0..3).fails_with().connect(scripted(&log, "s", ""));
    assert_eq!((stream.run(), lines(&log).len()), (State::Idle, 0));
    for n in 0..3 {
        stream.request();
        stream.request();
        assert_eq!((stream.run(), lines(&log)), (State::Idle, vec![n.to_string()]), "two requests are one");
    }
    stream.request();
    assert_eq!((stream.run(), lines(&log)), (State::Complete, vec!["Complete".to_string()]));
}

#[test]
fn a_hybrid_source_does_both() {
    let log = Log::default();
    let hub = Hub::new(4);
    let mut stream = iterable(0..9).fails_with().merge(hub.source()).connect(scripted(&log, "s", ""));
    hub.send(100).unwrap();
    assert_eq!((stream.run(), lines(&log)), (State::Waiting, vec!["100".to_string()]), "unasked");
    stream.request();
    assert_eq!((stream.run(), lines(&log)), (State::Waiting, vec!["0".to_string()]), "asked");
}

#[test]
fn a_greeting_may_come_later() {
    let log = Log::default();
    let mut stream = spy(0..2, &log).late().map(|n| n + 1).take(9).connect(scripted(&log, "sr", "r"));
    assert_eq!((stream.state(), stream.talkback().starts()), (State::Waiting, 0));
    assert_eq!(stream.run(), State::Complete);
    assert_eq!(lines(&log), ["1", "2", "Complete"]);
}

#[test]
fn a_source_that_never_greets_keeps_every_rule() {
    let log = Log::default();
    let mut source = spy(0..2, &log);
    source = source.late();
    let stream = source.connect(scripted(&log, "sr", "r"));
    assert_eq!(stream.state(), State::Waiting);
    drop(stream);
    assert_eq!(lines(&log), ["source dropped", "sink dropped"]);
}

#[test]
fn a_stop_and_a_start_lose_nothing() {
    let log = Log::default();
    let source = iterable(0..40).fails_with().filter(|n| n % 2 == 0).flat_map(|n| pour([n, n + 1])).chunk(3).take(13);
    let mut stream = source.connect(scripted(&log, "sr", "p"));
    let mut pauses = 0;
    while stream.run() == State::Paused {
        pauses += 1;
        stream.start();
        stream.request();
    }
    let chunks = (0..13).map(|n| format!("{:?}", (3 * n..40.min(3 * n + 3)).collect::<Vec<_>>()));
    assert_eq!(lines(&log), chunks.chain(["Complete".to_string()]).collect::<Vec<_>>());
    assert_eq!(pauses, 13);
}

#[test]
fn a_budget_is_no_pause() {
    let mut stream = pour(0..10).chain(iterable(10..20)).connect(collect::<Vec<i32>>());
    let mut runs = 0;
    while stream.run_for(7) == State::More {
        runs += 1;
    }
    assert_eq!((runs, stream.state()), (2, State::Complete));
    assert_eq!(stream.sink().items(), &(0..20).collect::<Vec<_>>());
    assert_eq!(stream.talkback().starts(), 1);
}

#[test]
fn a_stop_from_outside_reaches_the_source_at_once() {
    let log = Log::default();
    let mut stream = spy(0..9, &log).map(|n| n).connect(scripted(&log, "s", ""));
    stream.stop(Stop::Failed("outside"));
    assert_eq!(lines(&log), ["Failed(\"outside\")"]);
    assert_eq!((stream.state(), stream.stopped()), (State::Failed, Some(&Stop::Failed("outside"))));
}
