//! An instance is kept while all goes well, and never when it might know what it must not.

use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane};

use super::{told, values};

/// How many batches the lane's instance has seen, this one included.
async fn count(lane: &mut TestLane, offset: i64) -> String {
    values(&lane.run(&[told(offset, "count")]).await.unwrap()).concat()
}

#[tokio::test]
async fn an_instance_is_kept_over_good_batches() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    for offset in 0..20 {
        assert_eq!(count(&mut lane, offset * 3).await, (offset + 1).to_string());
    }
}

#[tokio::test]
async fn partitions_share_no_instance() {
    let room = Room::open("faulty").await;
    let (mut one, mut other) = (room.lane("in", 0), room.lane("in", 1));
    assert_eq!(count(&mut one, 0).await, "1");
    assert_eq!(count(&mut one, 1).await, "2");
    assert_eq!(count(&mut other, 0).await, "1");
}

#[tokio::test]
async fn an_instance_is_replaced_after_any_failure() {
    for what in ["fail", "panic", "abort", "exit", "recurse"] {
        let mut lane = Room::open("faulty").await.lane("in", 0);
        assert_eq!(count(&mut lane, 0).await, "1");
        lane.run(&[told(1, what)]).await.unwrap_err();
        assert_eq!(count(&mut lane, 1).await, "1", "after {what}");
        assert_eq!(count(&mut lane, 2).await, "2", "after {what}");
    }
}

#[tokio::test]
async fn an_instance_is_replaced_when_offsets_do_not_follow() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    for (offset, expect) in [(5, "1"), (6, "2"), (100, "3"), (100, "1"), (101, "2"), (7, "1"), (8, "2")] {
        assert_eq!(count(&mut lane, offset).await, expect, "at offset {offset}");
    }
}

#[tokio::test]
async fn a_batch_without_records_is_nothing() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    assert_eq!(count(&mut lane, 0).await, "1");
    assert_eq!(lane.run(&[]).await.unwrap(), []);
    assert_eq!(count(&mut lane, 1).await, "2");
}

#[tokio::test]
async fn a_failed_start_fails_the_batch_and_is_tried_again() {
    let mut lane = Room::configured("faulty", r#"{"start":"fail"}"#).await.lane("in", 3);
    for offset in [0, 1, 1] {
        let failure = lane.run(&[told(offset, "echo")]).await.unwrap_err();
        assert_eq!(
            failure.headline(),
            format!("the streamlet failed to start (inlet \"in\", partition 3, offset {offset}): told to fail")
        );
    }
}

#[tokio::test]
async fn what_an_instance_says_about_its_records_is_theirs() {
    let mut lane = Room::open("faulty").await.lane("in", 0);
    let records = [
        Record::new(0, "both").key("k").header("h", [0, 255]),
        Record { value: None, ..Record::default() }.key("deleted").header("do", "tombstone"),
        Record { value: None, headers: vec![("null".into(), None)], ..Record::default() }.header("do", "null-header"),
        Record::new(3, "drop"),
        Record::new(4, "new"),
    ];
    let emits = lane.run(&records).await.unwrap();
    let outlets = emits.iter().map(|emit| emit.outlet.as_str()).collect::<Vec<_>>();
    assert_eq!(outlets, ["other", "out", "out", "out", "out"]);
    assert_eq!((&emits[0].record, &emits[1].record), (&records[0], &records[0]));
    assert_eq!(emits[2].record, Record { offset: -1, key: Some(b"deleted".to_vec()), ..Record::default() });
    assert_eq!(emits[3].record.value, None, "a tombstone stays one");
    let names = emits[3].record.headers.iter().map(|(name, value)| (name.as_str(), value.as_deref()));
    let expect = [("null", None), ("do", Some(&b"null-header"[..])), ("added", None)];
    assert_eq!(names.collect::<Vec<_>>(), expect);
    assert_eq!(emits[4].record, Record { offset: -1, ..Record::new(-1, "from nothing") });
}
