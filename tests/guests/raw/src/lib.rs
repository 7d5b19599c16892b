//! A component without an SDK, straight against `wit/streamlet.wit`: what a guest in any language has to do by hand,
//! and every way to do it wrong. The first record's key says what a batch becomes; [`tables`] holds the answers.
//!
//! What it declares depends on a marker in its bytes, which a test may patch: see [`describe`].
#![cfg(target_arch = "wasm32")]
#![expect(unsafe_code, reason = "what wit-bindgen exports")]

mod describe;
mod tables;

use std::cell::RefCell;

use bindings::ankka::flow::{emitter, types};
use bindings::exports::ankka::flow::streamlet::Guest;

/// What wit-bindgen makes of the contract.
#[allow(
    unreachable_pub,
    unused_qualifications,
    missing_debug_implementations,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    reason = "generated"
)]
mod bindings {
    wit_bindgen::generate!({ path: "../../../wit", world: "streamlet-guest" });
}

thread_local! {
    /// The conversation's parameters and bindings, in words.
    static STARTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

struct Raw;

impl Guest for Raw {
    fn describe() -> types::Descriptor {
        describe::describe()
    }

    fn start(conversation: types::Conversation) -> Result<(), String> {
        let types::Conversation { streamlet, config, inlets, outlets, .. } = conversation;
        let bindings = |bindings: &[types::Binding]| {
            bindings.iter().map(|binding| format!("{}={}", binding.port, binding.topic)).collect::<Vec<_>>().join(",")
        };
        let values = config.iter().map(|(key, value)| format!("{key}={value:?}")).collect::<Vec<_>>().join(" ");
        let words = format!("{streamlet} <{} >{} {values}", bindings(&inlets), bindings(&outlets));
        STARTED.set(Some(words));
        Ok(())
    }

    fn process(batch: types::Batch) -> Result<types::Output, types::Failure> {
        let key = first_key(&batch);
        match key.as_str() {
            "nothing" => Ok(tables::nothing()),
            "fail-at-99" => Err(types::Failure { message: "beyond the batch".into(), at: Some(99) }),
            "started" => Ok(tables::value(STARTED.take().unwrap_or_default().as_bytes())),
            "flush" => {
                emitter::flush(&tables::value(b"first"));
                emitter::flush(&tables::value(b"second"));
                Ok(tables::value(b"third"))
            }
            "flush-bad" => {
                emitter::flush(&tables::value(b"first"));
                emitter::flush(&tables::wrong("outlet-undeclared").unwrap_or_else(tables::nothing));
                Ok(tables::nothing())
            }
            key => Ok(tables::wrong(key).unwrap_or_else(|| tables::everything(&batch))),
        }
    }
}

/// The first record's key as text; empty where there is none.
fn first_key(batch: &types::Batch) -> String {
    let [position, length, ..] = batch.records[..] else { return String::new() };
    if position == tables::NONE {
        return String::new();
    }
    let span = position as usize..(position + length) as usize;
    String::from_utf8_lossy(batch.arena.get(span).unwrap_or_default()).into_owned()
}

bindings::export!(Raw with_types_in bindings);
