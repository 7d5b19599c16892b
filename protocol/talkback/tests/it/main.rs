//! What the crate promises, from the outside.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "an unexpected `None` should stop a test, in its helpers too"
)]

mod parties;

mod conformance;
mod declarations;
mod defects;
mod documents;
mod faults;
mod kinds;
mod rules;
mod stack;
mod tasks;
