//! What the descriptor's reader takes and refuses.

use streamlet_protocol::{Descriptor, ParameterType, json};

fn read(text: &str) -> Descriptor {
    json::from_json(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The text is refused with this message, after its common beginning.
fn refuse(bytes: impl AsRef<[u8]>, expect: &str) {
    let error = json::from_json(bytes).unwrap_err().to_string();
    assert_eq!(error.strip_prefix("cannot read the descriptor").unwrap(), expect);
}

#[test]
fn takes_what_means_the_same_message() {
    let plain = read(
        r#"{"protocol_version":"1.0","streamlet":{"name":"a","config_parameters":[{"key":"k","type":"MEMORY_SIZE","default_value":"1"}],
        "inlets":[{"name":"in","contract":{"schema_name":"s"}}]}}"#,
    );
    let camel = read(
        r#" {"streamlet" : {"configParameters":[{"defaultValue":"\u0031","key":"k","type":5,"description":null}],
        "inlets":[{"contract":{"schemaName":"s","format":""},"name":"in"}],"outlets":[],"name":"\u0061"},
        "sdk":{},"protocolVersion":"1.0"} "#,
    );
    assert_eq!(plain, camel);
    assert_eq!(plain.parameters[0].parameter_type, ParameterType::MemorySize);
}

#[test]
fn null_and_absence_are_the_default() {
    let empty = read("{}");
    assert_eq!(read(r#"{"protocol_version":null,"sdk":null,"streamlet":null}"#), empty);
    let nulls = r#"{"streamlet":{"name":null,"inlets":null,"outlets":null,"config_parameters":null}}"#;
    assert_eq!(read(nulls), empty);
    assert_eq!(json::to_canonical(&empty), "{}\n");
    let bare = read(r#"{"streamlet":{"inlets":[{}],"config_parameters":[{"default_value":"","type":"STRING"}]}}"#);
    assert_eq!(bare.parameters[0].default, None);
    assert_eq!(
        json::to_canonical(&bare),
        "{\n  \"streamlet\": {\n    \"config_parameters\": [\n      {}\n    ],\n    \"inlets\": [\n      {}\n    ]\n  }\n}\n"
    );
}

#[test]
fn order_of_declaration_is_kept() {
    let names = |descriptor: &Descriptor| descriptor.inlets.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
    let read = read(r#"{"streamlet":{"inlets":[{"name":"b"},{"name":"a"}]}}"#);
    assert_eq!(names(&read), ["b", "a"]);
}

#[test]
fn refuses_with_the_path() {
    refuse(r#"{"stream":1}"#, r#": field "stream" is unknown; the fields here are protocol_version, sdk, streamlet"#);
    refuse(
        r#"{"streamlet":{"inlets":[{},{"contract":{"Format":"json"}}]}}"#,
        r#": field "streamlet.inlets[1].contract.Format" is unknown; the fields here are fingerprint, format, schema_name"#,
    );
    refuse(r#"{"sdk":{"name":"a","name":"a"}}"#, r#": field "sdk.name" is there more than once"#);
    refuse(
        r#"{"protocol_version":"1.0","protocolVersion":"1.0"}"#,
        r#": field "protocol_version" is there more than once"#,
    );
    refuse(r#"{"protocol_version":1.0}"#, r#": field "protocol_version" must be a string, and is a JSON number"#);
    refuse(r#"{"streamlet":[]}"#, r#": field "streamlet" must be an object, and is a JSON array"#);
    refuse(r#"{"streamlet":{"inlets":{}}}"#, r#": field "streamlet.inlets" must be an array, and is a JSON object"#);
    refuse(
        r#"{"streamlet":{"outlets":[null]}}"#,
        r#": field "streamlet.outlets[0]" must be an object, and is JSON null"#,
    );
    let typed = |value: &str| format!(r#"{{"streamlet":{{"config_parameters":[{{"type":{value}}}]}}}}"#);
    let listed = "the types are STRING, INTEGER, DOUBLE, BOOLEAN, DURATION, MEMORY_SIZE";
    let path = r#"field "streamlet.config_parameters[0].type""#;
    for (value, written) in [(r#""string""#, "string"), (r#""""#, ""), ("6", "6"), ("99999999999", "99999999999")] {
        refuse(typed(value), &format!(": {path} names the unknown type {written:?}; {listed}"));
    }
    for value in ["-1", "1.0", "[]", "true"] {
        let error = json::from_json(typed(value)).unwrap_err().to_string();
        assert!(error.contains("must be the name of a type"), "{error}");
    }
}

#[test]
fn refuses_what_is_no_json_object() {
    for (text, kind) in
        [("null", "JSON null"), ("[]", "a JSON array"), ("7", "a JSON number"), (r#""{}""#, "a JSON string")]
    {
        refuse(text, &format!(": the document must be an object, and is {kind}"));
    }
    refuse(b"\xef\xbb\xbf{}", ": it begins with a byte order mark; save it as UTF-8 without one");
    refuse(b"{\"sdk\":\"\xff\"}", ": the byte at position 8 is not UTF-8");
    refuse("", " as JSON: EOF while parsing a value at line 1, column 0");
    refuse("{\n  \"sdk\": {},\n}", " as JSON: trailing comma at line 3, column 1");
    refuse("{} {}", " as JSON: trailing characters at line 1, column 4");
    for text in [
        "{",
        "{\"sdk\"}",
        "{'sdk':{}}",
        "{\"sdk\":{\"name\":\"\\ud800\"}}",
        "{\"sdk\":{\"name\":\"\n\"}}",
        "{} // x",
        "\u{a0}{}",
        "{\"a\":1e999}",
    ] {
        let error = json::from_json(text).unwrap_err().to_string();
        assert!(
            error.starts_with("cannot read the descriptor as JSON: ") && error.contains(" at line 1, column ")
                || error.contains(" at line 2, column "),
            "{text}: {error}"
        );
    }
}

#[test]
fn depth_ends_in_an_error() {
    for text in ["[".repeat(1_000_000), "{\"streamlet\":".repeat(100_000)] {
        assert!(json::from_json(text).is_err());
    }
}
