//! Chaos: members killed, stopped, joined, frozen until their group has given them up, the broker killed and restarted, a
//! guest that fails by chance, all at random under load, and then the truth at the outlets.
//!
//! ```sh
//! cargo bench -p streamlet-tests --bench chaos -- --seconds 90
//! cargo bench -p streamlet-tests --bench chaos -- --seconds 3600 --seed 7
//! cargo bench -p streamlet-tests --bench chaos -- --broker-seconds 15
//! cargo bench -p streamlet-tests --bench chaos -- --keep DIR
//! ```
//!
//! Two groups read the same topic, one at least once and one exactly once. It ends with exit code 1 if a record is lost or
//! stands out of its key's order, if exactly once shows a duplicate, or if, although members were killed, at least once
//! shows none or exactly once nothing that was aborted: then nothing was in flight when it should have been, and the run
//! has proven nothing: then there is another round, three at most. Where the broker
//! itself broke transactions as it came back, and said so (see `Broker::skipped_markers`), the next one spares it.
//!
//! A bad end says where duplicates of exactly once stand, and with `--keep DIR` what the broker has and what it and the
//! members have logged is copied there.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement stops at what should not be, and prints"
)]

mod group;
mod load;
mod random;
mod truth;

use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use group::{Group, Mode};
use load::Load;
use random::Random;
use streamlet_tests::kafka::Broker;
use truth::Verdict;

/// Partitions of every topic.
const PARTITIONS: i32 = 6;
/// What passes between two events, in milliseconds, at least and at most.
const PAUSE_MS: (u64, u64) = (200, 2500);
/// Rounds, if nothing was in flight in those before.
const ROUNDS_MAX: u64 = 3;
/// What passes between two ends of the broker, where nothing else is said.
const BROKER_SECONDS: u64 = 60;
/// How long the broker is down.
const DOWN: Duration = Duration::from_secs(2);
/// How long everything may take to be processed once chaos is over.
const SETTLES_WITHIN: Duration = Duration::from_mins(3);

/// Stretches of duplicates that are told.
const TOLD_MAX: usize = 40;

/// What is to happen.
struct Plan {
    duration: Duration,
    /// Where the traces of a bad end are kept.
    keep: Option<PathBuf>,
    /// What passes between two ends of the broker.
    broker_every: Duration,
}

/// What happened.
#[derive(Debug, Default)]
struct Events {
    kills: usize,
    stops: usize,
    joins: usize,
    freezes: usize,
    broker_restarts: usize,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let (mut seconds, mut seed, mut broker_seconds) = (90, u64::from(std::process::id()), BROKER_SECONDS);
    let mut keep = None;
    while let Some(argument) = arguments.next() {
        if argument == "--keep" {
            keep = Some(PathBuf::from(arguments.next().expect("a directory")));
            continue;
        }
        let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok()).expect("a number");
        match argument.as_str() {
            "--seconds" => seconds = number(),
            "--seed" => seed = number(),
            "--broker-seconds" => broker_seconds = number(),
            other => panic!("{other:?} instead of --seconds N, --seed N, --broker-seconds N or --keep DIR"),
        }
    }
    let (duration, broker_every) = (Duration::from_secs(seconds), Duration::from_secs(broker_seconds));
    let mut plan = Plan { duration, keep, broker_every };
    let Some(broker) = Broker::own() else { return ExitCode::SUCCESS };
    for round in 0..ROUNDS_MAX {
        println!("chaos for {seconds} s, seed {}", seed + round);
        match run(&broker, &plan, &mut Random::new(seed + round)) {
            Verdict::Good => return ExitCode::SUCCESS,
            Verdict::Bad => return ExitCode::FAILURE,
            Verdict::NothingProven => println!("nothing was in flight when members were killed: once more"),
            Verdict::BrokerBroke => {
                println!("this says nothing of exactly once: once more, and the broker is spared");
                plan.broker_every = Duration::MAX;
            }
        }
    }
    ExitCode::FAILURE
}

/// One round: chaos, then the truth.
fn run(broker: &Broker, plan: &Plan, random: &mut Random) -> Verdict {
    let skipped_before = broker.skipped_markers();
    let input = broker.topic("numbers", PARTITIONS);
    let mut groups = Mode::ALL.map(|mode| Group::start(mode, broker, &input));
    let load = Load::start(broker, &input);
    let events = unleash(broker, &mut groups, plan, random);
    println!("{events:?}");
    let sent = load.stop();
    let records = input.read();
    // Whoever was killed last is there again, so that all of it is processed.
    let verdicts = groups.map(|mut group| {
        let skipped = broker.skipped_markers() - skipped_before;
        if skipped > 0 && group.mode() == Mode::ExactlyOnce {
            println!(
                "{}: not judged, as the broker came back it skipped the markers of transactions ({skipped})",
                group.mode()
            );
            return Verdict::BrokerBroke;
        }
        group.mend();
        group.settle(&input, SETTLES_WITHIN);
        let faults = group.faults();
        group.stop();
        let outputs = group.outputs(records.len());
        let (summary, aborted) = (truth::check(sent, &records, &outputs), group.aborted(&outputs));
        println!("{}: {summary}, {aborted} aborted, {faults} batches failed by guests or faults", group.mode());
        // Coming back as late as that, the broker may have done so after the first look.
        let is_brokers = group.mode() == Mode::ExactlyOnce && broker.skipped_markers() > skipped_before;
        if is_brokers {
            return Verdict::BrokerBroke;
        }
        let verdict = summary.verdict(group.mode(), events.kills, aborted);
        if verdict == Verdict::Bad {
            if group.mode() == Mode::ExactlyOnce {
                summary.duplicates().take(TOLD_MAX).for_each(|stretch| println!("{stretch}"));
            }
            if let Some(directory) = &plan.keep {
                std::fs::create_dir_all(directory).unwrap();
                group.keep(directory);
                broker.keep(directory);
            }
        }
        verdict
    });
    verdicts.into_iter().max().expect("there are groups")
}

/// One event after the other, at random.
fn unleash(broker: &Broker, groups: &mut [Group; 2], plan: &Plan, random: &mut Random) -> Events {
    let began = Instant::now();
    let mut events = Events::default();
    // The first is in the middle at the latest, whatever chance says.
    let spares_broker = plan.broker_every == Duration::MAX;
    let mut restart_at = if spares_broker { Duration::MAX } else { plan.broker_every.min(plan.duration / 2) };
    while began.elapsed() < plan.duration {
        thread::sleep(Duration::from_millis(random.between(PAUSE_MS.0, PAUSE_MS.1)));
        if began.elapsed() > restart_at {
            restart_at = began.elapsed() + plan.broker_every;
            broker.kill();
            thread::sleep(DOWN);
            broker.restart();
            events.broker_restarts += 1;
            continue;
        }
        let group = &mut groups[usize::try_from(random.between(0, 1)).unwrap()];
        match random.between(0, 9) {
            0..5 => {
                group.kill_one(random);
                events.kills += 1;
            }
            5 | 6 => {
                group.stop_one(random);
                events.stops += 1;
            }
            7 => {
                group.freeze_one(random);
                events.freezes += 1;
            }
            _ => events.joins += usize::from(group.join()),
        }
    }
    events
}
