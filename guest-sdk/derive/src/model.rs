//! A struct read as a streamlet: what the checks compare and the expansion writes.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use streamlet_protocol::names;
use streamlet_protocol::parameter::ParameterType;
use syn::{Data, DeriveInput, Fields, Type};

use crate::arguments::{Arguments, attribute_name};
use crate::fields;
use crate::problems::Problems;
use crate::words;

/// The streamlet. Where a problem was noted, the part at fault is a placeholder or left out.
pub(crate) struct Model<'a> {
    pub(crate) type_name: &'a Ident,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) fields: Vec<Field<'a>>,
}

/// A field of the struct, in the struct's order.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) value_type: &'a Type,
    pub(crate) role: Role,
}

/// What a field is to the streamlet.
pub(crate) enum Role {
    Inlet(Port),
    Outlet(Port),
    Parameter(Parameter),
    State,
}

/// An inlet or outlet.
pub(crate) struct Port {
    pub(crate) name: WireName,
    pub(crate) schema: String,
}

/// A parameter.
pub(crate) struct Parameter {
    pub(crate) key: WireName,
    pub(crate) description: String,
    pub(crate) value_type: ParameterType,
    pub(crate) default: Option<String>,
}

/// A name as the wire has it, and what the author wrote for it: a literal, or else the field.
pub(crate) struct WireName {
    pub(crate) text: String,
    pub(crate) written: TokenStream,
    /// How the author can name it otherwise, to be added to a rule; empty where they named it already.
    pub(crate) otherwise: &'static str,
}

/// Reads a struct and notes everything that makes no streamlet of it.
pub(crate) fn read<'a>(input: &'a DeriveInput, problems: &mut Problems) -> Model<'a> {
    let name = streamlet_name(input, problems);
    let description = words::description(&input.attrs, problems);
    if !input.generics.params.is_empty() {
        problems.note(
            &input.generics,
            format!("streamlet \"{name}\" is generic: the host builds one type, so write concrete types in its fields"),
        );
    }
    let fields = match &input.data {
        Data::Struct(data) => named_fields(&data.fields, &name, problems),
        Data::Enum(data) => {
            problems
                .note(data.enum_token, format!("streamlet \"{name}\" is an enum: write a struct with named fields"));
            Vec::new()
        }
        Data::Union(data) => {
            problems
                .note(data.union_token, format!("streamlet \"{name}\" is a union: write a struct with named fields"));
            Vec::new()
        }
    };
    Model { type_name: &input.ident, name, description, fields }
}

fn named_fields<'a>(fields: &'a Fields, streamlet: &str, problems: &mut Problems) -> Vec<Field<'a>> {
    if let Fields::Unnamed(unnamed) = fields {
        problems.note(
            unnamed,
            format!("streamlet \"{streamlet}\" has fields without names: name them, as a port or parameter is named by its field"),
        );
        return Vec::new();
    }
    fields.iter().filter_map(|field| fields::read(field, problems)).collect()
}

/// The name from `#[streamlet(name = "…")]` or else from the type.
fn streamlet_name(input: &DeriveInput, problems: &mut Problems) -> String {
    let mut given = None;
    let mut seen = false;
    for attribute in &input.attrs {
        let kind = attribute_name(attribute);
        match kind.as_str() {
            "streamlet" if seen => problems.note(attribute, "#[streamlet] is given twice: keep one"),
            "streamlet" => {
                seen = true;
                let arguments = Arguments::read(attribute, &["name"], problems);
                given = arguments.text("name", problems).cloned();
            }
            "inlet" | "outlet" | "parameter" => {
                problems.note(attribute, format!("#[{kind}] is on the struct: put it on a field"));
            }
            _ => {}
        }
    }
    let (name, written, otherwise) = match given {
        Some(literal) => (literal.value(), literal.into_token_stream(), ""),
        None => (
            words::streamlet_name(&input.ident),
            input.ident.to_token_stream(),
            "; rename the struct or write #[streamlet(name = \"…\")]",
        ),
    };
    if let Err(error) = names::check_streamlet_name(&name) {
        problems.note(written, format!("{error}{otherwise}"));
    }
    name
}
