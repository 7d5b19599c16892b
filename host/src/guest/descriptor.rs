//! What `describe` answered, as the platform's descriptor. Fingerprints and the protocol version are ours to add.

use streamlet_protocol::{Contract, Descriptor, PROTOCOL_VERSION, Parameter, ParameterType, Port, SdkInfo};

use super::bindings::ankka::flow::types;

/// The descriptor, or every rule that it breaks.
pub(super) fn from_guest(answer: types::Descriptor) -> Result<Descriptor, Vec<String>> {
    let mut problems = Vec::new();
    let mut port = |port: types::Port| {
        let contract = Contract { format: port.contract.format, ..Contract::json(&port.contract.schema_name) };
        Port { name: port.name, contract }
    };
    let inlets = answer.inlets.into_iter().map(&mut port).collect();
    let outlets = answer.outlets.into_iter().map(&mut port).collect();
    let parameters = answer.parameters.into_iter().map(|parameter| {
        if parameter.default_value.as_deref() == Some("") {
            problems.push(format!(
                "parameter \"{}\": an empty default cannot be declared, the wire reads it as none; leave it out to make \
                 the parameter required",
                parameter.key
            ));
        }
        Parameter {
            key: parameter.key,
            description: parameter.description,
            parameter_type: parameter_type(parameter.type_),
            default: parameter.default_value.filter(|default| !default.is_empty()),
        }
    });
    let descriptor = Descriptor {
        protocol_version: PROTOCOL_VERSION.to_string(),
        sdk: SdkInfo { name: answer.sdk.name, version: answer.sdk.version },
        name: answer.name,
        description: answer.description,
        inlets,
        outlets,
        parameters: parameters.collect(),
    };
    if let Err(found) = descriptor.validate() {
        problems.extend(found.iter().map(ToString::to_string));
    }
    if problems.is_empty() { Ok(descriptor) } else { Err(problems) }
}

fn parameter_type(from: types::ParameterType) -> ParameterType {
    match from {
        types::ParameterType::Text => ParameterType::Text,
        types::ParameterType::Integer => ParameterType::Integer,
        types::ParameterType::Double => ParameterType::Double,
        types::ParameterType::Boolean => ParameterType::Boolean,
        types::ParameterType::Duration => ParameterType::Duration,
        types::ParameterType::MemorySize => ParameterType::MemorySize,
    }
}
