//! A COMPONENT that is a directory: a guest crate, built first.
//!
//! It runs `cargo build --release --target wasm32-wasip2` in the crate's folder, so that the crate's own toolchain file
//! and cargo configuration apply (under `cargo run`, whose choice of toolchain is inherited, the configuration alone). It
//! takes the component from what cargo says it has made. Cargo's own words go to standard error as they come.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

/// The target that components are built for.
const TARGET: &str = "wasm32-wasip2";

/// A crate that gives no component.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no `Cargo.toml`.
    #[error("directory \"{}\" holds no guest crate: it has no Cargo.toml", .0.display())]
    NotACrate(PathBuf),
    /// Its `Cargo.toml` is a workspace's alone.
    #[error(
        "directory \"{}\" is a workspace and no crate of its own; name the directory of the member that is the \
         guest crate",
        .0.display()
    )]
    Workspace(PathBuf),
    /// Cargo cannot be run or read.
    #[error("cannot run `cargo` to build \"{}\"; is it installed and on the path?", directory.display())]
    NoCargo {
        /// The crate.
        directory: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Cargo said no; its reasons are on standard error.
    #[error("cargo could not build \"{}\" for {TARGET}, see above", .0.display())]
    Failed(PathBuf),
    /// It said no, and the toolchain lacks the target.
    #[error(
        "cargo could not build \"{}\": its toolchain lacks the target {TARGET}; `rustup target add {TARGET}` installs it",
        .0.display()
    )]
    NoTarget(PathBuf),
    /// It built, but no component came of it.
    #[error(
        "crate \"{}\" built, but makes no component; its Cargo.toml needs `[lib]` with `crate-type = [\"cdylib\"]`; of a workspace, \
         name the member's directory",
        .0.display()
    )]
    NoComponent(PathBuf),
}

/// One of cargo's messages, as far as it matters here.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

/// Builds the crate in `directory` and returns the component's path. Blocks until cargo ends.
///
/// # Errors
/// [`BuildError`].
pub fn build(directory: &Path, quiet: bool) -> Result<PathBuf, BuildError> {
    let manifest = directory.join("Cargo.toml");
    let Ok(manifest) = manifest.canonicalize() else { return Err(BuildError::NotACrate(directory.into())) };
    if fs::read_to_string(&manifest).is_ok_and(|manifest| is_workspace_alone(&manifest)) {
        return Err(BuildError::Workspace(directory.into()));
    }
    let no_cargo = |source| BuildError::NoCargo { directory: directory.into(), source };
    let mut command = Command::new("cargo");
    command
        .args(["build", "--release", "--target", TARGET, "--message-format", "json-render-diagnostics"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if quiet {
        command.arg("--quiet");
    }
    let mut cargo = command.spawn().map_err(no_cargo)?;
    let mut component = None;
    if let Some(messages) = cargo.stdout.take() {
        for line in BufReader::new(messages).lines() {
            // Cargo's messages may grow new kinds; one that cannot be read is none of ours.
            let Ok(message) = serde_json::from_str::<Message>(&line.map_err(no_cargo)?) else { continue };
            if message.reason == "compiler-artifact" && message.manifest_path == manifest {
                let is_component = |file: &PathBuf| file.extension().is_some_and(|extension| extension == "wasm");
                component = message.filenames.into_iter().find(is_component).or(component);
            }
        }
    }
    if !cargo.wait().map_err(no_cargo)?.success() {
        let failed = if has_target(directory) { BuildError::Failed } else { BuildError::NoTarget };
        return Err(failed(directory.into()));
    }
    component.ok_or_else(|| BuildError::NoComponent(directory.into()))
}

/// Whether the crate's toolchain has the target's libraries, as far as `rustc` tells.
fn has_target(directory: &Path) -> bool {
    let asked =
        Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).current_dir(directory).output();
    asked.map_or(true, |told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_dir())
}

/// Whether a manifest has a workspace and no package, as far as its lines show. In doubt cargo has the word.
fn is_workspace_alone(manifest: &str) -> bool {
    let begins = |name: &str| {
        manifest.lines().any(|line| {
            let rest = line.trim_start().trim_start_matches(['[', ' ', '\t']).strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || "-_".contains(next)))
        })
    };
    begins("workspace") && !begins("package") && !begins("project")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_is_told_from_a_crate() {
        let check = |manifest: &str, expect: bool| assert_eq!(is_workspace_alone(manifest), expect, "{manifest}");
        check("[workspace]\nmembers = [\"a\"]\n", true);
        check("# none\n\n[ workspace ]\n[workspace.package]\nversion = \"1.0.0\"\n", true);
        check("[workspace.dependencies]\npackage-of-mine = \"1\"\n", true);
        check("[workspace]\n[package]\nname = \"a\"\n", false);
        check("package = { name = \"a\" }\n[workspace]\n", false);
        check("[package]\nname = \"a\"\n", false);
        check("", false);
    }
}
