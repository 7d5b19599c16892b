//! Much of everything: partitions, records, bytes, and a reader that does not read.

use std::collections::BTreeMap;
use std::time::Duration;

use streamlet_tests::records::Record;

use streamlet_tests::service::Service;

use super::{echo, emits, program, ready};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_keep_their_order() {
    const PARTITIONS: i32 = 64;
    const ROUNDS: i64 = 10;
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    let records = |round: i64, partition: i32| {
        (0..5).map(|n| Record::new(round * 5 + n, format!("{partition}:{round}:{n}"))).collect::<Vec<_>>()
    };
    let mut in_flight = BTreeMap::new();
    let mut batch_id = 0;
    for partition in 0..PARTITIONS {
        batch_id += 1;
        in_flight.insert(batch_id, (partition, 0));
        talk.batch(batch_id, "in", partition, &records(0, partition)).await;
    }
    while !in_flight.is_empty() {
        let (ended, outcome) = talk.outcome().await;
        let (partition, round) = in_flight.remove(&ended).expect("it was in flight");
        assert_eq!(outcome, Ok(emits("out", &records(round, partition))));
        if round + 1 < ROUNDS {
            batch_id += 1;
            in_flight.insert(batch_id, (partition, round + 1));
            talk.batch(batch_id, "in", partition, &records(round + 1, partition)).await;
        }
    }
}

/// More partitions than lanes may be: those that are idle end, and when all are busy the rest waits unread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_partitions_than_lanes() {
    let service = Service::start(program("faulty").args(&["--live-instances", "64"]));
    let mut talk = service.dial().await.start("{}").await;
    let mut in_flight = BTreeMap::new();
    for partition in 0..5000 {
        let records = [Record::new(0, format!("{partition}"))];
        talk.batch(partition + 1, "in", i32::try_from(partition).unwrap(), &records).await;
        in_flight.insert(partition + 1, records);
        // A few in flight, then thousands.
        while in_flight.len() > if partition < 4500 { 200 } else { 5000 } {
            let (ended, outcome) = talk.outcome().await;
            assert_eq!(outcome, Ok(emits("out", &in_flight.remove(&ended).expect("it was in flight"))));
        }
    }
    while !in_flight.is_empty() {
        let (ended, outcome) = talk.outcome().await;
        assert_eq!(outcome, Ok(emits("out", &in_flight.remove(&ended).expect("it was in flight"))));
    }
    // The first is long gone, and comes back as a fresh one.
    talk.batch(1, "in", 0, &[Record::new(1, "count")]).await;
    let (_, outcome) = talk.outcome().await;
    assert_eq!(outcome.unwrap()[0].record.value.as_deref(), Some(&b"1"[..]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_of_many_and_of_large_records() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    let tiny = (0..10_000).map(|offset| Record::new(offset, [b'x'])).collect::<Vec<_>>();
    assert_eq!(talk.run(1, &tiny).await, Ok(emits("out", &tiny)));
    let large = [Record::new(10_000, vec![b'x'; 3 << 20])];
    assert_eq!(talk.run(2, &large).await, Ok(emits("out", &large)));
    // Over gRPC's default of 4 MiB in, and far below our own bound.
    let several = (0..4).map(|n| Record::new(20_000 + n, vec![b'y'; 3 << 20])).collect::<Vec<_>>();
    assert_eq!(talk.run(3, &several).await, Ok(emits("out", &several)));
    let headers = [(0..300_000).fold(Record::new(30_000, "x"), |record, _| record.header("h", ""))];
    assert_eq!(talk.run(4, &headers).await, Ok(emits("out", &headers)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_inbound_message_over_the_bound_harms_nobody() {
    let service = ready("conformance");
    let sidecar = service.dial().await;
    let mut talk = sidecar.start("{}").await;
    talk.batch(1, "in", 0, &[Record::new(0, vec![b'x'; 17 << 20])]).await;
    let status = talk.end().await;
    assert!(!status.message().is_empty(), "{status:?}");
    super::assert_status(&status, status.code(), &[]);
    let mut talk = sidecar.start("{}").await;
    assert_eq!(talk.run(1, &[echo(0)]).await, Ok(emits("out", &[echo(0)])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_does_not_read_costs_no_memory() {
    const PARTITIONS: u64 = 40;
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{\"factor\":3}").await;
    let records = [Record::new(0, vec![b'x'; 1 << 20]).key("multiply")];
    for batch_id in 1..=PARTITIONS {
        talk.batch(batch_id, "in", i32::try_from(batch_id).unwrap(), &records).await;
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    // All of them would be 120 MiB encoded; each lane holds its input and instance either way.
    let waiting = service.resident_bytes();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let later = service.resident_bytes();
    assert!(later < waiting + (16 << 20), "{waiting} bytes, then {later}");
    let mut ended = Vec::new();
    for _ in 0..PARTITIONS {
        let (batch_id, outcome) = talk.outcome().await;
        assert_eq!(outcome.unwrap().len(), 3);
        ended.push(batch_id);
    }
    ended.sort_unstable();
    assert_eq!(ended, (1..=PARTITIONS).collect::<Vec<_>>());
}
