//! Advances the engine's epoch while guests run, so that each gives its thread back once a tick. Idle, it sleeps.
//!
//! Most calls are over within a fraction of a tick, and waking a thread up costs a caller more than such a call: so the
//! ticker goes on for some ticks when nothing runs, and whoever calls meanwhile finds it awake.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

/// Ticks without any call before the ticker sleeps.
const QUIET_TICKS_MAX: u32 = 16;

/// A thread that ticks as long as any [`Running`] guard lives. It ends with its owner.
#[derive(Debug)]
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    /// Calls that have begun, and how many of them have ended.
    begun: AtomicU64,
    ended: AtomicU64,
    /// The ticker sleeps, or is about to, until somebody says otherwise and wakes it up.
    sleeps: AtomicBool,
    is_over: AtomicBool,
}

impl Shared {
    /// Calls that run, and those that have begun so far. Read in this order, none that runs is missed.
    fn calls(&self) -> (u64, u64) {
        let ended = self.ended.load(Ordering::SeqCst);
        let begun = self.begun.load(Ordering::SeqCst);
        (begun.wrapping_sub(ended), begun)
    }

    /// Sleeps until a call begins, unless one has since `begun` was read.
    fn sleep(&self, begun: u64) {
        self.sleeps.store(true, Ordering::SeqCst);
        // After it can be seen that this sleeps: either a call is seen here, or its caller sees that somebody sleeps.
        if self.calls() != (0, begun) {
            self.sleeps.store(false, Ordering::SeqCst);
        }
        while self.sleeps.load(Ordering::SeqCst) && !self.is_over.load(Ordering::SeqCst) {
            thread::park();
        }
    }
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
            let (mut quiet_ticks, mut last) = (QUIET_TICKS_MAX, 0);
            while !seen.is_over.load(Ordering::SeqCst) {
                let (running, begun) = seen.calls();
                if running > 0 || begun != last {
                    (quiet_ticks, last) = (0, begun);
                } else if quiet_ticks < QUIET_TICKS_MAX {
                    quiet_ticks += 1;
                } else {
                    seen.sleep(begun);
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
        self.shared.begun.fetch_add(1, Ordering::SeqCst);
        if self.shared.sleeps.load(Ordering::SeqCst) && self.shared.sleeps.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running { shared: &self.shared }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
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
        self.shared.ended.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn it_goes_on_for_a_while_when_nothing_runs_and_is_woken_once() {
        let engine = wasmtime::Engine::default();
        let ticker = Ticker::start(&engine, Duration::from_millis(20)).unwrap();
        let sleeps = || ticker.shared.sleeps.load(Ordering::SeqCst);
        let falls_asleep = || {
            let began = Instant::now();
            while !sleeps() {
                assert!(began.elapsed() < Duration::from_secs(10), "it never sleeps");
                thread::sleep(Duration::from_millis(1));
            }
        };
        falls_asleep();
        for _ in 0..2 {
            drop(ticker.run());
            assert!(!sleeps(), "whoever calls has woken it");
            // Fewer ticks than it goes on for, even on a busy machine.
            thread::sleep(Duration::from_millis(60));
            assert!(!sleeps(), "the next call finds it awake");
            falls_asleep();
        }
        let running = ticker.run();
        thread::sleep(Duration::from_millis(20) * (QUIET_TICKS_MAX + 4));
        assert!(!sleeps(), "something runs");
        drop(running);
        falls_asleep();
    }
}
