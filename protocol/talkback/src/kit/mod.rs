//! The conformance kit: drives a source, operator or sink through scripts of signals and checks what it does.
//!
//! A script is a sequence of legal signals and of reactions inside a receive. The kit runs *every* script up to a length,
//! shortest first, and then long random ones; so the script in a [`Failure`] is a shortest one. Checked are the six rules,
//! at the hop below and, through [`Bench`], at the hops above an operator; and what the author [declared](Check): pulled,
//! pushed or both, what a stop and a start do, when the end comes, and which items come.
//!
//! ```
//! use talkback::{Source, iterable, kit};
//!
//! let report = kit::source("squares", |_| iterable(1..=4).map(|n| n * n))
//!     .pulled()
//!     .items([1, 4, 9, 16])
//!     .ends_on_demand()
//!     .check()
//!     .unwrap();
//! assert!(report.scripts > 1_000);
//! ```
//!
//! An operator takes its sources from the bench, which watches them:
//!
//! ```
//! use talkback::{Source, kit};
//!
//! kit::source("take", |bench| bench.pulled(1..=9).take(2)).pulled().items([1, 2]).check().unwrap();
//! kit::source("take", |bench| bench.pushed(1..=9).take(2)).pushed().items([1, 2]).check().unwrap();
//! ```
//!
//! A sink is fed by the kit:
//!
//! ```
//! use talkback::{collect, kit};
//!
//! kit::sink("collect", || collect::<Vec<u8>>(), 0..9).requests().check().unwrap();
//! ```
//!
//! What it does not test is listed in [`NOT_TESTED`]. It owns its scripts and random numbers, refuses nothing but a broken
//! declaration, and ends with the first failure or the last script.

mod bench;
mod judge;
mod report;
mod run;
mod script;
mod sink;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

pub use self::bench::{Bench, Probe, SideProbe};
pub use self::report::{Failure, NOT_TESTED, Report, summary};
pub use self::sink::{SinkCheck, sink, sink_of};

use crate::source::Source;

/// Choices of the longest scripts that are all run.
pub const EXHAUSTIVE_CHOICES: usize = 10;
/// Random scripts.
pub const RANDOM_SCRIPTS: usize = 500;
/// Choices of a random script.
pub const RANDOM_CHOICES: usize = 80;

/// Who brings an item about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Pulled,
    Pushed,
    Hybrid,
}

/// What a start after a stop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restart {
    Resumes,
    Over,
    Never,
}

/// When the end comes after the last item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Eagerly,
    OnDemand,
    Sometime,
}

/// What an author declares of a source or an operator. Made by [`source`].
#[derive(Debug)]
pub struct Check<S: Source, M> {
    pub(crate) name: String,
    pub(crate) make: M,
    pub(crate) kind: Kind,
    pub(crate) restart: Restart,
    pub(crate) ends: Ends,
    pub(crate) items: Option<Vec<S::Item>>,
    pub(crate) finite: bool,
    pub(crate) fails: bool,
    pub(crate) waits: bool,
    choices: usize,
    random_scripts: usize,
    seed: u64,
}

/// A check of the source, or of the operator on sources of the bench, that `make` makes for each script.
///
/// Undeclared, it is pulled, resumes, does not wait, is finite and ends without a failure, some time after its last item.
pub fn source<S, M>(name: &str, make: M) -> Check<S, M>
where
    S: Source<Item: PartialEq + Debug, Error: Debug>,
    M: Fn(&Bench) -> S,
{
    Check {
        name: name.to_string(),
        make,
        kind: Kind::Pulled,
        restart: Restart::Resumes,
        ends: Ends::Sometime,
        items: None,
        finite: true,
        fails: false,
        waits: false,
        choices: EXHAUSTIVE_CHOICES,
        random_scripts: RANDOM_SCRIPTS,
        seed: 0x5eed,
    }
}

impl<S, M> Check<S, M>
where
    S: Source<Item: PartialEq + Debug, Error: Debug>,
    M: Fn(&Bench) -> S,
{
    /// At most one item per request, and one for each unless it has ended or waits.
    #[must_use]
    pub fn pulled(mut self) -> Self {
        self.kind = Kind::Pulled;
        self
    }

    /// Items come while the stream is open, requested or not.
    #[must_use]
    pub fn pushed(mut self) -> Self {
        self.kind = Kind::Pushed;
        self
    }

    /// Items come requested and unasked.
    #[must_use]
    pub fn hybrid(mut self) -> Self {
        self.kind = Kind::Hybrid;
        self
    }

    /// All items, in order; without this items are not compared.
    #[must_use]
    pub fn items(mut self, items: impl IntoIterator<Item = S::Item>) -> Self {
        self.items = Some(items.into_iter().collect());
        self
    }

    /// It never ends.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.finite = false;
        self
    }

    /// It ends in the drive that emits the last item, if the stream is still open then.
    #[must_use]
    pub fn ends_eagerly(mut self) -> Self {
        self.ends = Ends::Eagerly;
        self
    }

    /// It ends when another item is requested after the last.
    #[must_use]
    pub fn ends_on_demand(mut self) -> Self {
        self.ends = Ends::OnDemand;
        self
    }

    /// Its end is a failure.
    #[must_use]
    pub fn fails(mut self) -> Self {
        self.fails = true;
        self
    }

    /// It may wait for something outside the stream.
    #[must_use]
    pub fn waits(mut self) -> Self {
        self.waits = true;
        self
    }

    /// A stop is the end of it: after the next start it ends.
    #[must_use]
    pub fn over_after_stop(mut self) -> Self {
        self.restart = Restart::Over;
        self
    }

    /// A stop silences it: after the next start nothing comes, not even the end.
    #[must_use]
    pub fn silent_after_stop(mut self) -> Self {
        self.restart = Restart::Never;
        self
    }

    /// Other limits than the kit's own: choices of the longest scripts that are all run, and how many random ones.
    #[must_use]
    pub fn limits(mut self, choices: usize, random_scripts: usize) -> Self {
        (self.choices, self.random_scripts) = (choices, random_scripts);
        self
    }

    /// Another seed for the random scripts.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Runs all scripts.
    pub fn check(&self) -> Result<Report, Failure> {
        script::search(&self.name, self.choices, self.random_scripts, self.seed, |choices| run::once(self, choices))
    }
}
