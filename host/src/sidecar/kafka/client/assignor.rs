//! `partition.assignment.strategy`: the document's four names, Java's classes, and what librdkafka has of them.
//!
//! librdkafka has no eager sticky strategy: `sticky` is its cooperative one, which assigns by the same algorithm but
//! rebalances by another protocol, so that such a group cannot be shared with Java clients that offer only `sticky`.

use super::translation::{Given, Translation};

/// The names of the document, which have no hyphens.
const NAMES: &str = "cooperativesticky, range, roundrobin, sticky";

/// A strategy that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    Range,
    RoundRobin,
    Sticky,
    CooperativeSticky,
}

impl Strategy {
    fn named(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "range" => Self::Range,
            "roundrobin" => Self::RoundRobin,
            "sticky" => Self::Sticky,
            "cooperativesticky" => Self::CooperativeSticky,
            _ => return None,
        })
    }

    fn of_class(class: &str) -> Option<Self> {
        Some(match class.strip_prefix("org.apache.kafka.clients.consumer.")? {
            "RangeAssignor" => Self::Range,
            "RoundRobinAssignor" => Self::RoundRobin,
            "StickyAssignor" => Self::Sticky,
            "CooperativeStickyAssignor" => Self::CooperativeSticky,
            _ => return None,
        })
    }

    fn native(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::RoundRobin => "roundrobin",
            Self::Sticky | Self::CooperativeSticky => "cooperative-sticky",
        }
    }

    fn is_cooperative(self) -> bool {
        self.native() == "cooperative-sticky"
    }
}

pub(super) fn translate(translation: &mut Translation<'_>, given: &Given) {
    let name = Strategy::named(given.value.trim()).map(|strategy| vec![strategy]);
    let classes = || given.value.split(',').map(|class| Strategy::of_class(class.trim())).collect::<Option<Vec<_>>>();
    let strategies = name.or_else(classes).unwrap_or_else(|| {
        let change = format!("its value is none of {NAMES}, so it is roundrobin; write one of them");
        translation.changed(given.line, &given.key, change);
        vec![Strategy::RoundRobin]
    });
    let Some(first) = strategies.first() else { return };
    let (kept, dropped): (Vec<_>, Vec<_>) =
        strategies.iter().partition(|strategy| strategy.is_cooperative() == first.is_cooperative());
    if !dropped.is_empty() {
        let change = format!(
            "eager and cooperative strategies cannot be offered together; it is {}, which all members of the group \
             must offer",
            first.native()
        );
        translation.changed(given.line, &given.key, change);
    }
    if kept.contains(&Strategy::Sticky) {
        let change = "librdkafka has no eager sticky strategy; it is cooperativesticky, which all members of the group \
                      must use";
        translation.changed(given.line, &given.key, change);
    }
    let mut names = Vec::new();
    for strategy in kept {
        if !names.contains(&strategy.native()) {
            names.push(strategy.native());
        }
    }
    translation.put(given, "partition.assignment.strategy", names.join(","));
}
