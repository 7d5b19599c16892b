//! The fixtures' descriptors as an author would declare them, in the author's order.

use streamlet_protocol::{Contract, Descriptor, Parameter, ParameterType, Port, SdkInfo};

type Row<'a> = (&'a str, ParameterType, &'a str, &'a str);

/// A descriptor from (port, schema) pairs and (key, type, default, description) rows; an empty default is none.
pub(crate) fn declare(
    sdk: (&str, &str),
    (name, description): (&str, &str),
    inlets: &[(&str, &str)],
    outlets: &[(&str, &str)],
    parameters: &[Row<'_>],
) -> Descriptor {
    let ports = |pairs: &[(&str, &str)]| {
        let port = |(name, schema): &(&str, &str)| Port { name: (*name).to_owned(), contract: Contract::json(*schema) };
        pairs.iter().map(port).collect()
    };
    Descriptor {
        protocol_version: "1.0".to_owned(),
        sdk: SdkInfo { name: sdk.0.to_owned(), version: sdk.1.to_owned() },
        name: name.to_owned(),
        description: description.to_owned(),
        inlets: ports(inlets),
        outlets: ports(outlets),
        parameters: parameters.iter().map(|row| parameter(*row)).collect(),
    }
}

pub(crate) fn parameter((key, parameter_type, default, description): Row<'_>) -> Parameter {
    Parameter {
        key: key.to_owned(),
        description: description.to_owned(),
        parameter_type,
        default: Some(default.to_owned()).filter(|text| !text.is_empty()),
    }
}

/// The six of the platform.
pub(crate) fn shared() -> Vec<Descriptor> {
    use ParameterType::{Boolean, Double, Duration, Integer, MemorySize, Text};
    let sdk = ("fixture", "0.0.0");
    let many: Vec<(&str, &str)> = ["in-e", "in-c", "in-a", "in-d", "in-b"].map(|name| (name, "many.v1")).into();
    let more: Vec<(&str, &str)> = ["out-3", "out-1", "out-5", "out-2", "out-4"].map(|name| (name, "many.v1")).into();
    let cart = "cart-events.v1";
    vec![
        declare(sdk, ("minimal", ""), &[("in", "minimal.v1")], &[("out", "minimal.v1")], &[]),
        declare(
            sdk,
            ("cart-router", "Routes cart events to the valid or review outlet."),
            &[("in", cart)],
            &[("valid", cart), ("review", cart)],
            &[("review-threshold", Integer, "100", "Carts with a total above this go to the review outlet.")],
        ),
        declare(
            sdk,
            ("every-type", "Every parameter type, and \"unicode\": café ✓"),
            &[("in", "every.v1")],
            &[],
            &[
                ("a-string", Text, "hello", "A string."),
                ("an-integer", Integer, "42", "An integer."),
                ("a-double", Double, "0.5", "A double."),
                ("a-boolean", Boolean, "true", "A boolean."),
                ("a-duration", Duration, "100 ms", "A duration."),
                ("a-memory-size", MemorySize, "1 MiB", "A memory size."),
                ("required", Text, "", "Required: no default, so it must be set at deploy time."),
            ],
        ),
        declare(sdk, ("many-ports", ""), &many, &more, &[]),
        declare(sdk, ("sink", "Consumes cart events and writes them elsewhere."), &[("in", cart)], &[], &[]),
        declare(
            sdk,
            ("conformance", "The conformance reference streamlet."),
            &[("in", "conformance.v1"), ("side", "conformance-side.v1")],
            &[("out", "conformance.v1"), ("other", "conformance-other.v1")],
            &[
                ("mode", Text, "echo", "Unused by the suite; proves a string parameter arrives."),
                ("factor", Integer, "1", "How many times the multiply key emits."),
            ],
        ),
    ]
}

/// Our own six, as `tests/fixtures/regenerate.py` has them.
pub(crate) fn own() -> Vec<Descriptor> {
    use ParameterType::{Boolean, Double, Duration, Integer, MemorySize, Text};
    let sdk = ("own-fixture", "1.2.3");
    let scrambled = ["m", "z9", "a", "z10", "b-", "b", "b0", "ba", "z-1"];
    let inlets = scrambled.map(|name| (format!("in-{name}"), format!("wide-{name}.v1")));
    let inlets: Vec<(&str, &str)> = inlets.iter().map(|(name, schema)| (name.as_str(), schema.as_str())).collect();
    let outlets: Vec<(&str, &str)> = scrambled.iter().map(|name| (*name, "wide.v1")).collect();
    vec![
        declare(sdk, ("bare-relay", ""), &[("from", "relay.v1")], &[("to", "relay.v1")], &[]),
        declare(sdk, ("order-archive", "Keeps every settled order."), &[("settled", "orders.v3")], &[], &[]),
        declare(
            sdk,
            ("order-pricing", "Prices orders and sets suspicious ones aside."),
            &[("orders", "orders.v3")],
            &[("suspicious", "orders.v3"), ("priced", "priced-orders.v1")],
            &[("limit", Integer, "-5", ""), ("currency", Text, "EUR", "Prices are given in this.")],
        ),
        declare(
            sdk,
            ("polyglot", "Grüße, 世界 – \"quoted\" \\ back\tslash\nnew line, \u{7f}, 🦀 and \u{1}."),
            &[("in-2", "注文 v2"), ("in", "заказы.v1")],
            &[("out", "📦.v1")],
            &[("motto", Text, "naïve ☕ \u{2028}", "Ωμέγα")],
        ),
        declare(
            sdk,
            ("all-kinds", "One parameter of each type with a default, one without."),
            &[],
            &[("ticks", "ticks.v1")],
            &[
                ("string-set", Text, " spaced ", "set"),
                ("string-required", Text, "", "required"),
                ("integer-set", Integer, "-9223372036854775808", "set"),
                ("integer-required", Integer, "", "required"),
                ("double-set", Double, "-1.5e-3", "set"),
                ("double-required", Double, "", "required"),
                ("boolean-set", Boolean, "false", "set"),
                ("boolean-required", Boolean, "", "required"),
                ("duration-set", Duration, "1.5 hours", "set"),
                ("duration-required", Duration, "", "required"),
                ("memory-size-set", MemorySize, "0.5GiB", "set"),
                ("memory-size-required", MemorySize, "", "required"),
            ],
        ),
        declare(sdk, ("wide-junction", ""), &inlets, &outlets, &[]),
    ]
}
