//! What stands at the outlets, against what was put in.

use std::collections::HashMap;
use std::fmt;

use streamlet_tests::kafka::Record;

use crate::group::Mode;
use crate::load::KEYS;

/// What a run shows, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Good,
    /// No kill has met a batch in flight.
    NothingProven,
    /// The broker has broken transactions, and said so.
    BrokerBroke,
    Bad,
}

/// What came of so many numbers.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    sent: u64,
    found: u64,
    lost: u64,
    duplicated: u64,
    /// Numbers that stand behind a greater one of their key where they stand first.
    reordered: u64,
    /// Numbers at the outlet of the other parity, or that nobody sent.
    misplaced: u64,
}

impl Summary {
    pub(crate) fn verdict(&self, mode: Mode, kills: usize, aborted: usize) -> Verdict {
        let is_exact = mode == Mode::AtLeastOnce || self.duplicated == 0;
        let met = match mode {
            Mode::AtLeastOnce => self.duplicated > 0,
            Mode::ExactlyOnce => aborted > 0,
        };
        if self.lost > 0 || self.reordered > 0 || self.misplaced > 0 || !is_exact {
            Verdict::Bad
        } else if met || kills == 0 {
            Verdict::Good
        } else {
            Verdict::NothingProven
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, found, lost, duplicated, reordered, misplaced } = self;
        write!(
            f,
            "{sent} records in, {found} out, {lost} lost, {duplicated} duplicated, {reordered} reordered, \
             {misplaced} misplaced"
        )
    }
}

/// Compares the even and the odd numbers found with the numbers below `sent`, as often as each stands in the input: the
/// broker that was killed may have taken some twice.
pub(crate) fn check(sent: u64, input: &[Record], outputs: &[Vec<Record>; 2]) -> Summary {
    let mut summary = Summary { sent: input.len() as u64, ..Summary::default() };
    let mut expected = vec![0_u64; usize::try_from(sent).unwrap()];
    for record in input {
        expected[usize::try_from(number_of(record)).unwrap()] += 1;
    }
    for (parity, records) in (0..).zip(outputs) {
        let mut seen = vec![0_u64; usize::try_from(sent).unwrap()];
        let mut greatest = HashMap::new();
        for record in records {
            summary.found += 1;
            let number = number_of(record);
            if number >= sent || number % 2 != parity || record.key_text() != (number % KEYS).to_string() {
                summary.misplaced += 1;
                continue;
            }
            let times = &mut seen[usize::try_from(number).unwrap()];
            *times += 1;
            if *times > 1 {
                summary.duplicated += u64::from(*times > expected[usize::try_from(number).unwrap()]);
                continue;
            }
            // A key is in one partition, whose records are read in order.
            let greatest = greatest.entry(number % KEYS).or_insert(number);
            summary.reordered += u64::from(*greatest > number);
            *greatest = number.max(*greatest);
        }
        let numbers = (usize::try_from(parity).unwrap()..seen.len()).step_by(2);
        summary.lost += numbers.map(|number| expected[number].saturating_sub(seen[number])).sum::<u64>();
    }
    summary
}

/// The number that a record's value begins with.
fn number_of(record: &Record) -> u64 {
    record.text().split(' ').next().unwrap_or_default().parse().unwrap_or(u64::MAX)
}
