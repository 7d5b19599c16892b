//! The loader on damaged components: each is refused or loads, within its limits, and never a panic.

use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use streamlet_host::guest::{Component, ComponentFile, Engine, Limits};
use streamlet_tests::text_guests::{Places, component};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Bytes of a component's header.
const HEADER: &[u8] = b"\0asm\x0d\0\x01\0";

struct Host {
    runtime: Runtime,
    engine: Arc<Engine>,
    directory: TempDir,
}

impl Host {
    fn new() -> Self {
        let limits = Limits {
            start_deadline: Duration::from_millis(200),
            memory_bytes_max: 16 << 20,
            table_elements_max: 10_000,
            ..Limits::default()
        };
        Self {
            runtime: Runtime::new().unwrap(),
            engine: Arc::new(Engine::new(limits).unwrap()),
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// Loads bytes as a component; a refusal has words.
    fn load(&self, bytes: &[u8]) -> Result<Component, String> {
        let path = self.directory.path().join("component.wasm");
        fs::write(&path, bytes).unwrap();
        let loaded = ComponentFile::read(&path)
            .and_then(|file| self.runtime.block_on(Component::load(Arc::clone(&self.engine), file)));
        loaded.map_err(|error| format!("{:#}", anyhow::Error::from(error)))
    }
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

/// That bytes are refused with words for people, or load.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    HOST.with_borrow_mut(|host| {
        let loaded = host.get_or_insert_with(Host::new).load(bytes);
        if let Err(refusal) = loaded {
            prop_assert!(refusal.contains("component.wasm"), "{}", refusal);
            prop_assert!(refusal.len() < 16 << 10, "{} bytes of refusal", refusal.len());
            prop_assert!(!refusal.contains(|c: char| c.is_control() && !"\n\t".contains(c)), "{:?}", refusal);
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..64), is_component in any::<bool>()) {
        let header = if is_component { HEADER } else { b"" };
        check(&[header, &bytes].concat())?;
    }

    #[test]
    fn flipped_bits(flips in vec((any::<prop::sample::Index>(), 0..8u8), 1..4)) {
        let mut bytes = component(&Places::default());
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        check(&bytes)?;
    }

    #[test]
    fn replaced_bytes(at in any::<prop::sample::Index>(), with in vec(any::<u8>(), 0..8), length in 0..8usize) {
        let mut bytes = component(&Places::default());
        let at = at.index(bytes.len());
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, with);
        check(&bytes)?;
    }
}

/// A component may do without what follows its last export: names that only help people.
#[test]
fn every_truncation_is_refused_or_lacks_nothing() {
    let host = Host::new();
    let bytes = component(&Places::default());
    let whole = host.load(&bytes).expect("the whole loads");
    let mut loaded = 0;
    for length in 0..bytes.len() {
        match host.load(&bytes[..length]) {
            Ok(part) => {
                assert_eq!(part.descriptor(), whole.descriptor());
                loaded += 1;
            }
            Err(refusal) => assert!(refusal.contains("component.wasm"), "{length} bytes: {refusal}"),
        }
    }
    assert!(loaded < 3, "{loaded} truncations load");
}

/// Names out of a component reach the terminal of whoever loads it.
#[test]
fn a_name_writes_no_terminal_sequences() {
    let bytes = component(&Places::default());
    let at = bytes.windows(10).position(|window| window == b"get-random").expect("an import");
    let mut damaged = bytes;
    damaged[at..at + 4].copy_from_slice(b"\x1b[2J");
    let refusal = Host::new().load(&damaged).expect_err("no such import");
    assert!(refusal.contains("\\u{1b}[2J") && !refusal.contains('\u{1b}'), "{refusal:?}");
}
