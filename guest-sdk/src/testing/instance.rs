//! One instance of a streamlet, as a host of native code would have it: tables in, tables out. It is there to measure
//! what WebAssembly costs; a test wants the [`Harness`](super::Harness).

use std::fmt;

use super::harness;
use crate::batch::Batch;
use crate::emits::Emits;
use crate::error::{Error, Result};
use crate::process::Process;
use crate::table::{BatchTables, OutputTables};

/// A batch as `wit/streamlet.wit` has it.
#[derive(Clone, Default)]
pub struct Tables {
    /// Index of the inlet among the declared ones.
    pub inlet: u32,
    /// The inlet's partition.
    pub partition: i32,
    /// The bytes of keys, headers and values.
    pub arena: Vec<u8>,
    /// Two a record: offset, timestamp in milliseconds.
    pub times: Vec<i64>,
    /// Six a record.
    pub records: Vec<u32>,
    /// Four a header.
    pub headers: Vec<u32>,
}

/// A part of a batch's output as `wit/streamlet.wit` has it.
#[derive(Clone, Default)]
pub struct OutputPart {
    /// The bytes of new keys, headers and values.
    pub arena: Vec<u8>,
    /// Eight an emit.
    pub emits: Vec<u32>,
    /// Four a header.
    pub headers: Vec<u32>,
}

/// Sizes only: the bytes are the user's.
impl fmt::Debug for Tables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tables").field("arena_bytes", &self.arena.len()).finish_non_exhaustive()
    }
}

/// Sizes only: the bytes are the user's.
impl fmt::Debug for OutputPart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutputPart").field("arena_bytes", &self.arena.len()).finish_non_exhaustive()
    }
}

/// A started streamlet of one inlet partition.
#[derive(Debug)]
pub struct Instance<S>(S);

impl<S: Process> Instance<S> {
    /// Starts one, with these parameters and every port bound.
    ///
    /// # Errors
    /// The streamlet's own.
    ///
    /// # Panics
    /// A setting is no parameter.
    pub fn start(settings: &[(String, String)]) -> Result<Self> {
        let conversation = harness::conversation::<S>(settings);
        let mut streamlet = S::from_config(conversation.config())?;
        streamlet.start(&conversation)?;
        Ok(Self(streamlet))
    }

    /// Processes a batch. A panic is not caught.
    ///
    /// # Errors
    /// The streamlet's own text, and the index of the record to blame.
    pub fn process(&mut self, tables: Tables) -> std::result::Result<Vec<OutputPart>, (String, Option<usize>)> {
        let Tables { inlet, partition, arena, times, records, headers } = tables;
        let told = |error: Error| (error.to_string(), error.blamed());
        let batch = Batch::new(BatchTables { inlet, partition, arena, times, records, headers }).map_err(told)?;
        let mut out = Emits::new(S::DECLARATION.outlets, batch.len());
        self.0.process(&batch, &mut out).map_err(told)?;
        let parts = out.into_parts().map_err(told)?;
        let part = |OutputTables { arena, emits, headers }| OutputPart { arena, emits, headers };
        Ok(parts.into_iter().map(|found| part(found.tables)).collect())
    }
}
