//! What a good lane notices of its neighbours: the time from a batch sent to its acknowledgement, alone and beside
//! guests that loop, allocate, flood the log or fill their memory, in one run through real gRPC.
//!
//! ```sh
//! cargo test -p streamlet-tests --bench isolation -- --seconds 5
//! ```
//!
//! Whatever follows `--flags` is given to `serve`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::thread;
use std::time::{Duration, Instant};

use streamlet_tests::guests;
use streamlet_tests::program::Program;
use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::{Sidecar, Talk};

/// The partition of the good lane; the others count from 0.
const GOOD: i32 = 1000;
/// Its batches: records, and bytes of each value.
const RECORDS: i64 = 20;
const VALUE_BYTES: usize = 1024;
/// What the good lane waits between two batches.
const PAUSE: Duration = Duration::from_millis(2);
/// How long neighbours have to get going before anything is measured.
const WARM_UP: Duration = Duration::from_millis(500);

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut seconds, mut flags) = (5, Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().expect("a number of seconds").parse().expect("a number"),
            "--flags" => flags = arguments.by_ref().collect(),
            other => panic!("{other:?} instead of --seconds N or --flags FLAG…"),
        }
    }
    // As a sidecar beside the process: one thread that sends, waits and counts.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(Duration::from_secs(seconds), &flags));
}

async fn measure(time: Duration, flags: &[String]) {
    let cores = thread::available_parallelism().unwrap().get();
    let loops = vec!["loop"; cores + 1];
    let others = ["hold", "lines", "fill"];
    let mut neighbourhoods = vec![("alone".to_owned(), vec![]), (format!("{} looping", cores + 1), loops.clone())];
    neighbourhoods.push(("1 allocating".into(), vec!["hold"]));
    neighbourhoods.push(("1 flooding the log".into(), vec!["lines"]));
    neighbourhoods.push(("1 filling memory".into(), vec!["fill"]));
    neighbourhoods.push((format!("{} of these at once", cores + 4), [&loops[..], &others].concat()));

    let serve = env!("CARGO_BIN_EXE_streamlet-under-test");
    let program = Program::at(serve).args(&["serve"]).arg(guests::component("evil"));
    let flags = flags.iter().map(String::as_str).collect::<Vec<_>>();
    let service = Service::start(program.args(&flags));
    let sidecar = service.dial().await;
    println!("beside               batches   p50 ms   p99 ms   max ms   p99 ratio   p99 growth ms");
    let mut alone = None;
    for (name, neighbours) in &neighbourhoods {
        let mut times = beside(&sidecar, neighbours, time).await;
        times.sort_unstable();
        let milliseconds = |part: f64| quantile(&times, part).as_secs_f64() * 1e3;
        let p99 = milliseconds(0.99);
        let before = *alone.get_or_insert(p99);
        println!(
            "{name:<20} {:>7} {:>8.2} {p99:>8.2} {:>8.2} {:>11.1} {:>15.2}",
            times.len(),
            milliseconds(0.5),
            milliseconds(1.0),
            p99 / before,
            p99 - before
        );
    }
}

fn quantile(sorted: &[Duration], part: f64) -> Duration {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((sorted.len() - 1) as f64 * part).round() as usize;
    sorted[index]
}

/// The times of the good lane's batches beside these neighbours, which are sent the same again when they fail.
async fn beside(sidecar: &Sidecar, neighbours: &[&str], time: Duration) -> Vec<Duration> {
    let mut talk = sidecar.start("{}").await;
    good_batch(&mut talk, 0, neighbours).await;
    for (partition, word) in (0..).zip(neighbours) {
        bad_batch(&talk, partition, word).await;
    }
    let began = Instant::now();
    let (mut batch, mut times) = (1, Vec::new());
    while began.elapsed() < WARM_UP + time {
        tokio::time::sleep(PAUSE).await;
        let sent = Instant::now();
        good_batch(&mut talk, batch, neighbours).await;
        batch += 1;
        if began.elapsed() > WARM_UP {
            times.push(sent.elapsed());
        }
    }
    times
}

/// Sends a batch to the good lane and waits for its answer, which has to be right.
async fn good_batch(talk: &mut Talk, batch: i64, neighbours: &[&str]) {
    let records = (0..RECORDS).map(|n| {
        let mut value = format!("good {batch} {n} ");
        value.push_str(&"x".repeat(VALUE_BYTES - value.len()));
        Record::new(batch * RECORDS + n, value)
    });
    let records = records.collect::<Vec<_>>();
    let batch_id = good_id(batch);
    talk.batch(batch_id, "in", GOOD, &records).await;
    loop {
        let (ended, outcome) = talk.outcome().await;
        if ended == batch_id {
            let emits = outcome.unwrap_or_else(|error| panic!("a good batch failed: {error}"));
            assert!(emits.iter().map(|emit| &emit.record.value).eq(records.iter().map(|record| &record.value)));
            return;
        }
        let partition = i32::try_from(ended - 1).expect("a neighbour's");
        outcome.expect_err("no neighbour comes to a good end");
        bad_batch(talk, partition, neighbours[usize::try_from(partition).unwrap()]).await;
    }
}

/// Batches of neighbours have their partition plus one as their id, those of the good lane the numbers from here on.
fn good_id(batch: i64) -> u64 {
    1_000_000 + u64::try_from(batch).unwrap()
}

async fn bad_batch(talk: &Talk, partition: i32, word: &str) {
    talk.batch(u64::try_from(partition).unwrap() + 1, "in", partition, &[Record::new(0, word)]).await;
}
