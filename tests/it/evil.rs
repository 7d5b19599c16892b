//! Guests that are out to hurt: none of them stops the host or changes a neighbour's answers, and what their authors
//! read about them is the page `tests/evil.md`, which `UPDATE_SNAPSHOTS=1 cargo test` writes anew.
//!
//! Every case runs on a lane beside a well-behaved one; all that can be told by a record run once more through `serve`,
//! where the failure has to have the same text.

mod cases;
mod checker;
mod loader;
mod page;
mod ward;

use std::time::Duration;

use streamlet_host::guest::Limits;

/// What the guests may use here: the defaults, but for what would take long to use up.
fn limits() -> Limits {
    Limits {
        batch_deadline: Duration::from_secs(2),
        start_deadline: Duration::from_secs(2),
        table_elements_max: 10_000,
        output_bytes_max: 8 << 20,
        ..Limits::default()
    }
}

/// The same as flags.
const LIMITS: [&str; 8] = [
    "--batch-deadline",
    "2 s",
    "--start-deadline",
    "2 s",
    "--guest-table-elements",
    "10000",
    "--output-bytes",
    "8 MiB",
];
