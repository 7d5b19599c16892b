//! What an author declares to the kit, true and false.

use std::convert::Infallible;

use talkback::kit::{self, NOT_TESTED};
use talkback::{End, Source, Step, Talkback, iterable, pour};

/// Lets go at its first stop: a start after it ends, or brings nothing.
struct OnlyOnce {
    started: Option<u32>,
    ends: bool,
}

impl Source for OnlyOnce {
    type Item = u8;
    type Error = Infallible;

    fn drive(
        &mut self,
        talkback: &mut Talkback<Infallible>,
        emit: &mut impl FnMut(u8, &mut Talkback<Infallible>),
    ) -> Step<Infallible> {
        loop {
            let over = talkback.starts() > 0 && talkback.starts() != *self.started.get_or_insert(1);
            if over && talkback.may_emit() && self.ends {
                return Step::Ended(End::Complete);
            }
            if over || !talkback.take_request() {
                return Step::Idle;
            }
            emit(1, talkback);
        }
    }
}

fn what<T>(result: Result<T, kit::Failure>) -> String {
    result.err().map_or_else(|| "passes".to_string(), |failure| failure.what)
}

#[test]
fn what_a_start_after_a_stop_does() {
    let ends = |_: &kit::Bench| OnlyOnce { started: None, ends: true };
    let silent = |_: &kit::Bench| OnlyOnce { started: None, ends: false };
    assert_eq!(what(kit::source("a", ends).over_after_stop().check()), "passes");
    assert_eq!(what(kit::source("a", silent).endless().silent_after_stop().check()), "passes");
    let resumes = |_: &kit::Bench| iterable(1..=9_u8);
    assert_eq!(
        what(kit::source("a", resumes).items(1..=9).over_after_stop().check()),
        "declared to end at the start after a stop, but it did not"
    );
    assert_eq!(
        what(kit::source("a", resumes).items(1..=9).silent_after_stop().check()),
        "declared over after a stop, but it emitted 2 after one"
    );
    assert_eq!(what(kit::source("a", ends).items([1; 99]).check()), "it ended after 1 of 99 items");
    assert_eq!(what(kit::source("a", ends).silent_after_stop().check()), "declared silent after a stop, but it ended");
}

#[test]
fn who_brings_an_item_about_and_when_the_end_comes() {
    let pulled = |_: &kit::Bench| iterable(1..=2_u8);
    let pushed = |_: &kit::Bench| pour(1..=2_u8);
    assert_eq!(
        what(kit::source("a", pulled).pushed().items(1..=2).check()),
        "declared pushed, but of 2 items it emitted 0 and rests"
    );
    assert_eq!(
        what(kit::source("a", pushed).pulled().items(1..=2).check()),
        "declared pulled, but it emitted 1 without a request"
    );
    assert_eq!(
        what(kit::source("a", pulled).items(1..=2).ends_eagerly().check()),
        "declared to end with its last item, but it did not"
    );
    assert_eq!(
        what(kit::source("a", pushed).pushed().items(1..=2).ends_on_demand().check()),
        "declared to end on demand, but it ended without a request"
    );
    assert_eq!(what(kit::source("a", pulled).endless().check()), "declared endless, but it ended");
    assert_eq!(what(kit::source("a", pulled).items(1..=3).check()), "it ended after 2 of 3 items");
    assert_eq!(what(kit::source("a", pulled).fails().check()), "its end is Complete");
    assert_eq!(what(kit::source("a", |bench| bench.pulled([1]).slow()).check()), "declared not to wait, but it waits");
}

#[test]
fn a_panic_is_a_failure_with_its_script() {
    let failure = kit::source("a", |_| iterable(1..=9).map(|n| 6 / (3 - n))).check().unwrap_err();
    assert_eq!(failure.what, "panicked: attempt to divide by zero");
    assert!(failure.script.ends_with("receive 6 (request)"), "{}", failure.script);
}

#[test]
fn the_same_seed_makes_the_same_scripts() {
    let run = |seed| kit::source("a", |_| iterable(1..=99)).seed(seed).limits(3, 50).check().unwrap();
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).signals, run(1_000).signals);
}

#[test]
fn a_summary_says_what_was_run_and_what_was_not_tested() {
    let report = kit::source("counter", |_| iterable(1..=9)).limits(3, 50).check().unwrap();
    let text = kit::summary([&report]);
    assert!(text.starts_with("counter "), "{text}");
    assert!(text.contains(&format!("{} scripts of up to 3 choices,    50 random", report.scripts)), "{text}");
    assert!(NOT_TESTED.iter().all(|point| text.contains(point)));
}
