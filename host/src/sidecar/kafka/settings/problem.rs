//! What can be wrong with a `streamlet.conf`: keys, names and lines, never values.

use streamlet_protocol::descriptor::Direction;
use streamlet_protocol::parameter::{ParameterError, ParameterType};
use thiserror::Error;

use crate::sidecar::kafka::client::SettingProblem;
use crate::sidecar::kafka::hocon::HoconReason;

/// A problem, with the place one would look at.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}:{line}{}: {problem}", column.map(|column| format!(":{column}")).unwrap_or_default())]
pub struct ConfError {
    /// The file's.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// From 1, of mistakes in the syntax.
    pub column: Option<usize>,
    /// What is wrong there.
    pub problem: ConfProblem,
}

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfProblem {
    /// It is no HOCON.
    #[error("{0}")]
    Syntax(HoconReason),
    /// A key nobody reads.
    #[error("unknown key \"{key}\" in {within}; {}", suggestion(nearest.as_deref(), known))]
    Unknown {
        /// As written.
        key: String,
        /// What it is in: `inlet "in"`.
        within: String,
        /// The known key most like it.
        nearest: Option<String>,
        /// The keys there are.
        known: Vec<&'static str>,
    },
    /// A key that must be there.
    #[error("{within} has no \"{key}\"; write {example}")]
    Missing {
        /// Its name.
        key: &'static str,
        /// What it is missing in.
        within: String,
        /// The key with a value.
        example: &'static str,
    },
    /// A value of the wrong kind.
    #[error("key \"{key}\" in {within} is {found}, and must be {expected}")]
    Kind {
        /// Its name.
        key: String,
        /// What it is in.
        within: String,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A value outside of what is allowed.
    #[error("key \"{key}\" in {within} is not {expected}")]
    Value {
        /// Its name.
        key: String,
        /// What it is in.
        within: String,
        /// What it must be.
        expected: String,
    },
    /// A port that the component does not declare.
    #[error("the streamlet has no {direction} \"{name}\"; {}", declared(*direction, nearest.as_deref(), names))]
    PortUndeclared {
        /// Which way.
        direction: Direction,
        /// As written.
        name: String,
        /// The declared name most like it.
        nearest: Option<String>,
        /// The declared names.
        names: Vec<String>,
    },
    /// A declared port that is not configured.
    #[error(
        "{direction} \"{name}\" is not configured; write {name} {{ topic = \"…\", bootstrap.servers = \"…\" }} in flow.{direction}s"
    )]
    PortMissing {
        /// Which way.
        direction: Direction,
        /// The declared name.
        name: String,
    },
    /// A parameter that the component does not declare.
    #[error("the streamlet has no parameter \"{key}\"; {}", declared_parameters(nearest.as_deref(), keys))]
    ParameterUndeclared {
        /// As written.
        key: String,
        /// The declared key most like it.
        nearest: Option<String>,
        /// The declared keys.
        keys: Vec<String>,
    },
    /// A required parameter without a value.
    #[error("parameter \"{key}\" ({expected}) is required and has no value; write {key} = … in flow.config")]
    ParameterMissing {
        /// Its key.
        key: String,
        /// Its type.
        expected: ParameterType,
    },
    /// A value that its parameter's type does not allow.
    #[error("parameter \"{key}\" is not {expected}: {reason}")]
    ParameterValue {
        /// Its key.
        key: String,
        /// Its type.
        expected: ParameterType,
        /// What is wrong, in words.
        reason: String,
    },
    /// The component's own default cannot be used.
    #[error("the default of parameter \"{key}\" cannot be used: {reason}")]
    ParameterDefault {
        /// Its key.
        key: String,
        /// What is wrong with it.
        reason: ParameterError,
    },
    /// A setting of a port's client.
    #[error("{direction} \"{port}\": {problem}")]
    Setting {
        /// Which way.
        direction: Direction,
        /// The port's name.
        port: String,
        /// What is wrong.
        problem: SettingProblem,
    },
}

fn suggestion(nearest: Option<&str>, known: &[&str]) -> String {
    match nearest {
        Some(nearest) => format!("did you mean \"{nearest}\"?"),
        None => format!("known: {}", known.join(", ")),
    }
}

fn declared(direction: Direction, nearest: Option<&str>, names: &[String]) -> String {
    match nearest {
        _ if names.is_empty() => format!("it declares no {direction}"),
        Some(nearest) => format!("did you mean \"{nearest}\"? declared: {}", names.join(", ")),
        None => format!("declared: {}", names.join(", ")),
    }
}

fn declared_parameters(nearest: Option<&str>, keys: &[String]) -> String {
    match nearest {
        _ if keys.is_empty() => "it declares none".to_owned(),
        Some(nearest) => format!("did you mean \"{nearest}\"?"),
        None => format!("declared: {}", keys.join(", ")),
    }
}
