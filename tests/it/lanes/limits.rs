//! Every limit: reached, named with its value and its flag, and leaving the lane as good as new.

use std::time::{Duration, Instant};

use streamlet_host::batch::{Cause, Failure};
use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, limits};

use super::{assert_failure, told, values};

/// The failure of a batch of one record, and that the next batch is processed.
async fn failed(record: Record) -> Failure {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    let failure = lane.run(&[record]).await.unwrap_err();
    assert_eq!(values(&lane.run(&[told(1, "count")]).await.unwrap()), ["1"]);
    failure
}

fn headline(why: &str) -> String {
    format!("the streamlet ran into a limit (inlet \"in\", partition 0, offset 0): {why}")
}

#[tokio::test]
async fn time() {
    for what in ["loop", "sleep"] {
        let began = Instant::now();
        let failure = failed(told(0, what)).await;
        assert_failure(
            &failure,
            Cause::TimedOut,
            &headline(
                "`process` took longer than its deadline of 3s; do less in a batch, or raise it with --batch-deadline",
            ),
            &[],
        );
        let took = began.elapsed();
        assert!(took < limits().batch_deadline + Duration::from_secs(2), "{what} took {took:?}");
    }
}

#[tokio::test]
async fn what_a_guest_wrote_before_its_time_ran_out_helps() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    let failure = lane.run(&[told(0, "print"), told(1, "loop")]).await.unwrap_err();
    assert_eq!(failure.detail, "the last it wrote to standard error:\n  a line of stderr", "{failure}");
}

#[tokio::test]
async fn time_of_start() {
    let mut lane = Room::configured("faulty", r#"{"start":"loop"}"#).await.lane("in", 0);
    let failure = lane.run(&[told(0, "echo")]).await.unwrap_err();
    let why = "`start` took longer than its deadline of 3s; do less before the first batch, or raise it with --start-deadline";
    assert_failure(&failure, Cause::NotStarted, &headline(why), &[]);
}

#[tokio::test]
async fn memory() {
    let failure = failed(told(0, "allocate")).await;
    let said = failure.headline();
    let start = headline("it asked for ");
    assert!(said.starts_with(&start), "{said}");
    let end = " bytes of memory in all, over its limit of 134217728; use less, or raise it with --guest-memory";
    assert!(said.ends_with(end), "{said}");
    assert_eq!(failure.cause, Cause::Limited);
    assert!(failure.detail.contains("allocate_for_ever"), "{failure}");
}

#[tokio::test]
async fn memory_refused_and_taken_well_is_no_failure() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    let emits = lane.run(&[told(0, "allocate-politely")]).await.unwrap();
    assert_eq!(values(&emits), ["allocate-politely"]);
    let failure = lane.run(&[told(1, "panic")]).await.unwrap_err();
    assert_eq!(failure.cause, Cause::Trapped, "the panic of a later batch is no want of memory: {failure}");
}

#[tokio::test]
async fn output() {
    let why = " bytes or more, over the limit of 67108864 bytes; emit less, or raise it with --output-bytes";
    for record in [told(0, "large-flushed"), told(0, &format!("large-forwarded {}", "x".repeat(1 << 20)))] {
        let failure = failed(record).await;
        let said = failure.headline();
        assert!(said.starts_with(&headline("its output is ")), "{said}");
        assert!(said.ends_with(why), "{said}");
        assert_eq!(failure.cause, Cause::Limited);
    }
}

#[tokio::test]
async fn output_handed_over_at_once() {
    let failure = failed(told(0, "large-at-once")).await;
    assert_eq!(failure.cause, Cause::Limited, "{failure}");
    let said = failure.headline();
    assert!(said.contains("67108864") && said.contains("--output-bytes"), "the limit's value and its flag: {said}");
}
