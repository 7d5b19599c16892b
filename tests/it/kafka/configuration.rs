//! What an operator gets to read: a descriptor that is not the component's, and five mistakes in `streamlet.conf`.

use streamlet_tests::kafka::{Ended, Mock};

use super::{Scene, deployment};

fn scene() -> Scene {
    let mock = Mock::start();
    let topics = [mock.topic("in", 1), mock.topic("out", 1), mock.topic("other", 1)];
    // Nobody gets so far as to look for a broker.
    Scene::of(topics, mock.group("configured"), "127.0.0.1:1")
}

/// Its end, with every part on one line of what it said.
#[track_caller]
fn check(ended: &Ended, code: i32, parts: &[&str]) {
    let line = ended.log.iter().find(|line| parts.iter().all(|part| line.contains(part)));
    assert!(line.is_some(), "no line has {parts:?}:\n{}", ended.log.join("\n"));
    assert_eq!(ended.code, Some(code), "{:?}", ended.log);
}

#[test]
fn every_difference_of_the_deployed_descriptor_is_told() {
    let scene = scene();
    let descriptor = scene.faulty.descriptor();
    let deployed = descriptor
        .replace("\"name\": \"faulty\"", "\"name\": \"deployed\"")
        .replace("\"name\": \"other\"", "\"name\": \"third\"")
        .replace("\"key\": \"start\"", "\"key\": \"begin\"");
    let ended = scene.faulty.start_with(&scene.faulty.conf(), &deployed).end();
    for part in ["\"deployed\"", "\"third\"", "\"other\"", "begin", "start"] {
        check(&ended, 1, &["descriptor.json", part]);
    }
    let ended = scene.faulty.start_with(&scene.faulty.conf(), "no descriptor").end();
    check(&ended, 1, &["descriptor.json", "it is no descriptor"]);
}

/// Starts with one change in `streamlet.conf`.
fn with(from: &str, to: &str) -> Ended {
    let scene = scene();
    let conf = scene.faulty.conf();
    assert!(conf.contains(from), "{conf}");
    scene.faulty.start_with(&conf.replacen(from, to, 1), &scene.faulty.descriptor()).end()
}

#[test]
fn a_mistyped_key_is_told_with_its_line_and_the_one_that_is_meant() {
    check(&with("consumer-config", "consumer-confg"), 2, &["streamlet.conf", "consumer-confg", "consumer-config"]);
}

#[test]
fn a_wrong_port_is_told_with_those_that_are_declared() {
    check(&with("    other {", "    othr {"), 2, &["streamlet.conf", "othr", "did you mean \"other\""]);
}

#[test]
fn a_bad_unit_is_told_with_good_ones() {
    check(&with("1 MiB", "1 MiBB"), 2, &["streamlet.conf", "max-bytes", "1 MiB"]);
    check(&with("config = {", "config = { pause = 5 parsecs\n"), 2, &["streamlet.conf", "pause"]);
}

#[test]
fn a_value_that_is_missing_is_told_by_its_key() {
    check(&with("      topic = ", "      # topic = "), 2, &["streamlet.conf", "topic", "inlet \"in\""]);
}

#[test]
fn a_missing_parameter_is_told_by_its_key() {
    let group = Mock::start().group("parameters");
    let raw = deployment("raw", "127.0.0.1:1", &group).inlet_named("in", "a").outlet_named("out", "b");
    let ended = raw.outlet_named("other", "c").set("an-integer", "7").start().end();
    check(&ended, 2, &["streamlet.conf", "parameter \"label\"", "is required and has no value"]);
}

#[test]
fn a_broker_that_cannot_be_reached_is_told_and_tried_again() {
    let group = Mock::start().group("unreached");
    let faulty = deployment("faulty", "127.0.0.1:1", &group).inlet_named("in", "a").outlet_named("out", "b");
    let mut running = faulty.outlet_named("other", "c").start();
    let line = running.wait_for("Connection refused");
    assert!(line.contains("127.0.0.1:1"), "{line}");
    running.wait_for("waiting for the topic of outlet \"out\"");
    assert!(running.is_running() && !running.is_ready());
    let (status, body) = running.get("/ready");
    assert!(status == 503 && body.contains("127.0.0.1:1"), "{status} {body}");
    let ended = running.stop();
    assert_eq!(ended.code, Some(0), "it was asked to end");
    assert!(ended.log.len() < 20, "the same trouble is told once in a while:\n{}", ended.log.join("\n"));
}
