//! Texts that are kept in files: compared, or written anew with `UPDATE_SNAPSHOTS=1` (or `UPDATE_EXPECT=1`).

use std::fs;
use std::path::Path;

use crate::fixtures;

/// The text is that of the file, whose path counts from the repository's root.
///
/// # Panics
/// It is another; the first lines that differ are told.
#[track_caller]
pub fn check(path: impl AsRef<Path>, text: &str) {
    let path = fixtures::repository().join(path);
    if ["UPDATE_SNAPSHOTS", "UPDATE_EXPECT"].iter().any(|name| std::env::var_os(name).is_some()) {
        fs::write(&path, text).unwrap();
    }
    let snapshot = fs::read_to_string(&path).unwrap_or_default();
    let ended = std::iter::repeat("");
    let lines = snapshot.lines().chain(ended.clone()).zip(text.lines().chain(ended)).zip(1..);
    let differing = lines
        .take(snapshot.lines().count().max(text.lines().count()))
        .filter(|((kept, found), _)| kept != found)
        .take(10)
        .map(|((kept, found), line)| format!("line {line}:\n  kept  {kept}\n  found {found}"))
        .collect::<Vec<_>>();
    let path = path.display();
    assert!(snapshot == text, "not {path}; UPDATE_SNAPSHOTS=1 renews it:\n{}", differing.join("\n"));
}
