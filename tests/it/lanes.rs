//! Lanes in process: order, independence, the life of an instance, and what a failure says.

mod failures;
mod instances;
mod limits;
mod neighbours;
mod policies;
mod state;
mod tables;

use streamlet_host::batch::{Cause, Failure};
use streamlet_tests::records::{Emitted, Record};

/// A record that says what happens to it.
fn told(offset: i64, what: &str) -> Record {
    Record::new(offset, what)
}

/// The values of emits, as text.
fn values(emits: &[Emitted]) -> Vec<String> {
    emits.iter().map(|emit| String::from_utf8(emit.record.value.clone().unwrap_or_default()).unwrap()).collect()
}

/// A failure's cause and headline, and that its detail has each of these parts.
#[track_caller]
fn assert_failure(failure: &Failure, cause: Cause, headline: &str, details: &[&str]) {
    assert_eq!(failure.headline(), headline, "{failure}");
    assert_eq!(failure.cause, cause, "{failure}");
    for part in details {
        assert!(failure.detail.contains(part), "{part:?} is not in\n{failure}");
    }
}
