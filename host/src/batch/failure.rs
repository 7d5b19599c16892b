//! Why a batch failed, in the words its author reads: a first line that stands alone, then detail.

use std::fmt;

/// Where a batch comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The inlet's declared name.
    pub inlet: String,
    /// The inlet's partition.
    pub partition: i32,
    /// The offsets of the batch's first and last record.
    pub offsets: (i64, i64),
}

/// What made the batch fail: the guest's own word, the guest's end, or our own fault. Callers act differently on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// `process` answered with an error; the guest is intact.
    Refused,
    /// The instance ended before or in `start`, so the batch never reached the guest.
    NotStarted,
    /// The guest's code ended: a panic, a trap, an exit.
    Trapped,
    /// The guest's output broke a rule of the contract.
    Broke,
    /// The guest ran into a limit other than time.
    Limited,
    /// The guest ran out of time.
    TimedOut,
    /// The host could not run the guest: not the guest's doing.
    Host,
}

/// A batch that failed. Nothing of it was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What made it fail.
    pub cause: Cause,
    /// The batch's place.
    pub place: Place,
    /// Index in the batch and offset of the record to blame, where it is known.
    pub record: Option<(usize, i64)>,
    /// What failed, without the place: `the streamlet failed the batch`.
    pub what: String,
    /// Why, on one line.
    pub why: String,
    /// Everything else that helps: the rest of the message, the guest's last words, its backtrace.
    pub detail: String,
}

impl Failure {
    /// A batch whose emits cannot be sent: `record` is the source's index and offset, if there is one.
    pub fn unsendable(place: Place, record: Option<(usize, i64)>, why: String) -> Self {
        let what = "the streamlet emitted what cannot be sent".into();
        Self { cause: Cause::Broke, place, record, what, why, detail: String::new() }
    }

    /// A record that cannot be given to a guest: nothing behind it can be processed.
    #[cfg(feature = "kafka")]
    pub(crate) fn unreadable(place: Place, why: String) -> Self {
        let what = "a record cannot be read".into();
        Self { cause: Cause::Limited, place, record: None, what, why, detail: String::new() }
    }

    /// The same failure with more to say.
    pub(crate) fn with_detail(&self, line: &str) -> Self {
        let detail = if self.detail.is_empty() { line.to_owned() } else { format!("{line}\n{}", self.detail) };
        Self { detail, ..self.clone() }
    }

    /// The first line: what failed, where, and why.
    pub fn headline(&self) -> String {
        let Place { inlet, partition, offsets: (first, last) } = &self.place;
        let record = self.record.map_or_else(String::new, |(_, offset)| format!(" at offset {offset}"));
        let offsets = if first == last { format!("offset {first}") } else { format!("offsets {first} to {last}") };
        format!("{}{record} (inlet \"{inlet}\", partition {partition}, {offsets}): {}", self.what, self.why)
    }
}

/// The headline, then the detail on lines of its own.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        if !self.detail.is_empty() {
            write!(f, "\n{}", self.detail)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
