//! Bytes as a component: refused or loaded, never a panic. What loads has described itself within its limits.
#![no_main]

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use streamlet_host::guest::{Component, ComponentFile, Engine, Limits};
use tokio::runtime::Runtime;

struct Host {
    runtime: Runtime,
    engine: Arc<Engine>,
    directory: tempfile::TempDir,
}

fuzz_target!(|data: &[u8]| {
    static HOST: OnceLock<Host> = OnceLock::new();
    let host = HOST.get_or_init(start);
    let path = host.directory.path().join("component.wasm");
    std::fs::write(&path, data).expect("a file");
    if let Ok(file) = ComponentFile::read(&path) {
        // A refusal is an answer as good as any.
        let _ = host.runtime.block_on(Component::load(Arc::clone(&host.engine), file));
    }
});

fn start() -> Host {
    let limits = Limits {
        start_deadline: Duration::from_millis(200),
        memory_bytes_max: 16 << 20,
        table_elements_max: 10_000,
        ..Limits::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let engine = Arc::new(Engine::new(limits).expect("an engine"));
    Host { runtime, engine, directory: tempfile::tempdir().expect("a directory") }
}
