//! Envelopes: every key, header and value survives, byte for byte, and the output is an input.

use serde_json::{Value, json};
use streamlet_tests::program::Ran;

use super::{envelopes, run};

fn read(input: &str) -> Ran {
    run("faulty").args(&["--envelope", "--quiet"]).input(input).run()
}

/// An envelope comes out as it is, with the outlet and its source's place.
#[track_caller]
fn check(envelope: &Value) {
    let ran = read(&format!("{envelope}\n"));
    let mut expect = envelope.clone();
    let fields = expect.as_object_mut().unwrap();
    for (name, value) in [("outlet", json!("out")), ("partition", json!(0)), ("offset", json!(0))] {
        fields.insert(name.into(), value);
    }
    assert_eq!(envelopes(&ran.stdout), [expect], "{}", ran.stderr);
}

#[test]
fn every_part_survives() {
    check(&json!({"value": "v"}));
    check(&json!({"value": ""}));
    check(&json!({"value": null}));
    check(&json!({"key": "k", "value": "quotes \" \\ \n \u{1} café ☕"}));
    check(&json!({"key": "", "value": "an empty key is a key"}));
    check(&json!({"key_base64": "AP8=", "value_base64": "/w=="}));
    check(&json!({"key": "deleted", "value": null, "headers": [{"key": "h", "value": null}]}));
    check(&json!({"value": "v", "headers": [
        {"key": "twice", "value": "1"}, {"key": "twice", "value": "2"}, {"key": "", "value": ""},
        {"key": "größe", "value_base64": "gICA"},
    ]}));
}

#[test]
fn what_says_nothing_is_not_written() {
    let cases = [
        (json!({"key": null, "headers": [], "value": "v"}), json!({"value": "v"})),
        (json!({"key_base64": "aw==", "value_base64": "dg=="}), json!({"key": "k", "value": "v"})),
        (
            json!({"outlet": "other", "partition": 9, "offset": 77, "timestamp_ms": 1, "value": "v"}),
            json!({"value": "v"}),
        ),
    ];
    for (given, expect) in cases {
        let ran = read(&given.to_string());
        let mut found = envelopes(&ran.stdout);
        let found = found[0].as_object_mut().unwrap();
        assert_eq!(found.remove("outlet"), Some(json!("out")));
        assert_eq!((found.remove("partition"), found.remove("offset")), (Some(json!(0)), Some(json!(0))));
        assert_eq!(Value::Object(found.clone()), expect);
    }
}

#[test]
fn an_emit_without_a_source_has_no_place() {
    let ran = read(r#"{"key":"gone","headers":[{"key":"do","value":"tombstone"}],"value":null}"#);
    assert_eq!(ran.stdout, "{\"outlet\":\"out\",\"key\":\"gone\",\"value\":null}\n");
}

#[test]
fn output_is_input_and_stays_what_it_is() {
    let input = [
        r#"{"value":"plain"}"#,
        r#"{"key":"","value":""}"#,
        r#"{"key_base64":"AAECA/8=","value":null,"headers":[{"key":"a","value":null},{"key":"a","value_base64":"/w=="}]}"#,
        r#"{"value_base64":"AP+AgQ==","headers":[{"key":"","value":"x"}]}"#,
    ];
    let first = read(&input.join("\n"));
    assert_eq!(first.stdout.lines().count(), input.len(), "{}", first.stderr);
    let second = read(&first.stdout);
    assert_eq!(envelopes(&second.stdout), envelopes(&first.stdout));
    let keys = |lines: &str| {
        lines.lines().map(|line| line.split(",\"partition\"").next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&second.stdout), keys(&first.stdout), "byte for byte, up to the place");
}

#[test]
fn a_line_that_is_no_envelope_is_named_and_never_quoted() {
    let check = |line: &str, words: &str| {
        let ran = read(&format!("{{\"value\":\"before\"}}\n\n{line}\n{{\"value\":\"after\"}}\n"));
        assert_eq!(ran.code, Some(2), "{line}");
        let error = ran.stderr.trim_end();
        assert!(error.starts_with("error: -:3: the line is no envelope: "), "{error}");
        assert!(error.contains(words), "{error}");
        assert_eq!(error.matches(words).count(), 1, "said once: {error}");
        assert!(!error.contains("s3cr3t"), "{error}");
        assert_eq!(envelopes(&ran.stdout).len(), 1, "what was read before is processed, what follows is not");
    };
    check("s3cr3t", "it is not JSON at column 1");
    check(r#"{"value":"s3cr3t""#, "it is not JSON at column 17");
    check(r#"{"value":{"s3cr3t":1}}"#, "value is an object, but must be a string: the text of the value");
    check(r#"{"key":"s3cr3t"}"#, "value is missing; a tombstone has \"value\": null");
    check(r#"{"value":"s3cr3t","value_base64":"AA=="}"#, "value is given twice");
    check(r#"{"value_base64":"s3cr3t!"}"#, "value_base64 is not padded base64");
    check(r#"{"value":"v","headers":[{"value":"s3cr3t"}]}"#, "a header's key is missing");
    check(r#"{"value":"v","s3cr3t":1}"#, "column 21 has what an envelope has not");
}
