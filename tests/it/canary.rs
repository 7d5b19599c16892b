//! Users' data never reaches a log, whatever goes wrong: a secret in every part of every record, looked for in all that
//! is written to standard error, as text and as JSON.

use streamlet_tests::program::{Program, Ran};

use crate::run;

const CANARY: &str = "s3cr3t-canary";

/// Runs a guest over this input both ways and looks for the secret.
#[track_caller]
fn check(program: impl Fn() -> Program, input: &str, words: &str) -> Ran {
    assert!(input.contains(CANARY));
    for format in ["text", "json"] {
        let ran = program().args(&["--log-format", format, "--log", "trace"]).input(input).run();
        assert_ne!(ran.code, Some(0), "something goes wrong");
        assert!(ran.stderr.contains(words), "{words:?} is not in\n{}", ran.stderr);
        assert!(!ran.stderr.contains("canary"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("s3cr3t"), "{}", ran.stderr);
    }
    program().input(input).run()
}

/// An envelope with the secret everywhere, told what to do by a header.
fn secret(word: &str) -> String {
    format!(
        "{{\"key\":\"{CANARY}\",\"value\":\"{{\\\"{CANARY}\\\":\\\"{CANARY}\\\",\\\"total\\\":\\\"{CANARY}\\\"}}\",\
         \"headers\":[{{\"key\":\"do\",\"value\":\"{word}\"}},{{\"key\":\"token\",\"value\":\"{CANARY}\"}}]}}\n"
    )
}

#[test]
fn what_the_guest_does_wrong_tells_no_data() {
    let faulty = || run("faulty").args(&["--envelope", "--guest-memory", "32 MiB", "--batch-deadline", "500 ms"]);
    let cases = [
        ("fail", "the record said fail"),
        ("json", "value is not the JSON expected"),
        ("json-serde", "JSON and the type do not fit"),
        ("number", "invalid digit"),
        ("panic", "the record said panic"),
        ("panic-unwrap", "called `Result::unwrap()`"),
        ("panic-index", "index out of bounds"),
        ("abort", "unreachable"),
        ("exit", "it exited instead of returning"),
        ("loop", "--batch-deadline"),
        ("allocate", "--guest-memory"),
        ("large-at-once", "--guest-memory"),
        ("recurse", "stack"),
    ];
    for (word, words) in cases {
        check(faulty, &secret(word), words);
    }
}

#[test]
fn what_breaks_the_contract_tells_no_data() {
    let raw = || run("raw").args(&["--envelope", "--set", "label=l"]);
    for rule in ["outlet-undeclared", "value-out-of-range", "header-name-not-text", "source-none-key", "flush-bad"] {
        let input = format!(
            "{{\"key\":\"{rule}\",\"value\":\"{CANARY}\",\"headers\":[{{\"key\":\"{CANARY}\",\"value\":\"{CANARY}\"}}]}}\n"
        );
        check(raw, &input, "the streamlet broke its contract with the host");
    }
}

#[test]
fn what_is_no_input_tells_no_data() {
    let cart_router = || run("cart-router");
    check(cart_router, &format!("{{\"total\":\"{CANARY}\"}}"), "invalid type: string, expected i64 at total");
    check(cart_router, &format!("{{\"{CANARY}\":{{\"total\":1}}}}"), "missing field `total`");
    check(cart_router, CANARY, "value is not the JSON expected");
    let envelopes = || run("faulty").args(&["--envelope"]);
    for line in [
        CANARY.to_owned(),
        format!("{{\"{CANARY}\":1,\"value\":\"\"}}"),
        format!("{{\"value\":[\"{CANARY}\"]}}"),
        format!("{{\"value_base64\":\"{CANARY}\"}}"),
        format!("{{\"value\":\"\",\"headers\":[\"{CANARY}\"]}}"),
    ] {
        check(envelopes, &line, "-:1: the line is no envelope");
    }
    let keys = || run("faulty").args(&["--key-field", "id"]);
    for line in [CANARY.to_owned(), format!("\"{CANARY}\""), format!("{{\"id\":[\"{CANARY}\"]}}")] {
        check(keys, &line, "-:1: the line gives no key");
    }
}

#[test]
fn a_run_that_goes_well_emits_the_data_and_logs_none() {
    for format in ["text", "json"] {
        let program = run("faulty").args(&["--envelope", "--log-format", format, "--log", "trace"]);
        let ran = program.input(secret("print")).run();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.stdout.matches(CANARY).count(), 5, "key, value and header come out whole: {}", ran.stdout);
        assert!(!ran.stderr.contains("s3cr3t") && ran.stderr.contains("a line of stdout"), "{}", ran.stderr);
    }
}
