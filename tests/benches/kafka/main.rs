//! `run` on Kafka against the floor: a plain loop of librdkafka that consumes, produces, waits and commits, with the same
//! client settings, on the same broker, in one run.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench kafka
//! cargo bench -p streamlet-tests --bench kafka -- --records 50000 --rounds 5 --value-bytes 1024
//! ```
//!
//! The streamlet is the cart router, which parses each record; the floor copies it. Both read the same topic and write
//! two. They take turns, and a figure is the median of its rounds; what counts is the ratio. `--exactly-once` is a third
//! one. Processor time is that of the process, its threads included.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a measurement stops at what should not be, and prints"
)]

mod floor;
mod latency;
mod process;

use std::time::Duration;

use process::{Process, Subject};
use streamlet_tests::figures::median;
use streamlet_tests::kafka::{Broker, Record, Topic};

/// What is measured.
struct Plan {
    records: usize,
    value_bytes: usize,
    rounds: usize,
    /// Single records whose way is timed.
    singles: usize,
}

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").collect::<Vec<_>>();
    if arguments.first().is_some_and(|first| first == "floor") {
        return floor::run(&arguments[1..]);
    }
    let mut plan = Plan { records: 200_000, value_bytes: 1024, rounds: 3, singles: 300 };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<usize>().ok()).expect("a number");
        match argument.as_str() {
            "--records" => plan.records = number(),
            "--value-bytes" => plan.value_bytes = number(),
            "--rounds" => plan.rounds = number(),
            "--singles" => plan.singles = number(),
            other => panic!("{other:?} instead of --records, --value-bytes, --rounds or --singles and a number"),
        }
    }
    let Some(broker) = Broker::shared() else { return };
    for partitions in [4, 8] {
        throughput(broker, &plan, partitions);
    }
    single(broker, &plan);
}

/// Records a second and processor time a record, from a full topic to its end.
fn throughput(broker: &Broker, plan: &Plan, partitions: i32) {
    let input = filled(broker, plan, partitions);
    let mut results = Subject::ALL.map(|_| Vec::new());
    for _ in 0..plan.rounds {
        for (subject, results) in Subject::ALL.into_iter().zip(&mut results) {
            let outputs = [broker.topic("valid", partitions), broker.topic("review", partitions)];
            results.push(Process::start(subject, broker, &input, &outputs).drain(plan.records, &input));
        }
    }
    println!("\n{} records of {} B, {partitions} partitions, {} rounds", plan.records, plan.value_bytes, plan.rounds);
    println!("{:<16} {:>12} {:>10} {:>16} {:>10}", "", "records/s", "of floor", "CPU us/record", "of floor");
    let medians = results.map(|rounds| {
        let rates = median(rounds.iter().map(|round| round.records as f64 / round.elapsed.as_secs_f64()));
        (rates, median(rounds.iter().map(|round| round.processor.as_secs_f64() * 1e6 / round.records as f64)))
    });
    for (subject, (rate, processor)) in Subject::ALL.into_iter().zip(&medians) {
        let (floor_rate, floor_processor) = medians[0];
        println!(
            "{:<16} {rate:>12.0} {:>10.2} {processor:>16.1} {:>10.2}",
            subject.name(),
            rate / floor_rate,
            processor / floor_processor
        );
    }
}

/// The way of single records, from one topic to the other.
fn single(broker: &Broker, plan: &Plan) {
    println!("\nsingle records, from produced to consumed, {} of them, 4 partitions", plan.singles);
    println!("{:<16} {:>10} {:>10}", "", "p50 ms", "p99 ms");
    for subject in Subject::ALL {
        let input = broker.topic("single", 4);
        let outputs = [broker.topic("valid", 4), broker.topic("review", 4)];
        let process = Process::start(subject, broker, &input, &outputs);
        let mut times = latency::measure(broker, &input, &outputs, plan.singles, plan.value_bytes);
        drop(process);
        times.sort();
        let at = |share: f64| millis(times[((times.len() - 1) as f64 * share) as usize]);
        println!("{:<16} {:>10.1} {:>10.1}", subject.name(), at(0.5), at(0.99));
    }
}

fn filled(broker: &Broker, plan: &Plan, partitions: i32) -> Topic {
    let topic = broker.topic("carts", partitions);
    let record = |number: usize| {
        let partition = i32::try_from(number).unwrap() % partitions;
        Record::new(cart(number, plan.value_bytes)).key(format!("cart-{number}")).partition(partition)
    };
    let records = (0..plan.records).map(record).collect::<Vec<_>>();
    records.chunks(20_000).for_each(|chunk| drop(topic.produce(chunk)));
    topic
}

/// A cart event of so many bytes.
pub(crate) fn cart(number: usize, bytes: usize) -> String {
    let head = format!(
        r#"{{"cart_id":"cart-{number}","event":"item-added","at":"2025-11-30T10:03:21Z","items":1,"total":{},"currency":"EUR","note":""#,
        number % 200
    );
    let padding = bytes.saturating_sub(head.len() + 2);
    format!("{head}{}\"}}", "x".repeat(padding))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
