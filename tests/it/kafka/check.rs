//! `streamlet kafka check` against a real cluster: what is well, and each thing that can be wrong in a line.

use std::fs;
use std::net::TcpListener;

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use serde_json::Value;
use streamlet_tests::fixtures;
use streamlet_tests::kafka::{Broker, Listener, Mechanism, PATIENCE, Record, Topic, until};
use streamlet_tests::program::Ran;
use tempfile::TempDir;

use crate::streamlet;

/// A deployment of the cart router.
struct Deployment {
    bootstrap: String,
    connection: String,
    group: String,
    topics: [String; 3],
}

impl Deployment {
    fn new(broker: &Broker, topic: &Topic) -> Self {
        Self {
            bootstrap: broker.address().to_owned(),
            connection: String::new(),
            group: broker.unique("check"),
            topics: [(); 3].map(|()| topic.name().to_owned()),
        }
    }

    fn through(self, broker: &Broker, listener: Listener, password: &str) -> Self {
        let mut lines = vec![format!("security.protocol = {}", listener.protocol())];
        if listener.is_encrypted() {
            lines.push(format!("ssl.truststore.location = \"{}\"", broker.ca().display()));
        }
        if let Some(mechanism) = listener.mechanism() {
            let module =
                if mechanism == Mechanism::Plain { "plain.PlainLoginModule" } else { "scram.ScramLoginModule" };
            let login = format!("username=\\\"{}\\\" password=\\\"{password}\\\"", broker.username());
            lines.push(format!("sasl.mechanism = {}", mechanism.name()));
            lines.push(format!("sasl.jaas.config = \"org.apache.kafka.common.security.{module} required {login};\""));
        }
        let connection = lines.join("\n") + "\n";
        Self { bootstrap: broker.address_of(listener).to_owned(), connection, ..self }
    }

    /// Writes both files.
    fn directory(&self) -> TempDir {
        let directory = TempDir::new().unwrap();
        let Self { bootstrap, connection, group, topics: [carts, valid, review] } = self;
        let port = |topic: &str| {
            format!("topic = \"{topic}\", bootstrap.servers = \"{bootstrap}\", connection-config {{\n{connection}}}")
        };
        let conf = format!(
            "flow {{ pipeline = cart, streamlet = router\n inlets {{ in {{ {}, group = \"{group}\" }} }}\n outlets {{ valid \
             {{ {} }}, review {{ {} }} }} }}",
            port(carts),
            port(valid),
            port(review)
        );
        fs::write(directory.path().join("streamlet.conf"), conf).unwrap();
        let descriptor = fixtures::repository().join("examples/cart-router/flow/descriptor.json");
        fs::copy(descriptor, directory.path().join("descriptor.json")).unwrap();
        directory
    }

    fn check(&self, arguments: &[&str]) -> Ran {
        let directory = self.directory();
        streamlet().args(&["kafka", "check", "--config-dir"]).arg(directory.path()).args(arguments).run()
    }

    /// The only line that says what is wrong.
    #[track_caller]
    fn wrong(&self) -> String {
        let ran = self.check(&[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{}", ran.stdout);
        let wrong = ran.stdout.lines().filter(|line| !line.starts_with("ok     ")).collect::<Vec<_>>();
        let [line] = wrong.as_slice() else { panic!("{}", ran.stdout) };
        (*line).to_owned()
    }
}

const ALL: &str = "wrong  inlet \"in\", outlet \"review\", outlet \"valid\": ";

#[test]
fn a_good_deployment_is_well_through_every_listener() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check", 2);
    let sasl = Mechanism::ALL.map(Listener::Sasl);
    for listener in [Listener::Plaintext, Listener::Ssl, Listener::SaslSsl(Mechanism::Scram512)].into_iter().chain(sasl)
    {
        let deployment = Deployment::new(broker, &topic).through(broker, listener, broker.password());
        let ran = deployment.check(&[]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
        let address = broker.address_of(listener);
        for part in [
            &format!("broker {address} answers at {address}: "),
            "lets the client in; it has 1 broker",
            "takes Produce ",
            ", SaslAuthenticate 0-2, ",
            &format!("inlet \"in\": topic \"{}\" has 2 partitions", topic.name()),
            &format!("inlet \"in\": group \"{}\" does not exist yet", deployment.group),
            "inlet \"in\": lag 0: partition 0 at nothing committed of 0, partition 1 at nothing committed of 0",
            "outlet \"review\": topic ",
        ] {
            assert!(ran.stdout.contains(part), "{part:?} is not in:\n{}", ran.stdout);
        }
        let has_mechanisms = ran.stdout.contains("SASL by PLAIN, SCRAM-SHA-256, SCRAM-SHA-512");
        assert_eq!(has_mechanisms, listener.mechanism().is_some(), "{}", ran.stdout);
        assert_eq!(ran.stdout.contains("TLSv1.3 with a certificate for \"127.0.0.1\""), listener.is_encrypted());
    }
}

#[test]
fn a_group_and_its_lag_are_told() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-lag", 2);
    topic.produce(&[Record::new("a"), Record::new("b"), Record::new("c").partition(1)]);
    let deployment = Deployment::new(broker, &topic);
    let group = broker.group_named(&deployment.group);
    let consumer: BaseConsumer = group.consumer().set("client.id", "reader").create().unwrap();
    consumer.subscribe(&[topic.name()]).unwrap();
    let message = until("a record of partition 0", || match consumer.poll(PATIENCE) {
        Some(Ok(message)) if rdkafka::Message::partition(&message) == 0 => Some(message),
        _ => None,
    });
    consumer.commit_message(&message, rdkafka::consumer::CommitMode::Sync).unwrap();
    group.wait_stable(1);

    let ran = deployment.check(&["--json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let report = serde_json::from_str::<Value>(&ran.stdout).unwrap();
    let inlet = &report["ports"][0];
    assert_eq!(inlet["lag"], 2);
    assert_eq!(inlet["offsets"][0]["committed"], 1);
    assert_eq!(inlet["offsets"][1]["committed"], Value::Null);
    assert_eq!(inlet["group"]["state"], "Stable");
    assert_eq!(inlet["group"]["members"][0]["client_id"], "reader");
    assert_eq!(report["accesses"][0]["brokers"][0]["apis"].as_array().unwrap().len(), 19);
    assert_eq!(group.members().len(), 1, "the check has not joined");
}

#[test]
fn a_wrong_password() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-password", 1);
    for mechanism in Mechanism::ALL {
        let deployment = Deployment::new(broker, &topic).through(broker, Listener::Sasl(mechanism), "not-the-password");
        let line = deployment.wrong();
        let name = mechanism.name();
        let user = broker.username();
        assert!(
            line.starts_with(&format!("{ALL}the cluster refuses user \"{user}\" by {name}: Authentication failed")),
            "{line}"
        );
        assert!(line.ends_with("; correct the user or the password in sasl.jaas.config"), "{line}");
        assert!(!line.contains("not-the-password"), "{line}");
    }
}

#[test]
fn a_missing_topic_which_stays_missing() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-topic", 1);
    let missing = broker.unique("check-missing");
    for port in [0, 1] {
        let mut deployment = Deployment::new(broker, &topic);
        deployment.topics[port].clone_from(&missing);
        let name = ["inlet \"in\"", "outlet \"valid\""][port];
        assert_eq!(
            deployment.wrong(),
            format!(
                "wrong  {name}: topic \"{missing}\" does not exist; create it (a run waits for it, and never creates one), \
                 or correct its name"
            )
        );
    }
    // The broker would have created it for anybody who lets it.
    assert!(!broker.topics().contains(&missing));
}

#[test]
fn a_closed_port() {
    // No broker is needed for there to be none.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let deployment = nowhere(format!("127.0.0.1:{port}"));
    assert_eq!(
        deployment.wrong(),
        format!(
            "{ALL}cannot connect to broker \"127.0.0.1:{port}\": nobody listens there (connection refused); start the \
             broker, or correct bootstrap.servers"
        )
    );
}

#[test]
fn a_host_that_does_not_exist() {
    let line = nowhere("no-such-host.invalid:9092".into()).wrong();
    let expect = format!("{ALL}cannot resolve the host of broker \"no-such-host.invalid:9092\": ");
    assert!(line.starts_with(&expect) && line.ends_with("; correct bootstrap.servers"), "{line}");
}

fn nowhere(bootstrap: String) -> Deployment {
    let topics = ["carts", "valid", "review"].map(str::to_owned);
    Deployment { bootstrap, connection: String::new(), group: "g".into(), topics }
}

#[test]
fn an_authority_that_is_not_trusted() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-tls", 1);
    let mut deployment = Deployment::new(broker, &topic).through(broker, Listener::Ssl, "");
    // The machine's own list.
    deployment.connection = "security.protocol = SSL\n".into();
    let line = deployment.wrong();
    let address = broker.address_of(Listener::Ssl);
    let expect = format!(
        "{ALL}broker \"{address}\" is not trusted: its certificate is signed by \"CN=authority of a streamlet test\", which \
         this machine's own list does not hold; "
    );
    assert!(line.starts_with(&expect), "{line}");
}

#[test]
fn a_name_that_is_not_the_certificates() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-name", 1);
    let mut deployment = Deployment::new(broker, &topic).through(broker, Listener::Ssl, "");
    deployment.bootstrap = deployment.bootstrap.replace("127.0.0.1", "localhost");
    let line = deployment.wrong();
    assert!(line.contains("is not trusted: its certificate is for \"127.0.0.1\"; "), "{line}");
}

#[test]
fn protocols_that_do_not_fit_the_port() {
    let Some(broker) = Broker::shared() else { return };
    let topic = broker.topic("check-protocol", 1);
    let plain = || Deployment::new(broker, &topic);
    let moved = |mut deployment: Deployment, listener: Listener| {
        broker.address_of(listener).clone_into(&mut deployment.bootstrap);
        deployment
    };
    let sasl = Listener::Sasl(Mechanism::Plain);
    for (deployment, expect) in [
        (moved(plain(), sasl), "wants SASL (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512) on this port"),
        (moved(plain(), Listener::Ssl), "security.protocol"),
        (moved(plain().through(broker, Listener::Ssl, ""), Listener::Plaintext), "does not answer in TLS"),
        (moved(plain().through(broker, sasl, broker.password()), Listener::Plaintext), "this listener has no SASL"),
    ] {
        let line = deployment.wrong();
        assert!(line.contains(expect), "{line}");
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_exit_code_2() {
    let ran = streamlet().args(&["kafka", "check", "--config-dir", "/no/such/directory"]).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(ran.stderr.contains("cannot read \"/no/such/directory/streamlet.conf\""), "{}", ran.stderr);
    let ran = streamlet().args(&["kafka", "check"]).without_env("FLOW_CONFIG_DIR").run();
    assert_eq!(ran.code, Some(2));
}
