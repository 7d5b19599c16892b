//! SIGINT and SIGTERM: the first asks for an end, a second one is the end.

use tokio::signal::unix::{SignalKind, signal};

/// The exit code of a process that a second signal ended.
const ENDED_BY_SIGNAL: i32 = 130;

/// Comes with the first signal. From then on a second one ends the process at once.
pub(super) async fn first() {
    next().await;
    tokio::spawn(async {
        next().await;
        std::process::exit(ENDED_BY_SIGNAL);
    });
}

/// Waits for a signal. Where no handler can be had, signals keep their default, which ends the process.
async fn next() {
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
