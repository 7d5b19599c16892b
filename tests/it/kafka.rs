//! On a real Apache Kafka, which `tests/kafka/kafka` starts. Without Java or Maven these tests say that they did not run.
//!
//! [`helpers`] and [`tap`] are about the tests' own node. The others are proofs of delivery: the binary on topics of their
//! own, judged by what is in the topics afterwards, and by what the coordinator says is committed.

mod check;
mod configuration;
mod exactly_once;
mod faults;
mod fidelity;
mod health;
mod helpers;
mod outage;
mod partitions;
mod poison;
mod rebalances;
mod restarts;
mod sizes;
mod tap;
mod topics;
mod wire;

use streamlet_tests::kafka::{Broker, Deployment, Group, Topic};

/// The binary under test with a guest, on the brokers at an address.
fn deployment(package: &str, bootstrap: &str, group: &Group) -> Deployment {
    Deployment::new(env!("CARGO_BIN_EXE_streamlet-under-test"), package, bootstrap, group)
}

/// The topics of the guest that does what its records say, its group, and itself on them.
struct Scene {
    input: Topic,
    out: Topic,
    other: Topic,
    group: Group,
    faulty: Deployment,
}

impl Scene {
    fn new(broker: &Broker, name: &str, partitions: i32) -> Self {
        Self::with(broker, name, partitions, &[])
    }

    /// With settings of all topics.
    fn with(broker: &Broker, name: &str, partitions: i32, settings: &[(&str, &str)]) -> Self {
        let topic = |part: &str| broker.topic_with(&format!("{name}-{part}"), partitions, settings);
        let topics = [topic("in"), topic("out"), topic("other")];
        Self::of(topics, broker.group(name), broker.address())
    }

    fn of([input, out, other]: [Topic; 3], group: Group, bootstrap: &str) -> Self {
        let faulty = deployment("faulty", bootstrap, &group);
        let faulty = faulty.inlet("in", &input).outlet("out", &out).outlet("other", &other);
        Self { input, out, other, group, faulty }
    }

    /// How many records there are at both outlets.
    fn emitted(&self) -> i64 {
        self.out.ends().iter().chain(&self.other.ends()).sum()
    }
}
