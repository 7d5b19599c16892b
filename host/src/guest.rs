//! Guests: untrusted components, from the file to the instance that turns a batch into emits.
//!
//! # An instance's life
//!
//! [`ComponentFile`] is a file that begins like a component. An [`Engine`] makes it [`Compiled`], or a [`Cache`] has its
//! code from an earlier time. [`Component::link`] checks its exports and imports, and asks one throw-away instance to
//! `describe` itself; what comes out is pre-instantiated, so that a new instance costs microseconds. A [`Guest`] is a
//! component within one conversation: it knows the resolved parameters and the bound outlets. [`Guest::instantiate`] makes an [`Instance`] for one inlet
//! partition and calls `start`; [`Instance::process`] runs one batch.
//!
//! Each instance has its own store: memory, tables, WASI state, limits. It shares nothing with another but the
//! compiled code. It runs on a fiber of the caller's task: a call that waits or loops gives the thread back at every
//! epoch tick, one that takes long goes on, on threads of their own, and dropping the call's future kills it. What ends an instance: its first trap, a time-out, a broken
//! rule of the contract, or its owner dropping it. After any of these the store is dropped whole and never entered
//! again; the component stays. Between batches an instance waits at its lane's [`Home`], where it may be ended: because
//! another lane needs its place, because it waited for too long, or because it has grown too large to keep.
//!
//! # What a guest can do
//!
//! WASI 0.2 is linked with nothing granted but what the user names ([`Grants`]): clocks and random numbers work, standard
//! output and error become log lines, and there is no network. Everything that comes back is checked before anybody
//! else sees it: a guest's mistake is an [`Ended`] with a reason, never a panic.
//!
//! This module and those below it are the only ones that name wasmtime.

mod bindings;
mod cache;
mod code;
mod compiled;
mod component;
mod descriptor;
mod ended;
mod engine;
mod executor;
mod imports;
mod instance;
mod instances;
mod limits;
mod loading;
mod log;
mod output;
mod overtime;
mod owner;
mod pool;
mod text;
mod ticker;
mod wasi;

pub use cache::{Cache, CacheError};
pub use compiled::Compiled;
pub use component::{Component, Guest};
pub use ended::{Blamed, Ended, Told, Trap};
pub use engine::{Engine, EngineError};
pub use executor::{Executor, Native, NativeInstance, NativeOutput};
pub use instance::Instance;
pub use instances::Home;
pub use limits::Limits;
pub use loading::{ComponentFile, LoadError};
pub use output::{Checker, OutletRule, OutputFault};
pub use overtime::Pace;
pub use owner::Owner;
pub use pool::Allocation;
pub use wasi::{GrantedDirectory, Grants};
