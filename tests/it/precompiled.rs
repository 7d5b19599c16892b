//! Machine code instead of a component: the cache that keeps it, and the files that `streamlet compile` writes.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use streamlet_tests::guests;
use streamlet_tests::program::{Program, Ran};
use tempfile::TempDir;

use crate::streamlet;

/// Bytes of a seal: a digest and a mark.
const SEAL_BYTES: usize = 48;

/// `streamlet descriptor` of a guest, saying what it does.
fn describe(component: impl Into<PathBuf>) -> Program {
    streamlet().args(&["descriptor", "--log", "streamlet=debug"]).arg(component)
}

/// The same with a cache of its own.
fn cached(component: impl Into<PathBuf>, cache: &Path) -> Program {
    describe(component).env("STREAMLET_CACHE_DIR", cache.to_str().unwrap())
}

/// It described the guest, and its log has each of these, and none of those.
#[track_caller]
fn described(ran: &Ran, has: &[&str], has_not: &[&str]) {
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"name\": \"raw\""), "{}", ran.stdout);
    assert!(has.iter().all(|words| ran.stderr.contains(words)), "{has:?} in\n{}", ran.stderr);
    assert!(!has_not.iter().any(|words| ran.stderr.contains(words)), "{has_not:?} not in\n{}", ran.stderr);
}

const COMPILED: &str = "streamlet: compiled component=";
const FOUND: &str = "compiled code found in the cache";
const NOT_KEPT: &str = "compiled components are not kept";

fn entries(cache: &Path) -> Vec<PathBuf> {
    let mut entries = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    entries.sort();
    entries
}

fn raw() -> PathBuf {
    guests::component("raw")
}

#[test]
fn the_second_time_nothing_is_compiled() {
    let directory = tempfile::tempdir().unwrap();
    let cache = directory.path().join("deep/down");
    described(&cached(raw(), &cache).run(), &[COMPILED], &[FOUND, NOT_KEPT]);
    described(&cached(raw(), &cache).run(), &[FOUND], &[COMPILED]);
    let [entry] = &entries(&cache)[..] else { panic!("one entry") };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&cache), mode(entry)), (0o700, 0o600));
    // The bytes count, not the name; other bytes are another component.
    let copy = directory.path().join("copy.wasm");
    fs::copy(raw(), &copy).unwrap();
    described(&cached(&copy, &cache).run(), &[FOUND], &[COMPILED]);
    fs::write(&copy, guests::patched("raw", "describe:regular", "describe:trapped")).unwrap();
    let ran = cached(&copy, &cache).run();
    assert!(ran.code == Some(1) && ran.stderr.contains(COMPILED), "{}", ran.stderr);
}

#[test]
fn the_cache_is_where_it_is_by_custom_and_can_be_done_without() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().to_str().unwrap();
    let at = |name: &str| describe(raw()).without_env("XDG_CACHE_HOME").env(name, home);
    described(&at("XDG_CACHE_HOME").run(), &[COMPILED], &[]);
    assert_eq!(entries(&directory.path().join("streamlet/components")).len(), 1);
    described(&at("HOME").args(&["--no-cache"]).run(), &[COMPILED], &[NOT_KEPT]);
    described(&at("HOME").env("STREAMLET_NO_CACHE", "1").run(), &[COMPILED], &[NOT_KEPT]);
    assert!(!directory.path().join(".cache").exists());
    described(&at("HOME").run(), &[COMPILED], &[]);
    assert_eq!(entries(&directory.path().join(".cache/streamlet/components")).len(), 1);
    let relative = describe(raw()).env("XDG_CACHE_HOME", "relative").env("HOME", home).run();
    described(&relative, &[FOUND], &[]);
}

#[test]
fn a_damaged_entry_is_compiled_again() {
    let directory = tempfile::tempdir().unwrap();
    described(&cached(raw(), directory.path()).run(), &[COMPILED], &[]);
    let [entry] = &entries(directory.path())[..] else { panic!("one entry") };
    let whole = fs::read(entry).unwrap();
    let mut corrupted = whole.clone();
    corrupted[whole.len() / 2] ^= 1;
    for damaged in [&corrupted[..], &whole[..whole.len() / 2], &whole[..20], b""] {
        fs::write(entry, damaged).unwrap();
        described(&cached(raw(), directory.path()).run(), &["a damaged entry of the cache is replaced", COMPILED], &[]);
        assert!(fs::read(entry).unwrap().len() == whole.len(), "it is whole again");
        described(&cached(raw(), directory.path()).run(), &[FOUND], &[COMPILED]);
    }
    // Intact, but no code at all.
    fs::write(entry, sealed(b"no code")).unwrap();
    described(&cached(raw(), directory.path()).run(), &[COMPILED], &[FOUND]);
}

#[test]
fn a_directory_that_others_write_to_is_no_cache() {
    let directory = tempfile::tempdir().unwrap();
    for mode in [0o777, 0o770, 0o702] {
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(mode)).unwrap();
        let ran = cached(raw(), directory.path()).run();
        described(&ran, &[NOT_KEPT, "others can write to cache directory", "and so run code here"], &[]);
        assert_eq!(ran.stderr.matches(NOT_KEPT).count(), 1, "{}", ran.stderr);
    }
    assert!(entries(directory.path()).is_empty());
}

#[test]
fn without_a_place_for_it_there_is_one_warning() {
    let check = |program: Program, words: &str| {
        let ran = program.run();
        described(&ran, &[COMPILED, words], &[]);
        assert_eq!(ran.stderr.matches("WARN").count(), 1, "{}", ran.stderr);
    };
    check(
        cached(raw(), Path::new("/dev/null/cache")),
        "cannot use cache directory \"/dev/null/cache\": Not a directory",
    );
    check(describe(raw()).without_env("XDG_CACHE_HOME").env("HOME", "/proc/none"), "\"/proc/none/.cache/streamlet/");
    let homeless = describe(raw()).without_env("XDG_CACHE_HOME").without_env("HOME");
    check(homeless, "neither XDG_CACHE_HOME nor HOME is set; name a directory with --cache-dir");
}

#[test]
fn many_processes_share_a_cache() {
    let directory = tempfile::tempdir().unwrap();
    let running = (0..6).map(|_| cached(raw(), directory.path()).spawn()).collect::<Vec<_>>();
    for live in running {
        let ran = live.end();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(!ran.stderr.contains("WARN"), "{}", ran.stderr);
    }
    assert_eq!(entries(directory.path()).len(), 1, "one entry, and nothing unfinished");
}

#[test]
fn the_cache_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let cached = |package: &str, size: &str| {
        let ran = cached(guests::component(package), directory.path()).args(&["--cache-size", size]).run();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        entries(directory.path())
    };
    assert_eq!(cached("raw", "1"), [] as [PathBuf; 0]);
    let [first] = &cached("raw", "1 GiB")[..] else { panic!("one entry") };
    let two = cached("cart-router", "1 GiB");
    assert_eq!(two.len(), 2);
    // The first was used last, so the second goes.
    std::thread::sleep(std::time::Duration::from_millis(20));
    cached("raw", "1 GiB");
    let bytes = two.iter().map(|path| fs::metadata(path).unwrap().len()).sum::<u64>();
    let left = cached("conformance", &bytes.to_string());
    assert!(left.contains(first) && left.iter().filter(|path| two.contains(path)).count() == 1, "{left:?}");
}

/// A compiled guest.
fn compiled() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("deep/raw.cwasm");
    let ran = streamlet().args(&["compile"]).arg(raw()).args(&["--out"]).arg(&out).run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{}", ran.stderr);
    assert_eq!(ran.stderr, format!("wrote {}\n", out.display()));
    (directory, out)
}

/// Code with a seal around it that is intact.
fn sealed(code: &[u8]) -> Vec<u8> {
    [code, &Sha256::digest(code), b"streamlet-code-1"].concat()
}

/// The file is refused with these words.
#[track_caller]
fn refused(program: Program, words: &[&str]) {
    let ran = program.run();
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
    for words in words {
        assert!(ran.stderr.contains(words), "{words:?} is not in\n{}", ran.stderr);
    }
}

#[test]
fn compiled_code_runs_if_it_is_trusted() {
    let (_directory, out) = compiled();
    described(&describe(&out).args(&["--trust-precompiled"]).run(), &[], &[COMPILED, FOUND]);
    described(&describe(&out).env("STREAMLET_TRUST_PRECOMPILED", "1").run(), &[], &[COMPILED, FOUND]);
    // A component needs no trust and takes none.
    described(&describe(raw()).args(&["--trust-precompiled"]).run(), &[], &[NOT_KEPT]);
    let why = ["is a precompiled component, and loading one is running it", "--trust-precompiled"];
    refused(describe(&out), &why);
    refused(streamlet().args(&["serve", "--port", "0"]).arg(&out), &why);
    refused(streamlet().args(&["run"]).arg(&out), &why);
    let ran = streamlet().args(&["compile"]).arg(&out).args(&["--out", "never"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("is compiled already; give the .wasm it was made from"), "{}", ran.stderr);
}

#[test]
fn damaged_code_is_refused() {
    let (directory, out) = compiled();
    let whole = fs::read(&out).unwrap();
    let file = directory.path().join("damaged.cwasm");
    let check = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let words = ["is damaged or truncated, or `streamlet compile` did not write it; compile it again"];
        refused(describe(&file).args(&["--trust-precompiled"]), &words);
    };
    for length in [8, 64, 4096, whole.len() / 2, whole.len() - SEAL_BYTES, whole.len() - 1] {
        check(&whole[..length]);
    }
    for at in [100, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        check(&bytes);
    }
    check(&sealed(&whole[..whole.len() / 2]));
}

#[test]
fn code_for_another_host_is_refused() {
    let (directory, out) = compiled();
    let whole = fs::read(&out).unwrap();
    let code = &whole[..whole.len() - SEAL_BYTES];
    let file = directory.path().join("other.cwasm");
    let check = |from: &[u8], to: &[u8], found: &str| {
        let mut code = code.to_vec();
        let at = code.windows(from.len()).position(|window| window == from).expect("it is in it");
        code.splice(at..at + from.len(), to.iter().copied());
        fs::write(&file, sealed(&code)).unwrap();
        let needed = "was not made for this host, which needs wasmtime 48 on ";
        let told =
            [needed, found, "compile it again here with `streamlet compile`, or give the .wasm it was made from"];
        refused(describe(&file).args(&["--trust-precompiled"]), &told);
    };
    check(b"\x00\x0248", b"\x00\x0247", "incompatible version '47'");
    if cfg!(target_arch = "x86_64") {
        check(b"x86_64-unknown", b"mips64-unknown", "compiled for architecture 'mips64'");
    }
}

#[test]
fn what_is_no_streamlet_is_not_compiled() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (directory.path().join("other.wasm"), directory.path().join("out.cwasm"));
    fs::write(&file, guests::patched("raw", "ankka:flow/streamlet@", "ankka:flow/streamlot@")).unwrap();
    refused(streamlet().args(&["compile"]).arg(&file).args(&["--out"]).arg(&out), &["is not a streamlet"]);
    assert!(!out.exists());
    let ran = streamlet().args(&["compile"]).arg(raw()).args(&["--out", "/dev/null/out.cwasm"]).run();
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot write compiled component \"/dev/null/out.cwasm\""), "{}", ran.stderr);
}
