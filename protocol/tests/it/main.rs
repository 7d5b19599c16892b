//! The crate's contract from outside: fixtures byte for byte, hostile input, configuration, units, and the wire.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "helpers of tests stop at what should not be, and say when they skip"
)]

mod config;
mod declarations;
mod fixtures;
mod hostile;
mod json;
mod random;
mod units;
#[cfg(feature = "grpc")]
mod wire;

use std::path::PathBuf;

/// The project's own fixtures, in its `tests/` folder.
fn own_fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

/// The platform's fixtures, beside the project. They must be there in CI; elsewhere a test without them is skipped.
fn shared_fixtures() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/ankka-flow-1.0");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "the platform's fixtures are missing in CI: {}", folder.display());
    eprintln!("skipped: no folder {}", folder.display());
    None
}
