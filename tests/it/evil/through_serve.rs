//! The same cases through real gRPC, each on a partition of its own beside a good one: the failures are those of a lane,
//! word for word.

use std::collections::BTreeMap;

use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::{Outcome, Talk};

use super::LIMITS;
use super::cases::{Case, EVERY_SECOND, Guest, all};
use super::ward::{Ward, config, records, steady};
use crate::streamlet;

/// The partition of the good lane.
const GOOD: i32 = 1000;
/// Evil batches in flight at once: more, and time runs out before what else is to be used up.
const AT_ONCE: usize = 2;
/// The cases in the text format that are served: some that cost time, memory, or the host, and one unreadable answer.
const SERVED: [&str; 5] = [
    "fills its whole memory over and over",
    "grows a table by 100 million elements",
    "waits for one timer 100,000 times at once",
    "asks for 16 MiB of random bytes for ever",
    "answers from outside of its memory",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn packages() {
    let ward = Ward::new();
    for package in ["evil", "faulty", "raw"] {
        let cases = all().into_iter().flat_map(|section| section.cases);
        let (told, started) = cases
            .filter(|case| matches!(case.guest, Guest::Package(name) if name == package))
            .filter(|case| case.word != EVERY_SECOND)
            .partition::<Vec<_>, _>(|case| case.start == "ok");
        assert!(told.len() > 5, "{package} has {} cases", told.len());
        let service = serve(&ward, &told[0]);
        beside_a_good_lane(&ward, &service, &told).await;
        for case in &started {
            let mut talk = service.dial().await.start(&config(case)).await;
            assert_same(case, &ward.read(case).await, talk.run(1, &records(case)).await);
        }
        // Whatever happened: the process serves the next conversation.
        let mut talk = service.dial().await.start(&config(&told[0])).await;
        right_batch(&mut talk, 0, &mut Pending::default()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_no_compiler_makes() {
    let ward = Ward::new();
    let cases = all().into_iter().flat_map(|section| section.cases).filter(|case| SERVED.contains(&case.does));
    let cases = cases.collect::<Vec<_>>();
    assert_eq!(cases.len(), SERVED.len());
    for case in cases {
        let service = serve(&ward, &case);
        beside_a_good_lane(&ward, &service, &[case]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guest_that_aborts_on_every_second_batch() {
    let service = Service::start(crate::serve("evil"));
    let mut talk = service.dial().await.start("{}").await;
    for batch in 0..100i64 {
        let batch_id = u64::try_from(batch).unwrap() + 1;
        let outcome = talk.run(batch_id, &[Record::new(batch, EVERY_SECOND)]).await;
        assert_eq!(outcome.is_err(), batch % 2 == 1, "batch {batch}: {outcome:?}");
    }
}

fn serve(ward: &Ward, case: &Case) -> Service {
    Service::start(streamlet().args(&["serve"]).arg(ward.write(&case.guest)).args(&LIMITS))
}

/// Evil batches that are in flight, and what became of those that ended.
#[derive(Default)]
struct Pending {
    in_flight: usize,
    ended: BTreeMap<u64, Outcome>,
}

impl Pending {
    /// Waits for the end of a batch, and keeps those of others.
    async fn wait(&mut self, talk: &mut Talk, batch_id: u64) -> Outcome {
        loop {
            let (ended, outcome) = talk.outcome().await;
            if ended == batch_id {
                return outcome;
            }
            self.in_flight -= 1;
            self.ended.insert(ended, outcome);
        }
    }
}

async fn beside_a_good_lane(ward: &Ward, service: &Service, cases: &[Case]) {
    let config = config(cases.first().expect("a case"));
    let mut talk = service.dial().await.start(&config).await;
    let (mut pending, mut good, mut sent) = (Pending::default(), 0, 0);
    while pending.ended.len() < cases.len() {
        while let Some(case) = cases.get(sent).filter(|_| pending.in_flight < AT_ONCE) {
            // The text format is evil on partition 0 only.
            let partition = i32::try_from(sent).unwrap();
            talk.batch(evil_id(sent), "in", partition, &records(case)).await;
            (sent, pending.in_flight) = (sent + 1, pending.in_flight + 1);
        }
        right_batch(&mut talk, good, &mut pending).await;
        good += 1;
    }
    for (index, case) in cases.iter().enumerate() {
        assert_same(case, &ward.read(case).await, pending.ended.remove(&evil_id(index)).unwrap());
    }
}

fn evil_id(index: usize) -> u64 {
    1_000_000 + index as u64
}

/// Runs a batch on the good lane: two records that any guest here echoes.
async fn right_batch(talk: &mut Talk, batch: i64, pending: &mut Pending) {
    let records = [0, 1].map(|n| Record::new(batch * 2 + n, format!("good-{batch}-{n}")).key("good"));
    let batch_id = u64::try_from(batch).unwrap() + 1;
    talk.batch(batch_id, "in", GOOD, &records).await;
    let emits = pending.wait(talk, batch_id).await.unwrap();
    let found = emits.iter().map(|emit| (emit.record.key.as_deref(), emit.record.value.as_deref()));
    assert!(found.eq(records.iter().map(|record| (record.key.as_deref(), record.value.as_deref()))), "{emits:?}");
}

/// What the author reads is the same, the partition aside.
#[track_caller]
fn assert_same(case: &Case, on_a_lane: &str, served: Outcome) {
    let served = match served {
        Ok(emits) => format!("(no failure: {} emits)", emits.len()),
        Err(text) => steady(&text),
    };
    let neutral = |text: &str| {
        let (before, rest) = text.split_once("partition ").unwrap_or((text, ""));
        format!("{before}{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
    };
    assert_eq!(neutral(&served), neutral(on_a_lane), "{}", case.does);
}
