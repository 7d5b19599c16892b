//! The descriptor: what a streamlet declares, and what the platform deploys and compares.
//!
//! Owns the model, flat and free of wire details, its validation ([`Descriptor::validate`] reports every problem at
//! once) and its comparison as the sidecar makes it ([`compare`]). Holding a `Descriptor` proves nothing: it may come
//! from a guest or a file, so nothing here is checked before `validate`.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use crate::parameter::ParameterType;

pub use compare::{compare, compare_exact};
pub use difference::{ContractField, Difference};
pub use validate::Problem;

mod compare;
mod difference;
mod validate;
#[cfg(feature = "grpc")]
mod wire;

#[cfg(feature = "grpc")]
pub use wire::UnknownTypeError;

/// The only contract format of protocol 1.0.
pub const FORMAT_JSON: &str = "json";

/// What a streamlet is: the platform's `Spec`, with the streamlet's own fields at the top.
///
/// Ports and parameters keep the order of declaration, which indices count; only canonical JSON sorts them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// `MAJOR.MINOR`, as text since it may come from outside; ours is [`crate::version::PROTOCOL_VERSION`].
    pub protocol_version: String,
    /// What built the streamlet.
    pub sdk: SdkInfo,
    /// What a blueprint refers to.
    pub name: String,
    /// For people; may be empty.
    pub description: String,
    /// Where records come from.
    pub inlets: Vec<Port>,
    /// Where records go.
    pub outlets: Vec<Port>,
    /// What a deployment configures.
    pub parameters: Vec<Parameter>,
}

/// The SDK that built a streamlet. For people; never compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SdkInfo {
    /// The SDK's name.
    pub name: String,
    /// The SDK's version, in any form.
    pub version: String,
}

/// An inlet or an outlet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Unique over inlets and outlets together.
    pub name: String,
    /// What its records are.
    pub contract: Contract,
}

/// What the records of a port are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// [`FORMAT_JSON`].
    pub format: String,
    /// Such as `cart-events.v1`; two ports fit together when their fingerprints are equal.
    pub schema_name: String,
    /// [`fingerprint`] of the schema's name.
    pub fingerprint: String,
}

/// A value that a deployment may or must set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Unique among the parameters.
    pub key: String,
    /// For people; may be empty.
    pub description: String,
    /// What the value's text stands for.
    pub parameter_type: ParameterType,
    /// A text of the type; without one the parameter is required. `Some("")` is invalid: the wire cannot tell it from
    /// none.
    pub default: Option<String>,
}

/// Which way a port's records go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Records come in.
    Inlet,
    /// Records go out.
    Outlet,
}

/// Computes a contract's fingerprint: Base64 (standard alphabet, padded) of the SHA-256 of the schema's name.
///
/// ```
/// use streamlet_protocol::descriptor::fingerprint;
///
/// assert_eq!(fingerprint("cart-events.v1"), "nXhoFwNZSB7DKScFuZUtZ1gnAYkIxadumsXNHWwbLfM=");
/// ```
pub fn fingerprint(schema_name: &str) -> String {
    STANDARD.encode(Sha256::digest(schema_name.as_bytes()))
}

impl Descriptor {
    /// Puts ports in order of name and parameters in order of key, byte by byte: the order of canonical JSON.
    pub fn sort(&mut self) {
        self.inlets.sort_by(|left, right| left.name.cmp(&right.name));
        self.outlets.sort_by(|left, right| left.name.cmp(&right.name));
        self.parameters.sort_by(|left, right| left.key.cmp(&right.key));
    }

    /// The ports of one direction, in order of declaration.
    pub fn ports(&self, direction: Direction) -> &[Port] {
        match direction {
            Direction::Inlet => &self.inlets,
            Direction::Outlet => &self.outlets,
        }
    }
}

impl Contract {
    /// The JSON contract of a schema, with its fingerprint.
    ///
    /// ```
    /// use streamlet_protocol::Contract;
    ///
    /// let contract = Contract::json("cart-events.v1");
    /// assert_eq!(contract.format, "json");
    /// assert_eq!(contract.fingerprint.len(), 44);
    /// ```
    pub fn json(schema_name: impl Into<String>) -> Self {
        let schema_name = schema_name.into();
        Self { format: FORMAT_JSON.to_owned(), fingerprint: fingerprint(&schema_name), schema_name }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Inlet => "inlet",
            Self::Outlet => "outlet",
        })
    }
}
