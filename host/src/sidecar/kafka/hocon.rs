//! HOCON, as much of it as a `streamlet.conf` needs, with the line of every key.
//!
//! Owns the text's syntax, the merging of keys that occur more than once, `+=`, and substitutions: `${a.b}` is the
//! file's own path, or else the variable of that name in an environment the caller hands in. Refuses `include`, since a
//! configuration is one file whose digest and lines mean something, and whatever it does not read, with line, column and
//! what to write instead. Never quotes a value: values are where passwords are. Ends at the first mistake of syntax, and
//! at every substitution that cannot be made, told together. Nesting and the resolved size are bounded, so that no
//! file, however made, exhausts the stack or the memory.
//!
//! Two crates were measured before this was written. hocon-rs 0.2.0 reads an unclosed brace as an empty document and an
//! absent `include` as nothing, and forgets the order of keys; hocon 0.9.0 does not read `a {}`, takes an absent `${?A}`
//! for an error when it is strict, and overflows the stack on nested lists. Neither has positions, and both read the
//! process's own environment.
//!
//! Left out of HOCON, besides `include`: `.properties` and URLs, numeric-index keys that turn an object into a list,
//! and relative substitutions of included files.

pub use error::{HoconError, HoconReason};

mod error;
mod parse;
mod resolve;
mod scanner;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use std::collections::BTreeSet;

/// How deep objects, lists, the elements of paths and substitutions within substitutions may nest.
pub const DEPTH_MAX: usize = 64;

/// The most a document may be once it is resolved, counting one for each value and each byte of text: without it, a few
/// lines of substitutions that double each other would fill any memory.
pub const RESOLVED_BYTES_MAX: usize = 4 << 20;

/// A resolved document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Its fields.
    pub root: Object,
    /// The first elements of the paths that substitutions looked for in the document.
    pub referenced: BTreeSet<String>,
}

/// Fields, in the order of their first definition.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// No key occurs twice.
    pub fields: Vec<Field>,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// One element of a path, without quotes.
    pub key: String,
    /// Where the definition that counts has its key, from 1.
    pub line: usize,
    /// What it is.
    pub value: Value,
}

/// A value. `Debug` hides texts, which may be passwords.
#[derive(Clone, PartialEq)]
pub enum Value {
    /// `null`, which HOCON takes for an absent value.
    Null,
    /// A string, a number or a boolean: HOCON converts between them as a reader asks.
    Text(String),
    /// `[…]`.
    List(Vec<Value>),
    /// `{…}`.
    Object(Object),
}

impl std::fmt::Debug for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Text(_) => formatter.write_str("(text)"),
            Self::List(values) => formatter.debug_list().entries(values).finish(),
            Self::Object(object) => std::fmt::Debug::fmt(object, formatter),
        }
    }
}

impl Value {
    /// What it is, in a problem that must not show it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "a single value",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl Object {
    /// The field of this key.
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }
}

/// Reads a document. `environment` is asked for the variables that substitutions name.
///
/// ```
/// use streamlet_host::sidecar::kafka::hocon::{self, Value};
///
/// let text = "flow { topic = carts, password = ${PASSWORD} }";
/// let environment = |name: &str| (name == "PASSWORD").then(|| "secret".to_owned());
/// let document = hocon::parse(text, &environment).unwrap();
/// let Value::Object(flow) = &document.root.get("flow").unwrap().value else { unreachable!() };
/// assert_eq!(flow.get("topic").unwrap().value, Value::Text("carts".to_owned()));
///
/// let errors = hocon::parse("flow {\n  include \"base.conf\"\n}", &environment).unwrap_err();
/// assert!(errors[0].to_string().starts_with("line 2, column 3: include is not supported"));
/// ```
pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Document, Vec<HoconError>> {
    let root = parse::document(text).map_err(|error| vec![error])?;
    resolve::document(&root, environment)
}
