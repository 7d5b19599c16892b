//! What the tests share: real components, fixtures, scripted conversations, and the product's binary as a black box.
//!
//! [`guests`] builds the components, once a process, and [`text_guests`] makes those that no compiler makes; [`oracle`]
//! reads output tables the slow way, and [`wire_oracle`] messages as prost does; [`fixtures`] finds the data; [`records`] are a test's own records
//! and emits; [`script`] reads the scripted conversations and judges what a door made of them; [`room`] runs guests in
//! process, without any door; [`program`] runs the binary; [`service`] keeps it serving, and [`sidecar`] dials it as the
//! platform's does; [`kafka`] is a real one. [`snapshots`] are texts kept in files, [`soak`]
//! is load with faults that lasts, and [`figures`] are what measurements share.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::print_stderr,
    reason = "helpers of tests stop at what should not be, and say when they skip"
)]

pub mod figures;
pub mod fixtures;
pub mod guests;
pub mod kafka;
pub mod oracle;
pub mod program;
pub mod records;
pub mod room;
pub mod script;
pub mod service;
pub mod sidecar;
pub mod snapshots;
pub mod soak;
pub mod text_guests;
pub mod wire_oracle;
