//! SIGINT and SIGTERM: the first asks for an end, a second one is the end.

use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What comes so soon after the first is the same one again: `timeout`, and shells, send theirs to a process and to its
/// group.
const SAME_FOR: Duration = Duration::from_millis(100);

/// The exit code of a process that a second signal ended.
const ENDED_BY_SIGNAL: i32 = 130;

/// Comes with the first signal after this call. From then on a second one ends the process at once.
///
/// It listens when this returns, not when it is first awaited: whoever sees what the process does next may send a signal.
/// Where no handler can be had, it never comes: signals keep their default, which ends the process.
pub(super) fn first() -> impl Future<Output = ()> {
    let signals = Signals::listen();
    async move {
        let Ok(mut signals) = signals else { return std::future::pending().await };
        signals.next().await;
        let asked = Instant::now();
        // The same listeners go on: a second signal is not lost between two pairs of them.
        tokio::spawn(async move {
            loop {
                signals.next().await;
                if asked.elapsed() >= SAME_FOR {
                    std::process::exit(ENDED_BY_SIGNAL);
                }
            }
        });
    }
}

/// Listens to both.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
