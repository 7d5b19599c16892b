//! Where a lane's emits go: on the next flight to the brokers, or into the next transaction.

use std::sync::Arc;

use super::delivery::Delivery;
use super::emits::Emitted;
use super::flights::Flights;
use super::producers::Unwritten;
use super::transactions::Transactions;

/// Batches of one partition that may be with the brokers at once, so that a partition need not wait for each answer.
const BATCHES_MAX: usize = 4;
/// Batches of one partition that may be in transactions at once.
const TRANSACTION_BATCHES_MAX: usize = 8;

/// Batches that may wait for the next flight or transaction; lanes wait beyond it.
pub(super) const WAITING_BATCHES_MAX: usize = 1024;

/// An acknowledged batch.
pub(super) struct Acknowledged {
    pub(super) emits: Vec<Emitted>,
    pub(super) delivery: Arc<Delivery>,
}

/// Writes emits.
#[derive(Debug, Clone)]
pub(super) enum Writer {
    /// At least once: offsets are committed once the brokers have confirmed.
    AtLeastOnce(Flights),
    /// Exactly once: emits and offsets in one transaction.
    ExactlyOnce(Transactions),
}

impl Writer {
    /// Batches of a partition that may be with the brokers at once, if one of them emits `emits`. Without a transaction it
    /// is alone if it may be refused: what was written behind it would come to stand before its next try.
    pub(super) fn batches_max(&self, emits: &[Emitted]) -> usize {
        match self {
            Self::AtLeastOnce(_) if emits.iter().any(|emitted| emitted.is_refusable) => 1,
            Self::AtLeastOnce(_) => BATCHES_MAX,
            Self::ExactlyOnce(_) => TRANSACTION_BATCHES_MAX,
        }
    }

    /// Hands a batch's emits over; `delivery` tells what became of them.
    pub(super) async fn write(&self, emits: Vec<Emitted>, delivery: &Arc<Delivery>) -> Result<(), Unwritten> {
        match self {
            Self::AtLeastOnce(flights) => flights.write(emits, delivery).await,
            Self::ExactlyOnce(transactions) => transactions.write(emits, delivery).await,
        }
    }
}
