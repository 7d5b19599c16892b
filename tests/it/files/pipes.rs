//! Standard input and output as pipes that stay open: nothing waits for more, and a closed one ends the run well.

use std::process::{Command, Stdio};
use std::time::Duration;

use streamlet_tests::guests;

use super::{run, values};

#[test]
fn a_line_comes_out_while_the_pipe_stays_open() {
    let mut live = run("faulty").spawn();
    for line in ["one", "two", "three"] {
        live.write(format!("{line}\n"));
        assert_eq!(values(&live.line()), [line]);
    }
    live.write("half a ");
    assert!(live.is_silent(Duration::from_millis(100)), "half a line is no record");
    live.write("line\nand ");
    assert_eq!(values(&live.line()), ["half a line"]);
    let ran = live.end();
    assert_eq!(values(&ran.stdout), ["and "], "the last line need not end");
    assert!(ran.stderr.starts_with("5 records in 5 batches: "), "{}", ran.stderr);
}

#[test]
fn what_arrives_while_a_batch_runs_is_the_next_batch() {
    let mut live = run("conformance").args(&["--input", "in=-", "--envelope"]).spawn();
    live.write("{\"value\":\"warm\"}\n");
    assert_eq!(values(&live.line()), ["warm"]);
    live.write("{\"key\":\"late\",\"value\":\"0\"}\n");
    std::thread::sleep(Duration::from_millis(100));
    for n in 1..=9 {
        live.write(format!("{{\"value\":\"{n}\"}}\n"));
    }
    let ran = live.end();
    assert_eq!(values(&ran.stdout), (0..=9).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(ran.stderr.starts_with("11 records in 3 batches: 11 emits"), "{}", ran.stderr);
}

#[test]
fn an_interrupt_finishes_what_was_read() {
    for signal in ["INT", "TERM"] {
        let mut live = run("conformance").args(&["--input", "in=-", "--envelope"]).spawn();
        live.write("{\"value\":\"0\"}\n");
        assert_eq!(values(&live.line()), ["0"]);
        live.write("{\"key\":\"late\",\"value\":\"1\"}\n");
        std::thread::sleep(Duration::from_millis(100));
        live.signal(signal);
        let ran = live.wait();
        assert_eq!(values(&ran.stdout), ["1"], "{signal}");
        let told = "error: stopped: what had been read was finished, the rest of the input was not read\n2 records in 2 \
                    batches: 2 emits";
        assert!(ran.stderr.starts_with(told), "{signal}: {}", ran.stderr);
        assert_eq!(ran.code, Some(2), "{signal}");
    }
}

/// A guest that does not come to an end has its grace, and no more; what it was at is counted.
#[test]
fn an_interrupt_gives_up_what_does_not_finish() {
    let mut live = run("faulty").args(&["--batch-deadline", "600 s"]).spawn();
    live.write("echo\n");
    assert_eq!(values(&live.line()), ["echo"]);
    live.write("loop\n");
    std::thread::sleep(Duration::from_millis(200));
    live.signal("TERM");
    let ran = live.wait();
    let told = "error: stopped: what had been read was not finished within 8 s and was given up; the output is \
                incomplete\n1 record in 1 batch: ";
    assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
    assert!(ran.stderr.contains(" (1 record not processed), "), "{}", ran.stderr);
    assert_eq!(ran.code, Some(2));
}

#[test]
fn a_second_interrupt_leaves_at_once() {
    let mut live = run("faulty").spawn();
    live.write("echo\n");
    assert_eq!(values(&live.line()), ["echo"]);
    live.write("loop\n");
    std::thread::sleep(Duration::from_millis(100));
    live.signal("INT");
    std::thread::sleep(Duration::from_secs(1));
    live.signal("INT");
    let ran = live.wait();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(130), ""));
}

/// As `streamlet run … | head -1`, with more to come than any pipe holds.
#[test]
fn a_reader_that_has_had_enough_ends_the_run_quietly() {
    let files = super::scratch(&[("in", &"echo this line\n".repeat(200_000))]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_streamlet-under-test"));
    command.arg("run").arg(guests::component("faulty")).arg("--input").arg(files.path().join("in"));
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let head = Command::new("head").arg("-1").stdin(child.stdout.take().unwrap()).output().unwrap();
    assert_eq!(values(&String::from_utf8(head.stdout).unwrap()), ["echo this line"]);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
}
