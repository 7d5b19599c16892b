//! Records as they were: keys, values, headers and timestamps, through the guest and back to Kafka.

use std::time::{SystemTime, UNIX_EPOCH};

use streamlet_tests::kafka::{Broker, Record};

use super::Scene;

/// A moment long ago.
const LONG_AGO: i64 = 1_600_000_000_000;

/// Records that differ in what is null, empty, repeated or binary; the guest echoes all of them.
fn oddities() -> Vec<Record> {
    vec![
        Record::new("a value").key("a key").header("h", "v"),
        Record::new("no key"),
        Record::new("an empty key").key(""),
        Record::new("").key("an empty value"),
        Record::tombstone().key("a tombstone"),
        Record::tombstone().key("a tombstone with headers").header("h", "v").null_header("null"),
        Record::tombstone(),
        Record::new([0, 159, 146, 150]).key([255, 0]),
        Record::new("nulls").key("k").null_header("a").header("b", "").null_header("a").header("", "no name"),
        Record::new("twice").key("k").header("h", "1").header("h", "2").header("g", "3").header("h", "1"),
        Record::new("binary").key("k").header("bytes", [0, 255, 10, 13]).header("größe", "ü"),
        Record::new("many").key("k").header("long", vec![7; 100_000]),
    ]
}

/// Everything but where and when.
fn matter(records: &[Record]) -> Vec<Record> {
    records.iter().map(|record| Record { partition: 0, offset: 0, timestamp: None, ..record.clone() }).collect()
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// Sends the oddities through, one batch or one each, and gives what came out.
fn through(name: &str, records_max: usize, flags: &[&str]) -> Option<Vec<Record>> {
    let broker = Broker::shared()?;
    let scene = Scene::new(broker, name, 1);
    scene.input.produce(&oddities().into_iter().map(|record| record.timestamp(LONG_AGO)).collect::<Vec<_>>());
    let running = scene.faulty.records_max(records_max).flags(flags).start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(running.stop().code, Some(0));
    Some(scene.out.read())
}

#[test]
fn records_pass_as_they_were_with_a_new_timestamp() {
    let began = now();
    let Some(found) = through("exact", 100, &[]) else { return };
    assert_eq!(matter(&found), oddities());
    let is_new = |record: &Record| record.timestamp.is_some_and(|at| (began..=now()).contains(&at));
    assert!(found.iter().all(is_new), "{found:?}");
}

#[test]
fn records_pass_as_they_were_one_at_a_time_and_exactly_once() {
    let Some(found) = through("exact-once", 1, &["--exactly-once"]) else { return };
    assert_eq!(matter(&found), oddities());
}

#[test]
fn timestamps_are_kept_where_that_is_asked_for() {
    let Some(found) = through("timestamps", 100, &["--keep-timestamps"]) else { return };
    assert_eq!(matter(&found), oddities());
    assert!(found.iter().all(|record| record.timestamp == Some(LONG_AGO)), "{found:?}");
}

#[test]
fn what_the_guest_changes_is_as_it_says() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "changed", 1);
    let record = |word: &str| Record::new("a value").key("k").header("do", word);
    scene.input.produce(&["tombstone", "null-header", "unkeyed", "both", "new", "drop"].map(record));
    let began = now();
    let running = scene.faulty.flags(&["--keep-timestamps"]).start();
    scene.input.wait_committed(&scene.group);
    running.stop();
    let found = scene.out.read();
    assert_eq!(
        matter(&found),
        [
            Record::tombstone().key("k"),
            record("null-header").null_header("added"),
            Record { key: None, ..record("unkeyed") },
            record("both"),
            Record::new("from nothing"),
        ]
    );
    assert_eq!(matter(&scene.other.read()), [record("both")]);
    let last = found.last().unwrap();
    assert!(last.timestamp >= Some(began), "made from no record, it has no timestamp to keep: {last:?}");
}
