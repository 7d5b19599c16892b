//! Known defects of relatives of this protocol, each as a test that it is not ours. A group has the threads in which it
//! was reported. Two groups are elsewhere: what a kit cannot test is in `declarations`, reasons to pause that undo each
//! other are the host's.

use std::cell::RefCell;
use std::rc::Rc;

use talkback::{End, Hub, Policy, Rule, Sink, Source, State, Stop, Talkback, collect, for_each, iterable, pour};

use crate::parties::{Log, lines, scripted, spy};

/// callbag/callbag #39, #49. Every part is in `stack`; here the shape that was reported.
#[test]
fn group_01_consuming_a_synchronous_pullable_source_does_not_overflow() {
    let run = || {
        let mut count = 0;
        iterable(0..1_000_000).map(|n| n + 1).filter(|n| n % 2 == 0).connect(for_each(|_| count += 1)).run();
        count
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap();
    assert_eq!(thread.join().unwrap(), 500_000);
}

/// callbag/callbag #24, #48.
#[test]
fn group_02_the_end_arrives_once_though_both_sides_finish() {
    for (on_receive, ends) in [("r", vec!["0", "Complete"]), ("e", vec!["0"]), ("p", vec!["0"])] {
        let log = Log::default();
        let mut stream = spy(0..9, &log).take(1).connect(scripted(&log, "sr", on_receive));
        stream.run();
        stream.run();
        let lines = lines(&log);
        assert_eq!(lines.iter().filter(|line| *line != "Enough").collect::<Vec<_>>(), ends, "{on_receive}");
        assert_eq!(lines.iter().filter(|line| *line == "Enough").count(), 1, "the source is stopped once");
    }
}

/// callbag/callbag #47.
#[test]
fn group_03_a_stop_reaches_the_first_source_through_every_operator() {
    fn reaches<S: Source<Error = &'static str>>(make: impl Fn(crate::parties::Spy<std::ops::Range<u32>>) -> S)
    where
        S::Item: std::fmt::Debug,
    {
        for (on_receive, reason) in [("e", "Enough"), ("p", "Pause"), ("f", "Failed(\"the sink\")")] {
            let log = Log::default();
            let mut stream = make(spy(0..9, &log)).connect(scripted(&log, "sr", on_receive));
            stream.run();
            assert!(lines(&log).contains(&reason.to_string()), "{}", std::any::type_name::<S>());
        }
    }
    let side = || scripted(&Log::default(), "s", "");
    reaches(|s| s.map(|n| n));
    reaches(|s| s.filter(|n| *n > 1));
    reaches(|s| s.filter_map(Some));
    reaches(|s| s.inspect(|_| ()));
    reaches(|s| s.scan(0, |_, n| n));
    reaches(|s| s.skip(1));
    reaches(|s| s.take(3));
    reaches(|s| s.take_while(|_| true));
    reaches(|s| s.try_map(Ok));
    reaches(|s| s.chunk(2));
    reaches(|s| s.chunk_bytes(2, |_| 1));
    reaches(|s| s.flat_map(|n| iterable(0..n)));
    reaches(|s| s.chain(iterable(0..9).fails_with()));
    reaches(|s| iterable(0..0).fails_with().chain(s));
    reaches(|s| s.merge(iterable(0..0).fails_with()));
    reaches(|s| s.tee(side()));
    reaches(|s| s.route(|n| *n == 0, side()));
    reaches(|s| s.map(|n| if n == 0 { Err(n) } else { Ok(n) }).divert_err(side()));
    reaches(Source::boxed);
    reaches(|s| s.remote(std::task::Waker::noop().clone()).0);
    reaches(|s| s.take(9).take(8).flat_map(|n| iterable([n])).chunk(1).take(7));
}

/// callbag/callbag #45, reactive-streams/reactive-streams-jvm #106.
#[test]
fn group_04_a_failure_ends_the_stream_once_and_stops_the_source_with_it() {
    let log = Log::default();
    let source = spy(0..9, &log).take(8).try_map(|n| if n == 2 { Err("two") } else { Ok(n) }).map(|n| n + 1).take(7);
    let mut stream = source.connect(scripted(&log, "sr", "r"));
    assert_eq!((stream.run(), stream.run()), (State::Failed, State::Failed));
    assert_eq!(stream.ended(), Some(&End::Failed("two")));
    assert_eq!(lines(&log), ["1", "2", "Failed(\"two\")", "Failed(\"two\")"], "to the source, then to the sink");
    let log = Log::default();
    let mut stream = spy(0..9, &log).chunk(1).connect(scripted(&log, "sr", "f"));
    assert_eq!((stream.run(), stream.stopped()), (State::Failed, Some(&Stop::Failed("the sink"))));
    assert_eq!(stream.finish().err(), Some("the sink"));
}

/// callbag/callbag #44.
#[test]
fn group_05_a_late_handshake_works_and_a_stop_before_it_is_a_violation() {
    let log = Log::default();
    let mut stream = spy(0..1, &log).late().connect(scripted(&log, "sr", "r"));
    stream.set_policy(Policy::Count);
    stream.stop(Stop::Enough);
    let violation = stream.talkback().last_violation().unwrap();
    assert_eq!(violation.to_string(), "rule 6: sink \"scripted\" stopped, but the stream is not greeted yet");
    assert_eq!(stream.run(), State::Complete);
}

/// staltz/callbag-share #1, #3.
#[test]
fn group_06_a_shared_synchronous_source_greets_each_sink_before_data() {
    let log = Log::default();
    let shared = pour(0..3).fails_with().share(8);
    let mut streams = [0, 1].map(|_| shared.clone().connect(scripted(&log, "s", "")));
    assert_eq!(streams.each_mut().map(talkback::Stream::run), [State::Complete; 2]);
    assert_eq!(lines(&log), ["0", "1", "2", "Complete", "0", "1", "2", "Complete"]);
    let pulled = iterable(0..3).fails_with().share(8);
    let mut stream = pulled.clone().connect(scripted(&log, "", ""));
    stream.set_policy(Policy::Count);
    stream.request();
    assert_eq!(stream.talkback().last_violation().unwrap().rule, Rule::Request, "before the start: no crash");
    assert_eq!((stream.run(), lines(&log).len()), (State::Idle, 0));
}

/// staltz/callbag-basics #16.
#[test]
fn group_07_a_merge_outlasts_a_source_that_ends_at_once() {
    for merged in [pour(0..1).merge(pour(10..12)).collect_vec(), pour(0..0).merge(pour(10..12)).collect_vec()] {
        assert!(merged.unwrap().ends_with(&[10, 11]));
    }
    let log = Log::default();
    let mut stream = pour([0]).merge(pour([1, 2])).fails_with().connect(scripted(&log, "s", ""));
    assert_eq!(stream.run(), State::Complete);
    assert_eq!(lines(&log), ["0", "1", "2", "Complete"], "one end, after the last item");
}

/// Sends more into the hub that it came from.
struct Feeds {
    hub: Hub<u32, &'static str>,
    log: Log,
}

impl Sink<u32, &'static str> for Feeds {
    fn greet(&mut self, talkback: &mut Talkback<&'static str>) {
        talkback.start();
    }

    fn receive(&mut self, item: u32, _: &mut Talkback<&'static str>) {
        self.log.borrow_mut().push(format!("begin {item}"));
        self.hub.send(item + 1).unwrap();
        self.log.borrow_mut().push(format!("done {item}"));
    }

    fn end(&mut self, why: &End<&'static str>) {
        self.log.borrow_mut().push(format!("{why:?}"));
    }
}

/// ReactiveX/rxjs #1967, #1993, #6396, ReactiveX/RxJava #3377.
#[test]
fn group_08_take_of_a_reentrant_source_completes() {
    let (log, hub) = (Log::default(), Hub::new(2));
    let mut stream = hub.source().take(2).connect(Feeds { hub: hub.clone(), log: Rc::clone(&log) });
    hub.send(1).unwrap();
    assert_eq!(stream.run(), State::Complete);
    assert_eq!(lines(&log), ["begin 1", "done 1", "begin 2", "done 2", "Complete"]);
}

/// ReactiveX/rxjs #1543, #5308, tc39/proposal-observable #65.
#[test]
fn group_09_a_stop_inside_a_receive_stops_a_synchronous_source_at_once() {
    for pushed in [false, true] {
        let (log, made) = (Log::default(), Rc::new(RefCell::new(0)));
        let count = Rc::clone(&made);
        let items = (0..).inspect(move |_| *count.borrow_mut() += 1);
        let source = if pushed { pour(items).boxed() } else { iterable(items).boxed() };
        let mut stream = source.fails_with().connect(scripted(&log, "sr", "e"));
        assert_eq!(stream.run(), State::Enough);
        assert_eq!((lines(&log).len(), *made.borrow()), (1, 1), "not one item more was made");
    }
}

/// rxRust #179, #267, #269, #278.
#[test]
fn group_10_feedback_into_a_hub_finds_nothing_borrowed() {
    let (log, hub) = (Log::default(), Hub::<u32, &'static str>::new(8));
    let mut stream = hub.source().connect(Feeds { hub: hub.clone(), log: Rc::clone(&log) });
    let other = RefCell::new(None);
    let join = hub.clone();
    let mut joins = hub.source().connect(for_each(|_| {
        other.replace(Some(join.source().connect(collect::<Vec<u32>>())));
    }));
    hub.send(1).unwrap();
    assert_eq!(stream.run_for(2), State::More);
    assert_eq!(lines(&log), ["begin 1", "done 1", "begin 2", "done 2"], "queued, not inside the receive");
    joins.run();
    hub.send(9).unwrap();
    let mut other = other.take().unwrap();
    other.run();
    assert_eq!(other.sink().items(), &[9], "a sink that joined inside a receive gets what is sent from then on");
}

/// reactive-streams/reactive-streams-jvm #272, ReactiveX/RxJava #1879. The spy asserts that it is not driven inside a drive.
#[test]
fn group_11_a_request_inside_a_receive_does_not_nest() {
    struct Depth(u32, u32);
    impl Sink<u32, &'static str> for Depth {
        fn greet(&mut self, talkback: &mut Talkback<&'static str>) {
            talkback.start();
            talkback.request();
        }
        fn receive(&mut self, _: u32, talkback: &mut Talkback<&'static str>) {
            self.0 += 1;
            self.1 = self.1.max(self.0);
            talkback.request();
            self.0 -= 1;
        }
        fn end(&mut self, _: &End<&'static str>) {}
    }
    let log = Log::default();
    let source = spy(0..99, &log).flat_map(|n| iterable(0..n)).take(1_000);
    assert_eq!(source.connect(Depth(0, 0)).finish().unwrap().1, 1);
}

/// What is dropped with a stream, operators between: both ends.
#[test]
fn dropping_a_stream_releases_both_ends() {
    let log = Log::default();
    let source = spy(0..9, &log).take(5).flat_map(|n| iterable(0..n)).chunk(2).boxed();
    let mut stream = source.tee(scripted(&Log::default(), "s", "")).share(2).connect(scripted(&log, "sr", ""));
    stream.run();
    lines(&log);
    drop(stream);
    let mut dropped = lines(&log);
    dropped.sort();
    assert!(dropped.contains(&"source dropped".to_string()), "{dropped:?}");
    assert!(dropped.contains(&"sink dropped".to_string()), "{dropped:?}");
}
