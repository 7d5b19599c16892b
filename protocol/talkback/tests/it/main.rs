//! What the crate promises, from the outside.

mod conformance;
mod faults;
