//! At least once: batches on their way to the brokers, those of all partitions together.
//!
//! One task hands them over. What lanes have acknowledged goes at once if nothing is on its way; otherwise it waits until
//! that has landed, [`FLIGHT_MAX`] at most, and goes together with whatever has come meanwhile. So a single record waits
//! for nothing, and under load requests are large by themselves. Without this, and without a `linger.ms` that every record
//! would wait for, each batch makes a request per partition it goes to, and librdkafka spins on a core for as long as more
//! of them wait than may be in flight.
//!
//! It refuses to hand over anything of a partition that was revoked meanwhile, or behind an emit of it that was lost. An
//! outlet whose queue is full makes all wait, those for other outlets too. It ends when nobody can hand over any more.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::delivery::Delivery;
use super::emits::Emitted;
use super::fault::{Faults, PanicWatch};
use super::producers::{Producers, Unwritten};
use super::writer::{Acknowledged, WAITING_BATCHES_MAX};

/// How long batches wait for those that are on their way.
const FLIGHT_MAX: Duration = Duration::from_millis(5);

/// Where lanes hand their batches over. Clones share it; the task ends when all are gone.
#[derive(Debug, Clone)]
pub(super) struct Flights {
    waiting: mpsc::Sender<Acknowledged>,
}

/// Held by what is on its way; never sent, only dropped.
pub(super) type Aboard = mpsc::Sender<()>;

impl Flights {
    /// Starts the task.
    pub(super) fn start(producers: &Arc<Producers>, faults: Faults) -> (Self, JoinHandle<()>) {
        let (waiting, batches) = mpsc::channel(WAITING_BATCHES_MAX);
        let producers = Arc::clone(producers);
        let task = tokio::spawn(async move {
            let _watch = PanicWatch { faults, whose: "the task that writes" };
            run(&producers, batches).await;
            // Whoever drops the last one waits for its thread.
            tokio::task::spawn_blocking(move || drop(producers));
        });
        (Self { waiting }, task)
    }

    pub(super) async fn write(&self, emits: Vec<Emitted>, delivery: &Arc<Delivery>) -> Result<(), Unwritten> {
        let acknowledged = Acknowledged { emits, delivery: Arc::clone(delivery) };
        self.waiting.send(acknowledged).await.map_err(|_| Unwritten)
    }
}

/// One flight after the other, until nobody can hand over any more.
async fn run(producers: &Producers, mut batches: mpsc::Receiver<Acknowledged>) {
    while let Some(first) = batches.recv().await {
        let (aboard, mut landed) = mpsc::channel(1);
        let mut next = Some(first);
        while let Some(Acknowledged { emits, delivery }) = next {
            delivery.board(aboard.clone());
            match producers.write(delivery.partition(), &emits, &delivery).await {
                Ok(()) => delivery.confirm(),
                Err(_) => delivery.lose(),
            }
            // Others have a turn on this thread, too.
            tokio::task::yield_now().await;
            next = batches.try_recv().ok();
        }
        drop(aboard);
        // Nothing is ever sent: it answers when the last one has landed.
        let _ = timeout(FLIGHT_MAX, landed.recv()).await;
    }
}
