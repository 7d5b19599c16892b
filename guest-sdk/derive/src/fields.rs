//! One field of the struct: its attribute, and what the attribute makes of it.

use proc_macro2::Ident;
use quote::ToTokens;
use streamlet_protocol::names;
use streamlet_protocol::parameter::ParameterType;
use syn::Attribute;

use crate::arguments::{Arguments, attribute_name};
use crate::literal;
use crate::model::{Field, Parameter, Port, Role, WireName};
use crate::parameter_type;
use crate::problems::Problems;
use crate::words;

/// Reads a field with a name; one without is refused as a whole elsewhere.
pub(crate) fn read<'a>(field: &'a syn::Field, problems: &mut Problems) -> Option<Field<'a>> {
    let ident = field.ident.as_ref()?;
    let role = match the_attribute(field, ident, problems) {
        Some(attribute) => match attribute_name(attribute).as_str() {
            "inlet" => Role::Inlet(port(attribute, "inlet", field, ident, problems)),
            "outlet" => Role::Outlet(port(attribute, "outlet", field, ident, problems)),
            _ => Role::Parameter(parameter(attribute, field, ident, problems)),
        },
        None => state(field, ident, problems),
    };
    Some(Field { ident, value_type: &field.ty, role })
}

/// The field's first attribute of ours; others are noted.
fn the_attribute<'a>(field: &'a syn::Field, ident: &Ident, problems: &mut Problems) -> Option<&'a Attribute> {
    let mut first: Option<&Attribute> = None;
    for attribute in &field.attrs {
        let kind = attribute_name(attribute);
        match (kind.as_str(), first) {
            ("inlet" | "outlet" | "parameter", None) => first = Some(attribute),
            ("inlet" | "outlet" | "parameter", Some(other)) => {
                let other = attribute_name(other);
                let problem = if kind == other {
                    format!("#[{kind}] is given twice: keep one")
                } else {
                    format!(
                        "field \"{ident}\" is both #[{other}] and #[{kind}]: keep one, and give the other a field of its own"
                    )
                };
                problems.note(attribute, problem);
            }
            ("streamlet", _) => problems.note(attribute, "#[streamlet] is on a field: put it on the struct"),
            _ => {}
        }
    }
    first
}

fn port(attribute: &Attribute, kind: &str, field: &syn::Field, ident: &Ident, problems: &mut Problems) -> Port {
    let arguments = Arguments::read(attribute, &["schema", "name"], problems);
    let name = wire_name(&arguments, "name", ident, problems);
    if let Err(error) = names::check_port_name(&name.text) {
        problems.note(&name.written, format!("{error}{}", name.otherwise));
    }
    let schema = arguments.text("schema", problems);
    if arguments.lack("schema") {
        problems.note(attribute, format!("{kind} \"{}\" has no schema: write #[{kind}(schema = \"…\")]", name.text));
    }
    if let Some(empty) = schema.filter(|schema| schema.value().is_empty()) {
        problems.note(
            empty,
            format!("the schema of {kind} \"{}\" is empty: name it, such as \"cart-events.v1\"", name.text),
        );
    }
    let wanted = if kind == "inlet" { "Inlet" } else { "Outlet" };
    if parameter_type::last_word(&field.ty).as_deref() != Some(wanted) {
        problems
            .note(&field.ty, format!("{kind} \"{}\" must have the type {wanted}: write {ident}: {wanted}", name.text));
    }
    Port { name, schema: schema.map(syn::LitStr::value).unwrap_or_default() }
}

fn parameter(attribute: &Attribute, field: &syn::Field, ident: &Ident, problems: &mut Problems) -> Parameter {
    let arguments = Arguments::read(attribute, &["default", "key"], problems);
    let key = wire_name(&arguments, "key", ident, problems);
    if let Err(error) = names::check_parameter_key(&key.text) {
        problems.note(&key.written, format!("{error}{}", key.otherwise));
    }
    let description = words::description(&field.attrs, problems);
    let found = parameter_type::of_field(&field.ty);
    let default = match (&found, arguments.value("default")) {
        (Ok(value_type), Some(value)) => match literal::default_text(value, *value_type) {
            Ok(text) => Some(text),
            Err(error) => {
                problems.note(value, format!("the default of parameter \"{}\" {error}", key.text));
                None
            }
        },
        _ => None,
    };
    let value_type = found.unwrap_or_else(|error| {
        problems.note(&field.ty, format!("parameter \"{}\" {error}", key.text));
        ParameterType::Text
    });
    Parameter { key, description, value_type, default }
}

/// A field without an attribute. A port that lacks its attribute would else be told that it has no `Default`.
fn state(field: &syn::Field, ident: &Ident, problems: &mut Problems) -> Role {
    let kind = match parameter_type::last_word(&field.ty).as_deref() {
        Some("Inlet") => "inlet",
        Some("Outlet") => "outlet",
        _ => return Role::State,
    };
    problems.note(ident, format!("field \"{ident}\" is an {kind} without a contract: write #[{kind}(schema = \"…\")]"));
    Role::State
}

fn wire_name(arguments: &Arguments, argument: &str, ident: &Ident, problems: &mut Problems) -> WireName {
    match arguments.text(argument, problems) {
        Some(literal) => WireName { text: literal.value(), written: literal.to_token_stream(), otherwise: "" },
        None => WireName {
            text: words::field_name(ident),
            written: ident.to_token_stream(),
            otherwise: if argument == "key" {
                "; rename the field or write key = \"…\""
            } else {
                "; rename the field or write name = \"…\""
            },
        },
    }
}
