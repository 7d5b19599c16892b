//! What only the whole struct shows: names that are taken, and whether anything comes in.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::{Data, DeriveInput, Fields};

use crate::arguments::attribute_name;
use crate::model::{Model, Role, WireName};
use crate::problems::Problems;

/// Notes ports of one name, parameters of one key, and a struct without an inlet.
pub(crate) fn check(model: &Model<'_>, input: &DeriveInput, problems: &mut Problems) {
    let mut ports = Taken { kind: "port", argument: "name", holders: HashMap::new() };
    let mut parameters = Taken { kind: "parameter", argument: "key", holders: HashMap::new() };
    for field in &model.fields {
        match &field.role {
            Role::Inlet(port) | Role::Outlet(port) => ports.take(&port.name, field.ident, problems),
            Role::Parameter(parameter) => parameters.take(&parameter.key, field.ident, problems),
            Role::State => {}
        }
    }
    if lacks_inlet(input) {
        problems.note(
            model.type_name,
            format!(
                "streamlet \"{}\" has no inlet: add a field such as #[inlet(schema = \"…\")] records: Inlet",
                model.name
            ),
        );
    }
}

/// The names of one kind, with the field that came first.
struct Taken<'a> {
    kind: &'static str,
    argument: &'static str,
    holders: HashMap<&'a str, &'a Ident>,
}

impl<'a> Taken<'a> {
    fn take(&mut self, name: &'a WireName, field: &'a Ident, problems: &mut Problems) {
        let Self { kind, argument, holders } = self;
        let holder = *holders.entry(&name.text).or_insert(field);
        if holder != field {
            let text = &name.text;
            problems.note(
                &name.written,
                format!(
                    "{kind} \"{text}\" is declared already, by field \"{holder}\": write another {argument} = \"…\""
                ),
            );
        }
    }
}

/// Asks the attributes as written, so that a faulty inlet is not also a missing one.
fn lacks_inlet(input: &DeriveInput) -> bool {
    match &input.data {
        Data::Struct(data) if !matches!(data.fields, Fields::Unnamed(_)) => {
            !data.fields.iter().any(|field| field.attrs.iter().any(|attribute| attribute_name(attribute) == "inlet"))
        }
        _ => false,
    }
}
