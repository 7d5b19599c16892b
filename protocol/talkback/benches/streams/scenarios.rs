//! The four published scenarios of the npm package `streamlets`, here and there.
//!
//! Node's process and this one take turns. The package is fetched with npm into the build's directory; where there is no
//! node, npm or network, its half is not run, and that is said.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use talkback::{End, Hub, Sink, Source, Talkback, pour};

/// What is compared with.
const PACKAGE: &str = "streamlets@0.5.1";
/// Turns of both processes.
const TURNS: usize = 5;
/// Rounds in a turn of ours.
const ROUNDS: usize = 31;
/// How long a round is to be.
const ROUND: Duration = Duration::from_millis(2);

/// Listens, as the package's `observe`; it adds up, so that the work is not left out.
struct Observe(u64);

impl Sink<u64, Infallible> for Observe {
    fn greet(&mut self, talkback: &mut Talkback<Infallible>) {
        talkback.start();
    }

    fn receive(&mut self, item: u64, _: &mut Talkback<Infallible>) {
        self.0 = self.0.rotate_left(1) ^ item;
    }

    fn end(&mut self, _: &End<Infallible>) {}
}

/// Runs a stream of these numbers to its end.
fn observe(source: impl Source<Item = u64, Error = Infallible>) -> u64 {
    let mut stream = source.connect(Observe(0));
    stream.run();
    stream.sink().0
}

fn four(n: u64) -> impl Source<Item = u64, Error = Infallible> {
    pour([n, n, n * 2, n * 3]).filter(|n| n.is_multiple_of(2))
}

fn simple() -> u64 {
    observe(pour(black_box([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).map(|n| n * 3).filter(|n| u64::is_multiple_of(*n, 2)))
}

fn flatten() -> u64 {
    observe(pour(black_box([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).flat_map(four))
}

/// A hub, this many items, and nine sinks that flatten what they get.
fn multicast(items: u64) -> u64 {
    let hub = Hub::new(10);
    let mut streams = [(); 9].map(|()| hub.source().flat_map(four).connect(Observe(0)));
    for n in 0..black_box(items) {
        // It has room: every stream has run.
        let _ = hub.send(n);
        for stream in &mut streams {
            stream.run();
        }
    }
    hub.end(End::Complete);
    for stream in &mut streams {
        stream.run();
    }
    streams.iter().fold(0, |sum, stream| sum ^ stream.sink().0)
}

/// The same with every sink's parts behind pointers, as different ones would be.
fn multicast_boxed(items: u64) -> u64 {
    let hub = Hub::new(10);
    let mut streams = Vec::new();
    for _ in 0..9 {
        streams.push(hub.source().boxed().flat_map(|n| four(n).boxed()).boxed().connect(Observe(0)));
    }
    for n in 0..black_box(items) {
        let _ = hub.send(n);
        for stream in &mut streams {
            stream.run();
        }
    }
    hub.end(End::Complete);
    for stream in &mut streams {
        stream.run();
    }
    streams.iter().fold(0, |sum, stream| sum ^ stream.sink().0)
}

fn large() -> u64 {
    observe(pour(0..black_box(10_000)).flat_map(four))
}

/// A title, the name of the scenario it is compared with, and how it is run.
type Scenario = (&'static str, &'static str, fn() -> u64);

const SCENARIOS: [Scenario; 8] = [
    ("simple: 10 items, map, filter", "simple", simple),
    ("flatten: 10 items to 4, filtered", "flatten", flatten),
    ("multicast: 10 items, 9 flattening sinks", "multicast", || multicast(10)),
    ("- of it, to make and drop the streams", "-", || multicast(0)),
    ("- with three boxes a sink", "multicast", || multicast_boxed(10)),
    ("- of 1,000 items", "long", || multicast(1_000)),
    ("- of 1,000 items, with three boxes a sink", "long", || multicast_boxed(1_000)),
    ("large: 10,000 items to 4, filtered", "large", large),
];

/// Prints the table.
pub(crate) fn measure() {
    let theirs = fetch();
    if let Err(reason) = &theirs {
        println!("\nnot run: the npm package {PACKAGE}: {reason}");
    }
    let mut ours = vec![Vec::new(); SCENARIOS.len()];
    let mut others: HashMap<String, Vec<f64>> = HashMap::new();
    for _ in 0..TURNS {
        for ((.., run), times) in SCENARIOS.iter().zip(&mut ours) {
            times.push(turn(*run));
        }
        if let Ok(directory) = &theirs {
            for (name, ns) in node(directory) {
                others.entry(name).or_default().push(ns);
            }
        }
    }
    println!("\n{:<42} {:>12} {:>12} {:>8}", "one operation, ns", "talkback", "streamlets", "ratio");
    for ((title, name, _), times) in SCENARIOS.iter().zip(ours) {
        let ours = median(times);
        match others.get(*name) {
            Some(theirs) => {
                let theirs = median(theirs.clone());
                println!("{title:<42} {ours:>12.1} {theirs:>12.1} {:>8.0}", theirs / ours);
            }
            None => println!("{title:<42} {ours:>12.1} {:>12}", if *name == "-" { "" } else { "not run" }),
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median nanoseconds of one operation.
fn turn(operation: fn() -> u64) -> f64 {
    let run = |times: u32| {
        let begun = Instant::now();
        for _ in 0..times {
            black_box(operation());
        }
        begun.elapsed()
    };
    let mut times = 1;
    while run(times) < ROUND {
        times *= 2;
    }
    median((0..ROUNDS).map(|_| run(times).as_secs_f64() * 1e9 / f64::from(times)).collect())
}

/// Where the package is, or why it is not.
fn fetch() -> Result<String, String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE);
    let directory = directory.to_str().ok_or("the build's directory has a name that is no text")?.to_owned();
    for program in ["node", "npm"] {
        Command::new(program).arg("--version").output().map_err(|error| format!("{program}: {error}"))?;
    }
    if Path::new(&directory).join("node_modules/streamlets/package.json").exists() {
        return Ok(directory);
    }
    let npm = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", &directory, PACKAGE])
        .output()
        .map_err(|error| format!("npm: {error}"))?;
    if npm.status.success() { Ok(directory) } else { Err(String::from_utf8_lossy(&npm.stderr).into_owned()) }
}

/// One turn of node's: names and nanoseconds.
fn node(directory: &str) -> Vec<(String, f64)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/streams/streamlets.cjs");
    let Ok(output) = Command::new("node").arg(script).arg(directory).output() else { return Vec::new() };
    if !output.status.success() {
        println!("not run: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let pair = |line: &str| line.split_once(' ').and_then(|(name, ns)| Some((name.to_owned(), ns.parse().ok()?)));
    text.lines().filter_map(pair).collect()
}
