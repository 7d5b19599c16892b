//! Streamlets in Rust: stream processors that run as WebAssembly components.
//!
//! A streamlet is a struct that declares itself. Its fields are its inlets, outlets and parameters; its doc comments
//! are the descriptions that operators read; [`Process`] is its work.
//!
//! ```
//! use serde::Deserialize;
//! use streamlet::prelude::*;
//!
//! /// Routes cart events to the valid or review outlet.
//! #[derive(Streamlet)]
//! struct CartRouter {
//!     #[inlet(name = "in", schema = "cart-events.v1")]
//!     carts: Inlet,
//!     #[outlet(schema = "cart-events.v1")]
//!     valid: Outlet,
//!     #[outlet(schema = "cart-events.v1")]
//!     review: Outlet,
//!     /// Carts with a total above this go to the review outlet.
//!     #[parameter(default = 100)]
//!     review_threshold: i64,
//! }
//!
//! #[derive(Deserialize)]
//! struct Cart {
//!     total: i64,
//! }
//!
//! impl Process for CartRouter {
//!     fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
//!         for record in batch {
//!             let cart: Cart = record.json()?; // `?` fails the batch; `continue` skips the record
//!             out.forward(if cart.total > self.review_threshold { self.review } else { self.valid }, record);
//!         }
//!         Ok(())
//!     }
//! }
//! streamlet::export!(CartRouter);
//!
//! // The same code is tested natively, without Wasm and without Kafka.
//! use streamlet::testing::{Harness, Record};
//!
//! let outcome = Harness::<CartRouter>::new()
//!     .set("review-threshold", 50)
//!     .put("in", Record::new(r#"{"total": 10}"#).key("c1"))
//!     .put("in", Record::new(r#"{"total": 60}"#).key("c2"))
//!     .run();
//! assert_eq!(outcome.records("valid"), [Record::new(r#"{"total": 10}"#).key("c1")]);
//! assert_eq!(outcome.records("review").len(), 1);
//! assert!(outcome.failures().is_empty());
//! ```
//!
//! # Loops and streams
//!
//! What is a chain of steps can be written as one: [`Batch::source`] is a source of records, [`Emits::sink`] a sink, and
//! [`RunToEnd`] has an example. `STREAMS.md` beside the guide says when that pays.
//!
//! # What crosses to the host
//!
//! A batch is one arena of bytes, and records borrow from it. A forwarded record crosses back as its index; only parts
//! that were replaced are copied. The tables behind this are the contract `ankka:flow@1.0.0`; nobody else sees them.
//!
//! # What never leaves
//!
//! Errors reach logs and events of the cluster, so they hold no record's key or value. [`Record::json`] explains what
//! is wrong by field, line and column; a `serde_json` error that is converted by `?` is stripped of what it quotes.
//! Texts of an author's own, of errors and of panics, are the author's to keep clean.

#![warn(missing_docs)]

// The derive macro names this crate by its outside name, in tests inside it as well.
#[cfg(test)]
extern crate self as streamlet;

mod batch;
mod composed;
mod config;
mod conversation;
mod cursor;
mod declaration;
mod emits;
mod error;
mod export;
mod json;
mod panicked;
mod port;
pub mod prelude;
mod process;
mod record;
mod table;

#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub mod guest;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;

pub use batch::{Batch, Records};
pub use composed::{EmitWith, IntoEmit, Json, OutletSink, RecordSource, Rejected, RunToEnd};
pub use config::{Config, MemorySize, Parameter, Value};
pub use conversation::Conversation;
pub use declaration::{Declaration, ParameterDeclaration, ParameterType, PortDeclaration, Streamlet};
pub use emits::{Emit, Emits};
pub use error::{Error, Result};
pub use port::{Inlet, Outlet};
pub use process::Process;
pub use record::{Header, Headers, Record};
/// Declares a streamlet: the struct is its schema and its configuration.
pub use streamlet_derive::Streamlet;
/// Sources, operators and sinks for composed streams: the crate, in the version that the SDK has.
pub use talkback;

/// The guide's examples, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../GUIDE.md")]
struct Guide;

/// The page on composed streams.
#[cfg(doctest)]
#[doc = include_str!("../STREAMS.md")]
struct Streams;
