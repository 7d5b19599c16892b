//! What can be wrong with a client's settings, and what has no effect: names, never values.

use thiserror::Error;

use super::Role;

/// Why a client's settings cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingProblem {
    /// Neither Java's client nor librdkafka has it.
    #[error("unknown Kafka setting \"{key}\"{}", nearest.as_ref().map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default())]
    Unknown {
        /// The name as given.
        key: String,
        /// The known name most like it.
        nearest: Option<String>,
    },
    /// It must not be set here, or cannot be.
    #[error("Kafka setting \"{key}\" is not supported: {advice}")]
    Refused {
        /// The name as given.
        key: String,
        /// Why, and what to write instead.
        advice: String,
    },
    /// The value is not one of those it takes.
    #[error("Kafka setting \"{key}\" has a value it does not take; it takes {takes}")]
    Value {
        /// The name as given.
        key: String,
        /// What it takes, in words or as a range.
        takes: String,
    },
    /// The value may be right for Java's client, but has no counterpart here.
    #[error("Kafka setting \"{key}\" has a value that is not supported: {advice}")]
    ValueUnsupported {
        /// The name as given.
        key: String,
        /// Why, and what to write instead.
        advice: String,
    },
    /// Two settings that exclude each other.
    #[error("Kafka settings \"{key}\" and \"{other}\" do not go together: {advice}")]
    Conflict {
        /// One of them.
        key: String,
        /// The other one.
        other: String,
        /// What to do.
        advice: String,
    },
    /// A setting that another one needs.
    #[error("Kafka setting \"{missing}\" is missing: {advice}")]
    Missing {
        /// What is not there.
        missing: String,
        /// Why it is needed, and what to write.
        advice: String,
    },
}

/// What a client's settings say that has no effect, or another one than asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingWarning {
    /// It is about a part of Java's client that does not exist here.
    #[error("Kafka setting \"{key}\" has no effect: {reason}")]
    Ignored {
        /// The name as given.
        key: String,
        /// Why.
        reason: String,
    },
    /// It is a setting of the other role.
    #[error("Kafka setting \"{key}\" has no effect on a {role}")]
    OtherRole {
        /// The name as given.
        key: String,
        /// The client's role.
        role: Role,
    },
    /// Its value was replaced.
    #[error("Kafka setting \"{key}\": {change}")]
    Changed {
        /// The name as given.
        key: String,
        /// Into what, and why.
        change: String,
    },
}
