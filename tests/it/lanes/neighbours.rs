//! Lanes side by side: none notices another, each keeps its order, and a dropped batch takes its guest along.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use streamlet_tests::records::{Record, batch};
use streamlet_tests::room::Room;

use super::{told, values};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_partitions_at_once_keep_their_order() {
    let room = Room::configured("conformance", r#"{"factor":2}"#).await;
    let mut partitions = tokio::task::JoinSet::new();
    for partition in 0..64 {
        let mut lane = room.lane(if partition % 2 == 0 { "in" } else { "side" }, partition);
        partitions.spawn(async move {
            let mut seen = Vec::new();
            for batch in 0..10i64 {
                let offsets = batch * 5..batch * 5 + 5;
                let records = offsets.map(|offset| {
                    let key = ["echo", "multiply", "skip"][usize::try_from(offset % 3).unwrap()];
                    Record::new(offset, format!("{partition}:{offset}")).key(key)
                });
                seen.extend(values(&lane.run(&records.collect::<Vec<_>>()).await.unwrap()));
                tokio::task::yield_now().await;
            }
            let expect = (0..50i64).flat_map(|offset| {
                let copies = [1, 2, 0][usize::try_from(offset % 3).unwrap()];
                std::iter::repeat_n(format!("{partition}:{offset}"), copies)
            });
            assert_eq!(seen, expect.collect::<Vec<_>>());
        });
    }
    while let Some(done) = partitions.join_next().await {
        done.unwrap();
    }
}

/// Two lanes do `what` over and over on the two threads there are, while a third has a batch each millisecond.
async fn beside(what: &'static str) {
    let room = Room::open("faulty").await;
    let mut good = room.lane("in", 100);
    good.run(&[told(0, "warm")]).await.unwrap();
    let bad = [room.lane("in", 0), room.lane("in", 1)].map(|mut lane| {
        tokio::spawn(async move {
            loop {
                lane.run(&[told(0, what)]).await.unwrap_err();
                // A door waits for the next batch.
                tokio::task::yield_now().await;
            }
        })
    });
    let mut slowest = Duration::ZERO;
    for offset in 1..=100 {
        let began = Instant::now();
        tokio::time::sleep(Duration::from_millis(1)).await;
        let emits = good.run(&[told(offset, "count"), told(offset, "right")]).await.unwrap();
        slowest = slowest.max(began.elapsed());
        assert_eq!(values(&emits), [(offset + 1).to_string(), "right".into()], "beside {what}");
    }
    for task in bad {
        assert!(!task.is_finished(), "the bad lane stopped");
        task.abort();
    }
    eprintln!("beside {what}, the slowest of 100 batches took {slowest:?}");
    // A machine that also compiles is given a lot more than it needs; waiting for a deadline would take three seconds.
    assert!(slowest < Duration::from_secs(1), "beside {what}, a batch took {slowest:?}");
}

#[test]
fn lanes_that_loop_or_trap_or_want_all_memory_are_not_noticed() {
    // As the binary's: see host/src/main.rs.
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().event_interval(1).build().unwrap();
    runtime.block_on(async {
        for what in ["loop", "abort", "panic", "allocate", "recurse", "sleep"] {
            // On a worker, as lanes are.
            tokio::spawn(beside(what)).await.unwrap();
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_batch_kills_its_guest() {
    let room = Room::open("faulty").await;
    let mut lane = room.lane("in", 0);
    assert_eq!(values(&lane.run(&[told(0, "count")]).await.unwrap()), ["1"]);
    for what in ["loop", "sleep"] {
        let began = Instant::now();
        let dropped = tokio::time::timeout(Duration::from_millis(50), lane.run(&[told(1, what)])).await;
        assert!(dropped.is_err(), "{what} does not end");
        assert_eq!(values(&lane.run(&[told(1, "count")]).await.unwrap()), ["1"], "a fresh instance after {what}");
        assert_eq!(values(&lane.run(&[told(2, "count")]).await.unwrap()), ["2"]);
        assert!(began.elapsed() < Duration::from_secs(2), "{what} held on for {:?}", began.elapsed());
    }
}

/// A call gives its thread back at the first tick in its own time, not at once for one that came between it and the last.
#[tokio::test]
async fn a_quick_call_is_over_at_its_first_poll() {
    let mut instance = Room::open("faulty").await.instance("in", 0).await;
    let mut at_once = 0;
    for offset in 0..20 {
        let batch = batch(0, 0, &[told(offset, "echo")]);
        let mut call = pin!(instance.process(&batch));
        match poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
            Poll::Ready(ended) => {
                ended.unwrap();
                at_once += 1;
            }
            // A tick may fall within it by chance.
            Poll::Pending => drop(call.await.unwrap()),
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(at_once > 10, "{at_once} of 20");
}
