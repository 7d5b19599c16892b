//! How many instances live, and how long: lanes wait their turn, idle instances make room, and what outgrew its memory
//! is replaced.

use std::sync::Arc;
use std::time::Duration;

use streamlet_host::guest::Limits;
use streamlet_tests::room::{Room, limits};
use tokio::task::JoinSet;

use super::{told, values};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_beyond_the_bound_take_turns_and_lose_nothing() {
    let room = Room::limited("faulty", Limits { live_instances_max: 3, ..limits() }).await;
    let mut lanes = JoinSet::new();
    for partition in 0..20 {
        let mut lane = room.lane("in", partition);
        lanes.spawn(async move {
            for offset in 0..30 {
                let said = format!("{partition}:{offset}");
                assert_eq!(values(&lane.run(&[told(offset, &said)]).await.unwrap()), [said]);
            }
        });
    }
    while let Some(lane) = lanes.join_next().await {
        lane.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_instance_that_was_idle_longest_makes_room() {
    let room = Room::limited("faulty", Limits { live_instances_max: 2, ..limits() }).await;
    let mut lanes = [0, 1, 2].map(|partition| room.lane("in", partition));
    for (lane, offset, expect) in [(0, 0, "1"), (1, 0, "1"), (0, 1, "2"), (2, 0, "1"), (0, 2, "3"), (1, 1, "1")] {
        let emits = lanes[lane].run(&[told(offset, "count")]).await.unwrap();
        assert_eq!(values(&emits), [expect], "lane {lane}, offset {offset}");
    }
}

/// Of two lanes that wait, each gets the seat of one that is idle, although one of them never gives its own back.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_that_never_ends_takes_one_seat_only() {
    let limits = Limits { live_instances_max: 2, batch_deadline: Duration::from_secs(20), ..limits() };
    let room = Arc::new(Room::limited("faulty", limits).await);
    for round in 0..20 {
        let mut idle = [0, 1].map(|partition| room.lane("in", partition));
        for lane in &mut idle {
            lane.run(&[told(0, "x")]).await.unwrap();
        }
        let (mut endless, mut good) = (room.lane("in", 2), room.lane("in", 3));
        let endless = tokio::spawn(async move { drop(endless.run(&[told(0, "loop")]).await) });
        let good = tokio::spawn(async move { values(&good.run(&[told(0, "y")]).await.unwrap()) });
        let answer = tokio::time::timeout(Duration::from_secs(5), good).await;
        assert_eq!(answer.expect("it need not wait").unwrap(), ["y"], "round {round}");
        endless.abort();
        let _ = endless.await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_is_no_part_of_a_deadline_and_ends_with_the_lane() {
    let limits = Limits { live_instances_max: 1, batch_deadline: Duration::from_secs(1), ..limits() };
    let room = Arc::new(Room::limited("faulty", limits).await);
    let mut looping = room.lane("in", 0);
    let busy = tokio::spawn(async move {
        for _ in 0..3 {
            looping.run(&[told(0, "loop")]).await.unwrap_err();
        }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    // One that gives up waiting must not keep what it waited for.
    let mut impatient = room.lane("in", 1);
    let waited = tokio::time::timeout(Duration::from_millis(100), impatient.run(&[told(0, "x")])).await;
    assert!(waited.is_err(), "the only seat is taken");
    let mut waiting = room.lane("in", 2);
    assert_eq!(values(&waiting.run(&[told(0, "x")]).await.unwrap()), ["x"], "after a turn of a second");
    assert!(!busy.is_finished(), "the other went on after it");
    assert_eq!(values(&impatient.run(&[told(0, "y")]).await.unwrap()), ["y"]);
    busy.await.unwrap();
}

#[tokio::test]
async fn an_instance_that_outgrew_what_is_kept_is_replaced() {
    let kept = Limits { kept_memory_bytes_max: 32 << 20, ..limits() };
    let mut lane = Room::limited("faulty", kept).await.lane("in", 0);
    assert_eq!(values(&lane.run(&[told(0, "count")]).await.unwrap()), ["1"]);
    assert_eq!(values(&lane.run(&[told(1, "count")]).await.unwrap()), ["2"], "it has not grown");
    lane.run(&[told(2, "allocate-politely")]).await.unwrap();
    assert_eq!(values(&lane.run(&[told(3, "count")]).await.unwrap()), ["1"], "a fresh one");

    // One that is large from its start is not replaced for that.
    let tiny = Limits { kept_memory_bytes_max: 1, ..limits() };
    let mut lane = Room::limited("faulty", tiny).await.lane("in", 0);
    for expect in ["1", "2"] {
        assert_eq!(values(&lane.run(&[told(expect.parse().unwrap(), "count")]).await.unwrap()), [expect]);
    }
}
