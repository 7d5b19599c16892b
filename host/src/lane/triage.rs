//! Finds the poison in a batch that failed: runs it again in parts, from a fresh instance on, until every record has
//! either been processed or has failed by itself.
//!
//! The record that the failure blames is tried by itself first, and what stands before and after it in one piece each;
//! where nobody is blamed, the part is halved. A record is set aside only if it fails alone, on a fresh instance; one
//! that ran out of time is given a second time before that. Parts run in offset order, each with the bytes of its own
//! records only, and an instance goes on from one to the next, until something fails or a record is tried alone.
//!
//! It gives up, and the batch fails after all, with its first failure, when more records fail than may be set aside; when
//! it has taken more calls than finding so many takes, since then it is not single records that fail; when the parts
//! together emit more than a batch may; when a guest cannot be started, or a dead letter cannot be sent.

use std::ops::Range;
use std::sync::Arc;

use super::{Attempt, Door, Lane, OnFailure, Ran, dead_letter};
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
    let mut calls_left = calls_max(batch.len(), lane.policy.set_aside_max);
    let mut bytes_left = lane.guest.output_bytes_max();
    // In reverse: the next part is at the end.
    let mut parts = Vec::new();
    if batch.len() == 1 {
        parts.push(Part { records: 0..1, is_late: failure.cause == Cause::TimedOut });
    } else {
        divide(&mut parts, 0..batch.len(), &failure);
    }
    while let Some(Part { records, is_late }) = parts.pop() {
        calls_left = calls_left.checked_sub(1).ok_or_else(|| {
            failure.with_detail(
                "which records fail by themselves could not be found: whether one fails depends on the others of its \
                 batch; make it depend on the record alone, or look for longer with a higher --skip-max",
            )
        })?;
        let part = Arc::new(batch.part(records.clone()));
        if records.len() == 1 {
            lane.home.clear();
        }
        let failed = match lane.attempt(&part, door).await {
            Ok(Attempt { emits, bytes }) => {
                bytes_left = bytes_left.checked_sub(bytes).ok_or_else(|| {
                    failure.with_detail("its parts together emit more than a batch may; raise it with --output-bytes")
                })?;
                ran.emits.push(emits);
                continue;
            }
            Err(failed) => failed,
        };
        if !may_help(&failed) {
            return Err(failure.with_detail(&format!("run again in parts, it failed otherwise: {}", failed.headline())));
        }
        if records.len() > 1 {
            divide(&mut parts, records, &failed);
        } else if failed.cause == Cause::TimedOut && !is_late {
            parts.push(Part { records, is_late: true });
        } else {
            set_aside(lane, &part, door, &mut ran, failed).map_err(|why| failure.with_detail(&why))?;
        }
    }
    Ok(ran)
}

/// Sets the one record of a part aside, or says why it cannot be.
fn set_aside<D: Door>(
    lane: &Lane,
    part: &Arc<Batch>,
    door: &D,
    ran: &mut Ran<D::Emits>,
    failed: Failure,
) -> Result<(), String> {
    let set_aside_max = lane.policy.set_aside_max;
    if ran.poison.len() == set_aside_max {
        return Err(format!(
            "more than {set_aside_max} of the batch's records fail by themselves, so it fails as a whole; raise it with \
             --skip-max"
        ));
    }
    if let OnFailure::DeadLetter(outlet) = lane.policy.on_failure {
        if !lane.guest.binds(outlet) {
            return Err("no record can be set aside: this conversation does not bind the outlet of --on-failure".into());
        }
        let letter = dead_letter::of(outlet, part, &failed, lane.guest.digest());
        let emits = door.accept(part, vec![letter]);
        ran.emits.push(emits.map_err(|unsent| {
            format!("the dead letter of offset {} cannot be sent: {}", failed.place.offsets.0, unsent.why)
        })?);
    }
    ran.poison.push(failed);
    Ok(())
}

/// Calls that finding so many records takes at most: each is on one path of halves, both of which are run, and is then
/// tried alone, twice if it runs out of time.
fn calls_max(records: usize, set_aside_max: usize) -> usize {
    let halvings = records.max(1).ilog2() as usize + 1;
    set_aside_max.saturating_add(1).saturating_mul(2 * halvings + 2)
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
