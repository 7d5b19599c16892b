//! Scripts as sequences of choices, and the search through them.
//!
//! Owns the order of the search: all scripts by length, then random ones, which are shortened when they fail.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::kit::report::{Failure, Report};

/// Choices of a random script that failed are left out one by one, over again, at most this often.
const SHORTENINGS_MAX: usize = 2_000;

/// Numbers that look random: xorshift64*.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).unwrap_or(0) % n
    }
}

/// The choices of one script: given, then random or first ones.
#[derive(Debug)]
pub(crate) struct Choices {
    given: Vec<usize>,
    random: Option<Random>,
    length: usize,
    /// What was chosen, and out of how many.
    taken: Vec<(usize, usize)>,
    signals: u64,
    /// The script in words, if it is wanted.
    words: Option<String>,
}

/// Shared by what drives and what reacts.
pub(crate) type SharedChoices = Rc<RefCell<Choices>>;

impl Choices {
    fn new(given: Vec<usize>, length: usize, random: Option<Random>, words: bool) -> SharedChoices {
        let words = words.then(String::new);
        Rc::new(RefCell::new(Self { given, random, length, taken: Vec::new(), signals: 0, words }))
    }

    /// Whether the script goes on.
    pub(crate) fn go_on(&self) -> bool {
        self.taken.len() < self.length
    }

    /// One of `n`, which is at least 1; the first when the script is over.
    pub(crate) fn choose(&mut self, n: usize) -> usize {
        if !self.go_on() {
            return 0;
        }
        let choice = match (self.given.get(self.taken.len()), &mut self.random) {
            (Some(given), _) => given % n,
            (None, Some(random)) => random.below(n),
            (None, None) => 0,
        };
        self.taken.push((choice, n));
        choice
    }

    /// A signal was made.
    pub(crate) fn say(&mut self, word: impl FnOnce() -> String) {
        self.signals += 1;
        if let Some(words) = &mut self.words {
            let _ = write!(words, "{}{}", if words.is_empty() { "" } else { "; " }, word());
        }
    }
}

/// The given choices that come next in the order of all scripts of this length.
fn next(mut taken: Vec<(usize, usize)>) -> Option<Vec<usize>> {
    while let Some((choice, n)) = taken.pop() {
        if choice + 1 < n {
            let mut given = taken.into_iter().map(|(choice, _)| choice).collect::<Vec<_>>();
            given.push(choice + 1);
            return Some(given);
        }
    }
    None
}

/// Runs scripts until one fails.
pub(crate) fn search(
    name: &str,
    choices_max: usize,
    random_scripts: usize,
    seed: u64,
    once: impl Fn(&SharedChoices) -> Result<(), String>,
) -> Result<Report, Failure> {
    let mut report = Report { name: name.to_string(), scripts: 0, random_scripts: 0, signals: 0, choices_max };
    let attempt = |choices: &SharedChoices| {
        catch_unwind(AssertUnwindSafe(|| once(choices))).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            Err(format!("panicked: {}", text.unwrap_or("no text")))
        })
    };
    let fail = |given: Vec<usize>, length, report: Report| {
        let choices = Choices::new(given, length, None, true);
        let what = attempt(&choices).err().unwrap_or_else(|| "it failed, but not when run again".to_string());
        let script = choices.borrow_mut().words.take().unwrap_or_default();
        Failure { name: name.to_string(), what, script, scripts: report.scripts + report.random_scripts }
    };
    for length in 1..=choices_max {
        let mut given = Some(Vec::new());
        while let Some(prefix) = given {
            let choices = Choices::new(prefix.clone(), length, None, false);
            report.scripts += 1;
            if attempt(&choices).is_err() {
                return Err(fail(prefix, length, report));
            }
            let mut choices = choices.borrow_mut();
            report.signals += choices.signals;
            given = next(core::mem::take(&mut choices.taken));
        }
    }
    for number in 0..random_scripts {
        let random = Random(seed.wrapping_add(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let choices = Choices::new(Vec::new(), crate::kit::RANDOM_CHOICES, Some(random), false);
        report.random_scripts += 1;
        if attempt(&choices).is_err() {
            let given = choices.borrow().taken.iter().map(|(choice, _)| *choice).collect::<Vec<_>>();
            let short =
                shorten(given, |given| attempt(&Choices::new(given.to_vec(), given.len(), None, false)).is_err());
            let length = short.len();
            return Err(fail(short, length, report));
        }
        report.signals += choices.borrow().signals;
    }
    Ok(report)
}

/// Leaves choices out for as long as the script still fails.
fn shorten(mut given: Vec<usize>, fails: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    let mut left = SHORTENINGS_MAX;
    let mut shorter = true;
    while shorter {
        shorter = false;
        let mut at = 0;
        while at < given.len() && left > 0 {
            left -= 1;
            let without = given.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, choice)| *choice);
            let without = without.collect::<Vec<_>>();
            if fails(&without) {
                (given, shorter) = (without, true);
            } else {
                at += 1;
            }
        }
    }
    given
}
