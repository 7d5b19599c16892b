//! A guest without an SDK: what it is told at its start, what it hands over by hand, and every broken table.

use streamlet_host::batch::Cause;
use streamlet_tests::records::Record;
use streamlet_tests::room::{Room, TestLane};

use super::{assert_failure, values};

async fn lane() -> TestLane {
    Room::configured("raw", r#"{"label":"l"}"#).await.lane("in", 2)
}

#[tokio::test]
async fn a_guest_in_any_language_works() {
    let mut lane = lane().await;
    let records = [Record::new(3, "v").key("anything").header("h", "1"), Record { offset: 4, ..Record::default() }];
    let emits = lane.run(&records).await.unwrap();
    assert_eq!(emits.iter().map(|emit| emit.record.clone()).collect::<Vec<_>>(), records);
    assert_eq!(values(&lane.run(&[Record::new(5, "").key("flush")]).await.unwrap()), ["first", "second", "third"]);
}

#[tokio::test]
async fn parameters_and_bindings_arrive_resolved() {
    let config = r#"{"label":"l","a-duration":"2 minutes","a-size":"3k","a-boolean":false,"a-double":2}"#;
    let mut lane = Room::bound("raw", config, |outlet| outlet != "other").await.lane("in", 0);
    let emits = lane.run(&[Record::new(0, "").key("started")]).await.unwrap();
    let expect = "conformance <in=t-in >out=t-out label=Value::Text(\"l\") an-integer=Value::Integer(-7) \
                  a-double=Value::Double(2.0) a-boolean=Value::Boolean(false) a-duration=Value::DurationNs(120000000000) \
                  a-size=Value::Bytes(3072)";
    assert_eq!(values(&emits), [expect]);
}

/// The failure's reason for a batch whose key asks for the broken table `rule`.
async fn check(rule: &str, why: &str) {
    let failure = lane().await.run(&[Record::new(7, "v").key(rule)]).await.unwrap_err();
    let headline =
        format!("the streamlet broke its contract with the host (inlet \"in\", partition 2, offset 7): {why}");
    assert_failure(&failure, Cause::Broke, &headline, &[]);
}

#[tokio::test]
async fn every_broken_table_is_named() {
    check("emits-uneven", "its table of emits has 7 numbers, which is no multiple of 8").await;
    check("headers-uneven", "its table of headers has 3 numbers, which is no multiple of 4").await;
    check("outlet-undeclared", "emit 0 names outlet 2, but 2 are declared").await;
    check("source-out-of-range", "emit 0 names source record 1000000, but the batch has 1").await;
    check("source-none-key", "emit 0 takes its key from a source record, but names none").await;
    check("source-none-value", "emit 0 takes its value from a source record, but names none").await;
    check("source-none-headers", "emit 0 takes its headers from a source record, but names none").await;
    check("key-out-of-range", "the key of emit 0 is 3 bytes at 3, outside the arena of 5 bytes").await;
    check("value-out-of-range", "the value of emit 0 is 0 bytes at 6, outside the arena of 5 bytes").await;
    let wraps = "the value of emit 0 is 4294967280 bytes at 4294967280, outside the arena of 5 bytes";
    check("value-wraps-around", wraps).await;
    check("headers-out-of-range", "emit 0 has 1 headers from header 0 on, but the table has 0").await;
    check("headers-wrap-around", "emit 0 has 2 headers from header 4294967295 on, but the table has 0").await;
    check("header-name-out-of-range", "the name of header 0 is 3 bytes at 4, outside the arena of 6 bytes").await;
    check("header-value-out-of-range", "the value of header 0 is 0 bytes at 7, outside the arena of 6 bytes").await;
    check("header-name-not-text", "the name of header 0 is not UTF-8").await;
    check("header-name-none", "the name of header 0 is 0 bytes at 4294967295, outside the arena of 6 bytes").await;
    check("flush-bad", "emit 0 names outlet 2, but 2 are declared").await;
}

#[tokio::test]
async fn the_edges_of_the_rules_are_inside() {
    let mut lane = lane().await;
    let emits = lane.run(&[Record::new(0, "").key("value-empty-at-the-end")]).await.unwrap();
    assert_eq!(values(&emits), [""]);
    let emits = lane.run(&[Record::new(1, "").key("header-null")]).await.unwrap();
    assert_eq!(emits[0].record.headers, [("a".to_owned(), None)]);
}

#[tokio::test]
async fn an_outlet_that_is_not_bound_is_no_outlet() {
    let mut lane = Room::bound("raw", r#"{"label":"l"}"#, |outlet| outlet == "out").await.lane("in", 0);
    let failure = lane.run(&[Record::new(0, "").key("outlet-other")]).await.unwrap_err();
    assert_eq!(failure.why, "emit 0 goes to outlet \"other\", which this conversation does not bind");
}

#[tokio::test]
async fn blame_beyond_the_batch_is_no_blame() {
    let failure = lane().await.run(&[Record::new(0, "").key("fail-at-99")]).await.unwrap_err();
    assert_eq!((failure.record, failure.why.as_str()), (None, "beyond the batch"));
}
