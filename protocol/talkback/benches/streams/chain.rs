//! ns an item of iterable, map, filter, for each: by `Iterator`, by streams of this crate, by `futures::Stream`.

use std::hint::black_box;

use crate::loops::{Loop, SHAPES};
use crate::timing::{Contender, table};

/// Items of a chain.
const ITEMS: u64 = 1_000_000;
/// Rounds of which the median is taken.
const ROUNDS: usize = 101;

/// Prints a table for each shape.
pub(crate) fn measure() {
    for (title, loops) in SHAPES {
        table(title, ITEMS, ROUNDS, loops.iter().copied().map(contender).collect());
    }
}

fn contender((name, run): Loop) -> Contender {
    Contender { name, run: Box::new(move || u64::from(run(black_box(ITEMS)) == black_box(0))) }
}
