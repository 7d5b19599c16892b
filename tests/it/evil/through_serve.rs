//! The same cases through real gRPC: all words of a guest at once, each on a partition of its own, beside a good one.

use std::collections::BTreeMap;

use streamlet_tests::records::Record;
use streamlet_tests::service::Service;
use streamlet_tests::sidecar::{Sidecar, Talk};

use super::cases::{Case, Guest, all};
use super::ward::{Ward, config, records};
use super::{LIMITS, limits};
use crate::{serve, streamlet};

/// The partition of the good lane.
const GOOD: i32 = 1000;
/// The cases of the text format that are served: one that costs time, one that costs memory, one that costs the host.
const SERVED: [&str; 4] = [
    "fills its whole memory over and over",
    "grows a table by 100 million elements",
    "asks for timers for ever and drops none",
    "answers from outside of its memory",
];

/// The text of each failure is that of the same case on a lane; a partition more or less is the only difference.
#[track_caller]
fn assert_same(case: &Case, served: &str, on_a_lane: &str) {
    let neutral = |text: &str| {
        let (before, rest) = text.split_once("partition ").unwrap_or((text, ""));
        let (_, after) = rest.split_once(',').unwrap_or_default();
        format!("{before}{after}")
    };
    assert_eq!(neutral(served), neutral(on_a_lane), "{}", case.does);
}
