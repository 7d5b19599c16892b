//! Sources, sinks and talkbacks: streams inside one program, pushed, pulled or both, that can be stopped and started.
//!
//! A [`Source`] generates data, or answers with data when it is asked to. A [`Sink`] consumes data and can ask for more.
//! A [`Talkback`] is how the sink tells the source to start, to send an item, and to stop. Six rules say who may do what
//! and when; here types keep some of them, and checks the others ([`Rule`]).
//!
//! ```
//! use talkback::{Source, State, collect, iterable};
//!
//! let mut stream = iterable(1..).map(|n| n * n).filter(|n| n % 2 == 1).take(3).connect(collect::<Vec<u64>>());
//! assert_eq!(stream.run(), State::Complete);
//! assert_eq!(stream.sink().items(), &[1, 9, 25]);
//! ```
//!
//! # How signals travel
//!
//! A sink's signals are *recorded* in the talkback, and the source's loop looks at them: [`Source::drive`] is a loop that
//! emits for as long as the talkback allows it. So a request inside a receive is no recursion, whatever the number of
//! items; a stop inside a receive takes effect before the next item; and nothing needs to be shared, so nothing can be
//! borrowed twice.
//!
//! | the document | here |
//! |---|---|
//! | `source.connect(sink)` | [`Source::connect`], which gives the [`Stream`] |
//! | `sink.greet(talkback)` | [`Sink::greet`], by the stream, once [`Source::greets`] |
//! | `sink.receive(data)` | [`Sink::receive`], by the source's `emit` |
//! | `sink.end(reason)` | [`Sink::end`] with an [`End`], from the source's [`Step::Ended`] |
//! | `talkback.start()`, `.request()` | [`Talkback::start`], [`Talkback::request`] |
//! | `talkback.stop(reason)` | [`Talkback::stop`] with a [`Stop`] |
//!
//! # Features
//!
//! `alloc` (default): chunks, the hub, sharing, boxed sources, the handle. `futures`: from and to `futures::Stream`.
//! `kit`: the conformance kit, for tests of one's own sources, operators and sinks.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "alloc")]
extern crate alloc;

/// The page's examples.
#[cfg(all(doctest, feature = "alloc"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(any(feature = "kit", test))]
extern crate std;

mod rule;
mod signal;
mod sink;
mod source;
mod stream;
mod talkback;
mod upstream;

mod iterator;
mod operators;
mod sinks;
mod sources;

#[cfg(feature = "futures")]
mod futures;
#[cfg(feature = "kit")]
pub mod kit;

#[cfg(feature = "futures")]
pub use crate::futures::{FromStream, ITEMS_PER_DRIVE, IntoStream, from_stream};
pub use crate::iterator::{Items, Results};
pub use crate::operators::*;
pub use crate::rule::{Party, Phase, Policy, Rule, Violation, violations_total};
pub use crate::signal::{End, State, Step, Stop};
pub use crate::sink::{Connection, Sink};
pub use crate::sinks::{Collect, Fold, ForEach, TryForEach, collect, fold, for_each, try_for_each};
pub use crate::source::Source;
pub use crate::sources::*;
pub use crate::stream::Stream;
pub use crate::talkback::Talkback;
pub use crate::upstream::Upstream;
