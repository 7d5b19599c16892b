//! ns an item of iterable, map, filter, for each: by `Iterator`, by streams of this crate, by `futures::Stream`.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Waker};

use futures_util::{StreamExt, stream};
use talkback::{Source, for_each, iterable};

use crate::timing::{Contender, table};

/// Items of a chain.
const ITEMS: u64 = 1_000_000;
/// Rounds of which the median is taken.
const ROUNDS: usize = 101;

/// A number that looks random, so that no branch on it is predicted and no loop over it is a formula.
#[inline]
fn mix(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    n ^ (n >> 29)
}

/// A sum that cannot be made out of order.
#[inline]
fn add(sum: &mut u64, n: u64) {
    *sum = sum.rotate_left(1) ^ n;
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what `filter` asks for")]
fn often(n: &u64) -> bool {
    !n.is_multiple_of(16)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what `filter` asks for")]
fn even(n: &u64) -> bool {
    n.is_multiple_of(2)
}

fn by_iterator(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    (0..items).map(mix).filter(pass).for_each(|n| add(&mut sum, n));
    sum
}

fn by_talkback(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(pass).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn by_items(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(pass).items().for_each(|n| add(&mut sum, n));
    sum
}

fn by_futures(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    let mut run = pin!(stream::iter(0..items).map(mix).filter(|n| std::future::ready(pass(n))).for_each(|n| {
        add(&mut sum, n);
        std::future::ready(())
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    sum
}

fn by_box(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    black_box(iterable(0..items).map(mix).filter(pass).boxed()).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn by_takes(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    let most = usize::MAX;
    iterable(0..items).map(mix).take(most).filter(pass).take(most).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn by_take(items: u64, pass: impl Fn(&u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(pass).take(usize::MAX).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn flat_by_iterator(items: u64) -> u64 {
    let mut sum = 0;
    (0..items / 4).map(mix).flat_map(|n| n..n + 4).filter(even).for_each(|n| add(&mut sum, n));
    sum
}

fn flat_by_talkback(items: u64) -> u64 {
    let mut sum = 0;
    let source = iterable(0..items / 4).map(mix).flat_map(|n| iterable(n..n + 4)).filter(even);
    source.connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn flat_by_futures(items: u64) -> u64 {
    let mut sum = 0;
    let source = stream::iter(0..items / 4).map(mix).flat_map(|n| stream::iter(n..n + 4));
    let mut run = pin!(source.filter(|n| std::future::ready(even(n))).for_each(|n| {
        add(&mut sum, n);
        std::future::ready(())
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    sum
}

macro_rules! contender {
    ($name:literal, $run:expr) => {
        Contender { name: $name, run: Box::new(move || u64::from($run(black_box(ITEMS)) == black_box(0))) }
    };
}

/// Prints the three tables.
pub(crate) fn measure() {
    table(
        "map, filter (passes 15 of 16), for each",
        ITEMS,
        ROUNDS,
        vec![
            contender!("Iterator", |n| by_iterator(n, often)),
            contender!("talkback", |n| by_talkback(n, often)),
            contender!("talkback, as an Iterator", |n| by_items(n, often)),
            contender!("talkback, a take with its hop", |n| by_take(n, often)),
            contender!("talkback, two takes with hops", |n| by_takes(n, often)),
            contender!("talkback, boxed once", |n| by_box(n, often)),
            contender!("futures::Stream", |n| by_futures(n, often)),
        ],
    );
    table(
        "map, filter (passes every other, at random), for each",
        ITEMS,
        ROUNDS,
        vec![
            contender!("Iterator", |n| by_iterator(n, even)),
            contender!("talkback", |n| by_talkback(n, even)),
            contender!("talkback, as an Iterator", |n| by_items(n, even)),
            contender!("talkback, a take with its hop", |n| by_take(n, even)),
            contender!("talkback, two takes with hops", |n| by_takes(n, even)),
            contender!("talkback, boxed once", |n| by_box(n, even)),
            contender!("futures::Stream", |n| by_futures(n, even)),
        ],
    );
    table(
        "flat_map (1 to 4), filter, for each",
        ITEMS,
        ROUNDS,
        vec![
            contender!("Iterator", flat_by_iterator),
            contender!("talkback", flat_by_talkback),
            contender!("futures::Stream", flat_by_futures),
        ],
    );
}
