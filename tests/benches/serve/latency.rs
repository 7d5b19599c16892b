//! What the host adds to a single record's way: batches of one, one at a time, to each server in turn, so many in a row:
//! servers that change places with each record find the processor's caches full of another's code and data every time.

use std::time::Duration;

use crate::shape::{Shape, Work};
use crate::{AGAIN, COMPONENT, ECHO, NATIVE, Subjects};

/// Pings in a row.
const TURN: usize = 50;
/// Turns before any ping is counted.
const WARM_UP_TURNS: usize = 10;

pub(crate) async fn measure(subjects: &Subjects, pings: usize) {
    let shape = Shape { work: Work::Pass, partitions: 1, batch: 1, value_bytes: 1024, headers: 3 };
    let mut conversations = Vec::new();
    for subject in &subjects.0 {
        conversations.push(subject.driver.start(&shape).await);
    }
    let mut times = vec![Vec::with_capacity(pings); conversations.len()];
    for turn in 0..WARM_UP_TURNS + pings.div_ceil(TURN) {
        for (conversation, times) in conversations.iter_mut().zip(&mut times) {
            for _ in 0..TURN {
                let took = conversation.ping().await;
                if turn >= WARM_UP_TURNS {
                    times.push(took);
                }
            }
        }
    }
    for times in &mut times {
        times.sort_unstable();
    }
    let at = |subject: usize, share: f64| {
        let times: &[Duration] = &times[subject];
        times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6
    };
    println!("single records of 1 KiB with 3 headers, there and back, us; {pings} each, in turns of {TURN}");
    println!(
        "{:<12} {:>8} {:>8} {:>8} | {:>18} {:>8} {:>8}",
        "", "p50", "p99", "p99.9", "over echo: p50", "p99", "p99.9"
    );
    for subject in [ECHO, NATIVE, COMPONENT, AGAIN] {
        let figures = [0.5, 0.99, 0.999].map(|share| (at(subject, share), at(subject, share) - at(ECHO, share)));
        let [(p50, add50), (p99, add99), (p999, add999)] = figures;
        let name = subjects.0[subject].name;
        println!("{name:<12} {p50:>8.1} {p99:>8.1} {p999:>8.1} | {add50:>18.1} {add99:>8.1} {add999:>8.1}");
    }
    println!("goals over echo: p50 under 25, p99 under 150");
}
