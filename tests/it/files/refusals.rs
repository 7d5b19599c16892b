//! What `run` is told and cannot do: exit code 2, before anything is run, in words that help.

use streamlet_tests::{fixtures, guests};

use super::{run, scratch};
use crate::streamlet;

/// A run of `faulty` with these arguments is refused with these words, before it reads anything.
#[track_caller]
fn check(arguments: &[&str], words: &str) {
    let ran = run("faulty").args(arguments).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(words), "{words:?} is not in\n{}", ran.stderr);
}

#[test]
fn names_that_are_not_declared() {
    check(&["--input", "inn=/dev/null"], "error: there is no inlet \"inn\"; did you mean \"in\"? declared: \"in\"\n");
    let outlet = "error: there is no outlet \"othr\"; did you mean \"other\"? declared: \"out\", \"other\"\n";
    check(&["--output", "othr=/dev/null"], outlet);
    check(&["--output", "xyz=/dev/null"], "error: there is no outlet \"xyz\"; declared: \"out\", \"other\"\n");
    check(&["--set", "strat=ok"], "error: --set: parameter \"strat\" is not declared: did you mean \"start\"?\n");
}

#[test]
fn names_that_are_missing() {
    let words =
        "error: \"/dev/null\" needs the name of its outlet, as in out=/dev/null; declared: \"out\", \"other\"\n";
    check(&["--output", "/dev/null"], words);
    let ran = run("conformance").input("x\n").run();
    let words = "error: \"-\" needs the name of its inlet, as in in=-; declared: \"in\", \"side\"\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), words));
}

#[test]
fn things_given_twice() {
    check(
        &["--output", "out=/dev/null", "--output", "out=-"],
        "error: outlet \"out\" is given two outputs; give it one\n",
    );
    check(&["--input", "-", "--input", "in=-"], "error: standard input can be read only once");
}

#[test]
fn parameters() {
    let ran = run("conformance").args(&["--input", "in=-", "--set", "factor=many", "--set", "mdoe=x"]).run();
    assert_eq!(ran.code, Some(2));
    let errors = ran.stderr.lines().collect::<Vec<_>>();
    assert_eq!(errors.len(), 2, "every problem on a line of its own: {}", ran.stderr);
    assert!(errors.contains(&"error: --set: parameter \"mdoe\" is not declared: did you mean \"mode\"?"), "{errors:?}");
    assert!(ran.stderr.contains("parameter \"factor\" cannot be set: cannot read \"many\" as INTEGER"), "{errors:?}");
    let ran = run("raw").run();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .starts_with("error: parameter \"label\" is required and has no value; give it with --set label=VALUE"),
        "{}",
        ran.stderr
    );
}

#[test]
fn inputs_that_are_no_files() {
    let files = scratch(&[]);
    let path = |name: &str| files.path().join(name).display().to_string();
    check(&["--input", &path("missing")], "cannot read input \"");
    check(&["--input", &path("missing")], "missing\": No such file or directory");
    check(&["--input", &path("")], "\" for inlet \"in\": is a directory");
}

#[test]
fn an_input_that_is_not_given_as_one() {
    let ran = run("faulty").args(&["events.ndjson"]).run();
    let words =
        "error: unexpected argument \"events.ndjson\"; an input is given with --input, as in --input events.ndjson\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), words));
    check(
        &["--input", "IN=none"],
        "\"IN=none\": No such file or directory (os error 2); if \"IN\" is meant as an inlet: ",
    );
    let ran = run("faulty").args(&["--input", "./a=b"]).run();
    assert!(!ran.stderr.contains("inlet"), "a path is no name: {}", ran.stderr);
}

/// `--check` takes whatever follows it.
#[test]
fn a_component_given_as_the_file_to_check() {
    for component in [guests::component("cart-router"), fixtures::repository().join("examples/cart-router")] {
        let ran = streamlet().args(&["descriptor", "--check"]).arg(&component).run();
        assert_eq!(ran.code, Some(2));
        let words = format!("as in `streamlet descriptor {} --check`", component.display());
        assert!(ran.stderr.contains(&words), "{}", ran.stderr);
    }
}

/// Told before anything is built.
#[test]
fn a_workspace_is_no_crate() {
    let files = scratch(&[("Cargo.toml", "[workspace]\nmembers = [\"guest\"]\n")]);
    let ran = streamlet().args(&["run"]).arg(files.path()).run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("\" is a workspace and no crate of its own; name the directory of"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "cargo has not run: {}", ran.stderr);
    let ran = streamlet().args(&["run"]).arg(files.path()).args(&["--input", "none"]).run();
    assert!(ran.stderr.contains("cannot read input \"none\""), "inputs come first: {}", ran.stderr);
}

#[test]
fn usage() {
    let ran = streamlet().run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("Usage: streamlet [OPTIONS] <COMMAND>"), "{}", ran.stderr);
    check(&["--nope"], "unexpected argument '--nope'");
    check(&["--set", "novalue"], "a setting is KEY=VALUE");
    check(&["--input", ""], "the file's name is empty");
    check(&["--partitions", "0"], "0 is not in 1..=4096");
    check(&["--max-records", "0"], "--max-records");
    check(&["--max-bytes", "much"], "--max-bytes");
    check(&["--envelope", "--key-field", "id"], "cannot be used with");
    check(&["--log", "=nope="], "cannot read the log filter \"=nope=\" of --log or STREAMLET_LOG");
}

#[test]
fn flags_have_their_twins_in_the_environment() {
    let twin = |name: &str, value: &str, input: &str| run("faulty").env(name, value).input(input).run();
    let ran = twin("STREAMLET_PARTITIONS", "4097", "");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("4097 is not in 1..=4096"), "{}", ran.stderr);
    assert!(twin("STREAMLET_MAX_RECORDS", "1", "a\nb\n").stderr.starts_with("2 records in 2 batches"));
    assert!(twin("STREAMLET_KEY_FIELD", "id", "{\"id\":\"k\"}").stdout.contains("\"key\":\"k\""));
    assert_eq!(twin("STREAMLET_QUIET", "1", "x\n").stderr, "");
    assert!(twin("STREAMLET_ENVELOPE", "1", "{\"value\":\"v\"}").stdout.contains("\"value\":\"v\""));
    assert!(twin("STREAMLET_BATCH_DEADLINE", "200 ms", "loop\n").stderr.contains("its deadline of 200ms"));
    assert!(twin("STREAMLET_OUTPUT_BYTES", "1k", &"x".repeat(2000)).stderr.contains("over the limit of 1024 bytes"));
    assert!(twin("STREAMLET_GUEST_MEMORY", "4 MiB", "allocate\n").stderr.contains("over its limit of 4194304"));
}

#[test]
fn a_missing_component_is_named() {
    let files = scratch(&[]);
    let ran = streamlet().args(&["run"]).arg(files.path().join("none.wasm")).args(&["--input", "-"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("none.wasm\": No such file or directory"), "{}", ran.stderr);
}

#[test]
fn a_result_that_would_overwrite_the_component() {
    let files = scratch(&[]);
    let component = files.path().join("own.wasm");
    std::fs::copy(guests::component("faulty"), &component).unwrap();
    let before = std::fs::read(&component).unwrap();
    for (command, flag) in [("run", "--output"), ("compile", "--out"), ("descriptor", "--out")] {
        let ran = streamlet().args(&[command]).arg(&component).args(&[flag]).arg(&component).run();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains("is COMPONENT itself and would be overwritten"), "{}", ran.stderr);
        assert_eq!(std::fs::read(&component).unwrap(), before, "{command}");
    }
}

#[test]
fn a_duration_without_a_unit_and_a_level_that_is_none() {
    let ran = run("faulty").args(&["--batch-deadline", "30"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("it has no unit; write 30 s or 30 ms"), "{}", ran.stderr);
    for filter in ["bogus", "guest=warn,ifno", ""] {
        let ran = run("faulty").args(&["--log", filter]).run();
        assert_eq!(ran.code, Some(2), "{filter}: {}", ran.stderr);
        assert!(ran.stderr.contains("is neither a level"), "{}", ran.stderr);
    }
    for filter in ["off", "WARN", "guest=info", "warn,guest=off", "[batch]=info"] {
        let ran = run("faulty").args(&["--log", filter]).run();
        assert_eq!(ran.code, Some(0), "{filter}: {}", ran.stderr);
    }
}
