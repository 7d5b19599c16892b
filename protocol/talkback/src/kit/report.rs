//! What a check found, in words.

use alloc::string::String;
use core::fmt::{self, Write as _};

/// What the kit does not test.
pub const NOT_TESTED: [&str; 7] = [
    "signals from other threads, and whether wakers are woken",
    "the depth of the stack: run a million items in a thread with a small one",
    "time: how long a drive takes, and whether a waiting source ever goes on",
    "whether a source greets at all, which it need not",
    "memory: whether what is stored is bounded",
    "panics of an author's closures, beyond reporting them",
    "failures as the reason of a stop, except where a side sink or closure makes one",
];

/// A check that found nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The name of the part.
    pub name: String,
    /// Scripts of all choices.
    pub scripts: usize,
    /// Random scripts.
    pub random_scripts: usize,
    /// Signals in all of them, in both directions.
    pub signals: u64,
    /// Choices of the longest scripts that were all run.
    pub choices_max: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, scripts, random_scripts, signals, choices_max } = self;
        write!(f, "{name:<34} {scripts:>9} scripts of up to {choices_max} choices, {random_scripts:>5} random, ")?;
        write!(f, "{signals:>10} signals")
    }
}

/// The reports, one a line, and what was not tested.
pub fn summary<'a>(reports: impl IntoIterator<Item = &'a Report>) -> String {
    let mut text = String::new();
    for report in reports {
        let _ = writeln!(text, "{report}");
    }
    let _ = writeln!(text, "not tested:");
    for point in NOT_TESTED {
        let _ = writeln!(text, "- {point}");
    }
    text
}

/// What a check found, with a shortest script that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The name of the part.
    pub name: String,
    /// What it did wrong.
    pub what: String,
    /// The signals that led there.
    pub script: String,
    /// Scripts run until then.
    pub scripts: usize,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, what, script, scripts } = self;
        write!(f, "{name}: {what}\n  script: {script}\n  found in script {scripts}")
    }
}

impl core::error::Error for Failure {}
