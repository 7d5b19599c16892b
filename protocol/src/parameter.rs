//! Parameters: their types, their typed values, and how a conversation's configuration becomes values.
//!
//! Owns what a text or a JSON value of each type may look like. Refuses at once, with every problem together: a caller
//! shows them all, so nobody fixes one to find the next. A configured value is never quoted in a problem, since
//! configuration holds secrets; a default and a command line setting are, since their author is the one who reads.

use std::fmt;

use thiserror::Error;

use crate::units::{self, UnitError};

pub use problem::{ConfigProblem, JsonKind};
pub use resolve::{Resolved, resolve_json, resolve_text};

mod problem;
mod resolve;

/// What a parameter's text stands for: the wire's `ConfigType`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParameterType {
    /// Any text: `STRING`, the wire's default.
    Text,
    /// A whole number of 64 bits: `INTEGER`.
    Integer,
    /// A finite number: `DOUBLE`.
    Double,
    /// `true` or `false`: `BOOLEAN`.
    Boolean,
    /// A HOCON duration: `DURATION`.
    Duration,
    /// A HOCON memory size: `MEMORY_SIZE`.
    MemorySize,
}

/// A value of its parameter's type.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// Of [`ParameterType::Text`].
    Text(String),
    /// Of [`ParameterType::Integer`].
    Integer(i64),
    /// Of [`ParameterType::Double`]; finite.
    Double(f64),
    /// Of [`ParameterType::Boolean`].
    Boolean(bool),
    /// Of [`ParameterType::Duration`], in nanoseconds.
    DurationNanos(u64),
    /// Of [`ParameterType::MemorySize`], in bytes.
    Bytes(u64),
}

/// A text that its parameter's type does not allow.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// Not digits with an optional sign, or over 64 bits.
    #[error("cannot read {text:?} as INTEGER: it is a whole number from {} to {}", i64::MIN, i64::MAX)]
    Integer {
        /// The text as given.
        text: String,
    },
    /// Not a decimal number, or not finite.
    #[error("cannot read {text:?} as DOUBLE: it is a finite decimal number, such as \"0.5\" or \"1e-3\"")]
    Double {
        /// The text as given.
        text: String,
    },
    /// Neither word.
    #[error("cannot read {text:?} as BOOLEAN: it is \"true\" or \"false\"")]
    Boolean {
        /// The text as given.
        text: String,
    },
    /// Not a duration by HOCON's rules.
    #[error("cannot read {text:?} as DURATION, such as \"100 ms\" or \"1.5 s\": {reason}")]
    Duration {
        /// The text as given.
        text: String,
        /// What HOCON's rules object to.
        reason: UnitError,
    },
    /// Not a memory size by HOCON's rules.
    #[error("cannot read {text:?} as MEMORY_SIZE, such as \"512k\" or \"1 MiB\": {reason}")]
    MemorySize {
        /// The text as given.
        text: String,
        /// What HOCON's rules object to.
        reason: UnitError,
    },
}

impl ParameterType {
    /// Every type, in the order of its number on the wire.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Integer, Self::Double, Self::Boolean, Self::Duration, Self::MemorySize];

    /// The type's name in descriptors and messages, such as `MEMORY_SIZE`.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Text => "STRING",
            Self::Integer => "INTEGER",
            Self::Double => "DOUBLE",
            Self::Boolean => "BOOLEAN",
            Self::Duration => "DURATION",
            Self::MemorySize => "MEMORY_SIZE",
        }
    }

    /// The type's number on the wire.
    pub fn wire_number(self) -> i32 {
        match self {
            Self::Text => 0,
            Self::Integer => 1,
            Self::Double => 2,
            Self::Boolean => 3,
            Self::Duration => 4,
            Self::MemorySize => 5,
        }
    }

    /// Finds the type of a wire name.
    pub fn from_wire_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.wire_name() == name)
    }

    /// Finds the type of a wire number.
    pub fn from_wire_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|candidate| candidate.wire_number() == number)
    }

    /// Reads a default or a command line setting.
    ///
    /// Only DURATION and `MEMORY_SIZE` ignore space around the value. A DOUBLE is finite.
    ///
    /// ```
    /// use streamlet_protocol::parameter::{ParameterType, ParameterValue};
    ///
    /// assert_eq!(ParameterType::Duration.parse("100 ms"), Ok(ParameterValue::DurationNanos(100_000_000)));
    /// let error = ParameterType::Boolean.parse("yes").unwrap_err();
    /// assert_eq!(error.to_string(), r#"cannot read "yes" as BOOLEAN: it is "true" or "false""#);
    /// ```
    pub fn parse(self, text: &str) -> Result<ParameterValue, ParameterError> {
        let owned = || text.to_owned();
        match self {
            Self::Text => Ok(ParameterValue::Text(owned())),
            Self::Integer => {
                text.parse().map(ParameterValue::Integer).map_err(|_| ParameterError::Integer { text: owned() })
            }
            Self::Double => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(ParameterValue::Double(number)),
                _ => Err(ParameterError::Double { text: owned() }),
            },
            Self::Boolean => {
                text.parse().map(ParameterValue::Boolean).map_err(|_| ParameterError::Boolean { text: owned() })
            }
            Self::Duration => units::parse_duration(text)
                .map(ParameterValue::DurationNanos)
                .map_err(|reason| ParameterError::Duration { text: owned(), reason }),
            Self::MemorySize => units::parse_size(text)
                .map(ParameterValue::Bytes)
                .map_err(|reason| ParameterError::MemorySize { text: owned(), reason }),
        }
    }
}

impl fmt::Display for ParameterType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.wire_name())
    }
}

impl ParameterValue {
    /// The type this is a value of.
    pub fn parameter_type(&self) -> ParameterType {
        match self {
            Self::Text(_) => ParameterType::Text,
            Self::Integer(_) => ParameterType::Integer,
            Self::Double(_) => ParameterType::Double,
            Self::Boolean(_) => ParameterType::Boolean,
            Self::DurationNanos(_) => ParameterType::Duration,
            Self::Bytes(_) => ParameterType::MemorySize,
        }
    }
}
