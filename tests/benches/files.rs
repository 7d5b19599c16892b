//! `run` on files against the SDK's harness, which runs the same source natively: processor time over the same file.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench files                # half a minute
//! cargo bench -p streamlet-tests --bench files -- --records 500000 --rounds 9
//! ```
//!
//! Both read one file of carts of 1 KiB and write to `/dev/null`; each run is a process of its own, they take turns, and
//! a figure is the median of the rounds. Both write envelopes, the harness without partitions, offsets and times. *of
//! harness* is the component's processor time over the harness's; *A/A* is the component's over that of a second
//! run of the component, so what differs there is noise. Processor time is what the system has counted for the process
//! once it has ended, start and end included. The harness, being a test kit, holds all records and emits in memory, which is
//! part of what it costs.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::io::Write as _;
use std::path::Path;

use streamlet_tests::figures::{children_hundredths, median};
use streamlet_tests::guests;
use streamlet_tests::program::Program;
use streamlet_tests::records::cart;

/// Bytes of a value, about.
const VALUE_BYTES: usize = 1024;
const PARTITIONS: &str = "8";

fn main() {
    let (mut records, mut rounds) = (200_000, 5);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().expect("a number").parse().expect("a number");
        match argument.as_str() {
            "--records" => records = number(),
            "--rounds" => rounds = number(),
            other => panic!("{other:?}: see the first lines of tests/benches/files.rs"),
        }
    }
    assert!(records > 0 && rounds > 0, "at least one");
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("carts.ndjson");
    let mut writer = std::io::BufWriter::new(std::fs::File::create(&file).unwrap());
    for number in 0..records {
        writer.write_all(&cart(number, VALUE_BYTES)).unwrap();
        writer.write_all(b"\n").unwrap();
    }
    drop(writer);
    println!("{records} records of 1 KiB, {PARTITIONS} partitions, {rounds} rounds\n");
    println!("{:<8} | {:>16} {:>16} | {:>10} {:>6}", "work", "run, CPU ns/r", "harness", "of harness", "A/A");
    for work in ["pass", "route", "enrich", "skip"] {
        let mut results = Vec::new();
        for round in 0..=rounds {
            let measured = [component(&file, work), harness(&file, work), component(&file, work)];
            // The first finds neither the compiled component nor the file in memory.
            if round > 0 {
                results.push(measured);
            }
        }
        let of = |value: &dyn Fn(&[f64; 3]) -> f64| median(results.iter().map(value));
        println!(
            "{work:<8} | {:>16.0} {:>16.0} | {:>10.2} {:>6.2}",
            of(&|[run, ..]| run * 1e7 / records as f64),
            of(&|[_, harness, _]| harness * 1e7 / records as f64),
            of(&|[run, harness, _]| run / harness),
            of(&|[run, _, again]| run / again),
        );
    }
    println!("\ngoal: 1.2 of the harness");
}

fn component(file: &Path, work: &str) -> f64 {
    let program = Program::at(env!("CARGO_BIN_EXE_streamlet-under-test")).args(&["run"]);
    let program = program.arg(guests::component("workload")).args(&["--input"]).arg(file);
    let outputs = ["--output", "valid=/dev/null", "--output", "review=/dev/null"];
    hundredths(program.args(&outputs).args(&["--partitions", PARTITIONS, "--set", &format!("work={work}")]))
}

fn harness(file: &Path, work: &str) -> f64 {
    let program = Program::at(env!("CARGO_BIN_EXE_native-under-test")).args(&["harness"]);
    hundredths(program.arg(file).args(&[PARTITIONS, work]))
}

/// Runs a program to its end and returns the hundredths of a second that it kept a processor.
fn hundredths(program: Program) -> f64 {
    let before = children_hundredths();
    let ran = program.run();
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    (children_hundredths() - before) as f64
}
