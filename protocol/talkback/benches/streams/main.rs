//! What a stream costs: against `Iterator` and `futures::Stream`, and against the npm package `streamlets`.
//!
//! ```sh
//! cargo bench -p talkback --features futures
//! ```

#![expect(
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement stops at what should not be, and prints"
)]

mod chain;
mod timing;

fn main() {
    chain::measure();
}
