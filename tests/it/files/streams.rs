//! What the shell around a run does to it: readers that leave or pause, one file under two names, redirected input.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{envelopes, scratch};

/// Runs a shell script in `directory`, with `$RUN` as `streamlet run` of the guest and a limit on its time.
fn shell(directory: &Path, script: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_streamlet-under-test");
    let component = streamlet_tests::guests::component("faulty");
    let run = format!("timeout 60 {program} run {} --quiet", component.display());
    let mut command = Command::new("bash");
    command.args(["-c", script]).current_dir(directory).env("RUN", run).env_remove("RUST_BACKTRACE");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// 30,000 records that go to both outlets.
fn both() -> String {
    "both\n".repeat(30_000)
}

#[test]
fn a_file_is_complete_although_standard_output_was_closed() {
    let files = scratch(&[("in", &both())]);
    let ran = shell(
        files.path(),
        "$RUN --input in=in --output other=other.ndjson | head -1 >/dev/null; echo ${PIPESTATUS[0]}",
    );
    assert_eq!((text(&ran.stdout).as_str(), text(&ran.stderr).as_str()), ("0\n", ""));
    let written = fs::read_to_string(files.path().join("other.ndjson")).unwrap();
    assert_eq!(envelopes(&written).len(), 30_000);
}

#[test]
fn a_closed_standard_output_hides_no_failure() {
    let files = scratch(&[("in", &format!("fail\n{}", both()))]);
    // It is closed once the failure has been told: a run that nobody reads any more may end before that.
    let script = "$RUN --input in=in --partitions 2 --max-records 1 2>told |
        (head -1 >/dev/null; until grep -q 'said fail' told; do sleep 0.01; done); echo ${PIPESTATUS[0]}";
    let ran = shell(files.path(), script);
    assert_eq!(text(&ran.stdout), "1\n");
}

#[test]
fn one_file_under_two_names_is_written_as_one() {
    for names in ["--output out=all --output other=./all", "--output out=/dev/stdout > all"] {
        let files = scratch(&[("in", &both())]);
        let ran = shell(files.path(), &format!("$RUN --input in=in {names}"));
        assert!(ran.status.success(), "{names}: {}", text(&ran.stderr));
        let written = envelopes(&fs::read_to_string(files.path().join("all")).unwrap());
        assert_eq!(written.len(), 60_000, "{names}");
    }
}

#[test]
fn an_input_is_never_overwritten_whatever_it_is_called() {
    for script in ["$RUN --output out=in < in", "ln in hard && $RUN --input in=in --output out=hard"] {
        let files = scratch(&[("in", "echo\n")]);
        let ran = shell(files.path(), script);
        assert_eq!(ran.status.code(), Some(2), "{script}");
        assert!(text(&ran.stderr).contains("is also an input"), "{script}: {}", text(&ran.stderr));
        assert_eq!(fs::read_to_string(files.path().join("in")).unwrap(), "echo\n", "{script}");
    }
}

/// What a shell appends to stays, under whatever name the run is given it.
#[test]
fn a_file_that_is_appended_to_keeps_what_it_had() {
    for output in ["/dev/stdout", "all", "-"] {
        let files = scratch(&[("in", "echo\n"), ("all", "before\n")]);
        let ran = shell(files.path(), &format!("$RUN --input in=in --output out={output} >> all"));
        assert!(ran.status.success(), "{output}: {}", text(&ran.stderr));
        let written = fs::read_to_string(files.path().join("all")).unwrap();
        let after = written.strip_prefix("before\n").unwrap_or_else(|| panic!("{output}: {written}"));
        assert_eq!(envelopes(after).len(), 1, "{output}");
    }
}

/// A closed pipe is a closed standard output under its other name too.
#[test]
fn standard_output_may_be_closed_under_another_name() {
    let files = scratch(&[("in", &both())]);
    let script = "$RUN --input in=in --output out=/dev/stdout --output other=/dev/stdout | head -1 >/dev/null
                  echo ${PIPESTATUS[0]}";
    let ran = shell(files.path(), script);
    assert_eq!((text(&ran.stdout).as_str(), text(&ran.stderr).as_str()), ("0\n", ""));
}

#[test]
fn a_run_never_feeds_itself() {
    for input in ["--input in=in", "< in"] {
        let files = scratch(&[("in", "echo\n")]);
        let ran = shell(files.path(), &format!("timeout 5 $RUN {input} >> in"));
        assert_eq!(ran.status.code(), Some(2), "{input}");
        assert!(text(&ran.stderr).contains("standard output is also an input"), "{input}: {}", text(&ran.stderr));
        assert_eq!(fs::read_to_string(files.path().join("in")).unwrap(), "echo\n", "{input}");
    }
}

/// The run is told to stop while its output waits for a reader who sleeps; it leaves long before the reader does.
#[test]
fn a_signal_ends_a_run_whose_output_is_stalled() {
    let files = scratch(&[("in", &both())]);
    let script = "{ $RUN --input in=in & run=$!; sleep 2; kill $(pgrep -P $run || echo $run); wait $run; echo $? >code; } | sleep 30 &
                  for _ in $(seq 200); do [ -s code ] && break; sleep 0.1; done; cat code; kill %1 2>/dev/null";
    let ran = shell(files.path(), script);
    assert_eq!(text(&ran.stdout), "2\n", "stopped early, and says so: {}", text(&ran.stderr));
    assert!(text(&ran.stderr).contains("was given up; the output is incomplete"), "{}", text(&ran.stderr));
}

/// The reader leaves after the first line; the run notices with the second, without a third having to come.
#[test]
fn a_run_ends_when_its_reader_has_left() {
    let files = scratch(&[]);
    let script = "{ echo echo; sleep 2; echo echo; sleep 6; } | { $RUN; date +%s >ended; } | head -1 >/dev/null
                  echo $(($(date +%s) - $(cat ended)))";
    let ran = shell(files.path(), script);
    let seconds_before_the_input = text(&ran.stdout).trim().parse::<u32>().unwrap();
    assert!(seconds_before_the_input >= 3, "{seconds_before_the_input}");
}

#[test]
fn all_records_that_were_read_are_accounted_for() {
    let lines = (0..5_000).map(|n| if n == 0 { "fail\n".to_owned() } else { format!("{n}\n") }).collect::<String>();
    let ran = super::run("faulty").args(&["--partitions", "2"]).input(lines).run();
    let count = |noun: &str| {
        let before = ran.stderr.split(noun).next().unwrap();
        let digits = before.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap();
        digits.parse::<u64>().unwrap()
    };
    assert_eq!(count(" records in") + count(" records not processed"), 5_000, "{}", ran.stderr);
}
