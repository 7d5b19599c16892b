//! `streamlet run` on files and standard input, as a black box.

mod composed;
mod endings;
mod envelopes;
mod outputs;
mod pipes;
mod placing;
mod policies;
mod refusals;
mod streams;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use streamlet_tests::program::Ran;
use tempfile::TempDir;

use crate::run;

/// The envelopes on lines of text, without the time at which each record was read.
#[track_caller]
fn envelopes(lines: &str) -> Vec<Value> {
    let read = lines.lines().map(|line| {
        let mut envelope = serde_json::from_str::<Value>(line).expect("an envelope is JSON on a line");
        envelope.as_object_mut().expect("an envelope is an object").remove("timestamp_ms");
        envelope
    });
    read.collect()
}

/// The values of envelopes, in order.
#[track_caller]
fn values(lines: &str) -> Vec<String> {
    envelopes(lines).iter().map(|envelope| envelope["value"].as_str().expect("a text").to_owned()).collect()
}

/// A scratch directory with these files.
fn scratch(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    directory
}

/// `INLET=DIRECTORY/FILE`, for `--input` and `--output`.
fn at(port: &str, directory: &TempDir, file: &str) -> PathBuf {
    PathBuf::from(format!("{port}={}", directory.path().join(file).display()))
}

/// A run that went well, with its summary as the last line of standard error.
#[track_caller]
fn assert_well(ran: &Ran, summary: &str) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_summary(ran, summary);
}

#[track_caller]
fn assert_summary(ran: &Ran, summary: &str) {
    let last = ran.stderr.lines().last().expect("a summary");
    let (counts, rate) = last.rsplit_once(", ").expect("a rate");
    assert_eq!(counts, summary);
    assert!(rate.strip_suffix(" records/s").is_some_and(|rate| rate.parse::<u64>().is_ok()), "{last}");
}

#[test]
fn every_line_is_a_record() {
    let check = |input: &[u8], expect: &[&str]| {
        let ran = run("faulty").input(input).run();
        assert_eq!(values(&ran.stdout), expect);
        let count = expect.len();
        let records = if count == 1 { "1 record" } else { &format!("{count} records") };
        assert!(ran.stderr.starts_with(&format!("{records} in ")), "{}", ran.stderr);
        assert_eq!(ran.code, Some(0));
    };
    check(b"", &[]);
    check(b"\n \n\t\r\n", &[]);
    check(b"one\ntwo\n", &["one", "two"]);
    check(b"one\r\ntwo\r\n", &["one", "two"]);
    check(b"one\n\n  \ntwo without an end", &["one", "two without an end"]);
    check("  spaces stay \ncafé ☕\n".as_bytes(), &["  spaces stay ", "café ☕"]);
}

#[test]
fn a_cart_goes_where_its_total_says() {
    let ran = run("cart-router")
        .args(&["--set", "review-threshold=10"])
        .input("{\"total\":10}\n{\"total\":11}\n{\"total\":-3}\n")
        .run();
    let outlets = envelopes(&ran.stdout).iter().map(|envelope| envelope["outlet"].clone()).collect::<Vec<_>>();
    assert_eq!(outlets, ["valid", "review", "valid"]);
    assert!(ran.stderr.contains(": 3 emits (valid 2, review 1), 0 skipped, 0 batches failed, "), "{}", ran.stderr);
}

#[test]
fn inputs_of_an_inlet_are_read_one_after_another_and_inlets_at_once() {
    let files = scratch(&[("a", "a1\na2"), ("b", "b1\n"), ("c", ""), ("side", "s1\ns2\n")]);
    let inputs = [at("in", &files, "b"), at("side", &files, "side"), at("in", &files, "c"), at("in", &files, "a")];
    let program = inputs.iter().fold(run("conformance"), |program, input| program.args(&["--input"]).arg(input));
    let ran = program.run();
    let all = values(&ran.stdout);
    let of = |first: &str| all.iter().filter(|value| first.contains(&value[..1])).cloned().collect::<Vec<_>>();
    assert_eq!((of("ab"), of("s")), (vec!["b1".into(), "a1".into(), "a2".into()], vec!["s1".into(), "s2".into()]));
    assert!(ran.stderr.starts_with("5 records in "), "{}", ran.stderr);
}

#[test]
fn one_inlet_may_be_a_file_and_the_other_standard_input() {
    let files = scratch(&[("side", "from the file\n")]);
    let ran = run("conformance")
        .args(&["--input", "in=-", "--input"])
        .arg(at("side", &files, "side"))
        .input("from the pipe\n")
        .run();
    let mut all = values(&ran.stdout);
    all.sort();
    assert_eq!(all, ["from the file", "from the pipe"]);
}

#[test]
fn quiet_runs_print_emits_alone() {
    for program in [run("faulty").args(&["--quiet"]), run("faulty").env("STREAMLET_QUIET", "true")] {
        let ran = program.input("x\n").run();
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert_eq!(values(&ran.stdout), ["x"]);
    }
}

#[test]
fn batches_are_no_larger_than_told() {
    let input = "count\n".repeat(10);
    let ran = run("faulty").args(&["--max-records", "1"]).input(&input).run();
    assert_eq!(values(&ran.stdout), (1..=10).map(|n| n.to_string()).collect::<Vec<_>>());
    assert_well(&ran, "10 records in 10 batches: 10 emits (out 10, other 0), 0 skipped, 0 batches failed");
    // How full a batch is depends on what arrives meanwhile; how full it may be does not.
    let ran = run("faulty").args(&["--max-bytes", "10"]).input(&input).run();
    let seen = values(&ran.stdout);
    assert_eq!(seen.len(), 10);
    for batch in &seen {
        let records = seen.iter().filter(|other| *other == batch).count();
        assert!(records <= 2, "{records} records of 5 bytes in batch {batch}");
    }
}
