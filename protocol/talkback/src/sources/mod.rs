//! Where streams begin: iterators, single items, failures, nothing, and the hub.

mod iterable;
mod single;

#[cfg(feature = "alloc")]
mod boxed;
#[cfg(feature = "alloc")]
mod hub;

pub use self::iterable::{Iterable, Poured, iterable, pour};
pub use self::single::{Empty, Failed, Once, empty, failed, once};

#[cfg(feature = "alloc")]
pub use self::boxed::BoxSource;
#[cfg(feature = "alloc")]
pub use self::hub::{Hub, HubSource, Unsent};
