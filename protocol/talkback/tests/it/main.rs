//! What the crate promises, from the outside.

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
