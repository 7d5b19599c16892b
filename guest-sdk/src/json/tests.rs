//! What a decoding error says, and that it never quotes the data.

use std::collections::HashMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::decode;

/// Stands in every place of the data that an error could quote.
const CANARY: &str = "s3cr3t";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only decoded")]
struct Order<'a> {
    id: i64,
    #[serde(borrow, default)]
    name: Option<&'a str>,
    #[serde(default)]
    cart: Cart,
    #[serde(default)]
    prices: HashMap<String, Item>,
    #[serde(default)]
    by_number: HashMap<u8, i64>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    shape: Option<Shape>,
    #[serde(default)]
    payment: Option<Payment>,
    #[serde(default)]
    point: Option<(i64, i64)>,
    #[serde(default)]
    wrapped: Option<Wrapped>,
    #[serde(default)]
    strict: Option<Strict>,
    #[serde(default)]
    flag: Option<bool>,
    #[serde(default)]
    letter: Option<char>,
    #[serde(default)]
    nothing: (),
    #[serde(default)]
    small: u8,
}

#[derive(Debug, Default, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Cart {
    items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Item {
    total: i64,
    #[serde(default)]
    rate: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only decoded")]
enum Kind {
    Plain,
    Gift(Item),
    Set { left: Item },
    Pair(i64, i64),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only decoded")]
enum Shape {
    Round { radius: i64 },
    Square { side: i64 },
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
#[expect(dead_code, reason = "only decoded")]
enum Payment {
    Card { number: i64 },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "only decoded")]
struct Wrapped(Item);

/// A type whose own error quotes what it refuses.
#[derive(Debug)]
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Err(D::Error::custom(format!("invalid type: string, expected anything but {text}")))
    }
}

#[track_caller]
fn check(json: &str, expect: &str) {
    let error = decode::<Order<'_>>(Some(json.as_bytes())).unwrap_err();
    assert!(!error.contains(CANARY), "{error}");
    assert_eq!(error.strip_prefix(super::PREFIX), Some(expect));
}

#[test]
fn what_is_wrong_where_and_never_the_data() {
    check(r#"{"id":"s3cr3t"}"#, "invalid type: string, expected i64 at id, line 1 column 14");
    check(r#"{"id":1.25}"#, "invalid type: floating point number, expected i64 at id, line 1 column 10");
    check(r#"{"id":null}"#, "invalid type: null, expected i64 at id, line 1 column 10");
    check(r#"{"id":true}"#, "invalid type: boolean, expected i64 at id, line 1 column 10");
    check(r#"{"id":["s3cr3t"]}"#, "invalid type: array, expected i64 at id, line 1 column 6");
    check(r#"{"id":{"s3cr3t":1}}"#, "invalid type: object, expected i64 at id, line 1 column 6");
    check(r#""s3cr3t""#, "invalid type: string, expected struct Order at line 1 column 8");
    check("{}", "missing field `id` at line 1 column 2");
    check(r#"{"id":1,"id":2}"#, "duplicate field `id` at line 1 column 12");
    check(r#"{"id":1,"small":7654321}"#, "invalid value: integer, expected u8 at small, line 1 column 23");
    check(r#"{"id":1,"name":7654321}"#, "invalid type: integer, expected a borrowed string at name, line 1 column 22");
    check(r#"{"id":1,"flag":"s3cr3t"}"#, "invalid type: string, expected a boolean at flag, line 1 column 23");
    check(r#"{"id":1,"letter":"s3cr3t"}"#, "invalid value: string, expected a character at letter, line 1 column 25");
    check(r#"{"id":1,"nothing":"s3cr3t"}"#, "invalid type: string, expected unit at nothing, line 1 column 26");
    check(r#"{"id":1,"strict":"s3cr3t"}"#, "rejected by the type's own rules at strict, line 1 column 26");
}

#[test]
fn nested_places() {
    check(
        "{\"id\":1,\n \"cart\":{\"items\":[{\"total\":1},{\"x\":[{},\"s3\\\"cr3t]\"],\"total\":2},{\"total\":\"s3cr3t\"}]}}",
        "invalid type: string, expected i64 at cart.items[2].total, line 2 column 80",
    );
    check(
        r#"{"id":1,"prices":{"s3cr3t":{"total":1},"s3cr3t2":{"rate":"s3cr3t"}}}"#,
        "invalid type: string, expected f64 at prices.*.rate, line 1 column 65",
    );
    check(
        r#"{"id":1,"by_number":{"7":1,"8":"s3cr3t"}}"#,
        "invalid type: string, expected i64 at by_number.*, line 1 column 39",
    );
    check(r#"{"id":1,"by_number":{"300":1}}"#, "invalid value: integer, expected u8 at by_number.*, line 1 column 25");
    check(r#"{"id":1,"point":[1]}"#, "invalid length, expected a tuple of size 2 at point, line 1 column 19");
    check(
        r#"{"id":1,"wrapped":{"total":"s3cr3t"}}"#,
        "invalid type: string, expected i64 at wrapped.total, line 1 column 35",
    );
}

#[test]
fn names_that_only_the_data_knows() {
    let fields = "`id` or `name` or `cart` or `prices` or `by_number` or `kind` or `shape` or `payment` or `point` or \
                  `wrapped` or `strict` or `flag` or `letter` or `nothing` or `small`";
    check(r#"{"id":1,"s3cr3t":2}"#, &format!("unknown field, expected {fields} at line 1 column 16"));
    let variants = "expected `plain` or `gift` or `set` or `pair`";
    check(r#"{"id":1,"kind":"s3cr3t"}"#, &format!("unknown variant, {variants} at kind, line 1 column 23"));
    check(r#"{"id":1,"kind":{"s3cr3t":1}}"#, &format!("unknown variant, {variants} at kind, line 1 column 24"));
    check(
        r#"{"id":1,"kind":{"gift":{"total":"s3cr3t"}}}"#,
        "invalid type: string, expected i64 at kind.gift.total, line 1 column 40",
    );
    check(
        r#"{"id":1,"kind":{"set":{"left":{"total":"s3cr3t"}}}}"#,
        "invalid type: string, expected i64 at kind.set.left.total, line 1 column 47",
    );
    check(
        r#"{"id":1,"kind":{"pair":[1,"s3cr3t"]}}"#,
        "invalid type: string, expected i64 at kind.pair[1], line 1 column 34",
    );
    check(
        r#"{"id":1,"kind":"gift"}"#,
        "invalid type: enum variant, expected newtype variant at kind, line 1 column 22",
    );
    check(r#"{"id":1,"shape":{"s3cr3t":1}}"#, "rejected by the type's own rules at shape, line 1 column 29");
    check(r#"{"id":1,"payment":{"type":"s3cr3t"}}"#, "unknown variant, expected `Card` at payment.*, line 1 column 34");
    check(
        r#"{"id":1,"payment":{"type":"Card","number":"s3cr3t"}}"#,
        "invalid type: string, expected i64 at payment, line 1 column 52",
    );
}

#[test]
fn what_is_no_json() {
    check(r#"{"id":1,"name":"s3cr3t"#, "EOF while parsing a string at line 1 column 22");
    check(r#"{"id":s3cr3t}"#, "expected value at line 1 column 7");
    check("s3cr3t", "expected value at line 1 column 1");
    check(r#"{"id":1} s3cr3t"#, "trailing characters at line 1 column 10");
    check("", "it is empty (over gRPC a tombstone arrives so)");
    let null = decode::<i64>(None).unwrap_err();
    assert_eq!(null, "value is not the JSON expected: it is null (a tombstone)");
}

#[test]
fn borrowed_text_is_followed_as_the_first_reading_borrows_it() {
    let json = br#"{"id":1,"name":"plain","cart":{"items":"s3cr3t"}}"#;
    let error = decode::<Order<'_>>(Some(json)).unwrap_err();
    assert_eq!(
        error,
        format!("{}invalid type: string, expected a sequence at cart.items, line 1 column 47", super::PREFIX)
    );
    let escaped = r#"{"id":1,"name":"s3cr3t\n"}"#;
    check(escaped, "invalid type: string, expected a borrowed string at name, line 1 column 25");
    assert_eq!(decode::<Order<'_>>(Some(br#"{"id":1,"name":"plain"}"#)).unwrap().name, Some("plain"));
}

/// Replaces the `n`th value of a document, counted from the root; the count that is left if it has fewer.
fn replace(value: &mut serde_json::Value, n: usize, with: &serde_json::Value) -> Option<usize> {
    if n == 0 {
        *value = with.clone();
        return None;
    }
    let children: Vec<&mut serde_json::Value> = match value {
        serde_json::Value::Array(items) => items.iter_mut().collect(),
        serde_json::Value::Object(members) => members.values_mut().collect(),
        _ => Vec::new(),
    };
    children.into_iter().try_fold(n - 1, |left, child| replace(child, left, with))
}

#[test]
fn a_secret_in_any_place_stays_there() {
    let whole = serde_json::json!({
        "id": 1, "name": "n", "cart": {"items": [{"total": 1}, {"total": 2, "rate": 1.5}]},
        "prices": {"a": {"total": 1}}, "by_number": {"7": 1}, "kind": {"set": {"left": {"total": 1}}},
        "shape": {"radius": 1}, "payment": {"type": "Card", "number": 1}, "point": [1, 2], "wrapped": {"total": 1},
        "flag": true, "letter": "x", "nothing": null, "small": 1,
    });
    assert!(decode::<Order<'_>>(Some(whole.to_string().as_bytes())).is_ok());
    let mut refused = 0;
    for with in [
        serde_json::json!(CANARY),
        serde_json::json!([CANARY]),
        serde_json::json!({CANARY: CANARY}),
        serde_json::json!({CANARY: {"total": CANARY}, "total": [CANARY]}),
    ] {
        for n in 0.. {
            let mut document = whole.clone();
            if replace(&mut document, n, &with).is_some() {
                break;
            }
            if let Err(error) = decode::<Order<'_>>(Some(document.to_string().as_bytes())) {
                assert!(!error.contains(CANARY), "{error}");
                assert!(!error.contains("shape expected"), "the second reading has lost its way in {document}");
                refused += 1;
            }
        }
    }
    assert!(refused > 80, "only {refused}");
}
