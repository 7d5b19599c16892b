//! The vocabulary between doors and lanes: what goes in (a [`Start`] once, then a [`Batch`] at a time) and what comes
//! out (the batch's [`Output`] parts, or a [`Failure`]).
//!
//! It owns the tables of `wit/streamlet.wit` as the host holds them, and the views that read them. It names no
//! runtime, no door and no engine; a batch is put together by [`BatchBuilder`] or by a door's decoder, a guest's output
//! only by the checker in `guest`, so every span that the views follow is known to be inside its arena.

mod failure;
mod output;
mod record;

pub use failure::{Cause, Failure, Place};
pub(crate) use output::EMIT_WORDS;
pub(crate) use output::OutputBuilder;
pub use output::{Emit, Output};
pub use record::{Batch, BatchBuilder, BatchFull, Header, Headers, Record};
pub(crate) use record::{HEADER_WORDS, RECORD_WORDS, weight_bytes};

use streamlet_protocol::parameter::ParameterValue;

/// In place of a key's or value's position: there is none (no key, a null value).
pub(crate) const ABSENT: u32 = 0xffff_ffff;
/// In an emit, in place of a key's or value's position or of the header count: the source record's, uncopied.
pub(crate) const FROM_SOURCE: u32 = 0xffff_fffe;

/// A port bound to a topic; on files, to the file's path or `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The port's declared name.
    pub port: String,
    /// What the port is bound to.
    pub topic: String,
}

/// What a conversation starts with. State tied to an older conversation is void once a new one starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The conversation's id, new on every start.
    pub conversation_id: String,
    /// The pipeline that the deployment belongs to.
    pub pipeline: String,
    /// The deployment's name, which need not be the descriptor's.
    pub streamlet: String,
    /// Every declared parameter, resolved to its type.
    pub config: Vec<(String, ParameterValue)>,
    /// The bound inlets.
    pub inlets: Vec<Binding>,
    /// The bound outlets; an outlet that is not among them cannot be emitted to.
    pub outlets: Vec<Binding>,
}
