//! A component that takes long to compile: that is told, and holds up nothing but the answer to `Discover`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use streamlet_tests::service::Service;
use tempfile::TempDir;

use crate::streamlet;

/// A component of one core module with one function, of this many steps: however many processors there are, one
/// compiles it. It is no streamlet.
fn large(steps: usize) -> (TempDir, PathBuf) {
    // (func (param i32) (result i32) (local.get 0) ((i32.const 7) (i32.mul) (local.get 0) (i32.add) …)…)
    let step = [0x41, 7, 0x6c, 0x20, 0, 0x6a, 0x20, 0, 0x77];
    let body = [&[0, 0x20, 0], &step.repeat(steps)[..], &[0x0b]].concat();
    let types = section(1, &[1, 0x60, 1, 0x7f, 1, 0x7f]);
    let code = section(10, &[&[1], &leb(body.len())[..], &body].concat());
    let module = [&b"\0asm\x01\0\0\0"[..], &types, &section(3, &[1, 0]), &code].concat();
    let component = [&b"\0asm\x0d\0\x01\0"[..], &section(1, &module)].concat();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("large.wasm");
    fs::write(&file, component).unwrap();
    (directory, file)
}

fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id], &leb(content.len())[..], content].concat()
}

/// An unsigned number as WebAssembly writes it.
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(number & 0x7f).unwrap();
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_compilation_is_told_and_holds_up_only_discovery() {
    let (_directory, file) = large(800_000);
    let mut service = Service::begin(streamlet().args(&["serve", "--no-cache"]).arg(&file));
    let sidecar = service.dial().await;
    let discovering = tokio::spawn({
        let sidecar = sidecar.clone();
        async move { sidecar.discover().await }
    });
    let line = service.wait_for("streamlet: compiling ");
    assert!(line.contains("large.wasm") && line.contains("seconds=2"), "{line}");
    assert!(!discovering.is_finished(), "its answer is held");
    // Other answers are not.
    let began = Instant::now();
    sidecar.report(&["nothing is wrong"]).await.unwrap();
    service.dial().await.report(&["on a connection of its own"]).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    service.signal("TERM");
    assert_eq!(service.end(Duration::from_secs(2)), Some(0));
    assert!(discovering.await.unwrap().is_err());
}

#[test]
fn quiet_means_no_progress() {
    let (_directory, file) = large(300_000);
    let ran = streamlet().args(&["descriptor", "--no-cache", "--quiet"]).arg(&file).run();
    assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("is not a streamlet"), "{}", ran.stderr);
}
