//! Large records and emits: what passes, and what stops its partition by name.

use streamlet_tests::kafka::{Broker, Record, Running};

use super::Scene;

/// The protocol's largest value.
const VALUE_BYTES_MAX: usize = 4 << 20;
/// Topics that take as much, and more than the client does.
const WIDE: &[(&str, &str)] = &[("max.message.bytes", "9000000")];

/// The first line that tells of a failed batch.
fn failure(running: &Running) -> String {
    running.wait_for("batch failed")
}

fn grown(bytes: usize, partition: i32) -> Record {
    Record::new(format!("grow {bytes}")).partition(partition)
}

#[test]
fn values_of_four_mebibytes_pass_both_ways_without_any_setting() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::with(broker, "wide", 1, WIDE);
    let large = |byte: u8| Record::new(vec![byte; VALUE_BYTES_MAX]).key("k");
    let sent = [large(b'a'), Record::new("small"), large(b'b')];
    scene.input.produce(&sent);
    let running = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    running.stop();
    let found = scene.out.read();
    assert!(found.len() == 3 && found.iter().zip(&sent).all(|(found, sent)| found.value == sent.value), "{found:?}");
}

#[test]
fn a_record_over_the_limit_stops_its_partition_and_is_named() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::with(broker, "record", 2, WIDE);
    let records = [Record::new("a"), Record::new(vec![b'x'; 6 << 20]), Record::new("behind")];
    scene.input.produce(&records);
    scene.input.produce(&[Record::new("beside").partition(1)]);
    let running = scene.faulty.start();
    let line = failure(&running);
    for part in [scene.input.name(), "partition 0", "offset 1", "message.max.bytes"] {
        assert!(line.contains(part), "{part:?} in {line}");
    }
    scene.input.produce(&[Record::new("beside later").partition(1)]);
    running.wait("the other partition", || (scene.input.committed(&scene.group) == [Some(1), Some(2)]).then_some(()));
    assert!(running.is_ready());
    running.stop();
    let mut texts = scene.out.read().iter().map(Record::text).collect::<Vec<_>>();
    texts.sort();
    assert_eq!(texts, ["a", "beside", "beside later"]);
}

#[test]
fn an_emit_over_the_clients_limit_stops_its_partition_and_is_named() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::with(broker, "emit", 2, WIDE);
    scene.input.produce(&[Record::new("a"), grown(6 << 20, 0), Record::new("beside").partition(1)]);
    let running = scene.faulty.clone().records_max(1).start();
    let line = failure(&running);
    for part in ["outlet", scene.out.name(), "partition 0", "offset 1", "max.request.size"] {
        assert!(line.contains(part), "{part:?} in {line}");
    }
    running.wait("the other partition", || (scene.input.committed(&scene.group) == [Some(1), Some(1)]).then_some(()));
    assert!(running.is_ready());
    running.stop();
    // The setting that the line names lets it pass.
    let running = scene.faulty.producer("max.request.size", "8000000").start();
    scene.input.wait_committed(&scene.group);
    running.stop();
    assert_eq!(scene.out.read().iter().filter_map(|emit| emit.value.as_ref()).map(Vec::len).max(), Some(6 << 20));
}

/// Twenty records in batches of five, of which the one at offset 12 makes an emit that the outlet's topic refuses.
fn check_refused_write(name: &str, topic_bytes_max: &str, emit_bytes: usize, by_itself: bool) {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::with(broker, name, 1, &[("max.message.bytes", topic_bytes_max)]);
    let record = |n: usize| match n {
        12 => grown(emit_bytes, 0).key("k"),
        _ => Record::new(format!("event {n}")).key("k"),
    };
    scene.input.produce(&(0..20).map(record).collect::<Vec<_>>());
    let faulty = scene.faulty.records_max(5).flags(&["--max-backoff", "500 ms"]);
    let running = faulty.start();
    let refused = if by_itself { "conversation void" } else { "batch failed" };
    running.wait("some tries", || (running.logged(refused) >= 2).then_some(()));
    let line = running.wait_for(refused);
    assert!(line.contains(scene.out.name()), "{line}");
    let committed = || scene.input.committed(&scene.group).first().copied().flatten();
    // Where the conversation is void, those that were in one request with it are refused with it.
    let through = if by_itself { 0 } else { 5 };
    let before = committed().unwrap_or(0);
    assert!((through..=12).contains(&before), "nothing at or past 12: {before}");

    broker.configure(&scene.out, &[("max.message.bytes", "9000000")]);
    let ended = if by_itself {
        // Another conversation tries the topic again.
        scene.input.wait_committed(&scene.group);
        running.stop()
    } else {
        assert_eq!(running.stop().code, Some(0));
        assert!(committed() <= Some(12), "nothing at or past 12");
        let next = faulty.start();
        scene.input.wait_committed(&scene.group);
        next.stop()
    };
    assert_eq!(ended.code, Some(0));
    let emits = scene.out.read();
    let text = |emit: &Record| if emit.text().starts_with('g') { "event 12".to_owned() } else { emit.text() };
    let last = emits.iter().skip(emits.len().saturating_sub(8)).map(text).collect::<Vec<_>>();
    assert_eq!(last, (12..20).map(|n| format!("event {n}")).collect::<Vec<_>>(), "the last pass is whole and in order");
    for n in 0..20 {
        assert!(emits.iter().any(|emit| text(emit) == format!("event {n}")), "event {n} is there");
    }
}

#[test]
fn a_write_that_fails_at_twelve_of_twenty_commits_nothing_past_it_and_the_next_run_completes() {
    check_refused_write("refused", "1048588", 1_200_000, false);
}

#[test]
fn a_write_that_fails_for_a_small_topic_voids_conversations_until_the_topic_takes_it() {
    check_refused_write("small", "100000", 110_000, true);
}
