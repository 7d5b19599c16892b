//! Writes a component to begin with for `cargo fuzz run loader`: see tests/fuzz/README.md.

use std::fs;

use streamlet_tests::fixtures;
use streamlet_tests::text_guests::{Places, component};

fn main() -> std::io::Result<()> {
    let corpus = fixtures::repository().join("tests/fuzz/corpus/loader");
    fs::create_dir_all(&corpus)?;
    fs::write(corpus.join("text.wasm"), component(&Places::default()))
}
