//! Memory beyond any limit: at once, in ten thousand steps, and for ever.

use std::hint::black_box;

/// Bytes of a page of a Wasm memory.
const PAGE_BYTES: usize = 64 << 10;
/// How often a memory is grown by one page.
const GROWTHS: usize = 10_000;

/// Grows as `word` says.
pub(crate) fn act(word: &str) {
    match word {
        "gibibyte" => a_gibibyte(),
        "growths" => ten_thousand_growths(),
        "hold" => allocate_for_ever(),
        _ => {}
    }
}

#[inline(never)]
pub(crate) fn a_gibibyte() {
    drop(black_box(vec![1u8; 1 << 30]));
}

/// Most of them are refused, which this guest does not mind; the last it insists on.
#[inline(never)]
fn ten_thousand_growths() {
    #[cfg(target_arch = "wasm32")]
    for _ in 0..GROWTHS {
        black_box(core::arch::wasm32::memory_grow::<0>(1));
    }
    drop(black_box(vec![1u8; GROWTHS * PAGE_BYTES]));
}

/// Allocates, frees and allocates again, without ever asking for too much.
#[inline(never)]
fn allocate_for_ever() {
    loop {
        let held = (0..96).map(|_| vec![1u8; 1 << 20]).collect::<Vec<_>>();
        drop(black_box(held));
    }
}
