//! A real Apache Kafka for a test, its topics and groups, and a wire tap before it.
//!
//! [`Broker`] owns a node that `tests/kafka/kafka` starts; [`Topic`] makes topics, fills and reads them; [`Group`] is what
//! the coordinator says of a consumer group; [`Tap`] sees what clients send, and gets in their way; [`Mock`] answers with
//! errors. Nothing of these is the product's: clients are rdkafka's with the settings that a test names. A node ends with
//! the process of its test, however that ends. Without Java or Maven tests say by name that they did not run.
//!
//! [`Deployment`] is a streamlet to be run on them by the product's binary, [`Running`] one that does, and [`events`] has
//! the truth about what came of it.

mod broker;
mod deployment;
pub mod events;
mod group;
mod listener;
mod mock;
mod record;
mod running;
pub mod tap;
mod topic;

use std::thread;
use std::time::{Duration, Instant};

pub use broker::Broker;
pub use deployment::Deployment;
pub use group::{Group, Member};
pub use listener::{Listener, Mechanism};
pub use mock::Mock;
pub use record::Record;
pub use running::{Ended, Running};
pub use tap::Tap;
pub use topic::Topic;

/// How long anything that a test waits for may take.
pub const PATIENCE: Duration = Duration::from_mins(1);
/// How often is looked whether it has come.
const INTERVAL: Duration = Duration::from_millis(20);

/// Waits until `look` finds something, and gives it.
///
/// # Panics
/// It does not come; `what` says what was waited for.
#[track_caller]
pub fn until<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    within(PATIENCE, what, look)
}

/// As [`until`], with a patience of the test's own.
///
/// # Panics
/// It does not come in time.
#[track_caller]
pub fn within<T>(patience: Duration, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < patience, "{what}: not within {patience:?}");
        thread::sleep(INTERVAL);
    }
}
