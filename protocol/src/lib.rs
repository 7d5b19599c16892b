//! The wire contract of the streamlet platform (`ankka.flow.v1`, version 1.0): what a streamlet declares, how that is
//! written, and what both sides of a conversation agree on.
//!
//! This crate is data and rules. It opens no file, no socket and no thread, so the host, the guests' SDK (on
//! `wasm32-wasip2`) and tests share it. The feature `grpc` adds the generated messages and services.
//!
//! ```
//! use streamlet_protocol::{Contract, Descriptor, Parameter, ParameterType, Port, SdkInfo, json, parameter};
//!
//! let port = |name: &str| Port { name: name.to_owned(), contract: Contract::json("cart-events.v1") };
//! let descriptor = Descriptor {
//!     protocol_version: streamlet_protocol::PROTOCOL_VERSION.to_string(),
//!     sdk: SdkInfo { name: "example".to_owned(), version: "0.1.0".to_owned() },
//!     name: "cart-router".to_owned(),
//!     description: "Routes cart events.".to_owned(),
//!     inlets: vec![port("in")],
//!     outlets: vec![port("valid"), port("review")],
//!     parameters: vec![Parameter {
//!         key: "review-threshold".to_owned(),
//!         description: "Carts above this are reviewed.".to_owned(),
//!         parameter_type: ParameterType::Integer,
//!         default: Some("100".to_owned()),
//!     }],
//! };
//! assert_eq!(descriptor.validate(), Ok(()));
//!
//! // The file a deployment carries, and the comparison the sidecar makes with what the process answers.
//! let deployed = json::from_json(json::to_canonical(&descriptor)).unwrap();
//! assert!(streamlet_protocol::descriptor::compare(&deployed, &descriptor).is_empty());
//!
//! // The configuration of one conversation.
//! let resolved = parameter::resolve_json(&descriptor.parameters, "{}").unwrap();
//! assert_eq!(resolved.values[0].1, parameter::ParameterValue::Integer(100));
//! ```
//!
//! The modules in reading order: [`descriptor`] and [`names`] say what a streamlet may declare, [`parameter`] and
//! [`units`] what its configuration may hold, [`partition`] where a keyed record belongs, [`json`] how a descriptor is written, [`version`] who talks to whom, and
//! `wire` what travels.

#![warn(missing_docs)]

pub mod descriptor;
pub mod json;
pub mod names;
pub mod parameter;
pub mod partition;
pub mod units;
pub mod version;
#[cfg(feature = "grpc")]
pub mod wire;

pub use descriptor::{Contract, Descriptor, Direction, Parameter, Port, SdkInfo};
pub use parameter::{ParameterType, ParameterValue};
pub use version::PROTOCOL_VERSION;
