//! HOCON by table: texts, and what they resolve to or are refused for.

use proptest::prelude::*;

use super::{DEPTH_MAX, Object, Value, parse};

/// The variables of these tests.
fn environment(name: &str) -> Option<String> {
    match name {
        "NAME" => Some("of the environment".into()),
        "PASSWORD" => Some("s3cret".into()),
        "EMPTY" => Some(String::new()),
        "A.B" => Some("dotted".into()),
        _ => None,
    }
}

/// A value on one line, with every text in quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(values) => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => shown_object(object),
    }
}

fn shown_object(object: &Object) -> String {
    let fields = object.fields.iter().map(|field| format!("{}: {}", field.key, shown(&field.value)));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// `expected` is the document on one line, or its errors, one a line.
#[track_caller]
fn check(text: &str, expected: &str) {
    let found = match parse(text, &environment) {
        Ok(document) => shown_object(&document.root),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn syntax() {
    check("", "{}");
    check("\u{feff}# only a comment", "{}");
    check("{ a = 1 }\n", r#"{a: "1"}"#);
    check("a { max.request.size = 1 }", r#"{a: {max: {request: {size: "1"}}}}"#);
    check(r#"a { "max.request.size" = 1, b."c.d".e : 2 }"#, r#"{a: {max.request.size: "1", b: {c.d: {e: "2"}}}}"#);
    check("# one\na = 1 // two\nb = 2 # three\n// four", r#"{a: "1", b: "2"}"#);
    check("a { b { c = { d = 1 } } }", r#"{a: {b: {c: {d: "1"}}}}"#);
    check("a {}\nb = {}\nc\n{ d = [] }", "{a: {}, b: {}, c: {d: []}}");
    check("a = [1, 2,\n 3\n [4], { b = 5 },]", r#"{a: ["1", "2", "3", ["4"], {b: "5"}]}"#);
    check("a = 5 m\nb = 1 MiB, c = yes and  no # maybe", r#"{a: "5 m", b: "1 MiB", c: "yes and  no"}"#);
    check("a = 1\r\nb = 2\r\n", r#"{a: "1", b: "2"}"#);
    check("a =\n\n  1", r#"{a: "1"}"#);
    check("a = null, b = \"null\", include = 1", r#"{a: null, b: "null", include: "1"}"#);
    check("a b = 1", r#"{a b: "1"}"#);
    check("a = -1.5e3, b = 10.0.0.1, c = /a/b", r#"{a: "-1.5e3", b: "10.0.0.1", c: "/a/b"}"#);
}

#[test]
fn strings() {
    check(r#"a = "x # // \" \\ \/ \n \t \u0041 \ud83d\ude00""#, "{a: \"x # // \\\" \\\\ / \\n \\t A 😀\"}");
    check("a = \"\"\"one\n\"two\" \\n\"\"\"\"", "{a: \"one\\n\\\"two\\\" \\\\n\\\"\"}");
    check("a = \"\"\"\"\"\"", r#"{a: ""}"#);
    check("a = x\"y z\" w", r#"{a: "xy z w"}"#);
}

#[test]
fn merging() {
    check("a { b = 1 }\na { c = 2 }\na.b = 3", r#"{a: {b: "3", c: "2"}}"#);
    check("a = 1, a = 2", r#"{a: "2"}"#);
    check("a { b = 1 }, a = 2, a { c = 3 }", r#"{a: {c: "3"}}"#);
    check("a = [1], a += 2, a += 3, b += 1", r#"{a: ["1", "2", "3"], b: ["1"]}"#);
    check("a { b = 1 } { c = 2 }, d = [1] [2]", r#"{a: {b: "1", c: "2"}, d: ["1", "2"]}"#);
    check("a { x = ${NOPE} }, a { x = 1 }", r#"{a: {x: "1"}}"#);
    check("a { x = ${NOPE} }, a = 2", r#"{a: "2"}"#);
}

#[test]
fn substitutions() {
    check("a = ${NAME}, b = ${?NAME}, c = ${?NOPE}", r#"{a: "of the environment", b: "of the environment"}"#);
    check("a = 1\na = ${?NOPE}\nb = 1\nb = ${?NAME}", r#"{a: "1", b: "of the environment"}"#);
    check("NAME = mine, a = ${NAME}", r#"{NAME: "mine", a: "mine"}"#);
    check("a = ${A.B}, b = ${EMPTY}", r#"{a: "dotted", b: ""}"#);
    check(r#"a = "p=\""${PASSWORD}"\";""#, r#"{a: "p=\"s3cret\";"}"#);
    check("a = ${?NOPE} x ${?NOPE}", r#"{a: " x "}"#);
    check("a = ${?NOPE}${?NOPE}, b = [${?NOPE}, 1]", r#"{b: ["1"]}"#);
    check("x { p = 1, q = 2 }\na = ${x} { q = 3 }\na.r = 4", r#"{x: {p: "1", q: "2"}, a: {p: "1", q: "3", r: "4"}}"#);
    check("a { x = 1, y = ${a.x}, z = ${a.y} }", r#"{a: {x: "1", y: "1", z: "1"}}"#);
    check("a = ${b.c}, b = ${d}, b.c = 2, d { c = 1 }", r#"{a: "2", b: {c: "2"}, d: {c: "1"}}"#);
    check("a = [1], a = ${a} [2]\nb.c = x, b.c = ${b.c}y", r#"{a: ["1", "2"], b: {c: "xy"}}"#);
    check("a = ${\"b.c\"}, \"b.c\" = 1", r#"{a: "1", b.c: "1"}"#);
    check("NAME = ${NAME}", r#"{NAME: "of the environment"}"#);
    check("l = [1], a = ${l} [2]", r#"{l: ["1"], a: ["1", "2"]}"#);
}

#[test]
fn refusals() {
    check(
        "a = 1\n  include \"base.conf\"",
        "line 2, column 3: include is not supported; copy what it includes into this file",
    );
    check(
        "include required(file(\"b\"))",
        "line 1, column 1: include is not supported; copy what it includes into this file",
    );
    check("a {\n b = 1\n", "line 1, column 3: the \"{\" here is never closed; write \"}\" where it ends");
    check("a = [1,\n", "line 1, column 5: the \"[\" here is never closed; write \"]\" where it ends");
    check("a = 1 }", "line 1, column 7: this \"}\" closes nothing; remove it, or open what it should close");
    check("{ a = 1 } b", "line 1, column 11: the document ended with its \"}\"; remove what follows");
    check("[1]", "line 1, column 1: a configuration is an object of keys, not a list");
    check("a = kafka:9092", "line 1, column 10: a value with this character must be in double quotes");
    check("a@b = 1", "line 1, column 2: a key with this character must be in double quotes");
    check(
        "a = \"x\n\"",
        "line 1, column 5: the string that begins here has no closing quotes; close it, or use \"\"\" for one of several lines",
    );
    check(
        r#"a = "x\y""#,
        "line 1, column 7: this is no escape in a string; write \\\\ for a backslash, or use \"\"\" for a string without escapes",
    );
    check("a.b\nc = 1", "line 1, column 1: key \"a.b\" has no value; write = and the value after it");
    check("a =, b = 1", "line 1, column 1: key \"a\" has no value after its separator; write \"\" for an empty one");
    check("a = 1,, b = 2", "line 1, column 7: a key is expected here, as in key = value");
    check("a = [1,,2]", "line 1, column 8: a value is expected here; remove a comma that is too many");
    check(
        "a..b = 1",
        "line 1, column 1: a path has an empty element; remove the dot that is too many, or write \"\" for an empty key",
    );
    check("a = $b", "line 1, column 5: a substitution is ${path} or ${?path}; put a plain $ in double quotes");
    check("a = ${b", "line 1, column 5: a substitution is ${path} or ${?path}; put a plain $ in double quotes");
    check("a = [1] x", "line 1, column 1: a value cannot join a list and a single value; write one of them");
    check("a = 1, a += 2", "line 1, column 8: key \"a\" is no list, so += cannot add to it; write = instead");
}

#[test]
fn every_substitution_that_fails_is_told_at_once() {
    check(
        "a = ${NOPE}\nb { c = ${x.y} }\nd = ${e}, e = ${d}",
        "line 1, column 5: \"${NOPE}\" is defined neither in this file nor in the environment; set it, or write ${?NOPE} to leave the key unset\n\
         line 2, column 9: \"${x.y}\" is defined neither in this file nor in the environment; set it, or write ${?x.y} to leave the key unset\n\
         line 3, column 5: \"${e}\" refers to itself; break the circle\n\
         line 3, column 15: \"${d}\" refers to itself; break the circle",
    );
    check("a = ${?b}, b = ${?a}", "{}");
}

#[test]
fn lines_are_those_of_the_definition_that_counts() {
    let document = parse("a = 1\n\nb {\n  c = 1\n  c = 2 }\nb.c = 3", &environment).unwrap();
    let Value::Object(b) = &document.root.get("b").unwrap().value else { panic!() };
    assert_eq!((document.root.get("a").unwrap().line, b.get("c").unwrap().line), (1, 6));
    assert_eq!(document.referenced.len(), 0);
    let document = parse("x { y = 1 }, a = ${x.y}, b = ${NAME}", &environment).unwrap();
    assert_eq!(document.referenced.into_iter().collect::<Vec<_>>(), ["NAME", "x"]);
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = |open: &str, close: &str, depth: usize| format!("a = {}1{}", open.repeat(depth), close.repeat(depth));
    assert!(parse(&deep("[", "]", DEPTH_MAX - 1), &environment).is_ok());
    let many = deep("[", "]", 100_000);
    for text in
        [deep("[", "]", DEPTH_MAX), many, deep("{b=", "}", 100_000), format!("{} = 1", "a.".repeat(100_000) + "a")]
    {
        let errors = parse(&text, &environment).unwrap_err();
        assert!(errors[0].to_string().ends_with("it nests deeper than 64 levels; flatten it"), "{}", errors[0]);
    }
    let lines = |count: u32, line: &dyn Fn(u32) -> String| {
        (0..count).map(line).chain([format!("a{count} = 1")]).collect::<Vec<_>>().join("\n")
    };
    let chain = lines(1_000, &|at| format!("a{at} = ${{a{}}}", at + 1));
    let errors = parse(&chain, &environment).unwrap_err();
    assert!(errors[0].to_string().ends_with("it nests deeper than 64 levels; flatten it"), "{}", errors[0]);
    let doubling = lines(60, &|at| format!("a{at} = ${{a{0}}}${{a{0}}}", at + 1));
    let errors = parse(&doubling, &environment).unwrap_err();
    assert!(errors.iter().any(|error| error.to_string().contains("larger than")), "{errors:?}");
}

#[test]
fn no_error_and_no_debug_shows_a_value() {
    for text in ["a = hunter2 : x", "a = \"hunter2", "a = [hunter2] x", "a = hunter2, a += 1", "a = \"hunter2\\q\""] {
        let errors = parse(text, &environment).unwrap_err();
        assert!(!format!("{errors:?} {}", errors[0]).contains("hunter2"), "{}", errors[0]);
    }
    assert!(!format!("{:?}", parse("a = [hunter2, { b = hunter2 }]", &environment)).contains("hunter2"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[ab.${}?\\[\\]=:+,\"\\\\#/\n inclue]{0,60}") {
        let _ = parse(&text, &environment);
    }

    #[test]
    fn what_is_written_in_quotes_is_read_back(key in "\\PC{1,8}", value in "\\PC{0,20}") {
        let quoted = |text: &str| serde_json::to_string(text).unwrap();
        let document = parse(&format!("{} = {}", quoted(&key), quoted(&value)), &environment).unwrap();
        prop_assert_eq!(&document.root.get(&key).unwrap().value, &Value::Text(value));
    }
}
