//! What can be wrong with a HOCON text: where, what, and what to write instead. Keys and names are quoted, values never.

use thiserror::Error;

use super::{DEPTH_MAX, RESOLVED_BYTES_MAX};

/// A mistake and its place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct HoconError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub reason: HoconReason,
}

/// What is wrong at a place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HoconReason {
    /// `include "…"`.
    #[error("include is not supported; copy what it includes into this file")]
    Include,
    /// A string that its line or the file ends before it does.
    #[error("the string that begins here has no closing quotes; close it, or use \"\"\" for one of several lines")]
    UnclosedString,
    /// A brace or bracket that is never closed.
    #[error("the \"{open}\" here is never closed; write \"{close}\" where it ends")]
    Unclosed {
        /// `{` or `[`.
        open: char,
        /// `}` or `]`.
        close: char,
    },
    /// `}` or `]` without its counterpart.
    #[error("this \"{0}\" closes nothing; remove it, or open what it should close")]
    ClosesNothing(char),
    /// An escape JSON does not have.
    #[error("this is no escape in a string; write \\\\ for a backslash, or use \"\"\" for a string without escapes")]
    Escape,
    /// A character that HOCON keeps for itself, within an unquoted value.
    #[error("a value with this character must be in double quotes")]
    ReservedInValue,
    /// A character that HOCON keeps for itself, within an unquoted key.
    #[error("a key with this character must be in double quotes")]
    ReservedInKey,
    /// Something else where a key should be.
    #[error("a key is expected here, as in key = value")]
    KeyMissing,
    /// A path with nothing before, between or after its dots.
    #[error("a path has an empty element; remove the dot that is too many, or write \"\" for an empty key")]
    EmptyElement,
    /// A key without `=` or `{`.
    #[error("key \"{0}\" has no value; write = and the value after it")]
    SeparatorMissing(String),
    /// A key with `=`, and nothing after it.
    #[error("key \"{0}\" has no value after its separator; write \"\" for an empty one")]
    ValueMissing(String),
    /// A value of a list is missing.
    #[error("a value is expected here; remove a comma that is too many")]
    ElementMissing,
    /// More than a document.
    #[error("the document ended with its \"}}\"; remove what follows")]
    AfterDocument,
    /// The document is a list.
    #[error("a configuration is an object of keys, not a list")]
    ListDocument,
    /// A substitution that is not `${path}`.
    #[error("a substitution is ${{path}} or ${{?path}}; put a plain $ in double quotes")]
    Substitution,
    /// Too many levels.
    #[error("it nests deeper than {DEPTH_MAX} levels; flatten it")]
    TooDeep,
    /// A substitution that nothing defines.
    #[error(
        "\"${{{0}}}\" is defined neither in this file nor in the environment; set it, or write ${{?{0}}} to leave the key unset"
    )]
    Undefined(String),
    /// A substitution that leads to itself.
    #[error("\"${{{0}}}\" refers to itself; break the circle")]
    Circular(String),
    /// Pieces of different kinds in one value.
    #[error("a value cannot join {0} and {1}; write one of them")]
    Mixed(&'static str, &'static str),
    /// `+=` on what is no list.
    #[error("key \"{0}\" is no list, so += cannot add to it; write = instead")]
    AppendsToOther(String),
    /// Substitutions that multiply.
    #[error("substitutions make the document larger than {RESOLVED_BYTES_MAX} bytes; refer to less")]
    TooLarge,
}
