//! The same work by `Iterator`, by streams of this crate and by `futures::Stream`. Measured here natively, and by
//! `tests/benches/talkback.rs` as Wasm too, which takes this file as it is.

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Waker};

use futures_util::{StreamExt, stream};
use talkback::{Source, for_each, iterable};

/// A way of doing a shape's work for so many items, and its name. The first of a shape is what others are compared with.
pub(crate) type Loop = (&'static str, fn(u64) -> u64);

/// What is done, and the ways of doing it.
pub(crate) const SHAPES: [(&str, &[Loop]); 3] = [
    (
        "map, filter (passes 15 of 16), for each",
        &[
            ("Iterator", |n| by_iterator(n, often)),
            ("talkback", |n| by_talkback(n, often)),
            ("futures::Stream", |n| by_futures(n, often)),
            ("talkback, as an Iterator", |n| by_items(n, often)),
            ("talkback, a take with its hop", |n| by_take(n, often)),
            ("talkback, two takes with hops", |n| by_takes(n, often)),
            ("talkback, boxed once", |n| by_box(n, often)),
        ],
    ),
    (
        "map, filter (passes every other, at random), for each",
        &[
            ("Iterator", |n| by_iterator(n, even)),
            ("talkback", |n| by_talkback(n, even)),
            ("futures::Stream", |n| by_futures(n, even)),
            ("talkback, as an Iterator", |n| by_items(n, even)),
            ("talkback, a take with its hop", |n| by_take(n, even)),
            ("talkback, two takes with hops", |n| by_takes(n, even)),
            ("talkback, boxed once", |n| by_box(n, even)),
        ],
    ),
    (
        "flat_map (1 to 4), filter, for each",
        &[("Iterator", flat_by_iterator), ("talkback", flat_by_talkback), ("futures::Stream", flat_by_futures)],
    ),
];

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

fn often(n: u64) -> bool {
    !n.is_multiple_of(16)
}

fn even(n: u64) -> bool {
    n.is_multiple_of(2)
}

fn by_iterator(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    (0..items).map(mix).filter(|n| pass(*n)).for_each(|n| add(&mut sum, n));
    sum
}

fn by_talkback(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(|n| pass(*n)).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn by_items(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(|n| pass(*n)).items().for_each(|n| add(&mut sum, n));
    sum
}

fn by_futures(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    let mut run = pin!(stream::iter(0..items).map(mix).filter(|n| std::future::ready(pass(*n))).for_each(|n| {
        add(&mut sum, n);
        std::future::ready(())
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    sum
}

fn by_box(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    black_box(iterable(0..items).map(mix).filter(|n| pass(*n)).boxed()).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn by_takes(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    let most = usize::MAX;
    iterable(0..items)
        .map(mix)
        .take(most)
        .filter(|n| pass(*n))
        .take(most)
        .connect(for_each(|n| add(&mut sum, n)))
        .run();
    sum
}

fn by_take(items: u64, pass: impl Fn(u64) -> bool) -> u64 {
    let mut sum = 0;
    iterable(0..items).map(mix).filter(|n| pass(*n)).take(usize::MAX).connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn flat_by_iterator(items: u64) -> u64 {
    let mut sum = 0;
    (0..items / 4).map(mix).flat_map(|n| n..n + 4).filter(|n| even(*n)).for_each(|n| add(&mut sum, n));
    sum
}

fn flat_by_talkback(items: u64) -> u64 {
    let mut sum = 0;
    let source = iterable(0..items / 4).map(mix).flat_map(|n| iterable(n..n + 4)).filter(|n| even(*n));
    source.connect(for_each(|n| add(&mut sum, n))).run();
    sum
}

fn flat_by_futures(items: u64) -> u64 {
    let mut sum = 0;
    let source = stream::iter(0..items / 4).map(mix).flat_map(|n| stream::iter(n..n + 4));
    let mut run = pin!(source.filter(|n| std::future::ready(even(*n))).for_each(|n| {
        add(&mut sum, n);
        std::future::ready(())
    }));
    assert!(run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    sum
}
