//! A broker that is killed and comes back while a streamlet works.

use streamlet_tests::kafka::Broker;
use streamlet_tests::kafka::events::{check, events, events_from};
use streamlet_tests::kafka::tap::Fault;

use super::Scene;

#[test]
fn a_broker_that_restarts_under_load_loses_nothing_and_the_process_goes_on_by_itself() {
    let Some(broker) = Broker::own() else { return };
    let mut scene = Scene::new(&broker, "outage", 3);
    // A wait that doubles to its end would make up most of the test.
    scene.faulty = scene.faulty.set("pause", "10 ms").records_max(2).consumer("reconnect.backoff.max.ms", "500");
    scene.faulty = scene.faulty.producer("reconnect.backoff.max.ms", "500");
    let sent = events(10, 40, 3, |_, _| "pause");
    scene.input.produce(&sent);
    let mut running = scene.faulty.start();
    running.wait("some events", || (scene.emitted() >= 30).then_some(()));
    broker.kill();
    broker.restart();
    let emitted = scene.emitted();
    assert!(emitted < 400, "it was killed under load: {emitted}");
    scene.input.wait_committed(&scene.group);
    assert!(running.is_running());
    running.wait_ready();
    let later = events_from(40, 10, 2, 3, |_, _| "pause");
    scene.input.produce(&later);
    scene.input.wait_committed(&scene.group);

    // Connections that are cut again and again, and a network that is silent for a while.
    running.stop();
    let tapped = Scene::new(&broker, "cut", 3);
    let address = broker.tap().address();
    let mut tapped = Scene::of([tapped.input, tapped.out, tapped.other], tapped.group, &address);
    tapped.faulty = tapped.faulty.set("pause", "10 ms").records_max(2).consumer("reconnect.backoff.max.ms", "200");
    tapped.faulty = tapped.faulty.producer("reconnect.backoff.max.ms", "200");
    tapped.input.produce(&sent);
    let running = tapped.faulty.start();
    for cut in 1..=4 {
        running.wait("some more events", || (tapped.emitted() >= cut * 40).then_some(()));
        broker.tap().cut();
    }
    running.wait("some more events", || (tapped.emitted() >= 200).then_some(()));
    broker.tap().fault(Fault::BlackHole);
    running.wait("silence", || {
        let before = tapped.emitted();
        std::thread::sleep(std::time::Duration::from_millis(300));
        (tapped.emitted() == before).then_some(())
    });
    broker.tap().fault(None);
    tapped.input.wait_committed(&tapped.group);
    assert_eq!(running.stop().code, Some(0));
    check(&sent, &tapped.out.read());
    check(&[sent, later].concat(), &scene.out.read());
}
