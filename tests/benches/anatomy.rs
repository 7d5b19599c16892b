//! Where the time of one batch goes, without any transport: decoding what came, the call with its copies, what the guest
//! does, checking what it answered, encoding its emits. In process, on one thread, one warm instance a guest.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench anatomy
//! cargo bench -p streamlet-tests --bench anatomy -- --records 10 --value-bytes 100 --headers 3
//! ```
//!
//! Stages take turns, so that a busy machine costs each the same; a figure is the median of its rounds.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a measurement stops at what should not be, and prints"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use prost::Message as _;
use streamlet_host::batch::{Batch, Output};
use streamlet_host::codec::{Inbound, decode, encode_emits};
use streamlet_host::guest::{Checker, OutletRule};
use streamlet_protocol::wire::{ToProcess, to_process};
use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane};
use streamlet_tests::sidecar;

/// Rounds of which the median is taken.
const ROUNDS: usize = 2001;
/// In an emit's row: the source's, and nothing.
const SOURCE: u32 = 0xffff_fffe;

/// The shape of a batch.
struct Shape {
    records: i64,
    value_bytes: usize,
    headers: usize,
}

fn main() {
    let mut shape = Shape { records: 100, value_bytes: 1024, headers: 3 };
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u32>().ok()).expect("a number");
        match argument.as_str() {
            "--records" => shape.records = number().into(),
            "--value-bytes" => shape.value_bytes = number() as usize,
            "--headers" => shape.headers = number() as usize,
            other => panic!("{other:?} instead of --records N, --value-bytes N or --headers N"),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(measure(&shape));
}

/// One stage and the times of its rounds.
struct Stage {
    name: &'static str,
    times: Vec<Duration>,
}

async fn measure(shape: &Shape) {
    let carts = body(shape, "in", None);
    let (nothing, everything) = (body(shape, "in", Some("nothing")), body(shape, "in", Some("everything")));
    let mut router = Room::open("cart-router").await.lane("in", 0);
    let raw = Room::configured("raw", r#"{"label":"x"}"#).await;
    let (mut skips, mut forwards) = (raw.lane("in", 0), raw.lane("in", 1));
    let outlets = ["out".to_owned(), "other".to_owned()];
    let rules = outlets.iter().map(|name| OutletRule { name: name.clone(), bound: true }).collect::<Arc<[_]>>();

    let names = [
        "decode the message",
        "call: copy in, skip all",
        "call: copy in, forward all",
        "call: copy in, JSON route",
        "check a forward's tables",
        "encode the emits",
    ];
    let mut stages = names.map(|name| Stage { name, times: Vec::with_capacity(ROUNDS) });
    for round in 0..i64::try_from(ROUNDS).unwrap() {
        let mut times = [Duration::ZERO; 6];
        times[0] = timed(|| decoded(&carts, 0)).1;
        times[1] = called(&mut skips, &nothing, round).await;
        times[2] = called(&mut forwards, &everything, round).await;
        times[3] = called(&mut router, &carts, round).await;
        let batch = Arc::new(decoded(&everything, round));
        let rows = (0..u32::try_from(batch.len()).unwrap()).flat_map(|n| [0, n, SOURCE, 0, SOURCE, 0, 0, SOURCE]);
        let rows = rows.collect::<Vec<_>>();
        let mut checker = Checker::new(Arc::clone(&rules), Arc::clone(&batch), 64 << 20);
        let (output, took) = timed(|| checker.check_tables(Vec::new(), rows, Vec::new()).unwrap());
        times[4] = took;
        let (_, took) = timed(|| encode_emits(7, &outlets, &batch, std::slice::from_ref(&output), 4 << 20).unwrap());
        times[5] = took;
        stages.iter_mut().zip(times).for_each(|(stage, took)| stage.times.push(took));
    }
    print(shape, stages);
}

/// The bytes of a message with a batch of carts, keyed by what `raw` is to do.
fn body(shape: &Shape, inlet: &str, told: Option<&str>) -> Bytes {
    let records = (0..shape.records).map(|offset| {
        let start = format!(r#"{{"cart":"cart-{offset}","total":{},"note":""#, offset * 7 % 200);
        let filling = shape.value_bytes.saturating_sub(start.len() + 2);
        let record = Record::new(offset, format!("{start}{}\"}}", "x".repeat(filling)));
        let key = told.map_or_else(|| format!("cart-{offset:011}"), str::to_owned);
        (0..shape.headers)
            .fold(record.key(key), |record, n| record.header(&format!("header-{n:03}"), "sixteen bytes in"))
    });
    let batch = sidecar::batch(7, inlet, 0, &records.collect::<Vec<_>>());
    Bytes::from(ToProcess { message: Some(to_process::Message::Batch(batch)) }.encode_to_vec())
}

/// The batch in a message, with offsets that follow those of the rounds before.
fn decoded(body: &Bytes, round: i64) -> Batch {
    let Inbound::Batch(inbound) = decode(body.clone()).unwrap() else { panic!("a batch was sent") };
    let mut batch = inbound.of_inlet(0);
    let records = i64::try_from(batch.len()).unwrap();
    batch.times.iter_mut().step_by(2).for_each(|offset| *offset += round * records);
    batch
}

/// How long a lane takes over a batch.
async fn called(lane: &mut TestLane, body: &Bytes, round: i64) -> Duration {
    let batch = Arc::new(decoded(body, round));
    let began = Instant::now();
    let outputs: Vec<Vec<Output>> = lane.run_whole(&batch).await;
    let took = began.elapsed();
    drop(outputs);
    took
}

fn timed<T>(act: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let result = act();
    (result, began.elapsed())
}

fn print(shape: &Shape, stages: [Stage; 6]) {
    let Shape { records, value_bytes, headers } = shape;
    println!("one batch of {records} records, {value_bytes} bytes of value, {headers} headers; median of {ROUNDS}");
    println!("{:<28} {:>10} {:>12}", "stage", "us a batch", "ns a record");
    for Stage { name, mut times } in stages {
        times.sort_unstable();
        let median = times.get(times.len() / 2).unwrap().as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a count for people")]
        let records = *records as f64;
        println!("{name:<28} {:>10.2} {:>12.1}", median * 1e6, median * 1e9 / records);
    }
    println!("what a guest does is the difference of its call and the one that skips all");
}
