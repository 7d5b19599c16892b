//! Memory and output beyond any limit, and, as a contrast, a guest that takes a refusal well.

use std::hint::black_box;

use streamlet::prelude::*;

/// Bytes asked for at a time.
const STEP_BYTES: usize = 1 << 20;
/// Bytes of output that are over every limit the tests set, and fit a guest's memory.
const OUTPUT_BYTES: usize = 72 << 20;

/// Grows as `word` says.
pub(crate) fn act(word: &str, record: Record<'_>, outlet: Outlet, out: &mut Emits) {
    match word {
        "allocate" => allocate_for_ever(),
        "allocate-politely" => allocate_until_refused(),
        "large-flushed" => {
            for _ in 0..OUTPUT_BYTES / STEP_BYTES {
                out.emit(outlet).value(vec![b'x'; STEP_BYTES]);
            }
        }
        "large-at-once" => {
            out.emit(outlet).value(vec![b'x'; OUTPUT_BYTES]);
        }
        "large-forwarded" => {
            // Each is an index to the guest and a copy to whoever reads it.
            for _ in 0..OUTPUT_BYTES / record.value().map_or(1, <[u8]>::len).max(1) {
                out.forward(outlet, record);
            }
        }
        _ => {}
    }
}

#[inline(never)]
fn allocate_for_ever() {
    let mut held = Vec::new();
    loop {
        held.push(black_box(vec![1u8; STEP_BYTES]));
    }
}

fn allocate_until_refused() {
    let mut held = Vec::new();
    loop {
        let mut step = Vec::<u8>::new();
        if step.try_reserve_exact(STEP_BYTES).is_err() {
            return;
        }
        step.resize(STEP_BYTES, 1);
        held.push(black_box(step));
    }
}
