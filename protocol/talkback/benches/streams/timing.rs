//! Rounds in which contenders take turns, so that a busy machine costs each the same; a figure is the median of its rounds.

use std::hint::black_box;
use std::time::Instant;

/// One way of doing the work.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut() -> u64>,
}

/// The median nanoseconds of each contender's run.
pub(crate) fn medians(rounds: usize, contenders: &mut [Contender]) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            // Every round begins with another, so that none always follows the same.
            let at = (turn + round) % contenders.len();
            let begun = Instant::now();
            black_box((contenders[at].run)());
            times[at].push(begun.elapsed().as_nanos());
        }
    }
    times.into_iter().map(median).collect()
}

/// The middle one.
#[expect(clippy::cast_precision_loss, reason = "nanoseconds of a run are few enough")]
fn median(mut times: Vec<u128>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2] as f64
}

/// Prints each contender's ns an item, and its ratio to the first.
pub(crate) fn table(title: &str, items: u64, rounds: usize, mut contenders: Vec<Contender>) {
    let medians = medians(rounds, &mut contenders);
    println!("\n{title}\n{:<34} {:>8} {:>8}", "", "ns/item", "ratio");
    for (contender, ns) in contenders.iter().zip(&medians) {
        #[expect(clippy::cast_precision_loss, reason = "a million")]
        let an_item = ns / items as f64;
        println!("{:<34} {an_item:>8.3} {:>8.2}", contender.name, ns / medians[0]);
    }
}
