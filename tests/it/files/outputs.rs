//! Where emits go: standard output in the order of emitting, or files.

use std::fs;

use super::{assert_well, at, envelopes, run, scratch, values};

#[test]
fn emits_of_all_outlets_share_standard_output_in_their_order() {
    let ran = run("faulty").input("both\necho\nboth\n").run();
    let outlets = envelopes(&ran.stdout).iter().map(|e| e["outlet"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(outlets, ["other", "out", "out", "other", "out"]);
}

#[test]
fn an_outlet_may_have_a_file_of_its_own() {
    let files = scratch(&[("out", "what was there before\n".repeat(100).as_str())]);
    let ran = run("faulty").args(&["--output"]).arg(at("out", &files, "out")).input("both\ndrop\necho\n").run();
    assert_eq!(values(&ran.stdout), ["both"]);
    assert_eq!(envelopes(&ran.stdout)[0]["outlet"], "other");
    let written = fs::read_to_string(files.path().join("out")).unwrap();
    assert_eq!(values(&written), ["both", "echo"]);
    assert!(ran.stderr.contains(": 3 emits (out 2, other 1), 1 skipped, "), "{}", ran.stderr);
}

#[test]
fn outlets_may_share_a_file() {
    let files = scratch(&[]);
    let ran = run("faulty")
        .args(&["--output"])
        .arg(at("other", &files, "all"))
        .args(&["--output"])
        .arg(at("out", &files, "all"))
        .input("both\nboth\n")
        .run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    let written = envelopes(&fs::read_to_string(files.path().join("all")).unwrap());
    let outlets = written.iter().map(|envelope| envelope["outlet"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(outlets, ["other", "out", "other", "out"]);
}

#[test]
fn an_output_may_be_standard_output_by_name() {
    let ran = run("faulty").args(&["--output", "out=-", "--max-records", "1"]).input("echo\necho\n").run();
    assert_eq!(values(&ran.stdout), ["echo", "echo"]);
    assert_well(&ran, "2 records in 2 batches: 2 emits (out 2, other 0), 0 skipped, 0 batches failed");
}

/// As the guest is told when its conversation starts.
#[test]
fn ports_are_bound_to_what_they_read_and_write() {
    let files = scratch(&[("a", "{\"key\":\"started\",\"value\":\"\"}\n"), ("b", "")]);
    let paths = ["a", "b"].map(|name| files.path().join(name));
    let bound = |arguments: &[&str], input: &str| {
        let ran = run("raw").args(&["--envelope", "--set", "label=l"]).args(arguments).input(input).run();
        let words = values(&ran.stdout).pop().unwrap_or_else(|| panic!("{}", ran.stderr));
        words.split(" label=").next().unwrap().to_owned()
    };
    let [a, b] = paths.each_ref().map(|path| path.to_str().unwrap());
    assert_eq!(bound(&["--input", a, "--input", b], ""), format!("raw <in={a},{b} >out=-,other=-"));
    let input = fs::read_to_string(a).unwrap();
    assert_eq!(bound(&["--output", "other=/dev/null"], &input), "raw <in=- >out=-,other=/dev/null");
}

#[test]
fn an_output_that_is_an_input_is_refused_and_left_alone() {
    let files = scratch(&[("data", "echo\n")]);
    let (input, output) = (at("in", &files, "data"), at("out", &files, "./data"));
    let ran = run("faulty").args(&["--input"]).arg(input).args(&["--output"]).arg(output).run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("is also an input and would be overwritten before it is read"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(files.path().join("data")).unwrap(), "echo\n");
}

#[test]
fn an_output_in_no_directory_is_refused() {
    let files = scratch(&[]);
    let ran = run("faulty").args(&["--output"]).arg(at("out", &files, "none/out")).input("echo\n").run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: cannot write \""), "{}", ran.stderr);
    assert!(ran.stderr.contains("none/out\" for outlet \"out\": No such file or directory"), "{}", ran.stderr);
}

/// A full disk, as Linux plays it.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_ends_the_run() {
    let ran = run("faulty").args(&["--output", "out=/dev/full"]).input("echo\n").run();
    assert_eq!(ran.code, Some(2));
    let start = "error: cannot write on to \"/dev/full\"; its output is incomplete: No space left on device";
    assert!(ran.stderr.starts_with(start), "{}", ran.stderr);
}
