//! Failure policies: the poison in a batch is found and set aside, everything else is emitted in order, once.

use std::time::Duration;

use streamlet_host::batch::Cause;
use streamlet_host::guest::Limits;
use streamlet_host::lane::{OnFailure, Policy};
use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane, limits};

use super::{told, values};

const SKIP: Policy = Policy { on_failure: OnFailure::Skip, set_aside_max: 10 };
/// To `other`, which `describe` lists second.
const DEAD_LETTER: Policy = Policy { on_failure: OnFailure::DeadLetter(1), set_aside_max: 10 };

async fn lane(policy: Policy) -> TestLane {
    Room::open("faulty").await.lane_with("in", 7, policy)
}

/// A hundred records from offset 1000 on, some of which say something else than their number.
fn hundred(told_else: &[(i64, &str)]) -> Vec<Record> {
    let what =
        |n: i64| told_else.iter().find(|(at, _)| *at == n).map_or_else(|| format!("n{n}"), |(_, what)| (*what).into());
    (0..100).map(|n| told(1000 + n, &what(n))).collect()
}

fn without(gone: &[i64]) -> Vec<String> {
    (0..100).filter(|n| !gone.contains(n)).map(|n| format!("n{n}")).collect()
}

#[tokio::test]
async fn poison_of_every_kind_is_found_wherever_it_stands() {
    for what in ["fail", "panic", "abort", "exit", "recurse", "json {}"] {
        let mut lane = lane(SKIP).await;
        for gone in [&[0][..], &[99], &[41], &[0, 99], &[10, 11, 12], &[3, 50, 77]] {
            let records = hundred(&gone.iter().map(|at| (*at, what)).collect::<Vec<_>>());
            let (emits, poison) = lane.triage(&records).await.unwrap();
            assert_eq!(values(&emits), without(gone), "{what} at {gone:?}");
            let offsets = poison.iter().map(|failure| failure.place.offsets.0 - 1000).collect::<Vec<_>>();
            assert_eq!(offsets, gone, "{what}");
            for failure in &poison {
                let (first, last) = failure.place.offsets;
                assert_eq!(
                    (first, failure.record.is_none_or(|(_, offset)| offset == first)),
                    (last, true),
                    "{failure}"
                );
            }
        }
    }
}

#[tokio::test]
async fn where_nobody_is_blamed_the_batch_is_halved() {
    // `abort` and `recurse` name no record; a failure may name one that is innocent.
    let mut lane = lane(SKIP).await;
    let (emits, poison) = lane.triage(&hundred(&[(64, "blame-first")])).await.unwrap();
    assert_eq!(values(&emits), without(&[64]));
    assert_eq!(poison.len(), 1, "{poison:?}");
    assert_eq!(poison[0].place.offsets, (1064, 1064));
}

/// What fails by its size as a whole is no poison.
#[tokio::test]
async fn a_batch_that_is_too_much_at_once_is_processed_in_parts() {
    let limits = Limits { memory_bytes_max: 16 << 20, ..limits() };
    let mut lane = Room::limited("faulty", limits).await.lane_with("in", 0, SKIP);
    let records = (0..6).map(|offset| Record::new(offset, vec![b'x'; 2 << 20]).header("h", "v")).collect::<Vec<_>>();
    let (emits, poison) = lane.triage(&records).await.unwrap();
    assert_eq!(poison, []);
    assert!(emits.iter().map(|emit| &emit.record).eq(&records), "each as it came");
}

/// A guest that takes no two records of a kind at once: there is no poison to find, and no end to looking for it.
#[tokio::test]
async fn a_failure_that_is_no_records_own_ends_the_search() {
    let mut lane = lane(SKIP).await;
    let records = (0..1000).map(|offset| told(offset, "alone")).collect::<Vec<_>>();
    let failure = lane.triage(&records).await.unwrap_err();
    assert!(failure.headline().contains("offsets 0 to 999"), "its first failure: {failure}");
    assert!(failure.detail.starts_with("which records fail by themselves could not be found"), "{failure}");
    // Few enough are found out about, one by one.
    let (emits, poison) = lane.triage(&records[..50]).await.unwrap();
    assert_eq!((emits.len(), poison.len()), (50, 0));
}

#[tokio::test]
async fn parts_share_one_limit_of_output() {
    let limits = Limits { output_bytes_max: 1 << 20, ..limits() };
    let mut lane = Room::limited("faulty", limits).await.lane_with("in", 0, SKIP);
    let large = |offset| Record::new(offset, vec![b'x'; 300 << 10]);
    let records = [large(0), large(1), large(2), told(3, "fail"), large(4)];
    let failure = lane.triage(&records).await.unwrap_err();
    assert!(failure.detail.contains("together emit more") && failure.detail.contains("--output-bytes"), "{failure}");
    assert_eq!(lane.triage(&records[..4]).await.unwrap().0.len(), 3);
}

#[tokio::test]
async fn time_has_to_run_out_twice() {
    let mut lane = lane(SKIP).await;
    let began = std::time::Instant::now();
    let (emits, poison) = lane.triage(&[told(0, "a"), told(1, "loop"), told(2, "c")]).await.unwrap();
    assert_eq!(values(&emits), ["a", "c"]);
    assert_eq!(poison.iter().map(|failure| failure.cause).collect::<Vec<_>>(), [Cause::TimedOut]);
    // The whole, two records of it, and the one alone twice: four deadlines of three seconds.
    assert!(began.elapsed() > Duration::from_secs(11), "{:?}", began.elapsed());
}

#[tokio::test]
async fn too_much_poison_fails_the_batch_with_its_first_failure() {
    for (policy, count, is_ok) in [(SKIP, 10, true), (SKIP, 11, false), (DEAD_LETTER, 50, false)] {
        let mut lane = lane(policy).await;
        let told_else = (0..count).map(|n| (n * 2, "fail")).collect::<Vec<_>>();
        match lane.triage(&hundred(&told_else)).await {
            Ok((_, poison)) => assert_eq!((poison.len(), is_ok), (10, true)),
            Err(failure) => {
                assert!(!is_ok, "{failure}");
                assert_eq!(
                    failure.headline(),
                    "the streamlet failed the batch at offset 1000 (inlet \"in\", partition 7, offsets 1000 to 1099): the \
                     record said fail"
                );
                assert!(failure.detail.contains("more than 10") && failure.detail.contains("--skip-max"), "{failure}");
            }
        }
        assert_eq!(values(&lane.run(&hundred(&[])).await.unwrap()).len(), 100, "the lane goes on");
    }
    let mut lane = lane(Policy { set_aside_max: 0, ..SKIP }).await;
    lane.triage(&[told(0, "fail")]).await.unwrap_err();
}

#[tokio::test]
async fn dead_letters_are_the_records_as_they_came_with_the_reason() {
    let mut lane = lane(DEAD_LETTER).await;
    let poison = Record::new(5, "fail").key(b"\xffkey").header("trace", "1").header("trace", b"\x00");
    let poison = Record { headers: [poison.headers.clone(), vec![("null".into(), None)]].concat(), ..poison };
    let tombstone = Record { offset: 8, value: None, ..Record::default() }.header("do", "panic");
    let records = [told(4, "a"), poison.clone(), told(7, "b"), tombstone, told(9, "c")];
    let (emits, set_aside) = lane.triage(&records).await.unwrap();
    assert_eq!(set_aside.len(), 2);
    let outlets = emits.iter().map(|emit| emit.outlet.as_str()).collect::<Vec<_>>();
    assert_eq!(outlets, ["out", "other", "out", "other", "out"], "in their places");
    let letter = &emits[1].record;
    assert_eq!((letter.offset, &letter.key, &letter.value), (5, &poison.key, &poison.value));
    assert_eq!(letter.headers[..3], poison.headers[..]);
    let why = letter.headers[3..]
        .iter()
        .map(|(name, value)| (name.as_str(), String::from_utf8(value.clone().unwrap()).unwrap()));
    let why = why.collect::<Vec<_>>();
    assert_eq!(
        why.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["streamlet-error", "streamlet-inlet", "streamlet-partition", "streamlet-offset", "streamlet-component"]
    );
    assert_eq!(why[0].1, set_aside[0].headline());
    assert_eq!((why[1].1.as_str(), why[2].1.as_str(), why[3].1.as_str()), ("in", "7", "5"));
    assert!(why[4].1.len() == 64 && why[4].1.bytes().all(|digit| digit.is_ascii_hexdigit()), "{}", why[4].1);
    let dead = &emits[3].record;
    assert_eq!((&dead.key, &dead.value, dead.headers.len()), (&None, &None, 1 + 5));
}

#[tokio::test]
async fn a_reason_is_bounded() {
    let mut lane = lane(DEAD_LETTER).await;
    let (emits, _) = lane.triage(&[told(0, "fail-long")]).await.unwrap();
    assert_eq!(emits[0].record.headers[0].1.as_ref().unwrap().len(), 1024);
}

#[tokio::test]
async fn a_guest_that_does_not_start_fails_the_batch() {
    for start in ["fail", "panic"] {
        let room = Room::configured("faulty", &format!(r#"{{"start":"{start}"}}"#)).await;
        let mut lane = room.lane_with("in", 0, SKIP);
        let failure = lane.triage(&[told(0, "a"), told(1, "b")]).await.unwrap_err();
        assert_eq!(failure.cause, Cause::NotStarted, "{failure}");
    }
}

#[tokio::test]
async fn an_outlet_that_is_not_bound_takes_no_dead_letters() {
    let room = Room::bound("faulty", "{}", |outlet| outlet == "out").await;
    let failure = room.lane_with("in", 0, DEAD_LETTER).triage(&[told(0, "fail")]).await.unwrap_err();
    assert!(failure.detail.contains("does not bind"), "{failure}");
}

#[tokio::test]
async fn an_instance_goes_on_from_part_to_part_until_one_fails() {
    let mut lane = lane(SKIP).await;
    let count = |offset| told(offset, "count");
    let records = [count(0), count(1), told(2, "fail"), count(3), count(4)];
    let (emits, _) = lane.triage(&records).await.unwrap();
    assert_eq!(values(&emits), ["1", "1", "1", "1"], "each part is a batch of its own");
    assert_eq!(values(&lane.run(&[count(5)]).await.unwrap()), ["2"], "the instance of the last part");
}
