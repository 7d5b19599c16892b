//! The six rules as data: which one was broken, by whom, in what state, and what happens then.
//!
//! Owns the wording of violations and their process-wide count. Refuses nothing itself: the checks are where the signals
//! are. A violation ends in a panic in debug builds and in tests, and in a number in release builds.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Violations since the process began, over all streams.
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// How many violations there were in this process, over all streams; for a metric.
pub fn violations_total() -> usize {
    TOTAL.load(Ordering::Relaxed)
}

/// Adds one to the total.
pub(crate) fn count() {
    TOTAL.fetch_add(1, Ordering::Relaxed);
}

/// A rule of the document, by its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// 1: a source greets a sink that it is connected to, at most once.
    Greet = 1,
    /// 2: a source emits only into an open stream.
    Emit = 2,
    /// 3: a sink requests only of an open stream.
    Request = 3,
    /// 4: a source ends only an open stream.
    End = 4,
    /// 5: a sink starts a stream that greeted it, is not open and has not ended.
    Start = 5,
    /// 6: a sink stops only an open stream.
    Stop = 6,
}

impl Rule {
    /// Its number in the document, 1 to 6.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Who can break it.
    pub fn party(self) -> Party {
        match self {
            Self::Greet | Self::Emit | Self::End => Party::Source,
            Self::Request | Self::Start | Self::Stop => Party::Sink,
        }
    }

    fn deed(self) -> &'static str {
        match self {
            Self::Greet => "greeted",
            Self::Emit => "emitted",
            Self::Request => "requested",
            Self::End => "ended",
            Self::Start => "started",
            Self::Stop => "stopped",
        }
    }
}

/// One of the two ends of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Party {
    /// The one that greets, emits and ends.
    Source,
    /// The one that starts, requests and stops.
    Sink,
}

/// Where a hop stands between a source and a sink. *Open* is what rules 2, 3, 4 and 6 ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Connected; the source has not greeted.
    Connected,
    /// Greeted; the sink has not started.
    Greeted,
    /// Started and not stopped since.
    Open,
    /// Open, but this is not the moment: the budget of the run is used up, or an operator is busy.
    Held,
    /// Stopped since the last start.
    Stopped,
    /// Ended.
    Ended,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connected => "not greeted yet",
            Self::Greeted => "not started yet",
            Self::Open => "open",
            Self::Held => "held",
            Self::Stopped => "stopped",
            Self::Ended => "ended",
        })
    }
}

/// What a violation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// It panics, with the [`Violation`] as text. Where debug assertions are on, this is what a new stream has.
    Panic,
    /// The signal is ignored and counted. Where debug assertions are off, this is what a new stream has.
    Count,
}

impl Default for Policy {
    fn default() -> Self {
        if cfg!(debug_assertions) { Self::Panic } else { Self::Count }
    }
}

/// A signal against one of the six rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// The rule that was broken.
    pub rule: Rule,
    /// The type of the source, sink or operator that broke it; [`Source::name`](crate::Source::name) and
    /// [`Sink::name`](crate::Sink::name) may give it another name.
    pub operator: &'static str,
    /// Where the hop stood.
    pub phase: Phase,
}

impl Violation {
    /// Who broke the rule.
    pub fn party(&self) -> Party {
        self.rule.party()
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let party = match self.party() {
            Party::Source => "source",
            Party::Sink => "sink",
        };
        let (number, deed) = (self.rule.number(), self.rule.deed());
        write!(f, "rule {number}: {party} \"{}\" {deed}, but the stream is {}", Short(self.operator), self.phase)
    }
}

impl core::error::Error for Violation {}

/// A type's name without the paths of its parts: `Map<Iterable<Range<u8>>, _>`.
pub(crate) struct Short<'a>(pub(crate) &'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        while !rest.is_empty() {
            let path = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '{' | '}' | '#')));
            let (word, after) = rest.split_at(path.unwrap_or(rest.len()));
            let last = word.rsplit("::").next().unwrap_or(word);
            f.write_str(if last.starts_with('{') { "_" } else { last })?;
            let mut chars = after.chars();
            if let Some(mark) = chars.next() {
                fmt::Write::write_char(f, mark)?;
            }
            rest = chars.as_str();
        }
        Ok(())
    }
}
