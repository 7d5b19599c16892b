//! Output tables by hand: some that keep the contract, and one for each rule that can be broken.

use crate::bindings::ankka::flow::types::{Batch, Output};

/// In place of a key's or value's position: there is none. In place of a source: none.
pub(crate) const NONE: u32 = 0xffff_ffff;
/// In place of a position or a header count: the source's.
const SOURCE: u32 = 0xffff_fffe;

/// Everything was skipped.
pub(crate) fn nothing() -> Output {
    output(b"", &[], &[])
}

/// One emit from nothing, with this value.
pub(crate) fn value(value: &[u8]) -> Output {
    let length = u32::try_from(value.len()).unwrap_or(0);
    output(value, &[0, NONE, NONE, 0, 0, length, 0, 0], &[])
}

/// Every record to the first outlet, unchanged.
pub(crate) fn everything(batch: &Batch) -> Output {
    let records = u32::try_from(batch.times.len() / 2).unwrap_or(0);
    let emits = (0..records).flat_map(|record| [0, record, SOURCE, 7, SOURCE, 7, 7, SOURCE]).collect::<Vec<_>>();
    output(b"", &emits, &[])
}

/// The tables that break the rule of this name, or that are at the edge of it.
pub(crate) fn wrong(rule: &str) -> Option<Output> {
    let emit = |row: [u32; 8]| output(b"arena", &row, &[]);
    let header = |row: [u32; 4]| output(b"arena\xff", &[0, NONE, NONE, 0, 0, 5, 0, 1], &row);
    Some(match rule {
        "emits-uneven" => output(b"", &[0; 7], &[]),
        "headers-uneven" => output(b"", &[], &[0; 3]),
        "outlet-undeclared" => emit([2, NONE, NONE, 0, 0, 5, 0, 0]),
        "outlet-other" => emit([1, NONE, NONE, 0, 0, 5, 0, 0]),
        "source-out-of-range" => emit([0, 1_000_000, NONE, 0, 0, 5, 0, 0]),
        "source-none-key" => emit([0, NONE, SOURCE, 0, 0, 5, 0, 0]),
        "source-none-value" => emit([0, NONE, NONE, 0, SOURCE, 0, 0, 0]),
        "source-none-headers" => emit([0, NONE, NONE, 0, 0, 5, 0, SOURCE]),
        "key-out-of-range" => emit([0, NONE, 3, 3, 0, 5, 0, 0]),
        "value-out-of-range" => emit([0, NONE, NONE, 0, 6, 0, 0, 0]),
        "value-wraps-around" => emit([0, NONE, NONE, 0, 0xffff_fff0, 0xffff_fff0, 0, 0]),
        "value-empty-at-the-end" => emit([0, NONE, NONE, 0, 5, 0, 0, 0]),
        "headers-out-of-range" => emit([0, NONE, NONE, 0, 0, 5, 0, 1]),
        "headers-wrap-around" => emit([0, NONE, NONE, 0, 0, 5, 0xffff_ffff, 2]),
        "header-name-out-of-range" => header([4, 3, 0, 0]),
        "header-value-out-of-range" => header([0, 1, 7, 0]),
        "header-name-not-text" => header([5, 1, 0, 0]),
        "header-name-none" => header([NONE, 0, 0, 0]),
        "header-null" => header([0, 1, NONE, 0]),
        _ => return None,
    })
}

fn output(arena: &[u8], emits: &[u32], headers: &[u32]) -> Output {
    Output { arena: arena.to_vec(), emits: emits.to_vec(), headers: headers.to_vec() }
}
