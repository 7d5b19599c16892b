//! The test kit: a streamlet run natively, without Wasm, sidecar or Kafka, under the platform's rules.
//!
//! A [`Harness`] puts records into inlets, batches them by partition, gives every partition its own instance, checks
//! what comes back as the host does, and holds the emits of a batch until it is acknowledged. What it cannot show is
//! in the component alone: limits of memory and time, and the sandbox.
//!
//! This module panics where a test should stop: a parameter that is not one, a port that is not declared.

#![expect(clippy::panic, reason = "a test kit reports a misuse by ending the test")]

mod descriptor;
mod harness;
mod instance;
mod lane;
mod outcome;
mod output;
mod partition;
mod record;
mod setting;
#[cfg(test)]
mod tests;

pub use descriptor::{check_descriptor, descriptor};
pub use harness::Harness;
pub use instance::{Instance, OutputPart, Tables};
pub use outcome::{BatchOutcome, Failure, Outcome};
pub use partition::hash_partitioner;
pub use record::Record;
pub use setting::Setting;
/// The conformance kit, for sources, operators and sinks of an author's own.
pub use talkback::kit;
