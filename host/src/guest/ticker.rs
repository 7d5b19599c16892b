//! Advances the engine's epoch while guests run, so that each gives its thread back once a tick. Idle, it sleeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// A thread that ticks as long as any [`Running`] guard lives. It ends with its owner.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    running: AtomicUsize,
    ended: AtomicBool,
}

impl Ticker {
    /// Starts the thread for `engine`, of whose guests each may keep a thread for one `tick` at a stretch.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub(super) fn start(engine: &wasmtime::Engine, tick: Duration) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (seen, engine) = (Arc::clone(&shared), engine.weak());
        let handle = thread::Builder::new().name("epochs".into()).spawn(move || {
            while !seen.ended.load(Ordering::Acquire) {
                if seen.running.load(Ordering::Acquire) == 0 {
                    thread::park();
                    continue;
                }
                thread::sleep(tick);
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        })?;
        Ok(Self { shared, thread: handle.thread().clone() })
    }

    /// Keeps the epoch advancing until the guard is dropped.
    pub(super) fn run(&self) -> Running<'_> {
        if self.shared.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        Running { shared: &self.shared }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

/// A guest is running.
#[derive(Debug)]
pub(super) struct Running<'a> {
    shared: &'a Shared,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.shared.running.fetch_sub(1, Ordering::AcqRel);
    }
}
