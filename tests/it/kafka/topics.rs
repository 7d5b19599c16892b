//! Topics that do not exist yet: they are waited for, and never created, though this broker would do it for whoever asks.

use streamlet_tests::kafka::{Broker, Record, Topic};

use super::deployment;

/// Neither topic exists. They come one after the other, in this order.
fn check_missing(first_is_inlet: bool) {
    let Some(broker) = Broker::shared() else { return };
    let group = broker.group("missing");
    let (input, out, other) = (broker.unique("missing-in"), broker.unique("missing-out"), broker.topic("there", 1));
    let faulty = deployment("faulty", broker.address(), &group).inlet_named("in", &input).outlet_named("out", &out);
    let running = faulty.outlet("other", &other).start();
    let is_missing = |topic: &str| !broker.topics().contains(topic);
    let create = |topic: &str| broker.topic_named(topic, 1, &[]);
    let said = |topic: &str| running.wait_for(&format!("topic={topic}"));
    let is_not_ready = || {
        let (status, body) = running.get("/ready");
        !running.is_ready() && status == 503 && body.starts_with("not ready")
    };

    // Outlets are looked at first, whoever is missing.
    let line = said(&out);
    assert!(line.contains("waiting for the topic of outlet \"out\"; it is not created"), "{line}");
    assert!(is_not_ready() && is_missing(&input) && is_missing(&out));
    let (made, line): (Topic, _) = if first_is_inlet {
        let made = create(&input);
        made.produce(&[Record::new("early")]);
        assert!(is_not_ready() && is_missing(&out), "one is still missing");
        create(&out);
        (made, None)
    } else {
        create(&out);
        let line = said(&input);
        assert!(is_not_ready() && is_missing(&input), "one is still missing");
        (create(&input), Some(line))
    };
    assert!(line.is_none_or(|line| line.contains("waiting for the topic of inlet \"in\"")));
    running.wait_ready();
    assert_eq!(running.get("/ready"), (200, "ready\n".into()));
    made.produce(&[Record::new("late")]);
    made.wait_committed(&group);
    assert_eq!(running.stop().code, Some(0));
}

#[test]
fn a_missing_outlet_is_waited_for_and_never_created() {
    check_missing(true);
}

#[test]
fn a_missing_inlet_is_waited_for_and_never_created() {
    check_missing(false);
}

#[test]
fn a_run_that_waits_for_a_topic_ends_at_once() {
    let Some(broker) = Broker::shared() else { return };
    let (group, there) = (broker.group("waiting"), broker.topic("there", 1));
    let missing = broker.unique("missing");
    for (inlet, outlet) in [(missing.as_str(), there.name()), (there.name(), missing.as_str())] {
        let faulty =
            deployment("faulty", broker.address(), &group).inlet_named("in", inlet).outlet_named("out", outlet);
        let running = faulty.outlet("other", &there).start();
        running.wait_for(&format!("topic={missing}"));
        assert_eq!(running.stop().code, Some(0));
        assert!(!broker.topics().contains(&missing));
    }
}
