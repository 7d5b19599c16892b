//! The components under test, built once a process with the command that authors use.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::fixtures;

/// Every guest that the tests run, by its package's name.
const PACKAGES: [&str; 10] = [
    "cart-router",
    "conformance",
    "evil",
    "faulty",
    "flaky",
    "order-lines",
    "probe",
    "raw",
    "talkback-bench",
    "workload",
];

/// The component of a package.
///
/// # Panics
/// It does not build, with what cargo said.
pub fn component(package: &str) -> PathBuf {
    static BUILT: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    BUILT.get_or_init(build).get(package).expect("the package is one of PACKAGES").clone()
}

/// The bytes of a package's component with every `from` replaced by `to`, which is as long: a way to components that
/// no SDK would make.
///
/// # Panics
/// The lengths differ, or `from` is nowhere in it.
pub fn patched(package: &str, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "a component's parts have lengths of their own");
    let mut bytes = std::fs::read(component(package)).unwrap();
    let mut at = 0;
    let mut patches = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(from.len()).position(|w| w == from.as_bytes()))
    {
        at += found;
        bytes.splice(at..at + from.len(), to.bytes());
        at += from.len();
        patches += 1;
    }
    assert!(patches > 0, "{package} has no {from}");
    bytes
}

/// Builds all of them with one call of cargo, and takes their paths from what it says: a target directory may be
/// anywhere.
fn build() -> BTreeMap<String, PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--target", "wasm32-wasip2", "--message-format", "json-render-diagnostics"]);
    command.args(PACKAGES.iter().flat_map(|package| ["-p", package])).current_dir(fixtures::repository());
    let output = command.output().expect("cargo runs");
    let (said, messages) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "the guests do not build:\n{said}");
    let files = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).filter_map(|message| {
        let file = message.get("filenames")?.as_array()?.iter().find_map(|file| {
            let file = PathBuf::from(file.as_str()?);
            file.extension().is_some_and(|extension| extension == "wasm").then_some(file)
        })?;
        Some((message.pointer("/target/name")?.as_str()?.replace('_', "-"), file))
    });
    let built = files.collect::<BTreeMap<_, _>>();
    for package in PACKAGES {
        assert!(built.contains_key(package), "{package} made no component; cargo said:\n{messages}\n{said}");
    }
    built
}
