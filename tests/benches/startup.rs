//! What a process costs before and beside its batches: from its start to the first answer to `Discover`, compiling and not,
//! an instance, the way back from a trap, its memory when idle, and what each further live instance adds.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench startup
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::path::Path;
use std::time::Instant;

use streamlet_tests::guests;
use streamlet_tests::program::Program;
use streamlet_tests::records::Record;
use streamlet_tests::room::Room;
use streamlet_tests::service::Service;

/// Starts of which the median is taken.
const STARTS: usize = 21;
/// Partitions, each of which has an instance.
const INSTANCES: i32 = 1000;
/// Instances made, and traps.
const ROUNDS: i32 = 201;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure());
}

fn serve(component: &Path) -> Program {
    Program::at(env!("CARGO_BIN_EXE_streamlet-under-test")).args(&["serve"]).arg(component)
}

async fn measure() {
    let component = guests::component("cart-router");
    let kib = std::fs::metadata(&component).unwrap().len() >> 10;
    println!("cart-router, a component of {kib} KiB");
    let cold = start_times(|| serve(&component).args(&["--no-cache"])).await;
    println!("cold start, from exec to the first Discover answered, compiling: median {cold:.1} ms");
    let warm = start_times(|| serve(&component)).await;
    println!("warm start, compiled before:                                      median {warm:.1} ms (goal: 20)");
    instances().await;

    let service = Service::start(serve(&component));
    let idle = service.resident_bytes();
    println!("resident when idle: {:.1} MiB", mebibytes(idle));
    let mut talk = service.dial().await.start("{}").await;
    let mut resident = Vec::new();
    for partition in 0..INSTANCES {
        let record = Record::new(0, format!(r#"{{"total":{partition}}}"#)).key("k");
        talk.batch(u64::try_from(partition).unwrap() + 1, "in", partition, &[record]).await;
        talk.outcome().await.1.unwrap();
        resident.push(service.resident_bytes());
    }
    let (early, last) = (*resident.get(99).unwrap(), *resident.last().unwrap());
    let each = last.saturating_sub(early) as f64 / f64::from(INSTANCES - 100) / 1024.0;
    println!("each further lane with its instance, after one small batch: {each:.1} KiB (goal: 100 fresh)");
    println!("resident with {INSTANCES} of them: {:.1} MiB (goal: 256)", mebibytes(last));
}

/// The median of what several starts take, in milliseconds.
async fn start_times(program: impl Fn() -> Program) -> f64 {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let service = Service::begin(program());
        let sidecar = service.dial().await;
        sidecar.discover().await.unwrap();
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    median(times)
}

/// What making an instance takes, alone and after a trap.
async fn instances() {
    let room = Room::open("cart-router").await;
    let mut times = Vec::new();
    for partition in 0..ROUNDS {
        let began = Instant::now();
        let instance = room.instance("in", partition).await;
        times.push(began.elapsed().as_secs_f64() * 1e6);
        drop(instance);
    }
    println!("an instance, made and started: median {:.1} us", median(times));

    let mut lane = Room::open("faulty").await.lane("in", 0);
    let (mut after_trap, mut usual) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for _ in 0..ROUNDS {
        lane.run(&[Record::new(offset, "panic")]).await.unwrap_err();
        for times in [&mut after_trap, &mut usual] {
            offset += 1;
            let began = Instant::now();
            lane.run(&[Record::new(offset, "echo")]).await.unwrap();
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        offset += 1;
    }
    let (after_trap, usual) = (median(after_trap), median(usual));
    println!("trap to ready: {:.3} ms, by which the batch after a trap takes longer (goal: 1)", after_trap - usual);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    *values.get(values.len() / 2).unwrap()
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
