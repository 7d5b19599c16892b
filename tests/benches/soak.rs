//! 200,000 batches with 1 % random faults over 32 partitions, two supersedes a second, then 10,000 traps in a row: every
//! answer right, no lane stuck, and the memory of the beginning.
//!
//! ```sh
//! cargo test -p streamlet-tests --bench soak -- --batches 200000 --partitions 32 --one-fault-in 100 --traps 10000
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::time::Duration;

use streamlet_tests::guests;
use streamlet_tests::program::Program;
use streamlet_tests::service::Service;
use streamlet_tests::soak::{Soak, growth_percent, trap};

fn main() {
    let mut soak =
        Soak { batches: 200_000, partitions: 32, one_fault_in: 100, supersede_after: Duration::from_millis(500) };
    let mut traps = 10_000;
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let number = arguments.next().expect("a number").parse().expect("a number");
        match argument.as_str() {
            "--batches" => soak.batches = number,
            "--partitions" => soak.partitions = i32::try_from(number).unwrap(),
            "--one-fault-in" => soak.one_fault_in = number,
            "--traps" => traps = number,
            other => panic!("{other:?} is none of --batches, --partitions, --one-fault-in and --traps"),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run(soak, traps));
}

async fn run(soak: Soak, traps: u64) {
    let program = Program::at(env!("CARGO_BIN_EXE_streamlet-under-test"));
    let mut service = Service::start(program.args(&["serve"]).arg(guests::component("evil")));
    let soaked = soak.run(&service).await;
    println!(
        "{} batches over {} partitions in {:.0?}: {} failed as they had to, {} conversations superseded, {} batches voided and \
         sent again; resident {} after a tenth, {} at the end ({:+.1} %)",
        soaked.batches,
        soak.partitions,
        soaked.time,
        soaked.failures,
        soaked.superseded,
        soaked.voided,
        mebibytes(soaked.resident_bytes.0),
        mebibytes(soaked.resident_bytes.1),
        growth_percent(soaked.resident_bytes)
    );
    let trapped = trap(&service, traps).await;
    println!(
        "{traps} traps: resident {} after a tenth, {} at the end ({:+.1} %); median from a trap to the next batch answered by \
         a fresh instance {:.0?}, of a batch on a living one {:.0?}",
        mebibytes(trapped.resident_bytes.0),
        mebibytes(trapped.resident_bytes.1),
        growth_percent(trapped.resident_bytes),
        trapped.recovery_median,
        trapped.batch_median
    );
    assert!(service.is_running());
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
