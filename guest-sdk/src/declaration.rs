//! What a streamlet declares, as constants: written by `#[derive(Streamlet)]`, read by `describe`, by the test kit and
//! by whoever checks the descriptor file.

use crate::config::Config;
use crate::error::Result;

/// A streamlet's declaration, complete and constant. Lists are in the order of the struct's fields; an inlet's or
/// outlet's index counts its own list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declaration {
    /// 1 to 63 of `[a-z0-9-]`, without a hyphen at either end.
    pub name: &'static str,
    /// The struct's doc comment, lines joined; may be empty.
    pub description: &'static str,
    /// Where batches come from.
    pub inlets: &'static [PortDeclaration],
    /// Where emits go.
    pub outlets: &'static [PortDeclaration],
    /// What a deployment can set.
    pub parameters: &'static [ParameterDeclaration],
}

/// An inlet or outlet. Its format is `json`, the only one of protocol 1.0; its fingerprint follows from the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortDeclaration {
    /// `[a-z][a-z0-9-]{0,62}`, unique over inlets and outlets together.
    pub name: &'static str,
    /// The schema's name, such as `cart-events.v1`; never empty.
    pub schema: &'static str,
}

/// A parameter of the streamlet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParameterDeclaration {
    /// `[a-z][a-z0-9-]*`, unique.
    pub key: &'static str,
    /// The field's doc comment, lines joined; may be empty.
    pub description: &'static str,
    /// The type, from the field's.
    pub parameter_type: ParameterType,
    /// The default as text of the type, such as `1 MiB`; without one a deployment must set the parameter.
    pub default: Option<&'static str>,
}

/// The platform's six parameter types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterType {
    /// `STRING`, a `String` field.
    Text,
    /// `INTEGER`, an `i64` field.
    Integer,
    /// `DOUBLE`, an `f64` field.
    Double,
    /// `BOOLEAN`, a `bool` field.
    Boolean,
    /// `DURATION`, a [`Duration`](std::time::Duration) field; text by HOCON's rules, a bare number is milliseconds.
    Duration,
    /// `MEMORY_SIZE`, a [`MemorySize`](crate::MemorySize) field; text by HOCON's rules, a bare number is bytes.
    MemorySize,
}

/// A struct that declares a streamlet. Derived, never written by hand: `#[derive(Streamlet)]`.
pub trait Streamlet: Sized + 'static {
    /// What the struct declares.
    const DECLARATION: Declaration;

    /// Builds the streamlet for a conversation: ports get their index, parameters their resolved value, all other
    /// fields their [`Default`].
    ///
    /// # Errors
    /// A parameter that is missing from `config` or of another type, which only a faulty host causes.
    fn from_config(config: &Config) -> Result<Self>;
}
