//! What can be wrong with a configuration, each problem a line that a person can act on and that keeps the value private.

use std::fmt;

use thiserror::Error;

use super::{ParameterError, ParameterType};

/// One reason why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigProblem {
    /// The text is not JSON.
    #[error("cannot read the configuration as JSON: {reason} at line {line}, column {column}")]
    Syntax {
        /// Counts from 1.
        line: usize,
        /// Counts bytes from 1.
        column: usize,
        /// What the reader expected.
        reason: String,
    },
    /// The text is JSON, but not `{…}`.
    #[error("the configuration is {found}, and must be a JSON object")]
    NotAnObject {
        /// What it is.
        found: JsonKind,
    },
    /// One key has several values.
    #[error("parameter {key:?} is configured more than once")]
    Repeated {
        /// The parameter's key.
        key: String,
    },
    /// The value's JSON kind is not one that the type is written as.
    #[error("parameter {key:?} is {expected}, but is configured as {found}")]
    WrongKind {
        /// The parameter's key.
        key: String,
        /// The declared type.
        expected: ParameterType,
        /// What was configured.
        found: JsonKind,
    },
    /// The value is of the right kind, but outside the type: a fraction for INTEGER, a string that is no duration.
    #[error("parameter {key:?} is {expected}, but is configured as {found} that is not {}", allowed(*expected))]
    OutOfType {
        /// The parameter's key.
        key: String,
        /// The declared type.
        expected: ParameterType,
        /// What was configured.
        found: JsonKind,
    },
    /// Neither a value nor a default.
    #[error("parameter {key:?} ({expected}) is required and has no value: configure it, or declare a default")]
    Missing {
        /// The parameter's key.
        key: String,
        /// The declared type.
        expected: ParameterType,
    },
    /// The declared default is not of the parameter's type.
    #[error("the default of parameter {key:?} cannot be used: {reason}")]
    Default {
        /// The parameter's key.
        key: String,
        /// What is wrong with it.
        reason: ParameterError,
    },
    /// A setting's text is not of the parameter's type.
    #[error("parameter {key:?} cannot be set: {reason}")]
    Setting {
        /// The parameter's key.
        key: String,
        /// What is wrong with it.
        reason: ParameterError,
    },
    /// A setting for a parameter that is not declared.
    #[error("parameter {key:?} is not declared{}", nearest.as_ref().map(|near| format!(": did you mean {near:?}?")).unwrap_or_default())]
    Unknown {
        /// The key as given.
        key: String,
        /// The declared key that resembles it most, if any does.
        nearest: Option<String>,
    },
}

/// What a JSON value is, to be named instead of being shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Number,
    /// A string.
    String,
    /// `[…]`.
    Array,
    /// `{…}`.
    Object,
}

/// What a value of the type looks like, for a problem that must not show the one it is about.
fn allowed(expected: ParameterType) -> &'static str {
    match expected {
        ParameterType::Text => "a text",
        ParameterType::Integer => "a whole number of 64 bits",
        ParameterType::Double => "a finite number",
        ParameterType::Boolean => "true or false",
        ParameterType::Duration => "a duration, such as \"100 ms\" or \"1.5 s\", of less than 2^64 nanoseconds",
        ParameterType::MemorySize => "a memory size, such as \"512k\" or \"1 MiB\", of less than 2^64 bytes",
    }
}

impl fmt::Display for JsonKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Null => "JSON null",
            Self::Boolean => "a JSON boolean",
            Self::Number => "a JSON number",
            Self::String => "a JSON string",
            Self::Array => "a JSON array",
            Self::Object => "a JSON object",
        })
    }
}
