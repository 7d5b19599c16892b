//! What a streamlet's source needs: `use streamlet::prelude::*;`.

pub use std::time::Duration;

pub use crate::{
    Batch, Conversation, Emits, Error, Header, Inlet, MemorySize, Outlet, Process, Record, Result, Streamlet, fail,
};
