//! What the component declares, by a marker in its own bytes: tests patch `describe:regular` to another word of the same
//! length and get another component without building one.

use std::hint::black_box;

use crate::bindings::ankka::flow::types::{Contract, Descriptor, Parameter, ParameterType, Port, SdkInfo};

/// `regular`, `invalid`, `endless` or `trapped` behind the colon.
static MARKER: [u8; 16] = *b"describe:regular";

pub(crate) fn describe() -> Descriptor {
    match black_box(&MARKER) {
        b"describe:endless" => loop {
            black_box(());
        },
        b"describe:trapped" => std::process::abort(),
        b"describe:invalid" => invalid(),
        _ => regular(),
    }
}

/// One parameter of each type, the first without a default.
fn regular() -> Descriptor {
    Descriptor {
        sdk: SdkInfo { name: "by hand".into(), version: "0".into() },
        name: "raw".into(),
        description: "No SDK, and every broken table.".into(),
        inlets: vec![port("in", "json", "raw.v1")],
        outlets: vec![port("out", "json", "raw.v1"), port("other", "json", "raw.v1")],
        parameters: vec![
            parameter("label", ParameterType::Text, None),
            parameter("an-integer", ParameterType::Integer, Some("-7")),
            parameter("a-double", ParameterType::Double, Some("0.5")),
            parameter("a-boolean", ParameterType::Boolean, Some("true")),
            parameter("a-duration", ParameterType::Duration, Some("1.5 s")),
            parameter("a-size", ParameterType::MemorySize, Some("1 MiB")),
        ],
    }
}

/// A problem in each of its parts.
fn invalid() -> Descriptor {
    Descriptor {
        sdk: SdkInfo { name: "by hand".into(), version: "0".into() },
        name: "Raw!".into(),
        description: String::new(),
        inlets: vec![port("in", "avro", "raw.v1"), port("twice", "json", "raw.v1")],
        outlets: vec![port("twice", "json", "raw.v1"), port("bare", "json", ""), port("Out", "json", "raw.v1")],
        parameters: vec![
            parameter("empty", ParameterType::Text, Some("")),
            parameter("count", ParameterType::Integer, Some("many")),
            parameter("Key", ParameterType::Boolean, None),
        ],
    }
}

fn port(name: &str, format: &str, schema: &str) -> Port {
    Port { name: name.into(), contract: Contract { format: format.into(), schema_name: schema.into() } }
}

fn parameter(key: &str, type_: ParameterType, default: Option<&str>) -> Parameter {
    Parameter { key: key.into(), description: String::new(), type_, default_value: default.map(str::to_owned) }
}
