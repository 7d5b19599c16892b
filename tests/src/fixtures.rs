//! Where data is: the repository, its own fixtures, and the platform's beside it.

use std::path::PathBuf;

/// The repository's root.
pub fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The project's own fixtures.
pub fn own() -> PathBuf {
    repository().join("tests/fixtures")
}

/// The platform's fixtures, beside the project. They must be there in CI; elsewhere a test without them is skipped.
pub fn shared() -> Option<PathBuf> {
    let folder = repository().join("../shared/ankka-flow-1.0");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("CI").is_none(), "the platform's fixtures are missing in CI: {}", folder.display());
    eprintln!("skipped: no folder {}", folder.display());
    None
}
