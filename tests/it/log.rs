//! What is on standard error: a guest's own lines, bounded and harmless, and, if asked for, JSON and nothing else.

use serde_json::Value;
use streamlet_tests::program::Ran;

use crate::run;

/// Every line of standard error as JSON.
#[track_caller]
fn events(ran: &Ran) -> Vec<Value> {
    let read = |line| serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let events = ran.stderr.lines().map(read).collect::<Vec<_>>();
    for event in &events {
        for field in ["timestamp", "level", "message", "target"] {
            assert!(event[field].is_string(), "{event} has no {field}");
        }
    }
    events
}

fn json(input: &str) -> Ran {
    run("faulty").args(&["--log-format", "json", "--max-records", "1"]).input(input).run()
}

#[test]
fn guests_lines_are_events_with_their_lane() {
    let ran = json("echo\nprint\nprint-raw\n");
    let events = events(&ran);
    let lines = events.iter().filter(|event| event["target"] == "guest").collect::<Vec<_>>();
    let said = |n: usize| (lines[n]["stream"].as_str().unwrap(), lines[n]["message"].as_str().unwrap());
    assert_eq!(said(0), ("stdout", "a line of stdout"));
    assert_eq!(said(1), ("stderr", "a line of stderr"));
    assert_eq!(said(2), ("stdout", "café \\xff\\xfe \\u{1b}[31mred\\u{7}"));
    for line in lines {
        assert_eq!(
            (&line["streamlet"], &line["inlet"], &line["partition"]),
            (&"faulty".into(), &"in".into(), &0.into())
        );
    }
}

#[test]
fn lines_of_a_lane_have_a_rate() {
    let input = "print\n".repeat(200);
    let ran = run("faulty").args(&["--log-format", "json", "--log-lines", "5", "--partitions", "2"]).input(input).run();
    let told = events(&ran);
    for partition in [0, 1] {
        let own = told.iter().filter(|event| event["target"] == "guest" && event["partition"] == partition);
        let (lines, told): (Vec<_>, Vec<_>) = own.partition(|event| event["level"] == "INFO");
        // Ten seconds' worth at once, and what is earned while the run lasts; 100 records write two lines each.
        assert!((50..150).contains(&lines.len()), "{} lines", lines.len());
        let dropped = told.iter().map(|event| event["dropped"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(lines.len() as u64 + dropped, 200, "{told:?}");
        assert!(told[0]["message"].as_str().unwrap().contains("--log-lines"), "{told:?}");
    }
    // A fresh instance after a failure has no fresh allowance.
    let ran = run("faulty")
        .args(&["--log-format", "json", "--log-lines", "1", "--on-failure", "skip", "--skip-max", "50"])
        .input("print\nfail\n".repeat(50))
        .run();
    let lines = events(&ran).iter().filter(|event| event["target"] == "guest" && event["level"] == "INFO").count();
    assert!(lines < 40, "{lines} lines");
}

#[test]
fn a_failed_batch_and_the_summary_are_events() {
    let ran = json("echo\nfail\n");
    assert_eq!(ran.code, Some(1));
    let events = events(&ran);
    let [failed, ended] = &events[..] else { panic!("two events: {}", ran.stderr) };
    let field = |event: &Value, name: &str| event[name].to_string();
    assert_eq!((failed["level"].as_str(), failed["message"].as_str()), (Some("ERROR"), Some("batch failed")));
    assert_eq!((field(failed, "partition"), field(failed, "offset")), ("0".into(), "1".into()));
    assert_eq!((failed["inlet"].as_str(), failed["read"].as_str()), (Some("in"), Some("-:2")));
    assert!(failed["error"].as_str().unwrap().ends_with(": the record said fail"));
    assert_eq!(ended["message"].as_str(), Some("run ended"));
    assert_eq!((field(ended, "records"), field(ended, "failed_batches")), ("1".into(), "1".into()));
}

#[test]
fn json_is_all_there_is() {
    for input in ["panic\n", "abort\n", "exit\n", "print-endless\n", "fail-lines\n", "fail-controls\n", "panic-lines\n"]
    {
        let ran = json(input);
        assert!(!events(&ran).is_empty(), "{input}");
    }
    let ran = run("faulty").args(&["--log-format", "json", "--key-field", "id"]).input("{}\nnot JSON\n").run();
    assert_eq!(ran.code, Some(2));
    events(&ran);
    let ran = run("faulty").args(&["--output", "out=/dev/full"]).env("STREAMLET_LOG_FORMAT", "json").input("x\n").run();
    assert_eq!(ran.code, Some(2));
    events(&ran);
}

/// Reports and errors are what the user is owed: no filter silences them, and a filter that is none is told in JSON.
#[test]
fn no_filter_silences_what_the_user_is_owed() {
    for filter in ["off", "error", "report=off"] {
        let arguments = ["--log-format", "json", "--max-records", "1", "--log", filter];
        let ran = run("faulty").args(&arguments).input("echo\nfail\n").run();
        let messages = events(&ran).iter().map(|event| event["message"].to_string()).collect::<Vec<_>>();
        assert_eq!(messages, ["\"batch failed\"", "\"run ended\""], "{filter}");
    }
    let told = |arguments: &[&str], words: &str| {
        let ran = run("faulty").args(&["--log-format", "json"]).args(arguments).run();
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        let [event] = &events(&ran)[..] else { panic!("one event: {}", ran.stderr) };
        assert_eq!(event["level"], "ERROR");
        assert!(event["message"].as_str().unwrap().contains(words), "{event}");
    };
    told(&["--log", "=nope="], "cannot read the log filter");
    told(&["--log", "off", "--input", "none"], "cannot read input");
    told(&["--log", "off", "--set", "nope=1"], "is not declared");
    told(&["--log", "off", "misplaced"], "unexpected argument");
}

#[test]
fn an_endless_line_is_cut() {
    let ran = run("faulty").input("print-endless\necho\nabort\n").run();
    assert!(ran.stderr.len() < 16 * 1024, "{} bytes of log", ran.stderr.len());
    assert!(ran.stderr.contains("xxx… (1047552 more bytes)"), "{}", &ran.stderr[..200]);
}

#[test]
fn what_only_looks_like_a_panic_is_logged_once_the_batch_is_over() {
    let ran = run("faulty").input("print-panicked\n").run();
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr.matches("nobody panicked at this").count(), 1, "{}", ran.stderr);
}

#[test]
fn a_panic_is_told_once() {
    let ran = run("faulty").input("panic\n").run();
    assert_eq!(ran.stderr.matches("the record said panic").count(), 1, "{}", ran.stderr);
}

#[test]
fn the_filter_is_kept() {
    let ran = run("faulty").args(&["--log", "warn", "--quiet"]).input("print\n").run();
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let ran = run("faulty")
        .env("STREAMLET_LOG", "guest=info")
        .args(&["--quiet", "--set", "start=chatter"])
        .input("x\n")
        .run();
    assert!(ran.stderr.contains("INFO guest: started "), "{}", ran.stderr);
}

#[test]
fn no_colours_where_nobody_watches() {
    let ran = run("faulty").input("print\nprint-raw\nfail-controls\n").run();
    assert!(!ran.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", ran.stderr);
}
