//! What stands at the outlets, against what was put in.

use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;

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
    /// Where duplicates stand, in the order of their outlet's partitions.
    again: Vec<Stretch>,
}

/// Records of an outlet's partition that stand there a second time, one behind the other.
#[derive(Debug)]
struct Stretch {
    parity: u64,
    partition: i32,
    records: u64,
    numbers: RangeInclusive<u64>,
    /// Offsets of where they stand first, and of where they stand again.
    first: RangeInclusive<i64>,
    again: RangeInclusive<i64>,
}

/// Between records that stand one behind the other in a partition there are a transaction's marker, or two, at most.
const GAP_MAX: i64 = 3;

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

    /// Where its duplicates stand, a line for each stretch of them.
    pub(crate) fn duplicates(&self) -> impl Iterator<Item = String> {
        self.again.iter().map(|Stretch { parity, partition, records, numbers, first, again }| {
            let outlet = if *parity == 0 { "even" } else { "odd" };
            format!(
                "  {records} of the numbers {numbers:?} stand in partition {partition} of {outlet} at {first:?}, and again \
                 at {again:?}"
            )
        })
    }

    fn stands_again(&mut self, parity: u64, record: &Record, number: u64, first: i64) {
        match self.again.last_mut() {
            Some(last)
                if (last.parity, last.partition) == (parity, record.partition)
                    && record.offset - last.again.end() <= GAP_MAX
                    && (0..=GAP_MAX).contains(&(first - last.first.end())) =>
            {
                last.records += 1;
                last.numbers = number.min(*last.numbers.start())..=number.max(*last.numbers.end());
                last.first = *last.first.start()..=first;
                last.again = *last.again.start()..=record.offset;
            }
            _ => self.again.push(Stretch {
                parity,
                partition: record.partition,
                records: 1,
                numbers: number..=number,
                first: first..=first,
                again: record.offset..=record.offset,
            }),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sent, found, lost, duplicated, reordered, misplaced, again: _ } = self;
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
        let mut first = vec![0_i64; usize::try_from(sent).unwrap()];
        let mut greatest = HashMap::new();
        for record in records {
            summary.found += 1;
            let number = number_of(record);
            if number >= sent || number % 2 != parity || record.key_text() != (number % KEYS).to_string() {
                summary.misplaced += 1;
                continue;
            }
            let index = usize::try_from(number).unwrap();
            seen[index] += 1;
            if seen[index] > 1 {
                if seen[index] > expected[index] {
                    summary.duplicated += 1;
                    summary.stands_again(parity, record, number, first[index]);
                }
                continue;
            }
            first[index] = record.offset;
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
