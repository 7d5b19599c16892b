//! The host's half of `wit/streamlet.wit`, generated: parameters borrow, so that a batch crosses with one copy of its
//! bytes and one of each table.
#![allow(
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    unsafe_code,
    reason = "generated code"
)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "streamlet-guest",
    imports: { default: async | trappable },
    exports: { default: async },
    ownership: Borrowing { duplicate_if_necessary: true },
    require_store_data_send: true,
});
