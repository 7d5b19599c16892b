//! The streamlet under the platform's rules, natively.

use serde_json::{Value, json};
use streamlet::testing::{self, Harness, Outcome, Record, hash_partitioner};

use crate::order_lines::OrderLines;

/// An order of so many lines, each of which costs 150 cents twice.
fn order(id: &str, lines: usize) -> Record {
    let line = json!({"sku": "mug", "quantity": 2, "cents": 150});
    Record::new(json!({"id": id, "lines": vec![line; lines]}).to_string()).key(id)
}

fn run(records: impl IntoIterator<Item = Record>) -> Outcome {
    Harness::<OrderLines>::new().set("bundle-lines", 3).put_all("orders", records).run()
}

/// The orders of each bundle's lines.
fn bundles(outcome: &Outcome) -> Vec<String> {
    let orders = |bundle: &Record| {
        let lines = bundle.json::<Vec<Value>>();
        lines.iter().map(|line| line["order"].as_str().unwrap().to_owned()).collect::<String>()
    };
    outcome.records("priced").iter().map(orders).collect()
}

#[test]
fn lines_are_priced() {
    let outcome = run([order("a", 1)]);
    assert_eq!(outcome.records("priced"), [Record::new(r#"[{"order":"a","sku":"mug","cents":300}]"#)]);
    let most = json!({"id": "\u{e9}\n", "lines": [{"sku": "\"", "quantity": u32::MAX, "cents": u32::MAX}]});
    let outcome = run([Record::new(most.to_string())]);
    let [bundle] = outcome.records("priced") else { panic!("one bundle") };
    assert_eq!(
        bundle.json::<Value>(),
        json!([{"order": "\u{e9}\n", "sku": "\"", "cents": u64::from(u32::MAX).pow(2)}])
    );
}

#[test]
fn a_bundle_has_lines_of_several_orders_and_ends_with_its_batch() {
    assert_eq!(bundles(&run([order("a", 2), order("b", 0), order("c", 5), order("d", 1)])), ["aac", "ccc", "cd"]);
    let batches = Harness::<OrderLines>::new().max_records(1).put_all("orders", [order("a", 2), order("b", 1)]).run();
    assert_eq!(bundles(&batches), ["aa", "b"]);
}

#[test]
fn a_large_order_is_many_bundles() {
    let outcome = run([order("a", 10_000)]);
    assert_eq!(outcome.records("priced").len(), 3_334);
    assert_eq!(bundles(&outcome).concat().len(), 10_000);
}

#[test]
fn what_is_no_order_goes_aside_and_the_stream_goes_on() {
    let none = r#"{"id":"x","lines":[{"sku":"mug","quantity":0,"cents":1}]}"#;
    let malformed =
        [Record::new("no order").key("k"), Record::new(r#"{"id":"x"}"#).header("a", "b"), Record::new(none)];
    let outcome = run([vec![order("a", 1)], malformed.to_vec(), vec![order("b", 1)]].concat());
    let why = [
        "value is not the JSON expected: expected ident at line 1 column 2",
        "value is not the JSON expected: missing field `lines` at line 1 column 10",
        "a line has the quantity 0",
    ];
    let aside = malformed.into_iter().zip(why).map(|(record, why)| record.header("streamlet-error", why));
    assert_eq!(outcome.records("rejected"), aside.collect::<Vec<_>>());
    assert_eq!(bundles(&outcome), ["ab"]);
    assert!(outcome.failures().is_empty());
}

#[test]
fn deleted_and_cancelled_orders_are_skipped() {
    let cancelled = Record::new(r#"{"id":"c","cancelled":true,"lines":[{"sku":"mug","quantity":1,"cents":1}]}"#);
    let outcome = run([Record::tombstone("a"), Record::new("").key("b"), cancelled.clone()]);
    assert_eq!(outcome.skipped(), [Record::tombstone("a"), Record::new("").key("b"), cancelled]);
    assert!(outcome.records("rejected").is_empty() && outcome.failures().is_empty());
}

#[test]
fn a_bundle_of_no_lines_is_refused() {
    for lines in [0, -1] {
        let outcome = Harness::<OrderLines>::new().set("bundle-lines", lines).put("orders", order("a", 1)).run();
        let [failure] = outcome.failures() else { panic!("one batch fails") };
        assert_eq!(failure.message, r#"parameter "bundle-lines" must be at least 1"#);
    }
}

#[test]
fn the_events_beside_this_crate_have_something_of_everything() {
    let events = include_str!("../events.ndjson").lines().map(Record::new);
    let outcome = Harness::<OrderLines>::new().partitions(hash_partitioner(3)).put_all("orders", events).run();
    assert!(outcome.failures().is_empty());
    assert_eq!((bundles(&outcome).len(), outcome.records("rejected").len()), (3, 3), "a bundle of each partition");
}

#[test]
fn the_descriptor_file_is_up_to_date() {
    testing::check_descriptor::<OrderLines>("flow/descriptor.json");
}
