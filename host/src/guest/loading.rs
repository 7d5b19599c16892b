//! From a file's bytes to a component whose exports and imports fit: every way in which that can go wrong has its name.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use wasmtime::component::types::ComponentItem;

use super::bindings::StreamletGuestPre;
use super::code;
use super::ended::Ended;
use super::engine::Engine;
use super::imports;
use super::instance::State;
use super::text;

/// The interface that every guest exports, up to its version.
const STREAMLET: &str = "ankka:flow/streamlet";
/// The version that this host is built for; it serves every guest of the same major version whose imports it has.
const CONTRACT_VERSION: &str = "1.0.0";
/// Bytes that tell what a file is.
const BEGINNING_BYTES: u64 = 4096;
/// Bytes of a component; the largest known, a Python interpreter, has 18 MB.
const COMPONENT_BYTES_MAX: u64 = 512 << 20;
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
    /// A precompiled component, which nobody has said to trust.
    #[error(
        "\"{}\" is a precompiled component, and loading one is running it, unchecked and outside of the sandbox; if you \
         trust whoever made it, say so with --trust-precompiled, or give the .wasm it was made from",
        path.display()
    )]
    Untrusted {
        /// The file.
        path: PathBuf,
    },
    /// A precompiled component whose bytes are not those that were written.
    #[error(
        "precompiled component \"{}\" is damaged or truncated, or `streamlet compile` did not write it; compile it again \
         with `streamlet compile`",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A precompiled component for another engine, processor or settings.
    #[error(
        "precompiled component \"{}\" was not made for this host, which needs {}; compile it again here with `streamlet \
         compile`, or give the .wasm it was made from",
        path.display(),
        code::needed()
    )]
    Incompatible {
        /// The file.
        path: PathBuf,
        /// What it was made for, in the engine's words.
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
    #[error(
        "component \"{}\" imports what this host does not offer: {}; it offers {}; {advice}",
        path.display(),
        missing.join(", "),
        imports::OFFERED.join(", ")
    )]
    ImportsMissing {
        /// The file.
        path: PathBuf,
        /// The imports.
        missing: Vec<String>,
        /// What to do.
        advice: &'static str,
        /// The linker's reason for the first.
        #[source]
        source: wasmtime::Error,
    },
    /// The interface has the right name and the wrong functions.
    #[error("component \"{}\" exports \"{STREAMLET}\" with other functions or types than version {CONTRACT_VERSION}; build it with a matching SDK", path.display())]
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
    pub(super) path: PathBuf,
    pub(super) content: Content,
    /// SHA-256 of the file, in hexadecimal digits.
    pub(super) digest: String,
}

/// What a file that can be loaded holds.
pub(super) enum Content {
    /// A component, to be compiled.
    Component(Vec<u8>),
    /// Machine code that somebody trusts, unsealed.
    Trusted(Vec<u8>),
}

impl ComponentFile {
    /// Reads a file and refuses what is no component, which is cheap to find out.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`], [`LoadError::NotAComponent`] and [`LoadError::Untrusted`].
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        Self::read_as(path, false)
    }

    /// As [`ComponentFile::read`], but takes a precompiled component too: whoever made it can make this process do
    /// anything.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`], [`LoadError::NotAComponent`] and [`LoadError::Damaged`].
    pub fn read_trusting(path: &Path) -> Result<Self, LoadError> {
        Self::read_as(path, true)
    }

    fn read_as(path: &Path, is_trusted: bool) -> Result<Self, LoadError> {
        let path = path.to_owned();
        let unreadable = |source| LoadError::Unreadable { path: path.clone(), source };
        let mut file = std::fs::File::open(&path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.by_ref().take(BEGINNING_BYTES).read_to_end(&mut bytes).map_err(unreadable)?;
        let is_precompiled = code::begins_as_precompiled(&bytes);
        if is_precompiled && !is_trusted {
            return Err(LoadError::Untrusted { path });
        }
        if !is_precompiled && let Some(found) = something_else(&bytes) {
            return Err(LoadError::NotAComponent { path, found });
        }
        file.take(COMPONENT_BYTES_MAX).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 >= COMPONENT_BYTES_MAX {
            let found = format!("it is larger than {COMPONENT_BYTES_MAX} bytes");
            return Err(LoadError::NotAComponent { path, found });
        }
        let digest = format!("{:x}", Sha256::digest(&bytes));
        if !is_precompiled {
            return Ok(Self { path, content: Content::Component(bytes), digest });
        }
        match code::unsealed(bytes).filter(|code| code::is_component(code)) {
            Some(code) => Ok(Self { path, content: Content::Trusted(code), digest }),
            None => Err(LoadError::Damaged { path }),
        }
    }

    /// A component of the host's own, under the name that messages call it by.
    pub(crate) fn of_host(name: &str, bytes: &[u8]) -> Self {
        Self {
            path: name.into(),
            content: Content::Component(bytes.to_vec()),
            digest: format!("{:x}", Sha256::digest(bytes)),
        }
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl std::fmt::Debug for ComponentFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComponentFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Links a compiled component, whose exports and imports have to be a streamlet's.
pub(super) fn link(
    engine: &Engine,
    path: &Path,
    component: &wasmtime::component::Component,
) -> Result<StreamletGuestPre<State>, LoadError> {
    check_export(engine, path, component)?;
    let pre = engine
        .linker
        .instantiate_pre(component)
        .map_err(|error| imports::missing(path, &engine.wasmtime, component, &error))?;
    StreamletGuestPre::new(pre)
        .map_err(|error| LoadError::WrongShape { path: path.into(), source: text::words(&error) })
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
            format!("it is a native program or library, or the beginning of a precompiled component; {HOW_TO_BUILD}")
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
        check(b"\x7fELF\x02", Some("native program"));
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
