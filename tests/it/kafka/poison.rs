//! Records on which the guest fails: their partition alone stands still, again after a restart, until a policy lets them
//! be set aside.

use streamlet_tests::kafka::{Broker, Ended, Record, Running, Topic};

use super::Scene;

/// Two records, one that fails, one more, in partition 1; one in each other partition.
fn poisoned() -> Vec<Record> {
    let record = |partition, value: &str| Record::new(value).key(value).header("kept", [1, 2]).partition(partition);
    vec![
        record(1, "before 0"),
        record(1, "before 1"),
        record(1, "fail"),
        record(1, "after 3"),
        record(0, "beside 0"),
        record(2, "beside 2"),
    ]
}

fn texts(topic: &Topic) -> Vec<String> {
    let mut texts = topic.read().iter().map(Record::text).collect::<Vec<_>>();
    texts.sort();
    texts
}

fn lines<'a>(ended: &'a Ended, part: &str) -> Vec<&'a String> {
    ended.log.iter().filter(|line| line.contains(part)).collect()
}

/// Waits until the poison has been tried so often.
fn wait_tried(running: &Running, times: f64) {
    let series = r#"streamlet_failures_total{inlet="in",kind="refused"}"#;
    running.wait("tries", || running.metric(series).filter(|tries| *tries >= times));
}

#[test]
fn a_poison_record_stalls_its_partition_only_and_comes_again_after_a_restart() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "poison", 3);
    scene.input.produce(&poisoned());
    let faulty = scene.faulty.records_max(1).flags(&["--stall-warning-after", "700 ms", "--max-backoff", "1 s"]);
    let running = faulty.start();
    running.wait_ready();
    running.wait_for("partition stalled");
    // The others go on.
    let more = [0, 2].map(|partition| Record::new(format!("later {partition}")).partition(partition));
    scene.input.produce(&more);
    running.wait("the others", || (scene.out.ends().iter().sum::<i64>() == 6).then_some(()));
    wait_tried(&running, 5.0);
    assert!(running.is_ready(), "the run goes on");
    assert!((running.conversations() - 1.0).abs() < 0.5, "so does the conversation");
    let stalled = running.metric(r#"ankka_flow_sidecar_stalled_seconds{inlet="in",partition="1"}"#);
    assert!(stalled.is_some_and(|seconds| seconds >= 1.0), "{stalled:?}");
    let ended = running.stop();
    assert_eq!(ended.code, Some(0), "what waits for its next try is not in hand");

    let waits = lines(&ended, "batch failed").into_iter().map(|line| {
        let (_, wait) = line.split_once("again_in_ms=").expect("the line says when");
        wait.split(' ').next().unwrap().parse().unwrap()
    });
    assert_eq!(waits.take(4).collect::<Vec<u32>>(), [500, 1000, 1000, 1000], "it backs off, up to --max-backoff");
    let [warning] = lines(&ended, "partition stalled")[..] else { panic!("one warning: {:?}", ended.log) };
    for part in ["inlet=in", "partition=1", "the record said fail", "offset 2"] {
        assert!(warning.contains(part), "{part:?} in {warning}");
    }
    assert_eq!(scene.input.committed(&scene.group), [Some(2), Some(2), Some(2)], "nothing at or past the poison");
    let expect = ["before 0", "before 1", "beside 0", "beside 2", "later 0", "later 2"];
    assert_eq!(texts(&scene.out), expect);

    let again = faulty.start();
    let line = again.wait_for("batch failed");
    assert!(line.contains("offset 2") && line.contains("partition 1"), "{line}");
    again.stop();
    assert_eq!(scene.input.committed(&scene.group)[1], Some(2));

    let skipping = faulty.flags(&["--on-failure", "skip"]).start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(skipping.metric(r#"streamlet_records_set_aside_total{inlet="in"}"#), Some(1.0));
    let ended = skipping.stop();
    assert_eq!((ended.code, lines(&ended, "poison record set aside").len()), (Some(0), 1));
    assert_eq!(texts(&scene.out), [&["after 3"], &expect[..]].concat(), "nothing is lost, nothing comes twice");
}

#[test]
fn a_dead_letter_holds_the_record_as_it_was_and_says_why() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "letters", 3);
    let mut sent = poisoned();
    sent.push(Record::new("ignored").key("a key").header("do", "panic").null_header("null").partition(0));
    scene.input.produce(&sent);
    let running = scene.faulty.flags(&["--on-failure", "dead-letter=other"]).start();
    scene.input.wait_committed(&scene.group);
    let ended = running.stop();
    assert_eq!((ended.code, lines(&ended, "poison record set aside").len()), (Some(0), 2));
    assert_eq!(texts(&scene.out), ["after 3", "before 0", "before 1", "beside 0", "beside 2"]);
    let mut letters = scene.other.read();
    letters.sort_by_key(Record::text);
    let [failed, panicked] = &letters[..] else { panic!("two letters: {letters:?}") };
    assert_eq!((failed.key_text(), failed.text()), ("fail".into(), "fail".into()));
    assert_eq!(failed.headers[0], ("kept".into(), Some(vec![1, 2])));
    assert_eq!((panicked.key_text(), panicked.text()), ("a key".into(), "ignored".into()));
    assert_eq!(panicked.headers[1], ("null".into(), None));
    let why = |letter: &Record, name: &str| {
        let (_, value) = letter.headers.iter().find(|(header, _)| header == name).expect("a header");
        String::from_utf8(value.clone().expect("a value")).unwrap()
    };
    assert_eq!((why(failed, "streamlet-partition"), why(failed, "streamlet-offset")), ("1".into(), "2".into()));
    assert!(why(failed, "streamlet-error").contains("the record said fail"));
    assert!(why(panicked, "streamlet-error").contains("panic"), "{}", why(panicked, "streamlet-error"));
}
