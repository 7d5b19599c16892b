//! Composed streams: a batch as a source, outlets as sinks, and what becomes of the batch when the stream has run.
//!
//! Owns the two ends; the operators between them are the crate `talkback`'s. Refuses to acknowledge a batch whose stream
//! came to rest before its end. A stream borrows the batch and the emits, so it ends with the batch.

mod into_emit;
mod run;
mod sink;
mod source;

pub use self::into_emit::{IntoEmit, Json, Rejected};
pub use self::run::RunToEnd;
pub use self::sink::{EmitWith, OutletSink};
pub use self::source::RecordSource;

#[cfg(test)]
mod tests;
