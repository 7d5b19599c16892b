//! Emits that cannot be sent: the batch fails by name, and nothing of it is sent.

use prost::Message as _;
use streamlet_protocol::wire::to_process::Message;
use streamlet_protocol::wire::{self, FromProcess, from_process};
use streamlet_tests::records::Record;
use streamlet_tests::sidecar;

use super::{echo, emits, ready};

#[track_caller]
fn assert_text(text: &str, parts: &[&str]) {
    let headline = text.lines().next().unwrap_or_default();
    for part in parts {
        assert!(headline.contains(part), "{part:?} is not in {text}");
    }
    assert!(text.len() <= 16 << 10, "{} bytes of text", text.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outlet_that_is_not_there() {
    let service = ready("conformance");
    let connection = service.dial().await;
    let mut talk = connection.start("{}").await;
    let text = talk.run(1, &[echo(41), echo(42).key("rogue-outlet")]).await.unwrap_err();
    assert_text(&text, &["'nope'", "offset 42", "inlet \"in\"", "partition 0"]);

    let mut start = connection.start_message("{}").await;
    start.outlets.retain(|binding| binding.port == "out");
    talk.say(Message::Start(start)).await;
    let text = talk.run(1, &[echo(7), echo(8).key("fan")]).await.unwrap_err();
    assert_text(&text, &["\"other\"", "partition 0"]);
    assert_eq!(talk.run(2, &[echo(9)]).await, Ok(emits("out", &[echo(9)])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_over_the_limit() {
    let service = ready("conformance");
    let connection = service.dial().await;
    let mut start = connection.start_message("{}").await;
    start.max_message_bytes = 1000;
    let mut talk = connection.open().await;
    talk.say(Message::Start(start.clone())).await;
    // Up to the limit, byte by byte, and never beyond it.
    for size in 960..=1001u16 {
        let record = Record::new(i64::from(size), vec![b'x'; usize::from(size)]).key("k");
        let message = FromProcess {
            message: Some(from_process::Message::Emit(wire::Emit {
                batch_id: u64::from(size),
                outlet: "out".into(),
                record: sidecar::batch(0, "", 0, std::slice::from_ref(&record)).records.remove(0).record,
            })),
        };
        match (message.encoded_len(), talk.run(u64::from(size), std::slice::from_ref(&record)).await) {
            (..=1000, outcome) => assert_eq!(outcome, Ok(emits("out", &[record]))),
            (encoded, outcome) => {
                let (encoded, offset) = (format!("{encoded} bytes"), format!("offset {size}"));
                assert_text(&outcome.unwrap_err(), &["outlet \"out\"", "max_message_bytes of 1000", &encoded, &offset]);
            }
        }
    }

    // 0 means gRPC's default.
    start.max_message_bytes = 0;
    talk.say(Message::Start(start)).await;
    let record = |offset, bytes: usize| Record::new(offset, vec![b'x'; bytes]);
    assert!(talk.run(1, &[record(1, (4 << 20) - 64)]).await.is_ok());
    let text = talk.run(2, &[record(2, 4 << 20)]).await.unwrap_err();
    assert_text(&text, &["outlet \"out\"", "4194304", "offset 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_null() {
    let service = ready("faulty");
    let mut talk = service.dial().await.start("{}").await;
    let text = talk.run(1, &[Record::new(5, "tombstone").key("k")]).await.unwrap_err();
    assert_text(&text, &["outlet \"out\"", "null value"]);
    let text = talk.run(2, &[Record::new(6, "x"), Record::new(7, "null-header")]).await.unwrap_err();
    assert_text(&text, &["outlet \"out\"", "null header value", "offset 7"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_guests_long_words_are_cut() {
    let service = ready("faulty");
    let mut talk = service.dial().await.start("{}").await;
    for (batch_id, word) in (1..).zip(["fail-long", "panic-long", "fail-lines", "abort", "exit", "recurse"]) {
        let text = talk.run(batch_id, &[Record::new(3, word)]).await.unwrap_err();
        assert_text(&text, &["inlet \"in\"", "partition 0", "offset 3"]);
    }
    assert!(talk.run(99, &[Record::new(4, "x")]).await.is_ok());
}
