//! Streams in tasks and handles on other threads.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use futures_util::StreamExt as _;
use talkback::{Hub, ITEMS_PER_DRIVE, Source, State, Stop, collect, for_each, from_stream, iterable, pour};

/// Counts how often it is woken.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn bell() -> (Arc<Bell>, Waker) {
    let bell = Arc::new(Bell::default());
    (Arc::clone(&bell), Waker::from(bell))
}

impl Bell {
    fn rung(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// rust-lang/futures-rs #869, #1957.
#[test]
fn group_12_a_stream_that_is_always_ready_lets_others_have_their_turn() {
    let (bell, waker) = bell();
    let mut context = Context::from_waker(&waker);
    let mut count = 0;
    let mut stream = from_stream(futures_util::stream::repeat(1)).connect(for_each(|_| count += 1));
    assert_eq!(stream.poll_run(&mut context, usize::MAX), Poll::Pending);
    assert_eq!(bell.rung(), 1, "it asks to be polled again");
    assert_eq!(stream.poll_run(&mut context, 10), Poll::Pending, "and a run has a budget of its own");
    assert_eq!(bell.rung(), 2);
    drop(stream);
    assert_eq!(count, ITEMS_PER_DRIVE + 10);
    // What is left out on the way counts too.
    let never = from_stream(futures_util::stream::repeat(1)).filter(|_| false);
    assert_eq!(never.connect(for_each(drop::<i32>)).poll_run(&mut context, usize::MAX), Poll::Pending);
    assert_eq!(bell.rung(), 3);
}

#[test]
fn a_futures_stream_there_and_back() {
    let (_, waker) = bell();
    let mut context = Context::from_waker(&waker);
    let source = from_stream(futures_util::stream::iter(0..1_000)).map(|n| n * 2).chunk(300).flat_map(iterable);
    let mut stream = source.into_stream();
    let mut items = Vec::new();
    let mut polls = 0;
    loop {
        match Pin::new(&mut stream).poll_next_unpin(&mut context) {
            Poll::Ready(Some(item)) => items.push(item.unwrap()),
            Poll::Ready(None) => break,
            Poll::Pending => polls += 1,
        }
    }
    assert_eq!(items, (0..1_000).map(|n| n * 2).collect::<Vec<_>>());
    assert!(polls > 0, "it lets others have their turn on the way");
}

#[test]
fn a_waiting_stream_is_woken_by_the_hub() {
    let ((bell, waker), hub) = (bell(), Hub::<u8, u8>::new(1));
    let mut context = Context::from_waker(&waker);
    let mut stream = hub.source().filter(|_| true).take(9).connect(collect::<Vec<u8>>());
    assert_eq!((stream.poll_run(&mut context, 9), bell.rung()), (Poll::Pending, 0));
    hub.send(1).unwrap();
    assert_eq!(bell.rung(), 1);
    assert_eq!((stream.poll_run(&mut context, 9), bell.rung()), (Poll::Pending, 1));
    hub.end(talkback::End::Complete);
    assert_eq!(bell.rung(), 2);
    assert_eq!(stream.poll_run(&mut context, 9), Poll::Ready(State::Complete));
    assert_eq!(stream.sink().items(), &[1]);
}

#[test]
fn a_slow_sink_of_a_shared_source_wakes_the_others_when_it_has_caught_up() {
    let ((bell, waker), source) = (bell(), iterable(0..3).share(1));
    let mut context = Context::from_waker(&waker);
    let mut fast = source.clone().connect(collect::<Vec<i32>>());
    let mut slow = source.connect(collect::<Vec<i32>>());
    assert_eq!((fast.poll_run(&mut context, 9), bell.rung()), (Poll::Pending, 0));
    assert_eq!(fast.sink().items(), &[0], "the slow sink has not had it");
    assert_eq!(slow.run(), State::Waiting);
    assert_eq!((slow.sink().items(), bell.rung()), (&vec![0, 1], 1));
    while !(fast.run().is_over() & slow.run().is_over()) {}
    assert_eq!((fast.sink().items(), slow.sink().items()), (&vec![0, 1, 2], &vec![0, 1, 2]));
}

#[test]
fn a_handle_signals_from_another_thread() {
    let (bell, waker) = bell();
    let (source, handle) = pour(0_u64..).remote(waker);
    let other = thread::spawn(move || {
        handle.stop(Stop::Pause);
        handle
    });
    let mut stream = source.connect(collect::<Vec<u64>>());
    assert_eq!(stream.run(), State::Paused, "an endless source, stopped while it runs");
    let (handle, had) = (other.join().unwrap(), stream.sink().items().len());
    assert_eq!(bell.rung(), 1);
    handle.start();
    handle.stop(Stop::Enough);
    assert_eq!(stream.run(), State::Paused, "the stop withdrew the start, and does not fit what is stopped");
    handle.start();
    handle.request();
    assert_eq!(stream.run_for(1), State::More);
    handle.stop(Stop::Enough);
    assert_eq!(stream.run(), State::Enough);
    assert_eq!(stream.sink().items(), &(0..=had as u64).collect::<Vec<_>>(), "nothing was lost");
}
