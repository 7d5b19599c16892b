//! Brokers that refuse a write or a commit, on librdkafka's own cluster, which can be told to: the conversation is void,
//! and the next one begins at the committed offsets.

use std::collections::BTreeSet;

use rdkafka::types::{RDKafkaApiKey as Api, RDKafkaRespErr as Code};
use streamlet_tests::kafka::events::{check, events, events_from};
use streamlet_tests::kafka::{Mock, Running};

use super::Scene;

fn scene(mock: &Mock) -> Scene {
    let topics = [mock.topic("in", 2), mock.topic("out", 2), mock.topic("other", 2)];
    let mut scene = Scene::of(topics, mock.group("faults"), &mock.address());
    // A broker refuses what comes behind a request that failed, by its sequence number; the mock looks at none.
    scene.faulty = scene
        .faulty
        .records_max(4)
        .set("pause", "100 ms")
        .consumer("fetch.max.wait.ms", "10")
        .producer("max.in.flight.requests.per.connection", "1");
    scene
}

/// Waits until `ready` is gone, and then until it is back.
fn wait_through(running: &Running) {
    running.wait("ready to be gone", || (!running.is_ready()).then_some(()));
    running.wait_ready();
}

/// The ids of its conversations, in order.
fn ids(running: &Running) -> Vec<String> {
    let id =
        |line: &String| line.split_once("conversation=").map(|(_, rest)| rest.split(' ').next().unwrap().to_owned());
    running.log().iter().filter_map(id).collect::<Vec<_>>()
}

/// A request of this API is refused with this code, which does not pass by itself.
fn check_refused(api: Api, code: Code, told: &str) {
    let mock = Mock::start();
    let scene = scene(&mock);
    let first = events(6, 4, 2, |_, _| "echo");
    scene.input.produce(&first);
    let running = scene.faulty.start();
    running.wait_ready();
    scene.input.wait_committed(&scene.group);
    assert!((running.conversations() - 1.0).abs() < 0.5);

    // The test's own producer is through before the guest is.
    let then = events_from(4, 6, 4, 2, |_, _| "pause");
    scene.input.produce(&then);
    mock.fail(api, &[code]);
    wait_through(&running);
    scene.input.wait_committed(&scene.group);
    assert!((running.conversations() - 2.0).abs() < 0.5, "a second one");
    let line = running.wait_for("conversation void");
    for part in [told, "again_in_ms=500"] {
        assert!(line.contains(part), "{part:?} in {line}");
    }
    let ids = ids(&running);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 2, "each has an id of its own, which is logged: {ids:?}");
    assert_eq!(running.logged("did not leave its group in time"), 0, "a void conversation ends at once");
    assert_eq!(running.stop().code, Some(0));
    check(&[first, then].concat(), &scene.out.read());
}

#[test]
fn a_refused_write_is_a_new_conversation() {
    check_refused(Api::Produce, Code::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "did not take an emit");
}

#[test]
fn a_refused_commit_is_a_new_conversation() {
    check_refused(Api::OffsetCommit, Code::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED, "cannot commit offsets");
}

/// Requests are answered with errors that pass; nothing else changes.
fn check_passes(api: Api, codes: &[Code]) {
    let mock = Mock::start();
    let scene = scene(&mock);
    let running = scene.faulty.start();
    running.wait_ready();
    let sent = events(6, 8, 2, |_, _| "pause");
    scene.input.produce(&sent);
    mock.fail(api, codes);
    scene.input.wait_committed(&scene.group);
    assert!(running.is_ready());
    assert!((running.conversations() - 1.0).abs() < 0.5, "{:?}", running.log());
    running.stop();
    check(&sent, &scene.out.read());
}

#[test]
fn a_write_that_fails_for_a_moment_is_tried_again() {
    let moved = Code::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
    check_passes(Api::Produce, &[moved, Code::RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, moved]);
}

#[test]
fn a_commit_that_fails_for_a_moment_is_tried_again() {
    let moved = Code::RD_KAFKA_RESP_ERR_NOT_COORDINATOR;
    check_passes(Api::OffsetCommit, &[moved, Code::RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, moved]);
}

#[test]
fn a_commit_in_a_rebalance_is_no_fault() {
    let codes = [Code::RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, Code::RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION];
    check_passes(Api::OffsetCommit, &codes);
}
