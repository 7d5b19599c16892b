//! Everything through the real doors with real components.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests stop at what should not be, and say when they skip"
)]

mod bench;
mod canary;
mod capabilities;
mod compiling;
mod conversations;
mod descriptor;
mod evil;
mod files;
mod help;
mod kafka;
mod lanes;
mod loading;
mod log;
mod memory;
mod precompiled;
mod serve;
mod tidy;

use streamlet_tests::guests;
use streamlet_tests::program::Program;

/// The binary, without any argument yet.
fn streamlet() -> Program {
    Program::at(env!("CARGO_BIN_EXE_streamlet-under-test"))
}

/// `streamlet serve` with a guest, without any flag yet.
fn serve(package: &str) -> Program {
    streamlet().args(&["serve"]).arg(guests::component(package))
}

/// `streamlet run` with a guest.
fn run(package: &str) -> Program {
    streamlet().args(&["run"]).arg(guests::component(package))
}
