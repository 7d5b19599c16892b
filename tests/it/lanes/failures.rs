//! What the author reads about a batch that failed: what, where, why, and what helps.

use streamlet_host::batch::{Cause, Failure};
use streamlet_tests::room::Room;

use super::{assert_failure, told};

/// The failure of a batch at offsets 10 to 12 of partition 4, whose second record says `what`.
async fn failed(what: &str) -> Failure {
    let mut lane = Room::open("faulty").await.lane("in", 4);
    lane.run(&[told(10, "echo"), told(11, what), told(12, "echo")]).await.unwrap_err()
}

/// The headline of such a failure.
fn headline(what: &str, at: &str, why: &str) -> String {
    format!("{what}{at} (inlet \"in\", partition 4, offsets 10 to 12): {why}")
}

#[tokio::test]
async fn a_refusal_has_the_guests_words_and_the_record() {
    let check = async |what: &str, offset: i64, why: &str, details: &[&str]| {
        let failure = failed(what).await;
        let headline = headline("the streamlet failed the batch", &format!(" at offset {offset}"), why);
        assert_failure(&failure, Cause::Refused, &headline, details);
    };
    check("fail", 11, "the record said fail", &[]).await;
    check("fail-lines", 11, "the first line", &["the second line\nthe third line"]).await;
    check("blame-first", 10, "the first record is to blame", &[]).await;
    check("number", 11, "invalid digit found in string", &[]).await;
    check("json", 11, "value is not the JSON expected: expected value at line 1 column 1", &[]).await;
    check("json-serde", 11, "expected value at line 1 column 1", &[]).await;
}

#[tokio::test]
async fn a_refusal_is_bounded() {
    let failure = failed("fail-long").await;
    let (headline, detail) = (failure.headline(), &failure.detail);
    assert!(headline.contains("at offset 11 ") && headline.contains("long long"), "{headline}");
    assert!(headline.len() < 1300, "{} bytes of headline", headline.len());
    assert!(detail.len() < 9 * 1024, "{} bytes of detail", detail.len());
    assert!(detail.contains("more bytes"), "that it was cut is said: {}", &detail[detail.len() - 60..]);
}

#[tokio::test]
async fn a_refusal_writes_no_terminal_sequences() {
    let failure = failed("fail-controls").await.to_string();
    assert!(failure.contains("a bell") && failure.contains("and a colour"), "{failure}");
    assert!(!failure.contains(['\u{7}', '\u{1b}']), "{failure:?}");
}

#[tokio::test]
async fn a_panic_has_its_text_its_place_in_the_code_and_its_record() {
    let check = async |what: &str, why: &str, details: &[&str]| {
        let failure = failed(what).await;
        let headline = failure.headline();
        let (before, after) = headline.rsplit_once("panicked at ").expect("a panic's place");
        let (place, text) = after.split_once(": ").unwrap_or((after, ""));
        assert_eq!(before, "the streamlet panicked at offset 11 (inlet \"in\", partition 4, offsets 10 to 12): ");
        assert_eq!(failure.record, Some((1, 11)), "{headline}");
        assert!(place.contains("src/ends.rs:"), "the line in the code: {headline}");
        assert!(place.ends_with("while processing the record at offset 11 of inlet \"in\""), "{headline}");
        assert!(text.starts_with(why), "{headline}");
        assert_eq!(failure.cause, Cause::Trapped);
        for part in details {
            assert!(failure.detail.contains(part), "{part:?} is not in\n{failure}");
        }
    };
    check("panic", "the record said panic", &["backtrace, innermost first:", "panic_as_told"]).await;
    check("panic-lines", "the first line", &["the second line\nthe third line", "backtrace"]).await;
    check("panic-index", "index out of bounds: the len is 0 but the index is 3", &["backtrace"]).await;
    check("panic-unwrap", "called `Result::unwrap()` on an `Err` value: Error(", &[]).await;
    check("panic-long", "ppppp", &["backtrace"]).await;
    let long = failed("panic-long").await.to_string();
    assert!(long.len() < 20 * 1024, "{} bytes", long.len());
}

#[tokio::test]
async fn a_trap_has_its_reason_and_the_guests_function() {
    let check = async |what: &str, why: &str, details: &[&str]| {
        let headline = headline("the streamlet trapped in `process`", "", why);
        assert_failure(&failed(what).await, Cause::Trapped, &headline, details);
    };
    let aborts = "it reached an `unreachable` instruction, which is how compiled code aborts";
    check("abort", aborts, &["backtrace, innermost first:", "abort_as_told"]).await;
    check("exit", "it exited instead of returning", &[]).await;
    // WASI 0.2 knows success and failure only.
    check("exit-7", "it exited, with a failure, instead of returning", &[]).await;
    check("recurse", "it used up its stack of 1 MiB; recurse less deeply", &["recurse_for_ever"]).await;
    let beyond = "it accessed memory out of bounds; in compiled code that is a wild pointer, or a recursion so deep that \
                  the stack left its memory";
    check("recurse-largely", beyond, &["recurse_with_large_frames, 64 times"]).await;
}

#[tokio::test]
async fn a_panic_in_start_is_told_as_one() {
    let mut lane = Room::configured("faulty", r#"{"start":"panic"}"#).await.lane("in", 0);
    let failure = lane.run(&[told(0, "echo")]).await.unwrap_err();
    let headline = failure.headline();
    assert!(headline.starts_with("the streamlet panicked (inlet \"in\", partition 0, offset 0): panicked at "));
    assert!(headline.ends_with(": told to panic"), "{headline}");
    assert!(failure.detail.contains("panic_in_start"), "{failure}");
}

#[tokio::test]
async fn what_the_guest_wrote_before_it_died_helps() {
    let mut lane = Room::open("faulty").await.lane("in", 4);
    let failure = lane.run(&[told(0, "print"), told(1, "abort")]).await.unwrap_err();
    assert!(failure.detail.contains("the last it wrote to standard error:\n  a line of stderr\n"), "{failure}");
    let mut lane = Room::open("faulty").await.lane("in", 4);
    lane.run(&[told(0, "print")]).await.unwrap();
    let failure = lane.run(&[told(1, "abort")]).await.unwrap_err();
    assert!(!failure.detail.contains("a line of stderr"), "that was of a batch that went well: {failure}");
}
