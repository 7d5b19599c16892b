//! A million items through every source and operator, in a thread whose stack is 64 KiB.

use std::convert::Infallible;
use std::task::Waker;
use std::thread;

use talkback::{
    End, Hub, Sink, Source, State, Talkback, collect, empty, failed, fold, for_each, from_stream, iterable, once, pour,
    retry, try_for_each,
};

const ITEMS: u64 = 1_000_000;
const STACK_BYTES: usize = 64 << 10;

fn in_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap().join().unwrap()
}

/// How many items a source emits to a sink that requests each.
fn count<T, E>(make: impl FnOnce() -> Counted<T, E> + Send + 'static) -> u64
where
    E: std::fmt::Debug,
{
    in_small_stack(move || (make().0)())
}

/// A run that counts, made in the thread that runs it.
struct Counted<T, E>(Box<dyn FnOnce() -> u64>, std::marker::PhantomData<(T, E)>);

fn counted<S>(source: S) -> Counted<S::Item, S::Error>
where
    S: Source<Error: std::fmt::Debug> + 'static,
{
    let run = move || {
        let mut count = 0;
        let mut stream = source.connect(for_each(|_| count += 1));
        assert_eq!(stream.run(), State::Complete);
        drop(stream);
        count
    };
    Counted(Box::new(run), std::marker::PhantomData)
}

fn numbers() -> talkback::Iterable<std::ops::Range<u64>> {
    iterable(0..ITEMS)
}

#[test]
fn sources() {
    assert_eq!(count(|| counted(numbers())), ITEMS);
    assert_eq!(count(|| counted(pour(0..ITEMS))), ITEMS);
    assert_eq!(count(|| counted(numbers().boxed())), ITEMS);
    assert_eq!(count(|| counted(iterable(0..ITEMS).flat_map(once))), ITEMS, "a million of one item");
    assert_eq!(count(|| counted(iterable(0..ITEMS).flat_map(|_| empty::<u8>()).chain(once(1)))), 1, "and of none");
    assert_eq!(count(|| counted(retry(1_000_000, failing_often()))), 7, "a million failures");
}

/// Makes sources that fail, and after a million one that does not.
fn failing_often() -> impl FnMut() -> talkback::BoxSource<'static, u8, &'static str> {
    let mut left = ITEMS;
    move || {
        left -= 1;
        if left == 0 { iterable(0..7).fails_with().boxed() } else { failed("no").boxed() }
    }
}

#[test]
fn operators_that_map_and_filter() {
    assert_eq!(count(|| counted(numbers().map(|n| n + 1))), ITEMS);
    assert_eq!(count(|| counted(numbers().inspect(|_| ()))), ITEMS);
    assert_eq!(count(|| counted(numbers().scan(0, |sum, n| *sum ^ n))), ITEMS);
    assert_eq!(count(|| counted(numbers().try_map(Ok))), ITEMS);
    assert_eq!(count(|| counted(numbers().fails_with::<u8>())), ITEMS);
    assert_eq!(count(|| counted(numbers().filter(|n| *n == 7))), 1, "a million less one are left out");
    assert_eq!(count(|| counted(numbers().filter_map(|n| (n == 7).then_some(n)))), 1);
    assert_eq!(count(|| counted(numbers().skip(999_999))), 1);
    assert_eq!(count(|| counted(iterable(0..).take(1_000_000))), ITEMS);
    assert_eq!(count(|| counted(iterable(0..).take_while(|n| *n < ITEMS))), ITEMS);
}

#[test]
fn operators_that_join_and_part() {
    assert_eq!(count(|| counted(numbers().flat_map(|n| iterable(n..n + 3)))), 3 * ITEMS);
    assert_eq!(count(|| counted(once(0).flat_map(|_| numbers()))), ITEMS);
    assert_eq!(count(|| counted(numbers().chunk(7))), 142_858);
    assert_eq!(count(|| counted(numbers().chunk(1_000_000))), 1, "a million requests are one");
    assert_eq!(count(|| counted(numbers().chunk_bytes(64, |_| 8))), 125_000);
    assert_eq!(count(|| counted(numbers().chain(numbers()))), 2 * ITEMS);
    assert_eq!(count(|| counted(numbers().merge(numbers()))), 2 * ITEMS);
    assert_eq!(count(|| counted(pour(0..ITEMS).merge(pour(0..ITEMS)))), 2 * ITEMS);
    assert_eq!(count(|| counted(numbers().tee(for_each(drop::<u64>)))), ITEMS);
    assert_eq!(count(|| counted(numbers().route(|n| *n != 7, for_each(drop::<u64>)))), 1);
    let letters = || numbers().map(|n| if n == 7 { Ok(n) } else { Err(n) });
    assert_eq!(count(move || counted(letters().divert_err(for_each(drop::<u64>)))), 1);
    assert_eq!(count(|| counted(numbers().share(1))), ITEMS);
    assert_eq!(count(|| counted(numbers().remote(Waker::noop().clone()).0)), ITEMS);
}

#[test]
fn a_chain_of_all() {
    let chain = || {
        let (source, _handle) = numbers().map(|n| n + 1).remote(Waker::noop().clone());
        let source = source.filter(|n| n % 2 == 0).flat_map(|n| iterable(n..n + 2)).skip(1).chunk(3);
        let source = source.chain(iterable([vec![0]])).take(1_000_000).tee(for_each(drop::<Vec<u64>>)).share(1);
        counted(source.boxed().merge(iterable([vec![1]])))
    };
    assert_eq!(count(chain), 333_333 + 1 + 1);
}

#[test]
fn sinks() {
    assert_eq!(
        in_small_stack(|| numbers().connect(collect::<Vec<_>>()).finish().unwrap().into_items().len()),
        1_000_000
    );
    let sum = in_small_stack(|| numbers().connect(fold(0, |sum, n| *sum += n)).finish().unwrap().into_value());
    assert_eq!(sum, ITEMS * (ITEMS - 1) / 2);
    let fails = |n| if n == 999_999 { Err(n) } else { Ok(()) };
    let failed = in_small_stack(move || numbers().fails_with::<u64>().connect(try_for_each(fails)).finish().err());
    assert_eq!(failed, Some(999_999));
}

#[test]
fn iterators_and_streams() {
    let polled = in_small_stack(|| {
        let mut stream = from_stream(futures_util::stream::iter(0..ITEMS)).connect(fold(0, |count, _| *count += 1));
        while stream.run() == State::Waiting {}
        stream.finish().unwrap().into_value()
    });
    assert_eq!(polled, ITEMS);
    assert_eq!(in_small_stack(|| numbers().filter(|n| *n > 7).items().count()), 999_992);
    assert_eq!(in_small_stack(|| numbers().filter(|n| *n > 7).results().count()), 999_992);
    let counted = in_small_stack(|| {
        use futures_util::StreamExt as _;
        let mut counting = std::pin::pin!(numbers().into_stream().count());
        let mut context = std::task::Context::from_waker(Waker::noop());
        loop {
            if let std::task::Poll::Ready(count) = Future::poll(counting.as_mut(), &mut context) {
                return count;
            }
        }
    });
    assert_eq!(counted, 1_000_000);
}

/// Sends the next number into the hub that it came from.
struct Echo(Hub<u64, Infallible>);

impl Sink<u64, Infallible> for Echo {
    fn greet(&mut self, talkback: &mut Talkback<Infallible>) {
        talkback.start();
    }

    fn receive(&mut self, item: u64, _: &mut Talkback<Infallible>) {
        if item < ITEMS {
            self.0.send(item + 1).unwrap();
        } else {
            self.0.end(End::Complete);
        }
    }

    fn end(&mut self, _: &End<Infallible>) {}
}

#[test]
fn a_million_echoes_in_a_hub() {
    let state = in_small_stack(|| {
        let hub = Hub::new(1);
        let mut stream = hub.source().connect(Echo(hub.clone()));
        hub.send(0).unwrap();
        stream.run()
    });
    assert_eq!(state, State::Complete);
}
