//! The arguments of one attribute: `name = value`, each known and each once. Knows nothing of what they mean.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Token};

use crate::problems::Problems;

/// What one attribute says.
pub(crate) struct Arguments {
    list: Vec<Argument>,
    /// Something was refused, so that an argument's absence proves nothing.
    faulty: bool,
}

struct Argument {
    name: Ident,
    value: Option<Expr>,
}

impl Arguments {
    /// Reads `attribute`, which takes the arguments `accepted`, and notes unknown, repeated and malformed ones.
    pub(crate) fn read(attribute: &Attribute, accepted: &[&str], problems: &mut Problems) -> Self {
        let mut arguments = Self { list: Vec::new(), faulty: false };
        if matches!(attribute.meta, Meta::Path(_)) {
            return arguments;
        }
        match attribute.parse_args_with(Punctuated::<Argument, Token![,]>::parse_terminated) {
            Ok(written) => {
                for argument in written {
                    arguments.take(argument, attribute, accepted, problems);
                }
            }
            Err(error) => {
                problems.note_syntax(error);
                arguments.faulty = true;
            }
        }
        arguments
    }

    fn take(&mut self, argument: Argument, attribute: &Attribute, accepted: &[&str], problems: &mut Problems) {
        let (name, kind) = (argument.name.to_string(), attribute_name(attribute));
        let problem = if !accepted.contains(&name.as_str()) {
            format!("#[{kind}] has no argument \"{name}\": {}", hint(&name, accepted))
        } else if self.list.iter().any(|other| other.name == name) {
            format!("argument \"{name}\" is given twice: keep one")
        } else if argument.value.is_none() {
            format!("argument \"{name}\" has no value: write {name} = …")
        } else {
            self.list.push(argument);
            return;
        };
        self.faulty = true;
        problems.note(&argument.name, problem);
    }

    /// Is there certainly no argument `name`?
    pub(crate) fn lack(&self, name: &str) -> bool {
        !self.faulty && self.value(name).is_none()
    }

    /// The value of argument `name`.
    pub(crate) fn value(&self, name: &str) -> Option<&Expr> {
        self.list.iter().find(|argument| argument.name == name)?.value.as_ref()
    }

    /// The text of argument `name`; a value that is not a string literal is noted.
    pub(crate) fn text(&self, name: &str, problems: &mut Problems) -> Option<&LitStr> {
        let value = ungrouped(self.value(name)?);
        if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = value {
            return Some(text);
        }
        problems.note(value, format!("argument \"{name}\" is not a string literal: write {name} = \"…\""));
        None
    }
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { name, value })
    }
}

/// The word after `#[`.
pub(crate) fn attribute_name(attribute: &Attribute) -> String {
    attribute.path().get_ident().map(ToString::to_string).unwrap_or_default()
}

/// `value` without the invisible groups that `macro_rules!` puts around what it substitutes.
pub(crate) fn ungrouped(value: &Expr) -> &Expr {
    match value {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}

/// What to write instead of the unknown argument `name`.
fn hint(name: &str, accepted: &[&str]) -> String {
    let (of_parameter, of_port) = (accepted.contains(&"key"), accepted.contains(&"schema"));
    match name {
        "name" if of_parameter => "it has a key instead, so write key = \"…\"".to_owned(),
        "key" => "it has a name instead, so write name = \"…\"".to_owned(),
        "description" | "doc" if !of_port => "its doc comment is its description".to_owned(),
        "type" if of_parameter => "its field's type is its type".to_owned(),
        "required" | "optional" if of_parameter => "without a default it is required".to_owned(),
        _ => format!("it takes {}", accepted.join(" and ")),
    }
}
