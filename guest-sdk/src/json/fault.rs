//! The error of the second reading: a text made only of what the type says.

use std::fmt::{self, Display, Write as _};

use serde::de::{self, Expected, Unexpected};

/// What is wrong. Built without the data that serde offers beside it.
#[derive(Debug)]
pub(super) enum Fault {
    /// The type refuses the data, for this reason.
    Refused(String),
    /// The bytes are not the JSON that the first reading has seen, or are beyond what this reading understands.
    Lost,
}

impl Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Refused(what) => what,
            Self::Lost => "lost",
        })
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    /// A type's own text may quote the data, so it is not even looked at.
    fn custom<T: Display>(_: T) -> Self {
        Self::Refused("rejected by the type's own rules".to_owned())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Refused(format!("invalid type: {}, expected {expected}", kind(&unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Refused(format!("invalid value: {}, expected {expected}", kind(&unexpected)))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::Refused(format!("invalid length, expected {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Refused(unknown("variant", expected))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::Refused(unknown("field", expected))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Refused(format!("missing field `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::Refused(format!("duplicate field `{field}`"))
    }
}

fn unknown(what: &str, expected: &[&str]) -> String {
    let mut text = format!("unknown {what}, ");
    for (index, name) in expected.iter().enumerate() {
        let before = if index == 0 { "expected " } else { " or " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{before}`{name}`");
    }
    if expected.is_empty() {
        text.push_str("there are none");
    }
    text
}

/// The kind of what was found, without what it is.
fn kind(unexpected: &Unexpected<'_>) -> &'static str {
    match unexpected {
        Unexpected::Bool(_) => "boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "integer",
        Unexpected::Float(_) => "floating point number",
        Unexpected::Char(_) | Unexpected::Str(_) | Unexpected::Bytes(_) => "string",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "array",
        Unexpected::Map => "object",
        Unexpected::Enum
        | Unexpected::UnitVariant
        | Unexpected::NewtypeVariant
        | Unexpected::TupleVariant
        | Unexpected::StructVariant => "enum variant",
        Unexpected::NewtypeStruct | Unexpected::Other(_) => "something else",
    }
}
