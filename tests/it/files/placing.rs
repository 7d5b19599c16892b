//! Keys and partitions: records go where Kafka's Java client would put them, and each partition keeps its order.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{envelopes, run};

/// Murmur2 of Kafka's Java client, from its published test vectors: the key, its hash without the sign, modulo 7.
const PLACED: [(&str, u32); 4] = [
    ("21", 1_173_551_340),
    ("foobar", 1_357_151_166),
    ("abc", 479_470_107),
    ("a-little-bit-long-string", 1_161_502_112),
];

#[test]
fn a_field_gives_the_key_and_the_key_the_partition() {
    let lines = PLACED.map(|(key, _)| format!("{{\"id\":\"{key}\"}}\n")).concat();
    let ran = run("faulty").args(&["--key-field", "id", "--partitions", "7"]).input(lines).run();
    let placed = envelopes(&ran.stdout).iter().map(|e| (e["key"].clone(), e["partition"].clone())).collect::<Vec<_>>();
    for (key, hash) in PLACED {
        assert!(placed.contains(&(json!(key), json!(hash % 7))), "{key} belongs in {}: {placed:?}", hash % 7);
    }
}

#[test]
fn a_key_is_any_scalar_and_may_be_missing() {
    let check = |line: &str, key: Value| {
        let ran = run("faulty").args(&["--key-field", "id"]).input(line).run();
        assert_eq!(envelopes(&ran.stdout)[0]["key"], key, "{line}: {}", ran.stderr);
        assert_eq!(envelopes(&ran.stdout)[0]["value"], json!(line));
    };
    check(r#"{"id":"c1"}"#, json!("c1"));
    check(r#"{"total":1,"id":17}"#, json!("17"));
    check(r#"{"id":true}"#, json!("true"));
    check(r#"{"id":1.50}"#, json!("1.50"));
    check(r#"{"id":1e2}"#, json!("1e2"));
    check(r#"{"id":123456789012345678901}"#, json!("123456789012345678901"));
    check(r#"{"id":""}"#, json!(""));
    check(r#"{"id":null}"#, Value::Null);
    check(r#"{"other":{"id":1}}"#, Value::Null);
}

#[test]
fn a_line_that_gives_no_key_is_named_and_never_quoted() {
    let check = |line: &str, words: &str| {
        let ran = run("faulty").args(&["--key-field", "id", "--quiet"]).input(format!("{{}}\n{line}\n")).run();
        assert_eq!(
            (ran.code, ran.stderr),
            (Some(2), format!("error: -:2: the line gives no key: {words}\n")),
            "{line}"
        );
    };
    check("s3cr3t", "it is not JSON at column 1");
    check(r#"["s3cr3t"]"#, "it is not a JSON object");
    check(r#"{"id":["s3cr3t"]}"#, "the key field is an array or an object; a key is a string, a number or a boolean");
}

#[test]
fn records_without_a_key_take_turns_and_offsets_count_per_partition() {
    let ran = run("faulty").args(&["--partitions", "3"]).input("a\nb\nc\nd\ne\n").run();
    let mut places = BTreeMap::new();
    for envelope in envelopes(&ran.stdout) {
        places.insert(
            envelope["value"].as_str().unwrap().to_owned(),
            (envelope["partition"].clone(), envelope["offset"].clone()),
        );
    }
    let expect = [("a", 0, 0), ("b", 1, 0), ("c", 2, 0), ("d", 0, 1), ("e", 1, 1)];
    assert_eq!(places, expect.map(|(v, p, o)| (v.to_owned(), (json!(p), json!(o)))).into());
}

#[test]
fn each_partition_keeps_its_order() {
    let lines = (0..5000).map(|n| format!("{{\"id\":\"key-{}\",\"n\":{n}}}\n", n % 97)).collect::<Vec<_>>();
    let lines = lines.concat();
    let ran = run("faulty").args(&["--key-field", "id", "--partitions", "64", "--max-records", "7"]).input(lines).run();
    let mut last = BTreeMap::<i64, (i64, i64)>::new();
    let all = envelopes(&ran.stdout);
    assert_eq!(all.len(), 5000);
    for envelope in all {
        let record = serde_json::from_str::<Value>(envelope["value"].as_str().unwrap()).unwrap();
        let (n, offset) = (record["n"].as_i64().unwrap(), envelope["offset"].as_i64().unwrap());
        let (last_n, last_offset) =
            last.insert(envelope["partition"].as_i64().unwrap(), (n, offset)).unwrap_or((-1, -1));
        assert!(
            n > last_n && offset == last_offset + 1,
            "{n} came after {last_n}, offset {offset} after {last_offset}"
        );
    }
    assert!(last.len() > 32, "keys spread over {} partitions", last.len());
}
