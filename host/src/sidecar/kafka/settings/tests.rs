//! Configurations by table: the fixture of a secured cluster, the example's own file, and what a mistake is told as.

use streamlet_protocol::descriptor::{Direction, Parameter};
use streamlet_protocol::{Descriptor, ParameterType, ParameterValue, json};

use super::{ConfFile, FlagProblem, PortTopic, QuickFlags, Settings};
use crate::sidecar::files::BatchCaps;
use crate::sidecar::kafka::deployed;

mod mistakes;

const SECURED: &str = include_str!("../../../../../tests/fixtures/kafka/streamlet.conf");
const DEPLOYED: &str = include_str!("../../../../../tests/fixtures/kafka/descriptor.json");
const EXAMPLE: &str = include_str!("../../../../../examples/cart-router/flow/streamlet.conf");

fn cart_router() -> Descriptor {
    json::from_json(DEPLOYED).unwrap()
}

/// The cart router with a parameter of each other type.
fn with_parameters(parameters: &[(&str, ParameterType, Option<&str>)]) -> Descriptor {
    let parameters = parameters.iter().map(|(key, parameter_type, default)| Parameter {
        key: (*key).to_owned(),
        description: String::new(),
        parameter_type: *parameter_type,
        default: default.map(str::to_owned),
    });
    Descriptor { parameters: parameters.collect(), ..cart_router() }
}

fn environment(name: &str) -> Option<String> {
    match name {
        "KAFKA_PASSWORD" => Some("hunter2".to_owned()),
        "THRESHOLD" => Some("250".to_owned()),
        _ => None,
    }
}

fn read(text: &str, descriptor: &Descriptor) -> Result<Settings, Vec<String>> {
    let conf = ConfFile { path: "streamlet.conf".to_owned(), text: text.to_owned() };
    let read = Settings::from_conf(&conf, descriptor, &environment);
    read.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[test]
fn a_secured_cluster() {
    let settings = read(SECURED, &cart_router()).unwrap();
    assert_eq!((settings.pipeline.as_str(), settings.streamlet.as_str()), ("cart", "router"));
    assert_eq!(settings.config, [("review-threshold".to_owned(), ParameterValue::Integer(100))]);
    let [inlet] = settings.inlets.as_slice() else { panic!("{settings:?}") };
    assert_eq!((inlet.topic.as_str(), inlet.group.as_str()), ("shop.cart-events.v1", "cart.router.in"));
    assert_eq!(inlet.caps, BatchCaps { records_max: 200, bytes_max: 2 << 20 });
    assert_eq!(inlet.record_bytes_max, 5 << 20);
    assert_eq!(inlet.client.client_id(), "cart.router.in");
    for (name, value) in [
        ("bootstrap.servers", "kafka-0.shop.example:9093,kafka-1.shop.example:9093"),
        ("group.id", "cart.router.in"),
        ("security.protocol", "sasl_ssl"),
        ("sasl.mechanism", "SCRAM-SHA-512"),
        ("sasl.username", "cart"),
        ("sasl.password", "hunter2"),
        ("ssl.ca.location", "/etc/flow/tls/ca.pem"),
        ("reconnect.backoff.ms", "50"),
        ("fetch.message.max.bytes", "2097152"),
        ("fetch.wait.max.ms", "200"),
        ("partition.assignment.strategy", "cooperative-sticky"),
        ("queued.min.messages", "2000"),
    ] {
        assert_eq!(inlet.client.get(name), Some(value), "{name}");
    }
    // In the descriptor's order, whatever the file's.
    let outlets = settings.outlets.iter().map(|outlet| (outlet.name.as_str(), outlet.topic.as_str()));
    assert_eq!(outlets.collect::<Vec<_>>(), [("review", "cart.review-carts"), ("valid", "cart.valid-carts")]);
    let [review, valid] = settings.outlets.as_slice() else { panic!("{settings:?}") };
    assert_eq!(
        (review.client.client_id(), valid.client.client_id()),
        ("cart.router.review-carts", "cart.router.valid")
    );
    assert_eq!((review.message_bytes_max, valid.message_bytes_max), (8 << 20, 8 << 20));
    assert_eq!((review.client.get("linger.ms"), valid.client.get("linger.ms")), (Some("0"), Some("1")));
    assert_eq!((review.client.get("client.rack"), valid.client.get("client.rack")), (Some("b"), None));
    assert_eq!(
        settings.warnings,
        [
            "streamlet.conf:29: inlet \"in\": Kafka setting \"key.deserializer\" has no effect: records pass as bytes, \
             through no Java class",
            "streamlet.conf:30: inlet \"in\": Kafka setting \"max.poll.records\" has no effect: a batch's size is `batch { \
             max-records, max-bytes }`",
            "streamlet.conf:49: outlet \"review\": Kafka setting \"ssl.endpoint.identification.algorithm\": the broker's \
             name is not checked against its certificate",
        ],
    );
    assert!(!format!("{settings:?}").contains("hunter2"));
}

#[test]
fn the_example() {
    let settings = read(EXAMPLE, &cart_router()).unwrap();
    assert_eq!(settings.inlets[0].client.bootstrap(), "localhost:9092");
    assert_eq!(settings.inlets[0].group, "cart.router.in");
    assert_eq!(settings.inlets[0].caps, BatchCaps::default());
    assert!(settings.warnings.is_empty());
}

#[test]
fn parameters_of_every_type() {
    let descriptor = with_parameters(&[
        ("text", ParameterType::Text, None),
        ("whole", ParameterType::Integer, None),
        ("fraction", ParameterType::Double, None),
        ("switch", ParameterType::Boolean, None),
        ("wait", ParameterType::Duration, None),
        ("room", ParameterType::MemorySize, None),
        ("default", ParameterType::Integer, Some("7")),
    ]);
    let config = "config { text = a b, whole = ${THRESHOLD}, fraction = 2, switch = on, wait = 1.5 s, room = \"1 MiB\", \
                  default = null }";
    let text = EXAMPLE.replace("config    = { review-threshold = 100 }", config);
    let values = read(&text, &descriptor).unwrap().config.into_iter().map(|(_, value)| value).collect::<Vec<_>>();
    assert_eq!(
        values,
        [
            ParameterValue::Text("a b".to_owned()),
            ParameterValue::Integer(250),
            ParameterValue::Double(2.0),
            ParameterValue::Boolean(true),
            ParameterValue::DurationNanos(1_500_000_000),
            ParameterValue::Bytes(1 << 20),
            ParameterValue::Integer(7),
        ],
    );
}

#[test]
fn a_block_of_its_own_wins_over_the_connections() {
    let text = EXAMPLE.replace(
        "consumer-config   { auto.offset.reset = earliest }",
        "connection-config { client.rack = a, fetch.min.bytes = 5, check.crcs = true, metadata.recovery.strategy = none }\n\
         consumer-config { fetch.min.bytes = 6, client.rack = null, \"check.crcs\" = false }",
    );
    let settings = read(&text, &cart_router()).unwrap();
    let client = &settings.inlets[0].client;
    assert_eq!(client.get("fetch.min.bytes"), Some("6"));
    assert_eq!(client.get("client.rack"), None);
    assert_eq!(client.get("check.crcs"), Some("false"));
    assert_eq!(client.get("metadata.recovery.strategy"), Some("none"));
    let servers = EXAMPLE.replace("\"localhost:9092\"", "[\"a:1\", \"b:2\"]");
    assert_eq!(read(&servers, &cart_router()).unwrap().inlets[0].client.bootstrap(), "a:1,b:2");
}

fn flags() -> QuickFlags {
    QuickFlags {
        bootstrap: "localhost:9092".to_owned(),
        inlets: vec![PortTopic::parse("carts")],
        outlets: vec![PortTopic::parse("valid=valid-carts"), PortTopic::parse("review=review-carts")],
        group: None,
        parameters: vec![("review-threshold".to_owned(), "50".to_owned())],
        caps: BatchCaps::default(),
    }
}

#[test]
fn quick_flags() {
    let settings = Settings::from_flags(&flags(), &cart_router()).unwrap();
    assert_eq!((settings.pipeline.as_str(), settings.streamlet.as_str()), ("cart-router", "cart-router"));
    assert_eq!(
        (settings.inlets[0].topic.as_str(), settings.inlets[0].group.as_str()),
        ("carts", "cart-router.cart-router.in")
    );
    assert_eq!(settings.outlets[0].client.client_id(), "cart-router.cart-router.review");
    assert_eq!(settings.outlets[0].topic, "review-carts");
    assert_eq!(settings.config[0].1, ParameterValue::Integer(50));
    let grouped = QuickFlags { group: Some("g".to_owned()), ..flags() };
    let settings = Settings::from_flags(&grouped, &cart_router()).unwrap();
    assert_eq!((settings.inlets[0].group.as_str(), settings.inlets[0].client.get("group.id")), ("g", Some("g")));
    let mut two = cart_router();
    two.inlets.push(two.inlets[0].clone());
    two.inlets[1].name = "more".to_owned();
    let grouped = QuickFlags { inlets: vec![PortTopic::parse("in=a"), PortTopic::parse("more=b")], ..grouped };
    assert_eq!(Settings::from_flags(&grouped, &two).unwrap().inlets[1].group, "g.more");
}

#[test]
fn quick_flags_that_cannot_be() {
    let wrong = QuickFlags {
        bootstrap: String::new(),
        inlets: vec![PortTopic::parse("inn=a"), PortTopic::parse("in=^a.*")],
        outlets: vec![PortTopic::parse("a"), PortTopic::parse("valid=a"), PortTopic::parse("valid=b")],
        group: Some(" ".to_owned()),
        parameters: vec![("review-treshold".to_owned(), "50".to_owned())],
        caps: BatchCaps::default(),
    };
    let problems =
        Settings::from_flags(&wrong, &with_parameters(&[("review-threshold", ParameterType::Integer, None)]));
    assert_eq!(
        problems.unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "--bootstrap is empty; give it a broker, as in --bootstrap localhost:9092",
            "--group is empty; leave it out, or name the consumer group",
            "--inlet: there is no inlet \"inn\"; did you mean \"in\"? declared: \"in\"",
            "inlet \"in\": \"^a.*\" is not a topic's name: 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-'",
            "--outlet a needs the name of its outlet, as in --outlet review=a; declared: \"review\", \"valid\"",
            "outlet \"valid\" is given two topics; give it one",
            "outlet \"review\" has no topic; give it with --outlet review=TOPIC",
            "--set: parameter \"review-treshold\" is not declared: did you mean \"review-threshold\"?",
            "parameter \"review-threshold\" is required and has no value; give it with --set review-threshold=VALUE",
        ],
    );
    let missing = QuickFlags { inlets: Vec::new(), ..flags() };
    let missing = Settings::from_flags(&missing, &cart_router()).unwrap_err();
    assert_eq!(missing, [FlagProblem::PortMissing { direction: Direction::Inlet, name: "in".to_owned() }]);
}

#[test]
fn every_difference_to_what_is_deployed_is_told() {
    assert_eq!(deployed::differences(DEPLOYED.as_bytes(), &cart_router()), []);
    let mut other = with_parameters(&[("review-threshold", ParameterType::Double, Some("100"))]);
    other.outlets[0].name = "checked".to_owned();
    let differences = deployed::differences(DEPLOYED.as_bytes(), &other);
    assert_eq!(
        differences.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "outlet \"review\" is deployed, but not offered",
            "outlet \"checked\" is offered, but not deployed",
            "parameter \"review-threshold\": the type is INTEGER as deployed, and DOUBLE as offered",
        ],
    );
    let unreadable = deployed::differences(b"{", &cart_router());
    assert!(unreadable[0].to_string().starts_with("it is no descriptor: "), "{}", unreadable[0]);
}
