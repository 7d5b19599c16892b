//! Runs streamlets as WebAssembly.
//!
//! The modules in the order in which a batch meets them: a door brings batches ([`sidecar`]: standalone, from files),
//! [`batch`] is what it hands over, a [`lane`] runs the batches of one inlet partition one at a time, and [`guest`] is
//! the component's instance that turns a batch into emits.

// Tests share files with packages to which this crate is another one.
#[cfg(test)]
extern crate self as streamlet_host;

pub mod batch;
pub mod cli;
pub mod codec;
pub mod console;
pub mod conversation;
pub mod guest;
pub mod guest_crate;
pub mod lane;
pub mod server;
pub mod sidecar;
pub mod telemetry;
