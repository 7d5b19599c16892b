//! What stands between a source and a sink. Each operator is a source that drives the one above it.
//!
//! Operators that change items only hand the talkback through, so the hops above and below are one. Operators that stop,
//! store or choose have a hop of their own above them ([`Upstream`](crate::Upstream)).

mod failing;
mod filtering;
mod flat_map;
mod joining;
mod mapping;
mod siding;
mod taking;

#[cfg(feature = "alloc")]
mod chunking;
#[cfg(feature = "alloc")]
mod queues;
#[cfg(feature = "alloc")]
mod remote;
#[cfg(feature = "alloc")]
mod retry;
#[cfg(feature = "alloc")]
mod share;

pub use self::failing::{MapErr, TryMap};
pub use self::filtering::{Filter, FilterMap, Skip};
pub use self::flat_map::FlatMap;
pub use self::joining::{Chain, Merge};
pub use self::mapping::{Inspect, Map, Scan};
pub use self::siding::{Both, Errors, Part, Picked, Siding};
pub use self::taking::{Take, TakeWhile};

#[cfg(feature = "alloc")]
pub use self::chunking::{Chunk, ChunkBytes};
#[cfg(feature = "alloc")]
pub(crate) use self::queues::{Queues, ReaderId};
#[cfg(feature = "alloc")]
pub use self::remote::{Handle, Remote};
#[cfg(feature = "alloc")]
pub use self::retry::{Retry, retry};
#[cfg(feature = "alloc")]
pub use self::share::Shared;

/// `Debug` of an operator is its name: what it holds are closures and other people's items.
macro_rules! debug_as_name {
    ($($name:ident [$($generics:tt)*]: $type:ty),* $(,)?) => {$(
        impl<$($generics)*> core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}
pub(crate) use debug_as_name;
