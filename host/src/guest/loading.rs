//! From a file's bytes to a compiled component whose exports and imports fit: every way in which that can go wrong has
//! its name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::component::types::ComponentItem;

use super::bindings::StreamletGuestPre;
use super::ended::Ended;
use super::engine::Engine;
use super::instance::State;
use super::text;

/// The interface that every guest exports, up to its version.
const STREAMLET: &str = "ankka:flow/streamlet";
/// The version that this host is built for; it serves every guest of the same major version whose imports it has.
const CONTRACT_VERSION: &str = "1.0.0";
/// What this host offers a guest to import.
const OFFERED: [&str; 8] = [
    "ankka:flow/emitter@1.0",
    "ankka:flow/types@1.0",
    "wasi:cli@0.2",
    "wasi:clocks@0.2",
    "wasi:filesystem@0.2",
    "wasi:io@0.2",
    "wasi:random@0.2",
    "wasi:sockets@0.2",
];
/// Bytes that tell what a file is.
const BEGINNING_BYTES: u64 = 4096;
/// Bytes of a component; the largest known, a Python interpreter, has 18 MB.
const COMPONENT_BYTES_MAX: u64 = 512 << 20;
/// Bytes of the engine's reason for refusing one.
const REASON_BYTES_MAX: usize = 4096;
/// How to build a component, said to those who have something else.
const HOW_TO_BUILD: &str = "build one with `cargo build --release --target wasm32-wasip2`";

/// A file was refused as a component.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read component \"{}\"", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The bytes are something else than a component.
    #[error("\"{}\" is not a component: {found}", path.display())]
    NotAComponent {
        /// The file.
        path: PathBuf,
        /// What it is instead, and what to do.
        found: String,
    },
    /// It begins as a component, but does not compile: truncated, damaged, or using a proposal that is off.
    #[error("component \"{}\" does not compile; it may be truncated, or use a proposal this host has not", path.display())]
    Uncompilable {
        /// The file.
        path: PathBuf,
        /// The compiler's reason.
        #[source]
        source: wasmtime::Error,
    },
    /// A component without the streamlet's interface, or with one of another version.
    #[error("component \"{}\" is not a streamlet: {problem}", path.display())]
    NotAStreamlet {
        /// The file.
        path: PathBuf,
        /// What was needed and what was found.
        problem: String,
    },
    /// The component needs what this host does not have.
    #[error("component \"{}\" imports what this host does not offer: {}; it offers {}", path.display(), missing.join(", "), OFFERED.join(", "))]
    ImportsMissing {
        /// The file.
        path: PathBuf,
        /// The imports.
        missing: Vec<String>,
        /// The linker's reason for the first.
        #[source]
        source: wasmtime::Error,
    },
    /// The interface has the right name and the wrong functions.
    #[error("component \"{}\" exports \"{STREAMLET}\" with other functions or types than version {CONTRACT_VERSION}", path.display())]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// The first difference.
        #[source]
        source: wasmtime::Error,
    },
    /// `describe` gave no answer.
    #[error("component \"{}\" does not describe itself: {problem}", path.display())]
    Silent {
        /// The file.
        path: PathBuf,
        /// What happened.
        problem: String,
    },
    /// `describe` gave an answer that breaks the platform's rules.
    #[error("component \"{}\" declares an invalid streamlet: {}", path.display(), problems.join("; "))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Every problem.
        problems: Vec<String>,
    },
}

impl LoadError {
    /// For an end that came while the component described itself.
    pub(super) fn silent(path: &Path, ended: &Ended) -> Self {
        let told = ended.told();
        let detail = if told.detail.is_empty() { String::new() } else { format!("\n{}", told.detail) };
        Self::Silent { path: path.into(), problem: format!("{}: {}{detail}", told.what, told.why) }
    }
}

/// A file that begins like a component.
pub struct ComponentFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl ComponentFile {
    /// Reads a file and refuses what is something else, which is cheap to find out.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] and [`LoadError::NotAComponent`].
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        let path = path.to_owned();
        let unreadable = |source| LoadError::Unreadable { path: path.clone(), source };
        let mut file = std::fs::File::open(&path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.by_ref().take(BEGINNING_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        if let Some(found) = something_else(&bytes) {
            return Err(LoadError::NotAComponent { path, found });
        }
        file.take(COMPONENT_BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 >= COMPONENT_BYTES_MAX {
            let found = format!("it is larger than {COMPONENT_BYTES_MAX} bytes");
            return Err(LoadError::NotAComponent { path, found });
        }
        Ok(Self { path, bytes })
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SHA-256 of its bytes, in hexadecimal digits.
    pub(super) fn digest(&self) -> String {
        format!("{:x}", Sha256::digest(&self.bytes))
    }

    /// Compiles and links. It takes from milliseconds to seconds of all cores: not on a thread that others wait for.
    pub(super) fn link(&self, engine: &Engine) -> Result<StreamletGuestPre<State>, LoadError> {
        let path = || self.path.clone();
        let component = wasmtime::component::Component::from_binary(&engine.wasmtime, &self.bytes)
            .map_err(|source| LoadError::Uncompilable { path: path(), source: printable(&source) })?;
        check_export(engine, &self.path, &component)?;
        let pre = engine.linker.instantiate_pre(&component).map_err(|source| LoadError::ImportsMissing {
            path: path(),
            missing: missing_imports(engine, &component),
            source: printable(&source),
        })?;
        StreamletGuestPre::new(pre).map_err(|source| LoadError::WrongShape { path: path(), source: printable(&source) })
    }
}

impl std::fmt::Debug for ComponentFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentFile").field("path", &self.path).field("bytes", &self.bytes.len()).finish()
    }
}

/// The engine's whole chain in one text that is printable and bounded: it quotes names out of the component, and those
/// may hold terminal sequences.
fn printable(source: &wasmtime::Error) -> wasmtime::Error {
    wasmtime::Error::msg(text::bounded(&text::printable(format!("{source:#}").as_bytes()), REASON_BYTES_MAX))
}

/// What bytes that do not begin as a component are.
fn something_else(bytes: &[u8]) -> Option<String> {
    let text = bytes.trim_ascii_start();
    let starts = |prefixes: &[&str]| {
        prefixes
            .iter()
            .any(|prefix| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes())))
    };
    let found = match bytes {
        [] => "the file is empty".into(),
        [0, b'a', b's', b'm', 0x0d, 0, 1, 0, ..] => return None,
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => format!(
            "it is a core WebAssembly module, as `wasm32-unknown-unknown` and `wasm32-wasip1` produce; {HOW_TO_BUILD}"
        ),
        [0, b'a', b's', b'm', version @ ..] => format!(
            "it is WebAssembly of an unknown version ({:02x?}), perhaps truncated; {HOW_TO_BUILD}",
            version.get(..4).unwrap_or(version)
        ),
        [0x7f, b'E', b'L', b'F', ..] => {
            "it is a native or precompiled object, which would run unchecked; give the .wasm it was made from".into()
        }
        [0x1f, 0x8b, ..] => "it is gzip-compressed; decompress it first".into(),
        [b'P', b'K', 3, 4, ..] => "it is a zip archive; extract the .wasm first".into(),
        _ if starts(&["(module", "(component", ";;"]) => {
            "it is WebAssembly in text form; translate it first, for example with `wasm-tools parse`".into()
        }
        _ if starts(&["<!doctype", "<html", "<?xml"]) => {
            "it is a web page, probably an error page that a download saved; fetch the file again".into()
        }
        _ => format!("it does not begin like WebAssembly; {HOW_TO_BUILD}"),
    };
    Some(found)
}

/// Whether the component exports the streamlet interface in a version that this host serves.
fn check_export(engine: &Engine, path: &Path, component: &wasmtime::component::Component) -> Result<(), LoadError> {
    let refuse = |problem| Err(LoadError::NotAStreamlet { path: path.into(), problem });
    let component_type = component.component_type();
    let mut exports = Vec::new();
    for (name, item) in component_type.exports(&engine.wasmtime) {
        let (interface, version) = name.split_once('@').unwrap_or((name, ""));
        if interface != STREAMLET {
            exports.push(text::name(name));
            continue;
        }
        if version.split('.').next() != CONTRACT_VERSION.split('.').next() {
            return refuse(format!(
                "it exports \"{}\", but this host serves version {CONTRACT_VERSION} and later ones of the same \
                 major; build it with a matching SDK",
                text::name(name)
            ));
        }
        let ComponentItem::ComponentInstance(instance) = item.ty else {
            return refuse(format!("its export \"{}\" is no interface", text::name(name)));
        };
        let missing = ["describe", "start", "process"]
            .into_iter()
            .filter(|function| instance.get_export(&engine.wasmtime, function).is_none());
        let missing = missing.map(|function| format!("\"{function}\"")).collect::<Vec<_>>();
        if !missing.is_empty() {
            return refuse(format!("its export \"{}\" lacks {}", text::name(name), missing.join(", ")));
        }
        return Ok(());
    }
    let found = if exports.is_empty() { "nothing".into() } else { text::some_of(exports.into_iter()).join(", ") };
    refuse(format!(
        "it must export \"{STREAMLET}@{CONTRACT_VERSION}\", but exports {found}; in Rust, `streamlet::export!` does it"
    ))
}

/// The imports that the linker cannot have, by their package and version.
fn missing_imports(engine: &Engine, component: &wasmtime::component::Component) -> Vec<String> {
    let component_type = component.component_type();
    let offered = |name: &str| {
        let (interface, version) = name.split_once('@').unwrap_or((name, ""));
        let package = interface.split_once('/').map_or(interface, |(package, _)| package);
        let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
        OFFERED.contains(&format!("{interface}@{minor}").as_str())
            || OFFERED.contains(&format!("{package}@{minor}").as_str())
    };
    let names = component_type.imports(&engine.wasmtime).map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let missing = names.iter().filter(|name| !offered(name)).cloned().collect::<Vec<_>>();
    // All are known by name: then it is one's functions or types that differ, and the linker's reason names it.
    let shown = if missing.is_empty() { names } else { missing };
    text::some_of(shown.iter().map(|name| text::name(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: Option<&str>) {
        let found = something_else(bytes);
        match expect {
            None => assert_eq!(found, None),
            Some(words) => assert!(found.as_deref().is_some_and(|found| found.contains(words)), "{found:?}"),
        }
    }

    #[test]
    fn what_is_not_a_component_is_named() {
        check(b"\0asm\x0d\0\x01\0rest", None);
        check(b"", Some("empty"));
        check(b"\0asm\x01\0\0\0", Some("core WebAssembly module"));
        check(b"\0asm\x0d", Some("truncated"));
        check(b"\x7fELF\x02", Some("precompiled"));
        check(b"\x1f\x8b\x08", Some("gzip"));
        check(b"PK\x03\x04", Some("zip"));
        check(b"  (component)", Some("text form"));
        check(b";; a comment\n(module)", Some("text form"));
        check(b"<!DOCTYPE html><html>", Some("web page"));
        check(b"\n<HTML>", Some("web page"));
        check(b"hello", Some("does not begin like WebAssembly"));
        check(b"\0", Some("does not begin like WebAssembly"));
    }
}
