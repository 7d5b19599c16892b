//! Mistakes in a `streamlet.conf`, each with what an operator reads.

use streamlet_protocol::ParameterType;

use super::{EXAMPLE, SECURED, cart_router, environment, read, with_parameters};
use crate::sidecar::kafka::settings::{ConfFile, Settings};

/// The example with replacements, and every problem it is told for.
#[track_caller]
fn check(replacements: &[(&str, &str)], expected: &[&str]) {
    let mut text = EXAMPLE.to_owned();
    for (old, new) in replacements {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    assert_eq!(read(&text, &cart_router()).unwrap_err(), expected);
}

#[test]
fn keys() {
    check(
        &[("      topic             = \"shop", "      topci             = \"shop")],
        &[
            "streamlet.conf:7: inlet \"in\" has no \"topic\"; write topic = \"…\"",
            "streamlet.conf:8: unknown key \"topci\" in inlet \"in\"; did you mean \"topic\"?",
        ],
    );
    check(
        &[("bootstrap.servers = \"localhost:9092\"", "bootstrap = \"localhost:9092\"")],
        &[
            "streamlet.conf:7: inlet \"in\" has no \"bootstrap.servers\"; write bootstrap.servers = \"HOST:PORT\"",
            "streamlet.conf:9: unknown key \"bootstrap\" in inlet \"in\"; did you mean \"bootstrap.servers\"?",
        ],
    );
    check(
        &[("pipeline  = cart", "pipelines = cart"), ("max-records = 100", "max-record = 100, x = 1")],
        &[
            "streamlet.conf:2: flow has no \"pipeline\"; write pipeline = NAME",
            "streamlet.conf:3: unknown key \"pipelines\" in flow; did you mean \"pipeline\"?",
            "streamlet.conf:11: unknown key \"max-record\" in batch of inlet \"in\"; did you mean \"max-records\"?",
            "streamlet.conf:11: unknown key \"x\" in batch of inlet \"in\"; known: max-records, max-bytes",
        ],
    );
    check(
        &[("flow {", "x = 1\nflows = 2\nflow {")],
        &[
            "streamlet.conf:2: unknown key \"x\" in the file; known: flow",
            "streamlet.conf:3: unknown key \"flows\" in the file; did you mean \"flow\"?",
        ],
    );
    check(
        &[("flow {", "flw {")],
        &[
            "streamlet.conf:1: the file has no \"flow\"; write flow { pipeline = …, streamlet = …, inlets { … } }",
            "streamlet.conf:2: unknown key \"flw\" in the file; did you mean \"flow\"?",
        ],
    );
}

#[test]
fn ports() {
    check(
        &[("review { topic", "reviews { topic")],
        &[
            "streamlet.conf:14: outlet \"review\" is not configured; write review { topic = \"…\", bootstrap.servers = \"…\" \
         } in flow.outlets",
            "streamlet.conf:16: the streamlet has no outlet \"reviews\"; did you mean \"review\"? declared: review, valid",
        ],
    );
    check(
        &[("  inlets {", "  inlet {")],
        &[
            "streamlet.conf:2: inlet \"in\" is not configured; write in { topic = \"…\", bootstrap.servers = \"…\" } in \
         flow.inlets",
            "streamlet.conf:6: unknown key \"inlet\" in flow; did you mean \"inlets\"?",
        ],
    );
    check(
        &[("in {", "in = x, other {")],
        &[
            "streamlet.conf:7: the streamlet has no inlet \"other\"; declared: in",
            "streamlet.conf:7: key \"in\" in flow.inlets is a single value, and must be an object",
        ],
    );
}

#[test]
fn values() {
    check(
        &[("max-bytes = 1 MiB", "max-bytes = 1 MiBs"), ("max-records = 100", "max-records = 0")],
        &[
            "streamlet.conf:11: key \"max-records\" in batch of inlet \"in\" is not a whole number from 1",
            "streamlet.conf:11: key \"max-bytes\" in batch of inlet \"in\" is not a memory size, such as \"512k\" or \"1 \
         MiB\": its unit \"MiBs\" is not one of B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB, PiB, EiB or their long \
         names",
        ],
    );
    check(
        &[("\"shop.cart-events.v1\"", "\"^shop.*\""), ("\"cart.valid-carts\"", "[a]"), ("\"localhost:9092\"", "\"\"")],
        &[
            "streamlet.conf:8: key \"topic\" in inlet \"in\" is not a topic's name: 1 to 249 of a-z, A-Z, 0-9, '.', '_' and '-'",
            "streamlet.conf:9: key \"bootstrap.servers\" in inlet \"in\" is not a text that says something",
            "streamlet.conf:15: key \"topic\" in outlet \"valid\" is a list, and must be a single value",
        ],
    );
    check(
        &[("consumer-config   {", "consumer-config   = 1 #")],
        &["streamlet.conf:10: key \"consumer-config\" in inlet \"in\" is a single value, and must be an object"],
    );
}

#[test]
fn settings_of_clients() {
    check(
        &[("auto.offset.reset = earliest", "auto.offset.rset = earliest, check.crcs = hm, a = [[]]")],
        &[
            "streamlet.conf:10: key \"a\" in consumer-config of inlet \"in\" is a list of other things, and must be a single \
         value or a list of them",
            "streamlet.conf:10: inlet \"in\": unknown Kafka setting \"auto.offset.rset\"; did you mean \"auto.offset.reset\"?",
            "streamlet.conf:10: inlet \"in\": Kafka setting \"check.crcs\" has a value it does not take; it takes true or \
         false",
        ],
    );
    check(
        &[(
            "consumer-config   {",
            "connection-config { security.protocol = SASL_SSL, sasl.mechanism = PLAIN }\nconsumer-config {",
        )],
        &[
            "streamlet.conf:10: inlet \"in\": Kafka setting \"sasl.jaas.config\" is missing: the mechanism needs a login; \
         write it, or sasl.username and sasl.password",
        ],
    );
}

#[test]
fn parameters() {
    let descriptor = with_parameters(&[
        ("whole", ParameterType::Integer, None),
        ("switch", ParameterType::Boolean, None),
        ("wait", ParameterType::Duration, None),
        ("room", ParameterType::MemorySize, None),
        ("needed", ParameterType::Text, None),
        ("list", ParameterType::Text, None),
    ]);
    let config =
        "config {\n whole = 1.5\n switch = 1\n wait = 5 parsecs\n room = hunter2abc\n neded = x\n list = []\n}";
    let text = EXAMPLE.replace("config    = { review-threshold = 100 }", config);
    assert_eq!(
        read(&text, &descriptor).unwrap_err(),
        [
            "streamlet.conf:5: parameter \"needed\" (STRING) is required and has no value; write needed = … in flow.config",
            "streamlet.conf:6: parameter \"whole\" is not INTEGER: it is a whole number from -9223372036854775808 to \
             9223372036854775807",
            "streamlet.conf:7: parameter \"switch\" is not BOOLEAN: it is true or false",
            "streamlet.conf:8: parameter \"wait\" is not DURATION: it is a duration, such as \"100 ms\" or \"1.5 s\", but \
             its unit \"parsecs\" is not one of ns, us, ms, s, m, h, d or their long names",
            "streamlet.conf:9: parameter \"room\" is not MEMORY_SIZE: it is a memory size, such as \"512k\" or \"1 MiB\", \
             but what precedes the unit is not a decimal number",
            "streamlet.conf:10: the streamlet has no parameter \"neded\"; did you mean \"needed\"?",
            "streamlet.conf:11: parameter \"list\" is not STRING: it is a list, and must be a single value",
        ],
    );
    let text = EXAMPLE.replace("config    = { review-threshold = 100 }", "");
    assert_eq!(
        read(&text, &with_parameters(&[("needed", ParameterType::Text, None)])).unwrap_err(),
        [
            "streamlet.conf:2: parameter \"needed\" (STRING) is required and has no value; write needed = … in flow.config"
        ],
    );
}

#[test]
fn syntax_and_substitutions() {
    check(
        &[("in {", "in {\n      include \"base.conf\"")],
        &["streamlet.conf:8:7: include is not supported; copy what it includes into this file"],
    );
    check(
        &[("pipeline  = cart", "pipeline = ${PIPELINE}"), ("streamlet = router", "streamlet = ${STREAMLET}")],
        &[
            "streamlet.conf:3:14: \"${PIPELINE}\" is defined neither in this file nor in the environment; set it, or write \
         ${?PIPELINE} to leave the key unset",
            "streamlet.conf:4:15: \"${STREAMLET}\" is defined neither in this file nor in the environment; set it, or write \
         ${?STREAMLET} to leave the key unset",
        ],
    );
}

/// Whatever single line of the secured file is broken, the password stays in.
#[test]
fn no_mistake_shows_a_password() {
    let lines = SECURED.lines().collect::<Vec<_>>();
    for (at, line) in lines.iter().enumerate() {
        for broken in
            [line.replace('=', " "), line.replacen('"', "", 1), line.replace('}', ""), line.replace("required", "")]
        {
            let text = [&lines[..at], &[broken.as_str()], &lines[at + 1..]].concat().join("\n");
            let conf = ConfFile { path: "streamlet.conf".to_owned(), text };
            let found = Settings::from_conf(&conf, &cart_router(), &environment);
            let told = match &found {
                Ok(settings) => settings.warnings.concat(),
                Err(problems) => problems.iter().map(ToString::to_string).collect(),
            };
            assert!(!told.contains("hunter2") && !format!("{found:?}").contains("hunter2"), "line {at}: {told}");
        }
    }
}
