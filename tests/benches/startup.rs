//! What a process costs before and beside its batches: from its start to the first answer to `Discover`, its memory when
//! idle, and what each further live instance adds.
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
use streamlet_tests::service::Service;

/// Starts of which the median is taken.
const STARTS: usize = 21;
/// Partitions, each of which has an instance.
const INSTANCES: i32 = 1000;

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
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let service = Service::begin(serve(&component));
        let sidecar = service.dial().await;
        sidecar.discover().await.unwrap();
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let (fastest, median) = (times.first().unwrap(), times.get(STARTS / 2).unwrap());
    println!("from exec to the first Discover answered: median {median:.1} ms, fastest {fastest:.1} ms of {STARTS}");

    let service = Service::start(serve(&component));
    let idle = service.resident_bytes();
    println!("resident when idle: {:.1} MiB", idle as f64 / f64::from(1 << 20));
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
    println!("each further live instance, after one small batch: {each:.1} KiB (from the 100th to the {INSTANCES}th)");
    println!("resident with {INSTANCES} of them: {:.1} MiB", last as f64 / f64::from(1 << 20));
}
