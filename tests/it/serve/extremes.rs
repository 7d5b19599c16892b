//! Records at the edges of what the protocol can say: they pass unchanged.

use std::path::Path;

use prost::Message as _;
use streamlet_protocol::wire;
use streamlet_protocol::wire::to_process::Message;
use streamlet_tests::fixtures;
use streamlet_tests::records::Record;
use streamlet_tests::sidecar::batch;

use super::{emits, ready};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_and_headers_pass_unchanged() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    let record = |offset| Record::new(offset, b"\x00\xff\x80 any bytes");
    let records = [
        record(0),
        record(1).key(""),
        record(2).key(b"\xff\xfe\x00"),
        Record { value: Some(Vec::new()), ..record(3).key("empty value") },
        record(4).header("twice", "1").header("twice", "2").header("twice", "1"),
        record(5).header("", "no name").header("no value", "").header("", ""),
        record(6).header("binary", b"\x00\xc3\x28\xff").header("caf\u{e9} \u{2713}", "\u{2713}"),
        record(7).key(vec![7; 100_000]),
        (0..1000).fold(record(8), |record, n| record.header(&format!("h{n}"), vec![0; n % 7])),
    ];
    assert_eq!(talk.run(1, &records).await, Ok(emits("out", &records)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_arrive_as_they_were_written() {
    let service = ready("raw");
    let sidecar = service.dial().await;
    for (integer, double, heard) in [
        // One above 2^53, where a reader by way of doubles would lose it.
        ("9007199254740993", "1500", "a-double=Value::Double(1500.0)"),
        ("-9007199254740993", "-0.5", "a-double=Value::Double(-0.5)"),
        ("9223372036854775807", "9007199254740992", "a-double=Value::Double(9007199254740992.0)"),
        ("-9223372036854775808", "1e3", "a-double=Value::Double(1000.0)"),
    ] {
        let config = format!(r#"{{"a-double":{double},"an-integer":{integer},"label":"x"}}"#);
        let mut talk = sidecar.start(&config).await;
        let emitted = talk.run(1, &[Record::new(0, "x").key("started")]).await.unwrap();
        let words = String::from_utf8(emitted[0].record.value.clone().unwrap()).unwrap();
        assert!(words.contains(&format!("an-integer=Value::Integer({integer})")), "{words}");
        assert!(words.contains(heard), "{words}");
    }
    for (config, key) in [
        (r#"{"label":"x","an-integer":9223372036854775808}"#, "\"an-integer\""),
        (r#"{"label":"x","an-integer":1.5}"#, "\"an-integer\""),
        (r#"{"label":"x","a-double":"1500"}"#, "\"a-double\""),
    ] {
        let mut talk = sidecar.start(config).await;
        super::assert_status(&talk.end().await, tonic::Code::InvalidArgument, &[key]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn offsets_times_ids_and_partitions_at_their_ends() {
    let service = ready("conformance");
    let mut talk = service.dial().await.start("{}").await;
    for (batch_id, partition) in [(0, i32::MAX), (u64::MAX, i32::MIN), (1 << 63, -1), (u64::MAX - 1, 0)] {
        let records = [i64::MIN, -1, 0, 1, i64::MAX].map(|offset| Record::new(offset, "x"));
        let mut message = batch(batch_id, "in", partition, &records);
        for (record, time) in message.records.iter_mut().zip([i64::MAX, -1, 0, i64::MIN, 1]) {
            record.timestamp_ms = time;
        }
        talk.say(Message::Batch(message)).await;
        assert_eq!(talk.outcome().await, (batch_id, Ok(emits("out", &records))));
    }
    // A failure names such a place.
    talk.batch(9, "in", i32::MIN, &[Record::new(i64::MAX, "x").key("fail")]).await;
    let text = talk.outcome().await.1.unwrap_err();
    assert!(text.contains("9223372036854775807") && text.contains("-2147483648"), "{text}");
}

/// The messages of a recorded conversation, by what their comments call them.
fn recorded(text: &str) -> Vec<(String, Vec<u8>)> {
    let mut lines = text.lines().skip(1);
    let mut messages = Vec::new();
    while let (Some(comment), Some(hex)) = (lines.next(), lines.next()) {
        let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap());
        messages.push((comment.trim_start_matches("# ").to_owned(), bytes.collect()));
    }
    messages
}

/// Says a recorded conversation to the cart router, which sends totals above `threshold` to `review`, and returns how
/// many batches and records there were.
async fn replay(file: &Path, threshold: i64) -> (usize, usize) {
    let service = ready("cart-router");
    let mut talk = service.dial().await.open().await;
    let (mut batches, mut records) = (0, 0);
    for (name, bytes) in recorded(&std::fs::read_to_string(file).unwrap()) {
        if name.starts_with("SidecarInfo") {
            continue;
        }
        let message = wire::ToProcess::decode(bytes.as_slice()).unwrap().message.unwrap();
        talk.say(message.clone()).await;
        let Message::Batch(sent) = message else { continue };
        let (ended, outcome) = talk.outcome().await;
        assert_eq!(ended, sent.batch_id, "{name}");
        let emitted = outcome.unwrap();
        batches += 1;
        records += sent.records.len();
        assert_eq!(emitted.len(), sent.records.len(), "{name}: every cart goes somewhere");
        for (emit, record) in emitted.iter().zip(sent.records) {
            let value = emit.record.value.as_deref().unwrap();
            assert_eq!(value, &*record.record.unwrap().value, "{name}: in order");
            let total =
                serde_json::from_slice::<serde_json::Value>(value).unwrap().get("total").unwrap().as_i64().unwrap();
            assert_eq!(emit.outlet, if total > threshold { "review" } else { "valid" }, "{name}");
        }
    }
    assert_eq!(talk.end().await.code(), tonic::Code::Ok);
    (batches, records)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sidecars_recorded_conversation_with_the_cart_router() {
    let Some(folder) = fixtures::shared() else { return };
    assert_eq!(replay(&folder.join("conversation.hex"), 100).await, (11, 53));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_recorded_conversation_with_the_cart_router() {
    assert_eq!(replay(&fixtures::own().join("carts.hex"), 250).await, (12, 432));
}
