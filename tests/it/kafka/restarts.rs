//! Members that end in the middle, by SIGKILL and by SIGTERM, and what the next one makes of it.

use std::time::{Duration, Instant};

use streamlet_tests::kafka::events::{check, events, saying};
use streamlet_tests::kafka::{Broker, Record, until};

use super::{Scene, deployment};

/// Half of each cart's events go to either outlet.
fn carts(partitions: i32) -> Vec<Record> {
    events(10, 5, partitions, |cart, number| if (cart + number) % 2 == 0 { "pause" } else { "pause-other" })
}

#[test]
fn fifty_events_of_ten_carts_survive_a_sigkill_mid_stream() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "killed", 3);
    let sent = carts(3);
    scene.input.produce(&sent);
    let faulty = scene.faulty.set("pause", "60 ms").records_max(2);

    let first = faulty.start();
    let scene = Scene { faulty, ..scene };
    let at_kill = first.wait("some events", || Some(scene.emitted()).filter(|emitted| *emitted >= 6));
    first.kill();
    assert!(at_kill < 40, "it was killed in the middle: {at_kill}");
    let committed = scene.input.committed(&scene.group).iter().flatten().sum::<i64>();
    assert!(committed < 50, "there is something left to do: {committed}");

    let second = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(second.stop().code, Some(0));
    check(&saying(&sent, "pause"), &scene.out.read());
    check(&saying(&sent, "pause-other"), &scene.other.read());
}

#[test]
fn the_cart_router_survives_a_sigkill_between_its_batches() {
    let Some(broker) = Broker::shared() else { return };
    let (input, group) = (broker.topic("carts", 3), broker.group("carts"));
    let (valid, review) = (broker.topic("valid", 3), broker.topic("review", 3));
    let is_valid = |cart: usize, number: usize| !(cart + number).is_multiple_of(3);
    let mut sent = events(10, 5, 3, |cart, number| if is_valid(cart, number) { "valid" } else { "review" });
    for (at, event) in sent.iter_mut().enumerate() {
        let total = if saying(std::slice::from_ref(event), "valid").is_empty() { 1_000 } else { at };
        event.value = Some(format!(r#"{{"event": {at}, "total": {total}}}"#).into_bytes());
    }
    input.produce(&sent);
    let router = deployment("cart-router", broker.address(), &group).records_max(1);
    let router = router.inlet("in", &input).outlet("valid", &valid).outlet("review", &review);
    let first = router.start();
    let emitted = || valid.ends().iter().chain(&review.ends()).sum::<i64>();
    first.wait("the first event", || (emitted() > 0).then_some(()));
    first.kill();
    let second = router.start();
    input.wait_committed(&group);
    assert_eq!(second.stop().code, Some(0));
    check(&saying(&sent, "valid"), &valid.read());
    check(&saying(&sent, "review"), &review.read());
}

#[test]
fn sigterm_finishes_what_is_in_hand_and_the_next_run_repeats_nothing() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "stopped", 3);
    let sent = carts(3);
    scene.input.produce(&sent);
    scene.faulty = scene.faulty.set("pause", "60 ms").records_max(2);

    let first = scene.faulty.start();
    first.wait("some events", || (scene.emitted() >= 6).then_some(()));
    let asked = Instant::now();
    first.terminate();
    let ended = first.end();
    assert_eq!(ended.code, Some(0), "{:?}", ended.log);
    assert!(asked.elapsed() < Duration::from_secs(5), "what is in hand takes a moment: {:?}", asked.elapsed());
    assert_eq!(scene.group.members(), [], "it has left its group");
    let (emitted, committed) = (scene.emitted(), scene.input.committed(&scene.group));
    assert!(emitted < 50, "it was stopped in the middle: {emitted}");
    assert_eq!(committed.iter().flatten().sum::<i64>(), emitted, "what is written is committed, and nothing else");
    let last = ended.progress.last().expect("a summary");
    assert_eq!((last["event"].as_str(), last["inlets"][0]["records"].as_i64()), (Some("ended"), Some(emitted)));

    let second = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    assert_eq!(second.stop().code, Some(0));
    assert_eq!(check(&saying(&sent, "pause"), &scene.out.read()), 0, "nothing is repeated");
    assert_eq!(check(&saying(&sent, "pause-other"), &scene.other.read()), 0, "nothing is repeated");
}

#[test]
fn a_batch_that_outlasts_the_grace_is_given_up_and_comes_again() {
    let Some(broker) = Broker::shared() else { return };
    let scene = Scene::new(broker, "given-up", 1);
    let sent = events(1, 3, 1, |_, _| "pause");
    scene.input.produce(&sent);
    let slow = scene.faulty.clone().set("pause", "20 s").flags(&["--drain-grace", "200 ms"]).start();
    slow.wait("a batch in flight", || {
        slow.metric(r#"ankka_flow_sidecar_in_flight{inlet="in",partition="0"}"#).filter(|in_flight| *in_flight > 0.0)
    });
    let ended = slow.stop();
    assert_eq!(ended.code, Some(1), "it says that something was given up");
    assert!(ended.log.iter().any(|line| line.contains("nothing is lost")), "{:?}", ended.log);
    assert_eq!((scene.emitted(), scene.input.committed(&scene.group)), (0, vec![None]));

    let quick = scene.faulty.start();
    scene.input.wait_committed(&scene.group);
    quick.stop();
    assert_eq!(check(&sent, &scene.out.read()), 0);
}

#[test]
fn a_member_that_is_killed_is_replaced_by_one_that_waits() {
    let Some(broker) = Broker::shared() else { return };
    let mut scene = Scene::new(broker, "replaced", 2);
    scene.faulty = scene.faulty.set("pause", "20 ms").records_max(2);
    let (first, second) = (scene.faulty.start(), scene.faulty.another().start());
    scene.group.wait_stable(2);
    let sent = events(10, 10, 2, |_, _| "pause");
    scene.input.produce(&sent);
    until("some events", || (scene.emitted() >= 10).then_some(()));
    first.kill();
    scene.input.wait_committed(&scene.group);
    second.stop();
    check(&sent, &scene.out.read());
}
