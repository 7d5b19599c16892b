//! What a panic leaves on standard error: one block for people, before the abort that the host sees as a trap. The host
//! attaches it to the batch's failure.

use std::cell::Cell;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};

use crate::cursor;
use crate::declaration::PortDeclaration;
use crate::panicked;

thread_local! {
    /// The inlet of the current batch.
    static INLET: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Makes panics say where they happened, in the code and in the batch.
pub(super) fn explain_panics() {
    panic::set_hook(Box::new(explain));
}

/// Notes of which inlet the batch is that is being processed.
pub(super) fn enter(inlets: &'static [PortDeclaration], inlet: u32) {
    INLET.set(inlets.get(inlet as usize).map(|port| port.name));
}

fn explain(info: &PanicHookInfo<'_>) {
    let place = INLET.get().map(|inlet| panicked::place(inlet, cursor::place().map(|place| place.offset)));
    let location = info.location().map(|location| location as _);
    let text = info.payload_as_str().unwrap_or("a value that is no text");
    let mut block = panicked::describe(location, place.as_deref().unwrap_or_default(), text);
    block.push('\n');
    // One write, so that the host logs one event. If it fails there is nobody to tell.
    let _ = std::io::stderr().write_all(block.as_bytes());
}
