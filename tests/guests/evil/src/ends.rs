//! Never coming back, and coming to an end in the worst way.
#![expect(clippy::panic, reason = "what the tests want to see")]

use std::fmt;
use std::hint::black_box;
use std::process;
use std::thread;

use streamlet::prelude::*;

/// Bytes that are filled and copied over and over: most of what an instance may have by default.
const REGION_BYTES: usize = 192 << 20;

/// Ends the instance, or keeps it for ever, if `word` says so; `batches` is how many the instance has seen.
pub(crate) fn act(word: &str, batches: i64) {
    match word {
        "loop" => loop_for_ever(),
        "fill" => fill_for_ever(REGION_BYTES),
        "fill-a-little" => fill_for_ever(REGION_BYTES / 8),
        "copy" => copy_for_ever(),
        "panic-in-panic" => panic!("{}", PanicsWhenShown),
        "every-second" if batches % 2 == 0 => abort_on_every_second_batch(),
        _ => {}
    }
}

/// A message that cannot be put into words.
struct PanicsWhenShown;

impl fmt::Display for PanicsWhenShown {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("and a panic in its message");
    }
}

#[inline(never)]
fn loop_for_ever() {
    let mut turns = 0u64;
    loop {
        turns = black_box(turns).wrapping_add(1);
    }
}

/// One instruction a turn, and inside of one nobody interrupts.
#[inline(never)]
fn fill_for_ever(bytes: usize) {
    let mut region = vec![0u8; bytes];
    loop {
        black_box(&mut region).fill(black_box(7));
    }
}

#[inline(never)]
fn copy_for_ever() {
    let mut region = vec![0u8; REGION_BYTES / 8];
    let half = region.len() / 2;
    loop {
        black_box(&mut region).copy_within(..half, half);
    }
}

#[inline(never)]
fn abort_on_every_second_batch() {
    process::abort();
}

#[inline(never)]
pub(crate) fn abort_in_start() {
    process::abort();
}

pub(crate) fn sleep_for_an_hour() {
    thread::sleep(Duration::from_hours(1));
}
