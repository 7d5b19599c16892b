//! The model of one script: what the source may do, what it must do, and what it did.
//!
//! Owns the account of one hop. A judgement is final: the script ends with the first.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Debug;

use crate::kit::{Check, Ends, Kind, Restart};
use crate::signal::{End, Step};
use crate::source::Source;

/// The account of the hop below the part under test.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Account {
    pub(crate) open: bool,
    pub(crate) started: bool,
    /// A request is open.
    pub(crate) owed: bool,
    pub(crate) stopped_ever: bool,
    pub(crate) ended: bool,
    pub(crate) held: bool,
    pub(crate) emitted: usize,
    pub(crate) waiting: bool,
}

impl Account {
    pub(crate) fn start(&mut self) {
        (self.open, self.started) = (true, true);
    }

    pub(crate) fn stop(&mut self) {
        (self.open, self.owed, self.stopped_ever) = (false, false, true);
    }

    fn state(&self) -> &'static str {
        match self {
            Self { ended: true, .. } => "ended",
            Self { open: true, held: true, .. } => "held for now",
            Self { open: true, .. } => "open",
            Self { started: true, .. } => "stopped",
            _ => "not started",
        }
    }

    /// An item comes.
    pub(crate) fn emits<S, M>(&mut self, check: &Check<S, M>, item: &S::Item) -> Result<(), String>
    where
        S: Source<Item: PartialEq + Debug>,
    {
        if !self.open || self.held {
            return Err(format!("rule 2: it emitted {item:?}, but the stream is {}", self.state()));
        }
        if check.kind == Kind::Pulled && !self.owed {
            return Err(format!("declared pulled, but it emitted {item:?} without a request"));
        }
        self.owed = false;
        if self.stopped_ever && check.restart != Restart::Resumes {
            return Err(format!("declared over after a stop, but it emitted {item:?} after one"));
        }
        if let Some(items) = &check.items {
            match items.get(self.emitted) {
                None => return Err(format!("it emitted {item:?}, but its {} items had all come", items.len())),
                Some(due) if due != item => {
                    return Err(format!("item {} is {item:?} instead of {due:?}", self.emitted + 1));
                }
                Some(_) => {}
            }
        }
        self.emitted += 1;
        Ok(())
    }

    /// A drive returns.
    pub(crate) fn steps<S, M>(&mut self, check: &Check<S, M>, step: &Step<S::Error>) -> Result<(), String>
    where
        S: Source<Item: PartialEq + Debug, Error: Debug>,
    {
        self.waiting = matches!(step, Step::Pending);
        if let Step::Ended(end) = step {
            return self.ends(check, end);
        }
        if !self.open || self.held {
            return Ok(());
        }
        if self.waiting {
            return if check.waits { Ok(()) } else { Err("declared not to wait, but it waits".to_string()) };
        }
        if self.stopped_ever && check.restart == Restart::Over {
            return Err("declared to end at the start after a stop, but it did not".to_string());
        }
        if self.stopped_ever && check.restart == Restart::Never {
            return Ok(());
        }
        if self.owed && check.kind != Kind::Pushed {
            return Err("a request was not answered, and it neither waits nor has it ended".to_string());
        }
        let Some(items) = &check.items else { return Ok(()) };
        let all = self.emitted >= items.len();
        if check.kind == Kind::Pushed && !all {
            return Err(format!("declared pushed, but of {} items it emitted {} and rests", items.len(), self.emitted));
        }
        if all && check.finite && check.ends == Ends::Eagerly {
            return Err("declared to end with its last item, but it did not".to_string());
        }
        Ok(())
    }

    fn ends<S, M>(&mut self, check: &Check<S, M>, end: &End<S::Error>) -> Result<(), String>
    where
        S: Source<Item: PartialEq + Debug, Error: Debug>,
    {
        if !self.open {
            return Err(format!("rule 4: it ended, but the stream is {}", self.state()));
        }
        self.ended = true;
        self.open = false;
        if !check.finite {
            return Err("declared endless, but it ended".to_string());
        }
        if self.stopped_ever && check.restart != Restart::Resumes {
            let never = check.restart == Restart::Never;
            return if never { Err("declared silent after a stop, but it ended".to_string()) } else { Ok(()) };
        }
        if let Some(items) = &check.items
            && self.emitted < items.len()
        {
            return Err(format!("it ended after {} of {} items", self.emitted, items.len()));
        }
        if matches!(end, End::Failed(_)) != check.fails {
            return Err(format!("its end is {end:?}"));
        }
        if check.ends == Ends::OnDemand && !self.owed {
            return Err("declared to end on demand, but it ended without a request".to_string());
        }
        Ok(())
    }
}
