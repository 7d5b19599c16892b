//! What ends an instance: panics, traps, exits, and never coming back.
#![expect(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "what the tests want to see")]

use std::hint::black_box;
use std::{process, thread};

use streamlet::prelude::*;

use crate::refuses::Cart;

/// Bytes of a panic's text that no log should have to take.
const LONG_BYTES: usize = 1 << 20;

/// Ends the instance if `word` says so.
pub(crate) fn act(word: &str, record: Record<'_>) {
    match word {
        "panic" => panic_as_told(),
        "panic-lines" => panic!("the first line\nthe second line\nthe third line"),
        "panic-long" => panic!("{}", "p".repeat(LONG_BYTES)),
        "panic-unwrap" => {
            serde_json::from_slice::<Cart>(record.value().unwrap_or_default()).unwrap();
        }
        "panic-index" => drop(black_box(Vec::<u8>::new())[black_box(3)]),
        "abort" => abort_as_told(),
        "exit" => process::exit(0),
        "exit-7" => process::exit(7),
        "loop" => endless_loop(),
        "sleep" => thread::sleep(Duration::from_hours(1)),
        "recurse" => drop(black_box(recurse_for_ever(1, black_box(u64::MAX)))),
        "recurse-largely" => drop(black_box(recurse_with_large_frames(1, black_box(u64::MAX)))),
        _ => {}
    }
}

#[inline(never)]
fn panic_as_told() {
    panic!("the record said panic");
}

#[inline(never)]
fn abort_as_told() {
    process::abort();
}

#[inline(never)]
pub(crate) fn panic_in_start() {
    panic!("told to panic");
}

#[inline(never)]
pub(crate) fn endless_loop() {
    let mut turns = 0u64;
    loop {
        turns = black_box(turns).wrapping_add(1);
    }
}

/// Uses up the engine's stack: its frames hold numbers only. Turning and adding cannot be made a loop.
#[inline(never)]
fn recurse_for_ever(depth: u64, end: u64) -> u64 {
    if depth == end { depth } else { recurse_for_ever(depth + 1, end).rotate_left(3) ^ depth }
}

/// Uses up the part of the memory where compiled Rust keeps what has an address.
#[inline(never)]
fn recurse_with_large_frames(depth: u64, end: u64) -> u64 {
    let frame = black_box([depth; 32]);
    if depth == end { frame[0] } else { frame[1] + recurse_with_large_frames(depth + 1, end) }
}
