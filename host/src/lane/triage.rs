//! Finds the poison in a batch that failed: runs it again in parts, on fresh instances, until every record has either
//! been processed or has failed by itself.
//!
//! The record that the failure blames is tried by itself first, and what stands before and after it in one piece each;
//! where nobody is blamed, the part is halved. A record is set aside only if it fails alone, on a fresh instance; one
//! that ran out of time is given a second time before that. Parts run in offset order and an instance goes on from one
//! to the next until something fails, so that a guest sees what it would have seen, batches apart.
//!
//! It gives up, and the batch fails after all, when more records fail than may be set aside, when a guest cannot be
//! started, or when a dead letter cannot be sent. It takes at most about `2 + log2(records)` calls for each record that
//! is set aside, of which each may take the batch's deadline.

use std::ops::Range;
use std::sync::Arc;

use super::{Door, Lane, OnFailure, Ran, dead_letter};
use crate::batch::{Batch, Cause, Failure};

/// A part of the batch that is still to be run.
struct Part {
    records: Range<usize>,
    /// It has run out of time alone.
    is_late: bool,
}

/// Whether other records of the batch may fare better than this one, or the same ones on another instance.
pub(super) fn may_help(failure: &Failure) -> bool {
    !matches!(failure.cause, Cause::NotStarted | Cause::Host)
}

/// Runs a batch that has failed as a whole once more, in parts.
pub(super) async fn run<D: Door>(
    lane: &mut Lane,
    batch: &Arc<Batch>,
    door: &D,
    failure: Failure,
) -> Result<Ran<D::Emits>, Failure> {
    let mut ran = Ran { emits: Vec::new(), poison: Vec::new() };
    // In reverse: the next part is at the end.
    let mut parts = Vec::new();
    divide(&mut parts, 0..batch.len(), &failure);
    while let Some(Part { records, is_late }) = parts.pop() {
        let part = Arc::new(batch.part(records.clone()));
        if records.len() == 1 {
            lane.rest();
        }
        let failed = match lane.attempt(&part, door).await {
            Ok(emits) => {
                ran.emits.push(emits);
                continue;
            }
            Err(failed) => failed,
        };
        if !may_help(&failed) {
            return Err(failed);
        }
        if records.len() > 1 {
            divide(&mut parts, records, &failed);
        } else if failed.cause == Cause::TimedOut && !is_late {
            parts.push(Part { records, is_late: true });
        } else if ran.poison.len() == lane.policy.set_aside_max {
            return Err(failure.with_detail(&format!(
                "more than {} of the batch's records fail by themselves, so it fails as a whole; raise it with --skip-max",
                lane.policy.set_aside_max
            )));
        } else {
            if let OnFailure::DeadLetter(outlet) = lane.policy.on_failure {
                if !lane.guest.binds(outlet) {
                    return Err(failed.with_detail(
                        "it cannot be set aside: this conversation does not bind the outlet of --on-failure",
                    ));
                }
                let letter = dead_letter::of(outlet, &part, &failed, lane.guest.digest());
                ran.emits.push(door.accept(&part, vec![letter]).map_err(|unsent| {
                    failed.with_detail(&format!("its dead letter cannot be sent: {}", unsent.headline()))
                })?);
            }
            ran.poison.push(failed);
        }
    }
    Ok(ran)
}

/// Pushes the parts of what failed, the first at the end: around the record that is to blame, or in halves.
fn divide(parts: &mut Vec<Part>, records: Range<usize>, failed: &Failure) {
    let Range { start, end } = records;
    let cuts = match failed.record {
        Some((index, _)) if index < end - start => [start + index, start + index + 1],
        _ => [start + (end - start) / 2; 2],
    };
    for records in [cuts[1]..end, cuts[0]..cuts[1], start..cuts[0]] {
        if !records.is_empty() {
            parts.push(Part { records, is_late: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Place;

    fn check(records: Range<usize>, blamed: Option<usize>, expect: &str) {
        let failure = Failure {
            cause: Cause::Refused,
            place: Place { inlet: "in".into(), partition: 0, offsets: (0, 0) },
            record: blamed.map(|index| (index, 0)),
            what: String::new(),
            why: String::new(),
            detail: String::new(),
        };
        let mut parts = Vec::new();
        divide(&mut parts, records, &failure);
        let parts = parts.iter().rev().map(|part| format!("{:?}", part.records)).collect::<Vec<_>>();
        assert_eq!(parts.join(" "), expect);
    }

    #[test]
    fn parts_are_around_the_record_to_blame_or_halves() {
        check(0..10, Some(3), "0..3 3..4 4..10");
        check(20..30, Some(0), "20..21 21..30");
        check(20..30, Some(9), "20..29 29..30");
        check(20..30, Some(10), "20..25 25..30");
        check(5..8, None, "5..6 6..8");
        check(7..8, None, "7..8");
        check(7..8, Some(0), "7..8");
    }
}
