//! What a streamlet's source needs: `use streamlet::prelude::*;`.

pub use std::time::Duration;

pub use crate::{
    Batch, Conversation, Emits, Error, Header, Inlet, IntoEmit, Json, MemorySize, Outlet, Process, Record, Rejected,
    Result, RunToEnd, Streamlet, fail,
};
pub use talkback::{Source, iterable};
