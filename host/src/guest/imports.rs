//! What this host offers a guest to import, and what to do about an import it does not offer.

use std::path::Path;

use wasmtime::component::Component;

use super::loading::LoadError;
use super::text;

/// What this host offers a guest to import.
pub(super) const OFFERED: [&str; 8] = [
    "ankka:flow/emitter@1.0",
    "ankka:flow/types@1.0",
    "wasi:cli@0.2",
    "wasi:clocks@0.2",
    "wasi:filesystem@0.2",
    "wasi:io@0.2",
    "wasi:random@0.2",
    "wasi:sockets@0.2",
];

/// The imports that the linker cannot have, by their package and version, with the linker's reason for the first.
pub(super) fn missing(
    path: &Path,
    engine: &wasmtime::Engine,
    component: &Component,
    error: &wasmtime::Error,
) -> LoadError {
    let component_type = component.component_type();
    let names = component_type.imports(engine).map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
    let missing = names.iter().filter(|name| !is_offered(name)).cloned().collect::<Vec<_>>();
    // All are known by name: then it is one's functions or types that differ, and the linker's reason names it.
    let shown = if missing.is_empty() { names } else { missing };
    let advice = advice(&shown);
    let missing = text::some_of(shown.iter().map(|name| text::name(name)));
    LoadError::ImportsMissing { path: path.into(), missing, advice, source: text::words(error) }
}

fn is_offered(name: &str) -> bool {
    let (interface, version) = name.split_once('@').unwrap_or((name, ""));
    let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
    OFFERED.contains(&format!("{interface}@{minor}").as_str())
        || OFFERED.contains(&format!("{}@{minor}", package(interface)).as_str())
}

/// `wasi:cli` of `wasi:cli/environment`.
fn package(interface: &str) -> &str {
    interface.split_once('/').map_or(interface, |(package, _)| package)
}

/// What to do about imports that are not offered, going by the first that says something.
fn advice(missing: &[String]) -> &'static str {
    let of = |prefix: &str| missing.iter().any(|name| name.starts_with(prefix));
    // Only the version of these can be wrong.
    let is_versions = missing.iter().any(|name| {
        let known = OFFERED.iter().filter_map(|offered| offered.split_once('@'));
        name.starts_with("wasi:") && known.map(|(known, _)| known).any(|known| known == package(name))
    });
    if of("wasi:http/") {
        "HTTP is not available to streamlets"
    } else if is_versions {
        "build it for WASI 0.2, which in Rust is the target `wasm32-wasip2`"
    } else if of("ankka:flow/") {
        "build it with a matching SDK"
    } else {
        "build it without them, or compose it with components that export them, for example by `wac plug`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_goes_by_what_is_missing() {
        let check = |name: &str, offered: bool, words: &str| {
            assert_eq!(is_offered(name), offered, "{name}");
            assert!(offered || advice(&[name.into()]).contains(words), "{name}");
        };
        check("wasi:cli/environment@0.2.3", true, "");
        check("ankka:flow/emitter@1.0.7", true, "");
        check("wasi:cli/environment@0.3.0", false, "WASI 0.2");
        check("wasi:http/outgoing-handler@0.2.0", false, "HTTP");
        check("ankka:flow/emitter@2.0.0", false, "SDK");
        check("acme:store/rows@1.0.0", false, "wac plug");
        check("bare", false, "wac plug");
    }
}
