//! The component's side of the contract: the generated bindings, one slot for the one streamlet of an instance, and the
//! panic that explains itself before it traps.
//!
//! An instance is described or started, once. A batch before a start and a second start are refused. After a panic
//! nothing here runs again: the host drops the instance.

mod panic;

use std::cell::RefCell;
use std::marker::PhantomData;
use std::time::Duration;

use self::bindings::ankka::flow::{emitter, types};
use self::bindings::exports::ankka::flow::streamlet::Guest;
use crate::batch::Batch;
use crate::config::{Config, MemorySize, Value};
use crate::conversation::Conversation;
use crate::declaration::{Declaration, ParameterType, PortDeclaration};
use crate::emits::Emits;
use crate::error::{Error, Result};
use crate::process::Process;
use crate::table::{BatchTables, OutputTables};

/// What wit-bindgen makes of `wit/streamlet.wit`.
#[allow(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated"
)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../wit",
        world: "streamlet-guest",
        pub_export_macro: true,
        default_bindings_module: "streamlet::guest::bindings",
        export_macro_name: "export_component",
    });
}

/// A streamlet as the component's exports. `export!` names it; nobody else does.
#[derive(Debug)]
pub struct Exported<S>(PhantomData<S>);

thread_local! {
    /// The started streamlet of this instance.
    static STREAMLET: RefCell<Option<Box<dyn Started>>> = const { RefCell::new(None) };
}

/// A streamlet whose type the slot need not know.
trait Started {
    fn run(&mut self, batch: &Batch, out: &mut Emits) -> Result<()>;
}

impl<S: Process> Started for S {
    fn run(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        self.process(batch, out)
    }
}

impl<S: Process> Guest for Exported<S> {
    fn describe() -> types::Descriptor {
        panic::explain_panics();
        describe(&S::DECLARATION)
    }

    fn start(conversation: types::Conversation) -> std::result::Result<(), String> {
        panic::explain_panics();
        STREAMLET.with_borrow_mut(|slot| {
            if slot.is_some() {
                return Err("start was called twice on one instance".to_owned());
            }
            let conversation = lift(conversation);
            let mut streamlet = S::from_config(conversation.config()).map_err(|error| error.to_string())?;
            streamlet.start(&conversation).map_err(|error| error.to_string())?;
            *slot = Some(Box::new(streamlet));
            Ok(())
        })
    }

    fn process(batch: types::Batch) -> std::result::Result<types::Output, types::Failure> {
        process(batch, &S::DECLARATION).map(lower).map_err(|error| types::Failure {
            at: error.blamed().and_then(|index| u32::try_from(index).ok()),
            message: error.to_string(),
        })
    }
}

fn process(batch: types::Batch, declaration: &'static Declaration) -> Result<OutputTables> {
    STREAMLET.with_borrow_mut(|slot| {
        let Some(streamlet) = slot else {
            return Err(Error::new("process was called before start"));
        };
        let types::Batch { inlet, partition, arena, times, records, headers } = batch;
        panic::enter(declaration.inlets, inlet);
        let batch = Batch::new(BatchTables { inlet, partition, arena, times, records, headers })?;
        let mut out = Emits::new(declaration.outlets, batch.len());
        streamlet.run(&batch, &mut out)?;
        out.finish()
    })
}

/// Hands a part of the output to the host, which may block, and gives its buffers back.
pub(crate) fn flush(part: OutputTables) -> OutputTables {
    let part = lower(part);
    emitter::flush(&part);
    OutputTables { arena: part.arena, emits: part.emits, headers: part.headers }
}

fn lower(output: OutputTables) -> types::Output {
    types::Output { arena: output.arena, emits: output.emits, headers: output.headers }
}

fn describe(declaration: &Declaration) -> types::Descriptor {
    let ports = |ports: &[PortDeclaration]| ports.iter().map(port).collect();
    types::Descriptor {
        sdk: types::SdkInfo { name: "streamlet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        name: declaration.name.to_owned(),
        description: declaration.description.to_owned(),
        inlets: ports(declaration.inlets),
        outlets: ports(declaration.outlets),
        parameters: declaration
            .parameters
            .iter()
            .map(|parameter| types::Parameter {
                key: parameter.key.to_owned(),
                description: parameter.description.to_owned(),
                type_: match parameter.parameter_type {
                    ParameterType::Text => types::ParameterType::Text,
                    ParameterType::Integer => types::ParameterType::Integer,
                    ParameterType::Double => types::ParameterType::Double,
                    ParameterType::Boolean => types::ParameterType::Boolean,
                    ParameterType::Duration => types::ParameterType::Duration,
                    ParameterType::MemorySize => types::ParameterType::MemorySize,
                },
                default_value: parameter.default.map(str::to_owned),
            })
            .collect(),
    }
}

fn port(port: &PortDeclaration) -> types::Port {
    let contract = types::Contract { format: "json".to_owned(), schema_name: port.schema.to_owned() };
    types::Port { name: port.name.to_owned(), contract }
}

fn lift(conversation: types::Conversation) -> Conversation {
    let bindings =
        |bindings: Vec<types::Binding>| bindings.into_iter().map(|binding| (binding.port, binding.topic)).collect();
    let value = |value: types::Value| match value {
        types::Value::Text(text) => Value::Text(text),
        types::Value::Integer(integer) => Value::Integer(integer),
        types::Value::Double(double) => Value::Double(double),
        types::Value::Boolean(boolean) => Value::Boolean(boolean),
        types::Value::DurationNs(nanoseconds) => Value::Duration(Duration::from_nanos(nanoseconds)),
        types::Value::Bytes(bytes) => Value::MemorySize(MemorySize::from_bytes(bytes)),
    };
    Conversation {
        id: conversation.id,
        pipeline: conversation.pipeline,
        streamlet: conversation.streamlet,
        config: conversation.config.into_iter().map(|(key, found)| (key, value(found))).collect::<Config>(),
        inlets: bindings(conversation.inlets),
        outlets: bindings(conversation.outlets),
    }
}
