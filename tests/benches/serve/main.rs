//! `serve` with a component against two others: the same streamlet in native code behind the same server, which is the
//! limit of what can be reached with this server, and a trivial gRPC server that sends every record back, which is what
//! gRPC costs.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench serve                       # about two minutes
//! cargo bench -p streamlet-tests --bench serve -- --work route --partitions 8,512 --rounds 9
//! cargo bench -p streamlet-tests --bench serve -- --latency          # single records only
//! cargo bench -p streamlet-tests --bench serve -- --all              # every combination: hours
//! ```
//!
//! `--work` (pass, route, enrich, fan, skip), `--partitions`, `--batch`, `--value-bytes` and `--headers` take a list each;
//! `--rounds N`, `--milliseconds N` (of a burst), `--pings N`. Every server is a process of its own; the client is this
//! one, so its processor time is not in any figure. Servers take turns, a burst each, and a figure is the median of the
//! rounds' ratios or values. `--other PROGRAM` takes another build of `streamlet` in the place of the second process with
//! the component, to see what a change has brought. Without any choice, 512 partitions are also measured in turns with 8.
//! *of native* and *of echo* are native's or echo's processor time a record divided by ours, 1
//! being as good as the other and less being worse; in brackets the ratio of records a second, which on few cores is
//! bounded by the client. *A/A* is the same for a second process with the same component: what differs there is noise.

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

mod latency;
mod load;
mod partitions;
mod shape;

use std::time::Duration;

use load::{Conversation, Driver};
use shape::{Choice, Shape, Work};
use streamlet_tests::figures::median;
use streamlet_tests::guests;
use streamlet_tests::program::Program;
use streamlet_tests::service::Service;

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Effort {
    rounds: usize,
    burst: Duration,
    pings: usize,
}

fn main() {
    let mut effort = Effort { rounds: 3, burst: Duration::from_millis(400), pings: 4000 };
    let mut choice = Choice::default();
    let (mut throughput, mut latency, mut other) = (true, true, None);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut list = || {
            let list = arguments.next().expect("a list of numbers");
            list.split(',').map(|number| number.parse::<usize>().expect("a number")).collect::<Vec<_>>()
        };
        match argument.as_str() {
            "--partitions" => choice.partitions = list(),
            "--batch" => choice.batch = list(),
            "--value-bytes" => choice.value_bytes = list(),
            "--headers" => choice.headers = list(),
            "--rounds" => effort.rounds = list()[0],
            "--milliseconds" => effort.burst = Duration::from_millis(list()[0] as u64),
            "--pings" => effort.pings = list()[0],
            "--all" => choice.all = true,
            "--other" => other = arguments.next(),
            "--latency" => throughput = false,
            "--work" => {
                let named = |name: &str| Work::ALL.into_iter().find(|work| work.name() == name).expect("a work");
                choice.works = arguments.next().expect("a list of works").split(',').map(named).collect();
            }
            other => panic!("{other:?}: see the first lines of tests/benches/serve/main.rs"),
        }
    }
    let shapes = if choice.is_empty() { shape::quick() } else { choice.shapes() };
    latency &= choice.is_empty();
    // As a sidecar beside the process: one thread that sends, waits and counts.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let subjects = Subjects::start(other.as_deref()).await;
        if throughput {
            subjects.throughput(&shapes, effort).await;
        }
        if latency && throughput && other.is_none() {
            partitions::measure(&subjects, effort).await;
        }
        if latency {
            latency::measure(&subjects, effort.pings).await;
        }
    });
}

/// Who is measured, in the order of their turns.
struct Subjects(Vec<Subject>);

struct Subject {
    name: &'static str,
    service: Service,
    driver: Driver,
}

/// Places in [`Subjects`].
const COMPONENT: usize = 0;
const NATIVE: usize = 1;
const ECHO: usize = 2;
const AGAIN: usize = 3;

impl Subjects {
    async fn start(other: Option<&str>) -> Self {
        let ours = env!("CARGO_BIN_EXE_streamlet-under-test");
        let serve = |program: &str| Program::at(program).args(&["serve"]).arg(guests::component("workload"));
        let again = serve(other.unwrap_or(ours));
        let under_test = |role| Program::at(env!("CARGO_BIN_EXE_native-under-test")).args(&[role]);
        let programs = [
            ("component", serve(ours)),
            ("native", under_test("native")),
            ("echo", under_test("echo")),
            ("again", again),
        ];
        let mut subjects = Vec::new();
        for (name, program) in programs {
            let service = Service::start(program);
            let driver = Driver::dial(service.address()).await;
            subjects.push(Subject { name, service, driver });
        }
        Self(subjects)
    }

    async fn throughput(&self, shapes: &[Shape], effort: Effort) {
        println!("{} rounds of {} ms each\n", effort.rounds, effort.burst.as_millis());
        println!(
            "{:<7} {:>5} {:>5} {:>7} {:>4} | {:>9} {:>8} {:>9} | {:>14} {:>14} {:>14}",
            "work", "part.", "batch", "bytes", "hdrs", "records/s", "MB/s", "CPU ns/r", "of native", "of echo", "A/A"
        );
        for shape in shapes {
            let results = self.measure(shape, effort).await;
            print(shape, &results);
        }
        println!("\nof native, of echo, A/A: their CPU a record over ours (records/s of ours over theirs)\n");
    }

    /// For each subject its rounds: records a second, and nanoseconds of processor time a record.
    async fn measure(&self, shape: &Shape, effort: Effort) -> Vec<Vec<(f64, f64)>> {
        let mut conversations = Vec::new();
        for subject in &self.0 {
            let mut conversation: Conversation = subject.driver.start(shape).await;
            conversation.burst(effort.burst / 4).await;
            conversations.push(conversation);
        }
        let mut results = vec![Vec::new(); self.0.len()];
        for round in 0..effort.rounds {
            // Whoever is first in a round is last in the next.
            let mut order = (0..self.0.len()).collect::<Vec<_>>();
            if round % 2 == 1 {
                order.reverse();
            }
            for at in order {
                results[at].push(self.burst(at, &mut conversations[at], effort.burst).await);
            }
        }
        results
    }

    /// Records a second, and nanoseconds of the subject's processor time a record.
    async fn burst(&self, at: usize, conversation: &mut Conversation, time: Duration) -> (f64, f64) {
        let before = self.0[at].service.processor_time();
        let burst = conversation.burst(time).await;
        let processor = self.0[at].service.processor_time().saturating_sub(before);
        let records = burst.records as f64;
        (records / burst.elapsed.as_secs_f64(), processor.as_nanos() as f64 / records)
    }
}

fn print(shape: &Shape, results: &[Vec<(f64, f64)>]) {
    let ours = &results[COMPONENT];
    let rate = median(ours.iter().map(|(rate, _)| *rate));
    let against = |other: usize| {
        let pairs = || ours.iter().zip(&results[other]);
        let processor = median(pairs().map(|(ours, theirs)| theirs.1 / ours.1));
        let rate = median(pairs().map(|(ours, theirs)| ours.0 / theirs.0));
        format!("{processor:.2} ({rate:.2})")
    };
    let echo = if load::is_echo(shape.work) { against(ECHO) } else { "-".into() };
    println!(
        "{:<7} {:>5} {:>5} {:>7} {:>4} | {rate:>9.0} {:>8.1} {:>9.0} | {:>14} {echo:>14} {:>14}",
        shape.work.name(),
        shape.partitions,
        shape.batch,
        shape.value_bytes,
        shape.headers,
        rate * shape.value_bytes as f64 / 1e6,
        median(ours.iter().map(|(_, processor)| *processor)),
        against(NATIVE),
        against(AGAIN),
    );
}
