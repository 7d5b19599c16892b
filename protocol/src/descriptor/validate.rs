//! Every rule a descriptor must keep, checked in one pass that stops at nothing.

use std::collections::BTreeMap;

use thiserror::Error;

use super::{Descriptor, Direction, FORMAT_JSON, Parameter, Port, fingerprint};
use crate::{
    names::{self, NameError},
    parameter::ParameterError,
    version::{ProtocolVersion, VersionError},
};

/// One rule that a descriptor breaks.
///
/// Problems are shown as a list, one line each, so each line carries its reason instead of leaving it to a chain of
/// sources.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The protocol version is not `MAJOR.MINOR`.
    #[error("{reason}")]
    ProtocolVersion {
        /// What is wrong with it.
        reason: VersionError,
    },
    /// The streamlet's name breaks its rule.
    #[error("{reason}")]
    StreamletName {
        /// The rule, and the name.
        reason: NameError,
    },
    /// A port's name breaks its rule.
    #[error("the {direction}'s {reason}")]
    PortName {
        /// Which way the port goes.
        direction: Direction,
        /// The rule, and the name.
        reason: NameError,
    },
    /// Several ports have one name.
    #[error("port {name:?} is declared {} times ({inlets} as inlet, {outlets} as outlet): give each port a name of its own", inlets + outlets)]
    PortRepeated {
        /// The name.
        name: String,
        /// How many inlets have it.
        inlets: usize,
        /// How many outlets have it.
        outlets: usize,
    },
    /// A contract has a format that protocol 1.0 does not have.
    #[error("{direction} {port:?} has the unknown format {format:?}: the only format is \"json\"")]
    Format {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        port: String,
        /// The format as declared.
        format: String,
    },
    /// A contract without a schema.
    #[error("{direction} {port:?} has no schema name: name what its records are, such as \"cart-events.v1\"")]
    SchemaNameEmpty {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        port: String,
    },
    /// A fingerprint that is not its schema's.
    #[error(
        "{direction} {port:?} has the fingerprint {declared:?}, but that of schema {schema_name:?} is {expected:?}"
    )]
    Fingerprint {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        port: String,
        /// The schema's name.
        schema_name: String,
        /// The fingerprint as declared.
        declared: String,
        /// The fingerprint as computed.
        expected: String,
    },
    /// A parameter's key breaks its rule.
    #[error("{reason}")]
    ParameterKey {
        /// The rule, and the key.
        reason: NameError,
    },
    /// Several parameters have one key.
    #[error("parameter {key:?} is declared {times} times: give each parameter a key of its own")]
    ParameterRepeated {
        /// The key.
        key: String,
        /// How many parameters have it.
        times: usize,
    },
    /// A default that the wire would read as none.
    #[error(
        "parameter {key:?} has an empty default, which the platform reads as none: declare another, or none to make it required"
    )]
    DefaultEmpty {
        /// The parameter's key.
        key: String,
    },
    /// A default that is not of its parameter's type.
    #[error("the default of parameter {key:?} cannot be used: {reason}")]
    Default {
        /// The parameter's key.
        key: String,
        /// What is wrong with it.
        reason: ParameterError,
    },
}

impl Descriptor {
    /// Checks every rule and reports everything that is wrong, in the order of the fields.
    ///
    /// The protocol version is checked for its form only; [`crate::version::accepts`] tells whether it is one to serve.
    ///
    /// ```
    /// use streamlet_protocol::{Contract, Descriptor, Port, SdkInfo};
    ///
    /// let descriptor = Descriptor {
    ///     protocol_version: "1".to_owned(),
    ///     sdk: SdkInfo { name: "example".to_owned(), version: "0.1.0".to_owned() },
    ///     name: "Cart".to_owned(),
    ///     description: String::new(),
    ///     inlets: vec![Port { name: "in".to_owned(), contract: Contract::json("") }],
    ///     outlets: vec![],
    ///     parameters: vec![],
    /// };
    /// let problems = descriptor.validate().unwrap_err();
    /// assert_eq!(problems.len(), 3);
    /// ```
    pub fn validate(&self) -> Result<(), Vec<Problem>> {
        let mut problems = Vec::new();
        if let Err(reason) = self.protocol_version.parse::<ProtocolVersion>() {
            problems.push(Problem::ProtocolVersion { reason });
        }
        if let Err(reason) = names::check_streamlet_name(&self.name) {
            problems.push(Problem::StreamletName { reason });
        }
        for direction in [Direction::Inlet, Direction::Outlet] {
            for port in self.ports(direction) {
                check_port(direction, port, &mut problems);
            }
        }
        check_port_names_unique(self, &mut problems);
        for parameter in &self.parameters {
            check_parameter(parameter, &mut problems);
        }
        check_keys_unique(&self.parameters, &mut problems);
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

fn check_port(direction: Direction, port: &Port, problems: &mut Vec<Problem>) {
    let contract = &port.contract;
    let name = || port.name.clone();
    if let Err(reason) = names::check_port_name(&port.name) {
        problems.push(Problem::PortName { direction, reason });
    }
    if contract.format != FORMAT_JSON {
        problems.push(Problem::Format { direction, port: name(), format: contract.format.clone() });
    }
    // Without a schema there is nothing a fingerprint could be right about.
    if contract.schema_name.is_empty() {
        problems.push(Problem::SchemaNameEmpty { direction, port: name() });
        return;
    }
    let expected = fingerprint(&contract.schema_name);
    if contract.fingerprint != expected {
        problems.push(Problem::Fingerprint {
            direction,
            port: name(),
            schema_name: contract.schema_name.clone(),
            declared: contract.fingerprint.clone(),
            expected,
        });
    }
}

fn check_port_names_unique(descriptor: &Descriptor, problems: &mut Vec<Problem>) {
    let mut uses: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for port in &descriptor.inlets {
        uses.entry(&port.name).or_default().0 += 1;
    }
    for port in &descriptor.outlets {
        uses.entry(&port.name).or_default().1 += 1;
    }
    for (name, (inlets, outlets)) in uses {
        if inlets + outlets > 1 {
            problems.push(Problem::PortRepeated { name: name.to_owned(), inlets, outlets });
        }
    }
}

fn check_parameter(parameter: &Parameter, problems: &mut Vec<Problem>) {
    let key = || parameter.key.clone();
    if let Err(reason) = names::check_parameter_key(&parameter.key) {
        problems.push(Problem::ParameterKey { reason });
    }
    match parameter.default.as_deref() {
        None => {}
        Some("") => problems.push(Problem::DefaultEmpty { key: key() }),
        Some(text) => {
            if let Err(reason) = parameter.parameter_type.parse(text) {
                problems.push(Problem::Default { key: key(), reason });
            }
        }
    }
}

fn check_keys_unique(parameters: &[Parameter], problems: &mut Vec<Problem>) {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for parameter in parameters {
        *uses.entry(&parameter.key).or_default() += 1;
    }
    for (key, times) in uses {
        if times > 1 {
            problems.push(Problem::ParameterRepeated { key: key.to_owned(), times });
        }
    }
}
