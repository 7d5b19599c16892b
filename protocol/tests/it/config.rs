//! A conversation's configuration, as the platform sends it and as a command line gives it.

use streamlet_protocol::{
    Parameter, ParameterType, ParameterValue,
    parameter::{ConfigProblem, Resolved, resolve_json, resolve_text},
};

use crate::declarations::parameter;

/// One parameter of each type with a default, and a required string.
fn declared() -> Vec<Parameter> {
    use ParameterType::{Boolean, Double, Duration, Integer, MemorySize, Text};
    [
        ("text", Text, "hello", ""),
        ("whole", Integer, "1", ""),
        ("ratio", Double, "0.5", ""),
        ("flag", Boolean, "false", ""),
        ("wait", Duration, "100 ms", ""),
        ("room", MemorySize, "1 MiB", ""),
        ("token", Text, "", ""),
    ]
    .map(parameter)
    .into()
}

fn one(key: &str) -> Vec<Parameter> {
    declared().into_iter().filter(|parameter| parameter.key == key).collect()
}

fn lines(result: Result<Resolved, Vec<ConfigProblem>>) -> Vec<String> {
    result.unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn the_platforms_own_form_resolves() {
    let config =
        r#"{"flag":true,"ratio":1500,"room":"2 MiB","text":"","token":"s","wait":"5s","whole":9007199254740993}"#;
    let resolved = resolve_json(&declared(), config).unwrap();
    let expect = [
        ("text", ParameterValue::Text(String::new())),
        ("whole", ParameterValue::Integer(9_007_199_254_740_993)),
        ("ratio", ParameterValue::Double(1500.0)),
        ("flag", ParameterValue::Boolean(true)),
        ("wait", ParameterValue::DurationNanos(5_000_000_000)),
        ("room", ParameterValue::Bytes(2 << 20)),
        ("token", ParameterValue::Text("s".to_owned())),
    ];
    assert_eq!(resolved.values, expect.map(|(key, value)| (key.to_owned(), value)));
    assert_eq!(resolved.unknown, Vec::<String>::new());
}

#[test]
fn absent_and_null_take_the_default() {
    let mut parameters = declared();
    parameters.pop();
    let defaults = resolve_json(&parameters, "{}").unwrap();
    assert_eq!(resolve_json(&parameters, "").unwrap(), defaults);
    let nulls = r#"{"text":null,"whole":null,"ratio":null,"flag":null,"wait":null,"room":null}"#;
    assert_eq!(resolve_json(&parameters, nulls).unwrap(), defaults);
    assert_eq!(resolve_text(&parameters, &[]).unwrap(), defaults);
    assert_eq!(defaults.values[4], ("wait".to_owned(), ParameterValue::DurationNanos(100_000_000)));
}

/// The JSON value for the parameter `key`: a value, or the one problem's text.
fn check(key: &str, json: &str, expect: Result<ParameterValue, &str>) {
    let result = resolve_json(&one(key), &format!(r#"{{"{key}":{json}}}"#));
    match expect {
        Ok(value) => assert_eq!(result.unwrap().values, [(key.to_owned(), value)], "{json}"),
        Err(text) => assert_eq!(lines(result), [format!("parameter {key:?} is {text}")], "{json}"),
    }
}

#[test]
fn each_type_has_its_json() {
    use ParameterValue::{Boolean, Bytes, Double, DurationNanos, Integer, Text};
    for (json, value) in [
        ("0", 0),
        ("-0", 0),
        ("5.0", 5),
        ("1e3", 1000),
        ("-9223372036854775808", i64::MIN),
        ("9223372036854775807", i64::MAX),
        ("9007199254740992.0", 1 << 53),
    ] {
        check("whole", json, Ok(Integer(value)));
    }
    for json in ["1.5", "9223372036854775808", "-9223372036854775809", "1e300", "1e16", "-0.1"] {
        check("whole", json, Err("INTEGER, but is configured as a JSON number that is not a whole number of 64 bits"));
    }
    for (json, value) in [
        ("1", 1.0),
        ("-3", -3.0),
        ("0.1", 0.1),
        ("1e300", 1e300),
        ("18446744073709551616", 18_446_744_073_709_551_616.0),
    ] {
        check("ratio", json, Ok(Double(value)));
    }
    check("flag", "true", Ok(Boolean(true)));
    check("text", r#""\u00e9\n""#, Ok(Text("é\n".to_owned())));
    for (json, value) in
        [("250", 250_000_000), ("1.5", 1_500_000), ("1e3", 1_000_000_000), (r#"" 3 minutes ""#, 180_000_000_000)]
    {
        check("wait", json, Ok(DurationNanos(value)));
    }
    for (json, value) in [("512", 512), ("1.9", 1), (r#""512k""#, 524_288), (r#""10MB""#, 10_000_000)] {
        check("room", json, Ok(Bytes(value)));
    }
}

#[test]
fn another_json_kind_is_named_and_never_shown() {
    check("text", "7", Err("STRING, but is configured as a JSON number"));
    check("whole", r#""7""#, Err("INTEGER, but is configured as a JSON string"));
    check("whole", "true", Err("INTEGER, but is configured as a JSON boolean"));
    check("ratio", r#""0.5""#, Err("DOUBLE, but is configured as a JSON string"));
    check("flag", r#""true""#, Err("BOOLEAN, but is configured as a JSON string"));
    check("flag", "1", Err("BOOLEAN, but is configured as a JSON number"));
    check("wait", "[1]", Err("DURATION, but is configured as a JSON array"));
    check("room", "{}", Err("MEMORY_SIZE, but is configured as a JSON object"));
    let duration = r#"that is not a duration, such as "100 ms" or "1.5 s", of less than 2^64 nanoseconds"#;
    check("wait", r#""hunter2""#, Err(&format!("DURATION, but is configured as a JSON string {duration}")));
    check("wait", "-1", Err(&format!("DURATION, but is configured as a JSON number {duration}")));
    check("wait", "1e300", Err(&format!("DURATION, but is configured as a JSON number {duration}")));
    let size = r#"that is not a memory size, such as "512k" or "1 MiB", of less than 2^64 bytes"#;
    check("room", r#""lots""#, Err(&format!("MEMORY_SIZE, but is configured as a JSON string {size}")));
}

#[test]
fn every_problem_comes_at_once() {
    let config = r#"{"whole":"x","flag":0,"wait":"hunter2","flag":true,"stray":{"a":[1]},"stray":1}"#;
    let found = lines(resolve_json(&declared(), config));
    assert_eq!(found.len(), 5, "{found:#?}");
    assert_eq!(found[0], r#"parameter "flag" is configured more than once"#);
    assert_eq!(
        found[4],
        r#"parameter "token" (STRING) is required and has no value: configure it, or declare a default"#
    );
    assert!(!found.concat().contains("hunter2"));
}

#[test]
fn undeclared_keys_are_told_apart_from_problems() {
    let resolved = resolve_json(&one("whole"), r#"{"b":1,"whole":2,"a":null,"b":2}"#).unwrap();
    assert_eq!(resolved.unknown, ["b", "a"]);
    assert_eq!(resolved.values.len(), 1);
}

#[test]
fn a_configuration_is_an_object() {
    for (config, expect) in [
        ("[]", "the configuration is a JSON array, and must be a JSON object"),
        ("null", "the configuration is JSON null, and must be a JSON object"),
        (" ", "cannot read the configuration as JSON: EOF while parsing a value at line 1, column 1"),
        ("{\"whole\":}", "cannot read the configuration as JSON: expected value at line 1, column 10"),
        ("{} x", "cannot read the configuration as JSON: trailing characters at line 1, column 4"),
    ] {
        assert_eq!(lines(resolve_json(&declared(), config)), [expect]);
    }
}

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn settings_are_read_as_their_types() {
    let settings = set(&[
        ("token", ""),
        ("whole", "7"),
        ("ratio", "1e-3"),
        ("flag", "true"),
        ("wait", "2 h"),
        ("room", "1k"),
        ("whole", "8"),
    ]);
    let values: Vec<_> =
        resolve_text(&declared(), &settings).unwrap().values.into_iter().map(|(_, value)| value).collect();
    let expect = [
        ParameterValue::Text("hello".to_owned()),
        ParameterValue::Integer(8),
        ParameterValue::Double(1e-3),
        ParameterValue::Boolean(true),
        ParameterValue::DurationNanos(7_200_000_000_000),
        ParameterValue::Bytes(1024),
        ParameterValue::Text(String::new()),
    ];
    assert_eq!(values, expect);
}

#[test]
fn settings_report_every_problem_and_the_nearest_key() {
    let settings = set(&[("tokn", "x"), ("zebra", "x"), ("whole", "many"), ("wait", "5 parsecs")]);
    assert_eq!(
        lines(resolve_text(&declared(), &settings)),
        [
            r#"parameter "tokn" is not declared: did you mean "token"?"#,
            r#"parameter "zebra" is not declared"#,
            concat!(
                r#"parameter "whole" cannot be set: cannot read "many" as INTEGER: it is a whole number "#,
                "from -9223372036854775808 to 9223372036854775807",
            ),
            concat!(
                r#"parameter "wait" cannot be set: cannot read "5 parsecs" as DURATION, such as "100 ms" or "1.5 s": "#,
                r#"its unit "parsecs" is not one of ns, us, ms, s, m, h, d or their long names"#,
            ),
            r#"parameter "token" (STRING) is required and has no value: configure it, or declare a default"#,
        ]
    );
    assert_eq!(lines(resolve_text(&[], &set(&[("a", "b")]))), [r#"parameter "a" is not declared"#]);
}

#[test]
fn a_default_of_another_type_is_the_declarations_fault() {
    let broken = parameter(("whole", ParameterType::Integer, "x", ""));
    let found = lines(resolve_json(std::slice::from_ref(&broken), "{}"));
    assert!(found[0].starts_with(r#"the default of parameter "whole" cannot be used: cannot read "x""#), "{found:?}");
    assert!(resolve_json(&[broken], r#"{"whole":1}"#).is_ok());
}
