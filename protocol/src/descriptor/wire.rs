//! Between the model and the wire's `Spec`. Order is kept both ways; an absent message is one without fields.

use thiserror::Error;

use super::{Contract, Descriptor, Parameter, Port, SdkInfo};
use crate::{parameter::ParameterType, wire};

/// A parameter has a type that this version of the protocol does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot read parameter {key:?}: its type has the unknown number {number}")]
pub struct UnknownTypeError {
    /// The parameter's key.
    pub key: String,
    /// The number on the wire.
    pub number: i32,
}

impl From<&Descriptor> for wire::Spec {
    fn from(descriptor: &Descriptor) -> Self {
        Self {
            protocol_version: descriptor.protocol_version.clone(),
            sdk: Some(wire::SdkInfo { name: descriptor.sdk.name.clone(), version: descriptor.sdk.version.clone() }),
            streamlet: Some(wire::StreamletDescriptor {
                name: descriptor.name.clone(),
                description: descriptor.description.clone(),
                inlets: descriptor.inlets.iter().map(wire::Port::from).collect(),
                outlets: descriptor.outlets.iter().map(wire::Port::from).collect(),
                config_parameters: descriptor.parameters.iter().map(wire::ConfigParameter::from).collect(),
            }),
        }
    }
}

impl From<&Port> for wire::Port {
    fn from(port: &Port) -> Self {
        let contract = wire::Contract {
            format: port.contract.format.clone(),
            schema_name: port.contract.schema_name.clone(),
            fingerprint: port.contract.fingerprint.clone(),
        };
        Self { name: port.name.clone(), contract: Some(contract) }
    }
}

impl From<&Parameter> for wire::ConfigParameter {
    fn from(parameter: &Parameter) -> Self {
        Self {
            key: parameter.key.clone(),
            description: parameter.description.clone(),
            r#type: parameter.parameter_type.wire_number(),
            default_value: parameter.default.clone().unwrap_or_default(),
        }
    }
}

impl TryFrom<wire::Spec> for Descriptor {
    type Error = UnknownTypeError;

    fn try_from(spec: wire::Spec) -> Result<Self, UnknownTypeError> {
        let sdk = spec.sdk.unwrap_or_default();
        let streamlet = spec.streamlet.unwrap_or_default();
        Ok(Self {
            protocol_version: spec.protocol_version,
            sdk: SdkInfo { name: sdk.name, version: sdk.version },
            name: streamlet.name,
            description: streamlet.description,
            inlets: streamlet.inlets.into_iter().map(Port::from).collect(),
            outlets: streamlet.outlets.into_iter().map(Port::from).collect(),
            parameters: streamlet.config_parameters.into_iter().map(Parameter::try_from).collect::<Result<_, _>>()?,
        })
    }
}

impl From<wire::Port> for Port {
    fn from(port: wire::Port) -> Self {
        let wire::Contract { format, schema_name, fingerprint } = port.contract.unwrap_or_default();
        Self { name: port.name, contract: Contract { format, schema_name, fingerprint } }
    }
}

impl TryFrom<wire::ConfigParameter> for Parameter {
    type Error = UnknownTypeError;

    fn try_from(parameter: wire::ConfigParameter) -> Result<Self, UnknownTypeError> {
        let wire::ConfigParameter { key, description, r#type: number, default_value } = parameter;
        let Some(parameter_type) = ParameterType::from_wire_number(number) else {
            return Err(UnknownTypeError { key, number });
        };
        let default = Some(default_value).filter(|text| !text.is_empty());
        Ok(Self { key, description, parameter_type, default })
    }
}
