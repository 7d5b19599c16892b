//! A streamlet that is a composed stream: as Wasm under the host it does what it does natively in the test kit.

use serde_json::{Map, Value, json};
use streamlet::testing::{Harness, Record};
use streamlet_tests::fixtures;
use streamlet_tests::program::Ran;

use self::order_lines::OrderLines;
use super::{assert_well, envelopes, run};

#[path = "../../../examples/order-lines/src/order_lines.rs"]
mod order_lines;

/// An order of so many lines.
fn order(id: &str, lines: usize) -> Record {
    let line = |n: usize| json!({"sku": format!("sku-{n}"), "quantity": n % 7 + 1, "cents": 100 + n});
    Record::new(json!({"id": id, "lines": (0..lines).map(line).collect::<Vec<_>>()}).to_string()).key(id)
}

/// Some of everything: good, malformed, empty, deleted, cancelled and large orders, with keys and headers.
fn orders() -> Vec<Record> {
    vec![
        order("one", 1),
        Record::new("not an order").key("malformed").header("trace", "7").null_header("none"),
        Record::new(""),
        Record::tombstone("deleted"),
        order("none", 0),
        Record::new(r#"{"id":"cut short","lines":[{"sku":"#).key(""),
        Record::new(r#"{"id":"é\u0000\"","lines":[{"sku":"☕","quantity":4294967295,"cents":4294967295}]}"#),
        Record::new(r#"{"id":"cancelled","cancelled":true,"lines":[{"sku":"a","quantity":1,"cents":1}]}"#),
        order("large", 20_000),
        Record::new(r#"{"id":"zero","lines":[{"sku":"a","quantity":0,"cents":1}]}"#),
        Record::new(r#"{"id":"negative","lines":[{"sku":"a","quantity":-1,"cents":1}]}"#),
        order("last", 51),
    ]
}

/// A record as the envelope of an emit of it.
fn envelope(outlet: &str, record: &Record) -> Value {
    let text = |part: &Option<Vec<u8>>| part.as_ref().map(|bytes| str::from_utf8(bytes).unwrap().to_owned());
    let mut fields = Map::from_iter([("outlet".into(), json!(outlet)), ("value".into(), json!(text(&record.value)))]);
    if let Some(key) = text(&record.key) {
        fields.insert("key".into(), key.into());
    }
    if !record.headers.is_empty() {
        let headers = record.headers.iter().map(|(key, value)| json!({"key": key, "value": text(value)}));
        fields.insert("headers".into(), headers.collect());
    }
    Value::Object(fields)
}

/// What the host prints of the emits to an outlet, without their sources' places.
fn emitted(ran: &Ran, outlet: &str) -> Vec<Value> {
    let mut found = envelopes(&ran.stdout);
    found.retain(|envelope| envelope["outlet"] == outlet);
    for envelope in &mut found {
        let fields = envelope.as_object_mut().unwrap();
        fields.remove("partition");
        fields.remove("offset");
    }
    found
}

fn run_as_wasm(records: &[Record], arguments: &[&str]) -> Ran {
    let input = records.iter().map(|record| {
        let mut envelope = envelope("", record);
        envelope.as_object_mut().unwrap().remove("outlet");
        format!("{envelope}\n")
    });
    run("order-lines").args(&["--envelope"]).args(arguments).input(input.collect::<String>()).run()
}

/// All lines of all bundles, wherever one ended.
fn lines<'a>(bundles: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    let lines = |bundle: &Value| serde_json::from_str::<Vec<Value>>(bundle["value"].as_str().unwrap()).unwrap();
    bundles.into_iter().flat_map(lines).collect()
}

#[test]
fn wasm_and_the_test_kit_emit_the_same() {
    let native = Harness::<OrderLines>::new().max_records(1).put_all("orders", orders()).run();
    assert!(native.failures().is_empty());
    let expected = |outlet| native.records(outlet).iter().map(|record| envelope(outlet, record)).collect::<Vec<_>>();
    let (priced, rejected) = (expected("priced"), expected("rejected"));
    assert_eq!((priced.len(), rejected.len()), (1 + 1 + 400 + 2, 4));

    // A batch is a record: bundles too are the same, byte for byte.
    let ran = run_as_wasm(&orders(), &["--max-records", "1"]);
    assert_eq!((emitted(&ran, "priced"), emitted(&ran, "rejected")), (priced.clone(), rejected.clone()));
    assert_well(&ran, "12 records in 12 batches: 408 emits (priced 404, rejected 4), 8 skipped, 0 batches failed");

    // Batches are what came meanwhile: a bundle goes over records, and its lines stay what they are.
    let ran = run_as_wasm(&orders(), &[]);
    assert_eq!((ran.code, emitted(&ran, "rejected")), (Some(0), rejected));
    assert_eq!(lines(&emitted(&ran, "priced")), lines(&priced));
}

#[test]
fn more_than_the_buffer_holds_arrives_in_order() {
    // Some 5 MiB of emits, over the 1 MiB at which the SDK hands over a part.
    let large = [order("a", 60_000), order("b", 40_000)];
    let ran = run_as_wasm(&large, &[]);
    let emitted = lines(&emitted(&ran, "priced"));
    assert_eq!((ran.code, emitted.len()), (Some(0), 100_000), "{}", ran.stderr);
    let mut skus = emitted.iter().map(|line| line["sku"].as_str().unwrap().to_owned());
    assert!((0..60_000).chain(0..40_000).all(|n| skus.next() == Some(format!("sku-{n}"))));
}

#[test]
fn the_example_s_events_run_by_their_lines() {
    let events = fixtures::repository().join("examples/order-lines/events.ndjson");
    let ran = run("order-lines").args(&["--input"]).arg(events).run();
    assert_eq!((ran.code, emitted(&ran, "rejected").len()), (Some(0), 3), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("30 records in "), "{}", ran.stderr);
}

#[test]
fn a_bundle_of_no_lines_fails_by_name() {
    let ran = run_as_wasm(&[order("a", 1)], &["--set", "bundle-lines=0"]);
    assert_ne!(ran.code, Some(0));
    assert!(ran.stderr.contains(r#"parameter "bundle-lines" must be at least 1"#), "{}", ran.stderr);
}

#[test]
fn a_failure_names_its_record_as_a_loop_s_does() {
    let said = |way: &str| {
        let input = format!("double-by-{way} 0\nnumber 2\nnumber four\nnumber 6\n");
        let ran = run("talkback-bench").args(&["--max-records", "4"]).input(input).run();
        let line = ran.stderr.lines().find(|line| line.contains("at offset")).unwrap_or_default().to_owned();
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        line
    };
    let by_loop = said("loop");
    assert!(by_loop.contains("at offset 2 ") && by_loop.contains("invalid digit"), "{by_loop}");
    assert_eq!(said("stream"), by_loop);
}
