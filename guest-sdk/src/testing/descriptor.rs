//! A declaration as the platform's descriptor, and as the file that is deployed.

use std::path::Path;

use streamlet_protocol::{Contract, Descriptor, Parameter, Port, SdkInfo, json};
use streamlet_protocol::{PROTOCOL_VERSION, ParameterType as Type};

use crate::declaration::{ParameterType, PortDeclaration, Streamlet};

/// The descriptor of a streamlet as canonical JSON, as `streamlet descriptor` would write it of the component.
///
/// ```
/// # use streamlet::prelude::*;
/// # /// Drops everything.
/// # #[derive(Streamlet)]
/// # struct Drain { #[inlet(schema = "carts.v1")] carts: Inlet }
/// let json = streamlet::testing::descriptor::<Drain>();
/// assert!(json.contains(r#""description": "Drops everything.""#));
/// ```
pub fn descriptor<S: Streamlet>() -> String {
    json::to_canonical(&declared::<S>())
}

/// Checks that the descriptor file which a deployment carries is still that of the streamlet. The block `sdk` is not
/// compared, nor does the platform. A relative path is relative to the crate, where `cargo test` runs.
///
/// ```no_run
/// # use streamlet::prelude::*;
/// # #[derive(Streamlet)]
/// # struct Drain { #[inlet(schema = "carts.v1")] carts: Inlet }
/// streamlet::testing::check_descriptor::<Drain>("flow/descriptor.json");
/// ```
///
/// # Panics
/// The file cannot be read or differs, with each difference and the command that writes it anew.
#[track_caller]
pub fn check_descriptor<S: Streamlet>(path: impl AsRef<Path>) {
    let path = path.as_ref();
    let again = format!("write it anew with `streamlet descriptor . --out {}`", path.display());
    let name = path.display();
    let file = match std::fs::read(path) {
        Ok(file) => file,
        Err(error) => panic!("cannot read the descriptor file {name}: {error}; {again}"),
    };
    let deployed = match json::from_json(&file) {
        Ok(deployed) => deployed,
        Err(error) => panic!("cannot read the descriptor file {name}: {error}; {again}"),
    };
    let declared = Descriptor { sdk: deployed.sdk.clone(), ..declared::<S>() };
    let expected = json::to_canonical(&declared);
    if file != expected.as_bytes() {
        let difference = first_difference(&String::from_utf8_lossy(&file), &expected);
        panic!("the descriptor file {name} is not the streamlet's: {difference}\n{again}");
    }
}

/// The first line that differs, in both texts.
fn first_difference(file: &str, declared: &str) -> String {
    let lines = || file.split('\n').map(Some).chain(std::iter::repeat(None));
    let differing = declared.split('\n').map(Some).chain([None]).zip(lines()).zip(1..).find(|((a, b), _)| a != b);
    let Some(((declared, file), line)) = differing else {
        return "it has more lines".to_owned();
    };
    let show = |text: Option<&str>| text.map_or_else(|| "nothing".to_owned(), |text| format!("`{}`", text.trim()));
    format!("line {line} is {}, but the streamlet declares {}", show(file), show(declared))
}

pub(super) fn declared<S: Streamlet>() -> Descriptor {
    let declaration = S::DECLARATION;
    Descriptor {
        protocol_version: PROTOCOL_VERSION.to_string(),
        sdk: SdkInfo { name: "streamlet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        name: declaration.name.to_owned(),
        description: declaration.description.to_owned(),
        inlets: declaration.inlets.iter().map(port).collect(),
        outlets: declaration.outlets.iter().map(port).collect(),
        parameters: declaration
            .parameters
            .iter()
            .map(|parameter| Parameter {
                key: parameter.key.to_owned(),
                description: parameter.description.to_owned(),
                parameter_type: parameter_type(parameter.parameter_type),
                default: parameter.default.map(str::to_owned),
            })
            .collect(),
    }
}

fn port(port: &PortDeclaration) -> Port {
    Port { name: port.name.to_owned(), contract: Contract::json(port.schema) }
}

fn parameter_type(declared: ParameterType) -> Type {
    match declared {
        ParameterType::Text => Type::Text,
        ParameterType::Integer => Type::Integer,
        ParameterType::Double => Type::Double,
        ParameterType::Boolean => Type::Boolean,
        ParameterType::Duration => Type::Duration,
        ParameterType::MemorySize => Type::MemorySize,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_shown_with_its_line() {
        let check = |file: &str, declared: &str, expect: &str| assert_eq!(first_difference(file, declared), expect);
        check("a\n b\nc", "a\n d\nc", "line 2 is `b`, but the streamlet declares `d`");
        check("a", "a\nb", "line 2 is nothing, but the streamlet declares `b`");
        check("a\nb", "a", "line 2 is `b`, but the streamlet declares nothing");
    }
}
