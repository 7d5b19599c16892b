//! Many partitions, and where emits are placed.

use std::collections::BTreeSet;

use streamlet_protocol::partition::of_key;
use streamlet_tests::kafka::events::{check, events};
use streamlet_tests::kafka::{Broker, Record};

use super::Scene;

#[test]
fn fifty_three_partitions_are_all_processed() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "many", 53);
    let mut sent = Vec::new();
    for partition in 0..53 {
        sent.extend(
            (0..10).map(|n| Record::new(format!("{partition}:{n}")).key(format!("{partition}")).partition(partition)),
        );
    }
    scene.input.produce(&sent);
    let running = scene.faulty.records_max(3).start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(scene.group.wait_stable(1)[0].partitions.len(), 53);
    let ended = running.stop();
    assert_eq!(ended.code, Some(0));
    assert_eq!(check(&sent, &scene.out.read()), 0);
    assert_eq!(ended.progress.last().unwrap()["inlets"][0]["records"], 530);
}

#[test]
fn keyed_emits_go_where_the_java_client_puts_them_and_keyless_ones_anywhere() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "placed", 1);
    scene.out = broker.topic("placed-wide", 7);
    scene.faulty = super::deployment("faulty", broker.address(), &scene.group)
        .inlet("in", &scene.input)
        .outlet("out", &scene.out)
        .outlet("other", &scene.other);
    let mut sent = events(50, 1, 1, |_, _| "echo");
    sent.extend([Record::new("an empty key").key(""), Record::new("binary").key([0, 255, 7, 9, 200])]);
    let unkeyed = (0..50).map(|n| Record::new(format!("unkeyed {n}")).key("same").header("do", "unkeyed"));
    sent.extend(unkeyed);
    scene.input.produce(&sent);
    let running = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    running.stop();
    let found = scene.out.read();
    assert_eq!(found.len(), sent.len());
    let (keyed, keyless) = found.iter().partition::<Vec<_>, _>(|record| record.key.is_some());
    for record in keyed {
        let place = of_key(record.key.as_ref().unwrap(), 7).cast_signed();
        assert_eq!(record.partition, place, "{record:?}");
    }
    assert_eq!(keyless.len(), 50, "their key is unset");
    let places = keyless.iter().map(|record| record.partition).collect::<BTreeSet<_>>();
    assert!(keyless.iter().all(|record| record.text().starts_with("unkeyed")) && !places.is_empty());
}

/// More than may wait for a lane, while another partition has nothing to do: the broker is told to send no more of it, and
/// later to go on.
#[test]
fn a_partition_that_is_far_behind_is_paused_and_resumed_without_loss_or_reorder() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "paused", 2);
    scene.faulty = scene.faulty.set("pause", "8 ms").records_max(1);
    let slow = |n: usize| Record::new(format!("{n} {}", "x".repeat(100_000))).key("slow").header("do", "pause");
    let mut sent = (0..300).map(slow).collect::<Vec<_>>();
    sent.extend((0..10).map(|n| Record::new(n.to_string()).key("fast").partition(1)));
    sent.iter_mut().take(300).for_each(|record| record.partition = 0);
    scene.input.produce(&sent);
    let running = scene.faulty.start();
    let is =
        |value: f64| (running.metric(r#"streamlet_paused{inlet="in",partition="0"}"#) == Some(value)).then_some(());
    running.wait("a pause", || is(1.0));
    running.wait("its end", || is(0.0));
    assert_eq!(running.metric(r#"streamlet_paused{inlet="in",partition="1"}"#), Some(0.0));
    scene.input.wait_committed(&scene.group);
    assert_eq!(running.metric("streamlet_stream_violations_total"), Some(0.0));
    assert_eq!(running.stop().code, Some(0));
    assert_eq!(check(&sent, &scene.out.read()), 0, "none is there twice");
}
