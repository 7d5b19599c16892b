//! The ways in which two descriptors can differ, each a line that names the object and both sides.

use std::fmt;

use thiserror::Error;

use super::Direction;
use crate::parameter::ParameterType;

/// One field in which an offered descriptor is not the deployed one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Difference {
    /// Only of [`super::compare_exact`].
    #[error("the protocol version is {deployed:?} as deployed, and {offered:?} as offered")]
    ProtocolVersion {
        /// The deployed version.
        deployed: String,
        /// The offered version.
        offered: String,
    },
    /// The streamlets have different names.
    #[error("the streamlet is {deployed:?} as deployed, and {offered:?} as offered")]
    StreamletName {
        /// The deployed name.
        deployed: String,
        /// The offered name.
        offered: String,
    },
    /// Only of [`super::compare_exact`].
    #[error("the streamlet's description is {deployed:?} as deployed, and {offered:?} as offered")]
    StreamletDescription {
        /// The deployed description.
        deployed: String,
        /// The offered description.
        offered: String,
    },
    /// A deployed port is not offered.
    #[error("{direction} {name:?} is deployed, but not offered")]
    PortMissing {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        name: String,
    },
    /// An offered port is not deployed.
    #[error("{direction} {name:?} is offered, but not deployed")]
    PortExtra {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        name: String,
    },
    /// A port has another contract.
    #[error("{direction} {port:?}: the {field} is {deployed:?} as deployed, and {offered:?} as offered")]
    Contract {
        /// Which way the port goes.
        direction: Direction,
        /// The port's name.
        port: String,
        /// Which of the contract's fields.
        field: ContractField,
        /// The deployed value.
        deployed: String,
        /// The offered value.
        offered: String,
    },
    /// A deployed parameter is not offered.
    #[error("parameter {key:?} is deployed, but not offered")]
    ParameterMissing {
        /// The parameter's key.
        key: String,
    },
    /// An offered parameter is not deployed.
    #[error("parameter {key:?} is offered, but not deployed")]
    ParameterExtra {
        /// The parameter's key.
        key: String,
    },
    /// A parameter has another type.
    #[error("parameter {key:?}: the type is {deployed} as deployed, and {offered} as offered")]
    ParameterType {
        /// The parameter's key.
        key: String,
        /// The deployed type.
        deployed: ParameterType,
        /// The offered type.
        offered: ParameterType,
    },
    /// A parameter has another default.
    #[error("parameter {key:?}: the default is {} as deployed, and {} as offered", quoted(deployed.as_ref()), quoted(offered.as_ref()))]
    ParameterDefault {
        /// The parameter's key.
        key: String,
        /// The deployed default.
        deployed: Option<String>,
        /// The offered default.
        offered: Option<String>,
    },
    /// Only of [`super::compare_exact`].
    #[error("parameter {key:?}: the description is {deployed:?} as deployed, and {offered:?} as offered")]
    ParameterDescription {
        /// The parameter's key.
        key: String,
        /// The deployed description.
        deployed: String,
        /// The offered description.
        offered: String,
    },
}

/// A field of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContractField {
    /// `format`.
    Format,
    /// `schema_name`.
    SchemaName,
    /// `fingerprint`.
    Fingerprint,
}

fn quoted(default: Option<&String>) -> String {
    default.map_or_else(|| "none".to_owned(), |text| format!("{text:?}"))
}

impl fmt::Display for ContractField {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Format => "format",
            Self::SchemaName => "schema name",
            Self::Fingerprint => "fingerprint",
        })
    }
}
