//! What differs between two descriptors, field by field.

use super::{ContractField, Descriptor, Difference, Direction, Parameter, Port};

/// Compares as the sidecar does before it opens a conversation: the streamlet's name, ports by name with their
/// contracts, parameters by key with type and default. Descriptions, the `sdk` block, the protocol version and every
/// order are left aside.
///
/// Both should be valid: of two ports with one name the first is compared.
///
/// ```
/// use streamlet_protocol::{Contract, Descriptor, Port, SdkInfo, descriptor::compare};
///
/// let deployed = Descriptor {
///     protocol_version: "1.0".to_owned(),
///     sdk: SdkInfo { name: "example".to_owned(), version: "0.1.0".to_owned() },
///     name: "cart".to_owned(),
///     description: String::new(),
///     inlets: vec![Port { name: "in".to_owned(), contract: Contract::json("cart.v1") }],
///     outlets: vec![],
///     parameters: vec![],
/// };
/// let offered = Descriptor { name: "basket".to_owned(), description: "New.".to_owned(), ..deployed.clone() };
/// let differences = compare(&deployed, &offered);
/// assert_eq!(differences.len(), 1);
/// assert_eq!(differences[0].to_string(), r#"the streamlet is "cart" as deployed, and "basket" as offered"#);
/// ```
pub fn compare(deployed: &Descriptor, offered: &Descriptor) -> Vec<Difference> {
    differences(deployed, offered, false)
}

/// Compares everything but the `sdk` block and the order of declaration: what tells whether a written
/// `descriptor.json` is up to date.
pub fn compare_exact(deployed: &Descriptor, offered: &Descriptor) -> Vec<Difference> {
    differences(deployed, offered, true)
}

fn differences(deployed: &Descriptor, offered: &Descriptor, exact: bool) -> Vec<Difference> {
    let mut found = Vec::new();
    let texts = |left: &String, right: &String| (left != right).then(|| (left.clone(), right.clone()));
    if exact {
        let version = texts(&deployed.protocol_version, &offered.protocol_version);
        found.extend(version.map(|(deployed, offered)| Difference::ProtocolVersion { deployed, offered }));
    }
    let name = texts(&deployed.name, &offered.name);
    found.extend(name.map(|(deployed, offered)| Difference::StreamletName { deployed, offered }));
    if exact {
        let description = texts(&deployed.description, &offered.description);
        found.extend(description.map(|(deployed, offered)| Difference::StreamletDescription { deployed, offered }));
    }
    for direction in [Direction::Inlet, Direction::Outlet] {
        compare_ports(direction, deployed.ports(direction), offered.ports(direction), &mut found);
    }
    compare_parameters(&deployed.parameters, &offered.parameters, exact, &mut found);
    found
}

fn compare_ports(direction: Direction, deployed: &[Port], offered: &[Port], found: &mut Vec<Difference>) {
    for port in deployed {
        match offered.iter().find(|other| other.name == port.name) {
            Some(other) => compare_contracts(direction, port, other, found),
            None => found.push(Difference::PortMissing { direction, name: port.name.clone() }),
        }
    }
    for port in offered {
        if !deployed.iter().any(|other| other.name == port.name) {
            found.push(Difference::PortExtra { direction, name: port.name.clone() });
        }
    }
}

fn compare_contracts(direction: Direction, deployed: &Port, offered: &Port, found: &mut Vec<Difference>) {
    let (left, right) = (&deployed.contract, &offered.contract);
    for (field, left, right) in [
        (ContractField::Format, &left.format, &right.format),
        (ContractField::SchemaName, &left.schema_name, &right.schema_name),
        (ContractField::Fingerprint, &left.fingerprint, &right.fingerprint),
    ] {
        if left != right {
            found.push(Difference::Contract {
                direction,
                port: deployed.name.clone(),
                field,
                deployed: left.clone(),
                offered: right.clone(),
            });
        }
    }
}

fn compare_parameters(deployed: &[Parameter], offered: &[Parameter], exact: bool, found: &mut Vec<Difference>) {
    for parameter in deployed {
        match offered.iter().find(|other| other.key == parameter.key) {
            Some(other) => compare_parameter(parameter, other, exact, found),
            None => found.push(Difference::ParameterMissing { key: parameter.key.clone() }),
        }
    }
    for parameter in offered {
        if !deployed.iter().any(|other| other.key == parameter.key) {
            found.push(Difference::ParameterExtra { key: parameter.key.clone() });
        }
    }
}

fn compare_parameter(deployed: &Parameter, offered: &Parameter, exact: bool, found: &mut Vec<Difference>) {
    let key = || deployed.key.clone();
    if deployed.parameter_type != offered.parameter_type {
        found.push(Difference::ParameterType {
            key: key(),
            deployed: deployed.parameter_type,
            offered: offered.parameter_type,
        });
    }
    if deployed.default != offered.default {
        found.push(Difference::ParameterDefault {
            key: key(),
            deployed: deployed.default.clone(),
            offered: offered.default.clone(),
        });
    }
    if exact && deployed.description != offered.description {
        found.push(Difference::ParameterDescription {
            key: key(),
            deployed: deployed.description.clone(),
            offered: offered.description.clone(),
        });
    }
}
