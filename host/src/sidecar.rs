//! The sidecar role: reading records, batching them, running them through lanes, and delivering what comes out.
//!
//! It keeps the platform's delivery rules: at most one batch in flight per inlet partition, offset order, a batch is
//! what arrived meanwhile up to its caps, and a batch's emits appear only once it is acknowledged. It knows nothing of
//! Wasm. [`files`] plays the role over files and standard input, [`kafka`] over Kafka.

mod caps;
pub mod files;
#[cfg(feature = "kafka")]
pub mod kafka;

pub use caps::BatchCaps;
