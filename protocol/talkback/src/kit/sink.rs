//! One script, run against a sink: the kit is the source.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Debug;

use crate::kit::report::{Failure, Report};
use crate::kit::script::{self, SharedChoices};
use crate::kit::{EXHAUSTIVE_CHOICES, RANDOM_SCRIPTS};
use crate::rule::Policy;
use crate::signal::End;
use crate::sink::{Connection, Sink};

/// What an author declares of a sink. Made by [`sink`].
#[derive(Debug)]
pub struct SinkCheck<T, M, E = &'static str> {
    name: String,
    make: M,
    items: Vec<T>,
    starts: bool,
    requests: Option<bool>,
    failure: fn() -> E,
    choices: usize,
}

/// A check of the sink that `make` makes for each script; it is fed these items. It fails, if it does, with a text.
///
/// Undeclared, it starts when it is greeted, and may request or not.
pub fn sink<T, K, M>(name: &str, make: M, items: impl IntoIterator<Item = T>) -> SinkCheck<T, M>
where
    T: Clone + Debug,
    K: Sink<T, &'static str>,
    M: Fn() -> K,
{
    sink_of(name, make, items, || "the kit")
}

/// The same for a sink of streams that fail with another type, of which the kit's failures are to be.
pub fn sink_of<T, E, K, M>(
    name: &str,
    make: M,
    items: impl IntoIterator<Item = T>,
    failure: fn() -> E,
) -> SinkCheck<T, M, E>
where
    T: Clone + Debug,
    K: Sink<T, E>,
    M: Fn() -> K,
{
    let (items, choices) = (items.into_iter().collect(), EXHAUSTIVE_CHOICES + 2);
    SinkCheck { name: name.to_string(), make, items, starts: true, requests: None, failure, choices }
}

impl<T, E, K, M> SinkCheck<T, M, E>
where
    T: Clone + Debug,
    K: Sink<T, E>,
    M: Fn() -> K,
{
    /// It does not start when it is greeted.
    #[must_use]
    pub fn does_not_start(mut self) -> Self {
        self.starts = false;
        self
    }

    /// It has a request open whenever the stream is.
    #[must_use]
    pub fn requests(mut self) -> Self {
        self.requests = Some(true);
        self
    }

    /// It never requests.
    #[must_use]
    pub fn listens(mut self) -> Self {
        self.requests = Some(false);
        self
    }

    /// Runs all scripts.
    pub fn check(&self) -> Result<Report, Failure> {
        script::search(&self.name, self.choices, RANDOM_SCRIPTS, 0x5eed, |choices| self.once(choices))
    }

    fn once(&self, choices: &SharedChoices) -> Result<(), String> {
        let mut connection = Connection::<T, K, E>::new("the kit", (self.make)());
        connection.set_policy(Policy::Count);
        let mut items = self.items.iter();
        let say = |word: String| choices.borrow_mut().say(|| word);
        while choices.borrow().go_on() {
            if !connection.is_greeted() {
                // Not at once, as the script has it.
                if choices.borrow_mut().choose(2) == 0 {
                    say("greet".to_string());
                    connection.greet();
                    self.judge(&mut connection)?;
                    if self.starts != connection.talkback().is_open() && connection.talkback().stopped().is_none() {
                        let declared = if self.starts { "to start" } else { "not to start" };
                        return Err(format!("declared {declared} when it is greeted, but it did otherwise"));
                    }
                }
                continue;
            }
            if !connection.talkback().is_open() {
                break;
            }
            let choice = choices.borrow_mut().choose(4);
            match (choice, items.next()) {
                (3, _) => {
                    say("end: failed".to_string());
                    connection.end(&End::Failed((self.failure)()));
                }
                (2, _) | (_, None) => {
                    say("end".to_string());
                    connection.end(&End::Complete);
                }
                (choice, Some(item)) => {
                    // Answering its request, or unasked.
                    if choice == 0 {
                        connection.talkback().take_request();
                    }
                    say(format!("receive {item:?}"));
                    connection.receive(item.clone());
                    self.judge(&mut connection)?;
                }
            }
        }
        Ok(())
    }

    fn judge(&self, connection: &mut Connection<T, K, E>) -> Result<(), String> {
        if let Some(violation) = connection.last_violation() {
            return Err(violation.to_string());
        }
        let talkback = connection.talkback();
        match self.requests {
            Some(true) if talkback.is_open() && !talkback.is_requested() => {
                Err("declared to request, but the stream is open and nothing is requested".to_string())
            }
            Some(false) if talkback.is_requested() => Err("declared to listen, but it requested".to_string()),
            _ => Ok(()),
        }
    }
}
