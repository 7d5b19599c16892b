//! What is no component, or none that this host serves: each is named, with an exit code that says whose fault it is.

use std::fs;

use streamlet_tests::guests::{self, patched};
use streamlet_tests::program::Ran;
use tempfile::TempDir;

use crate::streamlet;

/// `streamlet descriptor` of a file with these bytes, with that file's directory still there.
fn load(bytes: &[u8], arguments: &[&str]) -> (Ran, TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("guest.wasm");
    fs::write(&file, bytes).unwrap();
    (streamlet().args(&["descriptor"]).arg(file).args(arguments).run(), directory)
}

/// The file is refused, by a component's own fault, with each of these words.
#[track_caller]
fn check(bytes: &[u8], words: &[&str]) {
    let (ran, _) = load(bytes, &["--start-deadline", "1 s"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("guest.wasm\" "), "the file is named: {}", ran.stderr);
    for part in words {
        assert!(ran.stderr.contains(part), "{part:?} is not in\n{}", ran.stderr);
    }
}

#[test]
fn what_is_no_component_is_named() {
    let how = "build one with `cargo build --release --target wasm32-wasip2`";
    check(b"", &["is not a component: the file is empty"]);
    check(b"\0asm\x01\0\0\0", &["it is a core WebAssembly module", how]);
    check(b"\0asm", &["it is WebAssembly of an unknown version", "perhaps truncated", how]);
    check(b"(module)", &["it is WebAssembly in text form", "wasm-tools parse"]);
    check(b"<!doctype html><title>404</title>", &["it is a web page"]);
    check(b"\x1f\x8b\x08\0\0\0\0\0", &["it is gzip-compressed"]);
    check(b"PK\x03\x04", &["it is a zip archive"]);
    check(b"\x7fELF\x02\x01", &["it is a native program or library", how]);
    check(b"hello", &["it does not begin like WebAssembly", how]);
}

#[test]
fn a_truncated_component_does_not_compile() {
    let bytes = fs::read(guests::component("raw")).unwrap();
    for length in [9, bytes.len() / 3, bytes.len() - 1] {
        check(&bytes[..length], &["does not compile; it may be truncated"]);
    }
}

#[test]
fn a_component_without_the_interface_is_no_streamlet() {
    // The shortest component there is.
    check(
        b"\0asm\x0d\0\x01\0",
        &["is not a streamlet: it must export \"ankka:flow/streamlet@1.0.0\", but exports nothing"],
    );
    let other = patched("raw", "ankka:flow/streamlet@", "ankka:flow/streamlot@");
    check(&other, &["is not a streamlet", "but exports ankka:flow/streamlot@1.0.0", "`streamlet::export!` does it"]);
}

#[test]
fn another_major_version_is_refused_and_a_later_minor_is_served() {
    let next = patched("raw", "ankka:flow/streamlet@1.0.0", "ankka:flow/streamlet@2.0.0");
    let serves = "but this host serves version 1.0.0 and later ones of the same major; build it with a matching SDK";
    check(&next, &["it exports \"ankka:flow/streamlet@2.0.0\"", serves]);
    // All of the package's names at once, as a guest of version 1.3 would have them.
    let mut later = patched("raw", "ankka:flow/streamlet@1.0.0", "ankka:flow/streamlet@1.3.0");
    for (from, to) in
        [("ankka:flow/types@1.0.0", "ankka:flow/types@1.3.0"), ("ankka:flow/emitter@1.0.0", "ankka:flow/emitter@1.3.0")]
    {
        later = replaced(&later, from, to);
    }
    let (ran, _) = load(&later, &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"name\": \"raw\""));
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let found = |bytes: &[u8]| bytes.windows(from.len()).position(|window| window == from.as_bytes());
    while let Some(at) = found(&bytes) {
        bytes.splice(at..at + from.len(), to.bytes());
    }
    bytes
}

#[test]
fn missing_imports_are_all_named() {
    let other = patched("raw", "ankka:flow/emitter@1.0.0", "ankka:flow/emittor@1.0.0");
    check(
        &other,
        &["imports what this host does not offer: ankka:flow/emittor@1.0.0; it offers ankka:flow/emitter@1.0, "],
    );
    let other = patched("raw", "wasi:cli/", "wasi:clo/");
    let advice = "or compose it with components that export them, for example by `wac plug`: ";
    check(&other, &["imports what this host does not offer: wasi:clo/", advice]);
}

#[test]
fn a_function_of_another_name_is_missing() {
    check(&patched("raw", "describe", "descrobe"), &["lacks \"describe\""]);
}

#[test]
fn a_component_that_does_not_describe_itself_is_told_why() {
    let why = "`describe` took longer than its deadline of 1s; do less before the first batch, or raise it with --start-deadline";
    check(&patched("raw", "describe:regular", "describe:endless"), &["does not describe itself: ", why]);
    let why = "the streamlet trapped in `describe`: it reached an `unreachable` instruction";
    check(&patched("raw", "describe:regular", "describe:trapped"), &["does not describe itself: ", why]);
}

#[test]
fn every_problem_of_a_declaration_is_told_at_once() {
    let words = [
        "declares an invalid streamlet: ",
        "\"Raw!\"",
        "inlet \"in\" has the unknown format \"avro\"",
        "port \"twice\" is declared 2 times",
        "outlet \"bare\" has no schema name",
        "\"Out\"",
        "parameter \"empty\": an empty default cannot be declared",
        "the default of parameter \"count\" cannot be used",
        "\"Key\"",
    ];
    check(&patched("raw", "describe:regular", "describe:invalid"), &words);
}

#[test]
fn what_is_not_there_is_no_components_fault() {
    let directory = tempfile::tempdir().unwrap();
    let check = |path: &str, words: &str| {
        for command in ["run", "descriptor"] {
            let ran = streamlet().args(&[command]).arg(directory.path().join(path)).run();
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{}", ran.stderr);
            assert!(ran.stderr.contains(words), "{words:?} is not in\n{}", ran.stderr);
        }
    };
    check("none.wasm", "none.wasm\": No such file or directory");
    check("", "holds no guest crate: it has no Cargo.toml");
    let source = directory.path().join("plain/src");
    fs::create_dir_all(&source).unwrap();
    let manifest = "[package]\nname = \"plain\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(directory.path().join("plain/Cargo.toml"), manifest).unwrap();
    fs::write(source.join("lib.rs"), "").unwrap();
    check("plain", "built, but makes no component; its Cargo.toml needs `[lib]` with `crate-type = [\"cdylib\"]`");
    fs::write(source.join("lib.rs"), "this is no Rust").unwrap();
    check("plain", "cargo could not build \"");
}
