//! A batch that fails: where it was read, what was printed before, and that only its partition ends.

use super::{assert_summary, at, envelopes, run, scratch, values};

#[test]
fn a_failed_batch_is_told_with_its_line() {
    let files = scratch(&[("events", "echo\n\nfail\necho\n")]);
    let ran = run("faulty").args(&["--max-records", "1", "--input"]).arg(at("in", &files, "events")).run();
    assert_eq!(ran.code, Some(1));
    assert_eq!(values(&ran.stdout), ["echo"]);
    let path = files.path().join("events").display().to_string();
    let expect = format!(
        "error: the streamlet failed the batch at offset 1 (inlet \"in\", partition 0, offset 1): the record said fail\n  \
         at {path}:3\n"
    );
    assert!(ran.stderr.starts_with(&expect), "{}", ran.stderr);
    let summary = "1 record in 1 batch: 1 emit (out 1, other 0), 0 skipped, 1 batch failed (";
    assert!(ran.stderr.contains(summary) && ran.stderr.contains(" not processed), "), "{}", ran.stderr);
}

#[test]
fn nothing_of_a_failed_batch_is_printed() {
    let ran = run("faulty").args(&["--output-bytes", "100 MiB"]).input("echo\nboth\nlarge-flushed\nfail\n").run();
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("\n  at -:4\n"), "{}", ran.stderr);
    // Nearly always all four are one batch, but a lane may be quick enough to take the first alone.
    let (_, place) = ran.stderr.split_once(" at offset 3 (inlet \"in\", partition 0, offset").expect("its place");
    let first = place.trim_start_matches(['s', ' ']).split([' ', ')']).next().unwrap().parse::<i64>().unwrap();
    let printed = envelopes(&ran.stdout).into_iter().filter(|envelope| envelope["offset"].as_i64() >= Some(first));
    assert_eq!(printed.collect::<Vec<_>>(), Vec::<serde_json::Value>::new());
}

#[test]
fn a_batch_without_a_blamed_record_is_told_from_its_first_to_its_last_line() {
    let files = scratch(&[("a", "echo\necho\n"), ("b", "abort\n\necho\n")]);
    let program = run("faulty").args(&["--input"]).arg(files.path().join("a")).args(&["--input"]);
    let ran = program.arg(files.path().join("b")).args(&["--batch-deadline", "20 s"]).run();
    assert_eq!(ran.code, Some(1));
    let b = files.path().join("b").display().to_string();
    // The lane may wake between any two lines: the batch ends with either record, or is the failing one alone.
    let places = [format!(" to {b}:3\n"), format!(" to {b}:1\n"), format!("at {b}:1")];
    assert!(places.iter().any(|place| ran.stderr.contains(place)), "{}", ran.stderr);
    assert!(ran.stderr.contains("\n  backtrace, innermost first:\n    "), "detail is indented: {}", ran.stderr);
}

/// Partition 1 of 3 fails at its second record; the others are read to their end.
#[test]
fn the_other_partitions_finish() {
    let lines = (0..300).map(|n| if n == 4 { "fail\n".to_owned() } else { format!("{n}\n") }).collect::<String>();
    let ran = run("faulty").args(&["--partitions", "3", "--max-records", "1"]).input(lines).run();
    assert_eq!(ran.code, Some(1));
    let all = envelopes(&ran.stdout);
    let of = |partition: u64| all.iter().filter(move |e| e["partition"] == partition).map(|e| e["value"].clone());
    assert_eq!(of(1).collect::<Vec<_>>(), ["1"], "what comes after a failed batch would be out of order");
    assert_eq!((of(0).count(), of(2).count()), (100, 100));
    assert!(ran.stderr.contains("(inlet \"in\", partition 1, offset 1)"), "{}", ran.stderr);
    assert!(ran.stderr.contains("201 records in 201 batches: "), "{}", ran.stderr);
    assert!(ran.stderr.contains(", 1 batch failed ("), "{}", ran.stderr);
}

#[test]
fn when_all_partitions_have_failed_nobody_waits_for_more() {
    let mut live = run("faulty").spawn();
    live.write("fail\n");
    let open = live.stdin.take();
    let ran = live.wait();
    drop(open);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}

#[test]
fn every_failed_partition_is_told() {
    let ran = run("faulty").args(&["--partitions", "4"]).input("fail\npanic\nabort\nexit\n").run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert_eq!(ran.stderr.matches("error: the streamlet ").count(), 4, "{}", ran.stderr);
    assert_summary(
        &ran,
        "0 records in 0 batches: 0 emits (out 0, other 0), 0 skipped, 4 batches failed (4 records not processed)",
    );
}

/// While the other inlet's input goes on.
#[test]
fn an_input_that_breaks_off_is_told_at_once() {
    let files = scratch(&[("bad", "[]\n")]);
    let mut live = run("conformance").args(&["--key-field", "id", "--input", "in=-", "--input"]);
    live = live.arg(at("side", &files, "bad"));
    let mut live = live.spawn();
    let told = live.error_line();
    assert!(told.contains("bad:1: the line gives no key"), "{told}");
    live.write("{\"id\":1}\n");
    assert_eq!(values(&live.line()), ["{\"id\":1}"], "the other input goes on");
    assert_eq!(live.end().code, Some(2));
}

#[test]
fn an_input_that_breaks_off_keeps_what_was_read() {
    let files = scratch(&[("good", "{\"id\":1}\n{\"id\":2}\n"), ("bad", "{\"id\":3}\n[]\n{\"id\":4}\n")]);
    let program = run("faulty").args(&["--key-field", "id", "--input"]).arg(files.path().join("good"));
    let ran = program.args(&["--input"]).arg(files.path().join("bad")).run();
    assert_eq!(ran.code, Some(2));
    assert_eq!(envelopes(&ran.stdout).len(), 3);
    assert!(ran.stderr.contains("bad:2: the line gives no key"), "{}", ran.stderr);
    assert!(ran.stderr.contains("3 records in "), "the summary comes all the same: {}", ran.stderr);
}
