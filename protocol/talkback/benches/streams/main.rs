//! What a stream costs: against `Iterator` and `futures::Stream`, and against the npm package `streamlets`.
//!
//! ```sh
//! cargo bench -p talkback --bench streams
//! ```
//!
//! Node and npm are needed for the second half, which says so when they are missing. As Wasm the first half is measured by
//! `cargo bench -p streamlet-tests --bench talkback`.

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement stops at what should not be, and prints"
)]

mod chain;
mod loops;
mod scenarios;
mod timing;

fn main() {
    chain::measure();
    scenarios::measure();
}
