//! The process's end: asked for by a signal, over when nothing is open any more or the grace has passed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Shared between whoever hears the signal and the open streams.
#[derive(Debug, Clone)]
pub struct Shutdown {
    state: Arc<watch::Sender<State>>,
    grace: Duration,
}

#[derive(Debug, Clone, Copy)]
struct State {
    /// When the signal came.
    asked: Option<Instant>,
    /// Open `Run` streams.
    open: usize,
}

impl Shutdown {
    /// Nothing has been asked. Once it is, open streams have `grace` to end by themselves.
    pub fn new(grace: Duration) -> Self {
        let (state, _) = watch::channel(State { asked: None, open: 0 });
        Self { state: Arc::new(state), grace }
    }

    /// How long work in flight may take once its conversation or the process is to end.
    pub(super) fn grace(&self) -> Duration {
        self.grace
    }

    /// The signal has come.
    pub fn ask(&self) {
        self.state.send_modify(|state| state.asked = state.asked.or(Some(Instant::now())));
    }

    /// Counts a stream as open until the guard is dropped; none once the process is to end.
    pub(super) fn open(&self) -> Option<Open> {
        let opened = self.state.send_if_modified(|state| {
            let opens = state.asked.is_none();
            state.open += usize::from(opens);
            opens
        });
        opened.then(|| Open(self.clone()))
    }

    /// Waits until the grace after the signal has passed.
    pub(super) async fn grace_over(&self) {
        let mut state = self.state.subscribe();
        let asked = state.wait_for(|state| state.asked.is_some()).await.ok().and_then(|state| state.asked);
        match asked {
            Some(asked) => tokio::time::sleep_until(asked + self.grace).await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the process may end: it was asked to, and no stream is open. A stream that outlasts the grace ends
    /// itself, so this comes soon after.
    pub async fn over(&self) {
        let mut state = self.state.subscribe();
        // The sender lives in `self`, so the wait ends only with its condition.
        let _ = state.wait_for(|state| state.asked.is_some() && state.open == 0).await;
    }
}

/// An open stream.
#[derive(Debug)]
pub(super) struct Open(Shutdown);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.open = state.open.saturating_sub(1));
    }
}
