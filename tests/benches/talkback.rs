//! What a stream costs inside a component, and natively, against `Iterator` and `futures::Stream`: the same loops, in one
//! run. The component runs as every streamlet does, with epoch interruption on.
//!
//! ```sh
//! cargo test -p streamlet-tests --bench talkback
//! ```
//!
//! The guest times itself, so no call is in a figure. Loops take turns, so that a busy machine costs each the same; a figure
//! is the median of its rounds. The native code is optimised as tests are; `cargo bench -p talkback --bench streams`
//! measures it as a release.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane};

#[path = "../../protocol/talkback/benches/streams/loops.rs"]
mod loops;

/// Items of a loop.
const ITEMS: u64 = 1_000_000;
/// Records of a batch.
const RECORDS: usize = 1_000;
/// Rounds of which the median is taken.
const ROUNDS: usize = 51;
/// Hubs of which the memory is taken.
const HUBS: usize = 10_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let mut guest = Room::open("talkback-bench").await.lane("in", 0);
    for (shape, (title, loops)) in loops::SHAPES.iter().enumerate() {
        let mut native = vec![Vec::new(); loops.len()];
        let mut wasm = native.clone();
        for round in 0..ROUNDS {
            for turn in 0..loops.len() {
                // Every round begins with another, so that none always follows the same.
                let at = (turn + round) % loops.len();
                let began = Instant::now();
                black_box((loops[at].1)(black_box(ITEMS)));
                native[at].push(began.elapsed().as_nanos() as f64 / ITEMS as f64);
                wasm[at].push(tell(&mut guest, &format!("loop {shape} {at} {ITEMS}"), 0).await / ITEMS as f64);
            }
        }
        let (native, wasm) = (medians(native), medians(wasm));
        println!("\n{title}\n{:<34} {:>9} {:>6} {:>9} {:>6}", "ns/item", "native", "ratio", "Wasm", "ratio");
        for (at, (name, _)) in loops.iter().enumerate() {
            let ratios = [native[at] / native[0], wasm[at] / wasm[0]];
            println!("{name:<34} {:>9.3} {:>6.2} {:>9.3} {:>6.2}", native[at], ratios[0], wasm[at], ratios[1]);
        }
    }

    let tasks = ["forward-by-loop", "forward-by-stream", "double-by-loop", "double-by-stream"];
    let mut times = vec![Vec::new(); tasks.len()];
    for _ in 0..ROUNDS * 4 {
        for (task, times) in tasks.iter().zip(&mut times) {
            times.push(tell(&mut guest, &format!("{task} 0"), RECORDS).await / RECORDS as f64);
        }
    }
    println!("\na batch of {RECORDS} records, in Wasm\n{:<34} {:>9} {:>6}", "", "ns/record", "ratio");
    let times = medians(times);
    for (at, task) in tasks.iter().enumerate() {
        println!("{task:<34} {:>9.1} {:>6.2}", times[at], times[at] / times[at / 2 * 2]);
    }

    let mib = tell(&mut guest, &format!("memory {HUBS}"), 0).await / f64::from(1 << 20);
    println!("\n{HUBS} hubs, each with a stream of map, filter and for_each, in Wasm: {mib:.2} MiB");
}

/// Gives the guest a task, followed by so many records, and takes the number that it answers.
async fn tell(guest: &mut TestLane, task: &str, records: usize) -> f64 {
    let rest = (1..i64::try_from(records).unwrap()).map(|n| Record::new(n, format!("number {n}")));
    let batch = std::iter::once(Record::new(0, task)).chain(rest).collect::<Vec<_>>();
    let emits = guest.run(&batch).await.unwrap();
    let answer = emits.iter().rfind(|emit| emit.outlet == "times").unwrap();
    str::from_utf8(answer.record.value.as_ref().unwrap()).unwrap().parse().unwrap()
}

/// The middle one of each.
fn medians(times: Vec<Vec<f64>>) -> Vec<f64> {
    let middle = |mut times: Vec<f64>| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(middle).collect()
}
