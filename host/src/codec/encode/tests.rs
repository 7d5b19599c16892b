//! The writer against prost's: the same bytes for the same emits, sizes included, and a limit that is exact.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use streamlet_protocol::wire::from_process::Message;

use super::*;
use crate::batch::{ABSENT, BatchBuilder, Header};
use crate::codec::{Inbound, decode};

/// A record, as a test has it: offset, key, value and headers.
type Parts = (i64, Option<Vec<u8>>, Option<Vec<u8>>, Vec<(String, Option<Vec<u8>>)>);

/// A batch of records, and an output that forwards each, unchanged, to an outlet by its index.
fn forwarded(records: &[Parts], outlets: usize) -> (Batch, Vec<Output>) {
    let mut builder = BatchBuilder::default();
    for (offset, key, value, headers) in records {
        let headers = headers.iter().map(|(name, value)| Header { name: name.as_bytes(), value: value.as_deref() });
        builder.push((*offset, 0), key.as_deref(), value.as_deref(), headers).unwrap();
    }
    let source = crate::batch::FROM_SOURCE;
    let emit = |index: u32| [index % u32::try_from(outlets).unwrap(), index, source, 0, source, 0, 0, source];
    let emits = (0..u32::try_from(records.len()).unwrap()).flat_map(emit).collect();
    (builder.take(0, 0), vec![Output::checked(vec![], emits, vec![], 0)])
}

/// A record in prost's words; a null is an empty one.
fn in_prosts_words((_, key, value, headers): &Parts) -> wire::Record {
    let bytes = |bytes: &Option<Vec<u8>>| Bytes::from(bytes.clone().unwrap_or_default());
    let headers = headers.iter().map(|(name, value)| wire::Header { key: name.clone(), value: bytes(value) });
    wire::Record { key: key.clone().map(Bytes::from), headers: headers.collect(), value: bytes(value) }
}

/// The same records as a batch that came by the wire.
fn received(records: &[Parts]) -> Batch {
    let records = records.iter().map(|parts| wire::InputRecord {
        offset: parts.0,
        timestamp_ms: 0,
        record: Some(in_prosts_words(parts)),
    });
    let batch = wire::Batch { records: records.collect(), ..wire::Batch::default() };
    let message = wire::ToProcess { message: Some(wire::to_process::Message::Batch(batch)) };
    let Inbound::Batch(batch) = decode(message.encode_to_vec().into()).unwrap() else { panic!("a batch was sent") };
    batch.of_inlet(0)
}

/// The emits that forward them, in prost's words.
fn expected(batch_id: u64, outlets: &[String], records: &[Parts]) -> Vec<Vec<u8>> {
    let emit = |(index, parts): (usize, &Parts)| {
        let outlet = outlets[index % outlets.len()].clone();
        let emit = wire::Emit { batch_id, outlet, record: Some(in_prosts_words(parts)) };
        wire::FromProcess { message: Some(Message::Emit(emit)) }.encode_to_vec()
    };
    records.iter().enumerate().map(emit).collect()
}

fn all(mut frames: Frames) -> Vec<Vec<u8>> {
    let message = |frame: Bytes| {
        let (prefix, message) = frame.split_at(PREFIX_BYTES);
        assert_eq!(prefix, [&[0], &u32::try_from(message.len()).unwrap().to_be_bytes()[..]].concat());
        message.to_vec()
    };
    let all = std::iter::from_fn(|| frames.take(0)).map(message).collect();
    assert!(frames.is_empty() && frames.bytes() == 0, "nothing is left over");
    all
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // Across the sizes at which a length takes one byte more.
    prop_oneof![vec(any::<u8>(), 0..4), vec(any::<u8>(), 120..132), vec(any::<u8>(), 16_370..16_390)]
}

fn parts() -> impl Strategy<Value = Parts> {
    let header = ("\\PC{0,8}", bytes().prop_map(Some));
    (any::<i64>(), option::of(bytes()), bytes().prop_map(Some), vec(header, 0..3))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn emits_are_prosts_to_the_byte(
        batch_id in prop_oneof![Just(0), any::<u64>(), 0..300u64],
        outlets in vec("[a-z]{1,5}", 1..3),
        records in vec(parts(), 0..4),
    ) {
        let (batch, output) = forwarded(&records, outlets.len());
        let expected = expected(batch_id, &outlets, &records);
        let frames = encode_emits(batch_id, &outlets, &batch, &output, usize::MAX).unwrap();
        prop_assert_eq!(all(frames), expected.clone());
        let frames = encode_emits(batch_id, &outlets, &received(&records), &output, usize::MAX).unwrap();
        prop_assert_eq!(all(frames), expected.clone());

        // The largest is the limit: it fits, and with a byte less it does not.
        let Some(largest) = expected.iter().map(Vec::len).max() else { return Ok(()) };
        prop_assert!(encode_emits(batch_id, &outlets, &batch, &output, largest).is_ok());
        let fault = encode_emits(batch_id, &outlets, &batch, &output, largest - 1).unwrap_err();
        let index = expected.iter().position(|message| message.len() == largest).unwrap();
        prop_assert_eq!(fault, EncodeFault::TooLarge {
            outlet: outlets[index % outlets.len()].clone(),
            offset: Some(records[index].0),
            bytes: largest,
            limit: largest - 1,
        });
    }

    #[test]
    fn ends_are_prosts_to_the_byte(batch_id in any::<u64>(), message in "\\PC{0,200}") {
        let encoded = |message| vec![wire::FromProcess { message: Some(message) }.encode_to_vec()];
        prop_assert_eq!(all(Frames::ack(batch_id)), encoded(Message::Ack(wire::Ack { batch_id })));
        let error = Some(wire::Error { message: message.clone() });
        prop_assert_eq!(all(Frames::fail(batch_id, message)), encoded(Message::Fail(wire::Fail { batch_id, error })));
    }
}

#[test]
fn nulls_are_named() {
    let outlets = ["out".to_owned()];
    let fault = |parts: Parts| {
        let (batch, output) = forwarded(&[(1, None, Some(vec![]), vec![]), parts], 1);
        encode_emits(1, &outlets, &batch, &output, usize::MAX).unwrap_err().to_string()
    };
    let cure = "which the platform's protocol cannot carry; emit an empty one, or run on Kafka directly";
    let value = fault((7, None, None, vec![]));
    assert_eq!(value, format!("an emit to outlet \"out\" from the record at offset 7 has a null value, {cure}"));
    let header = fault((8, None, Some(vec![]), vec![("h".into(), None)]));
    assert_eq!(
        header,
        format!("an emit to outlet \"out\" from the record at offset 8 has a null header value, {cure}")
    );
}

#[test]
fn an_emit_without_a_source_has_no_offset_to_name() {
    let output = Output::checked(b"value".to_vec(), vec![0, ABSENT, ABSENT, 0, 0, 5, 0, 0], vec![], 0);
    let batch = BatchBuilder::default().take(0, 0);
    let fault = encode_emits(1, &["out".to_owned()], &batch, &[output], 10).unwrap_err();
    assert_eq!(
        fault.to_string(),
        "an emit to outlet \"out\" is 18 bytes encoded, over max_message_bytes of 10; emit less, or split it"
    );
}

#[test]
fn many_messages_are_taken_at_once_and_none_is_cut() {
    let records = [3usize, 3, 50, 1].map(|bytes| (0, None, Some(vec![b'v'; bytes]), Vec::new()));
    let (batch, output) = forwarded(&records, 1);
    let outlets = ["out".to_owned()];
    let mut frames = encode_emits(1, &outlets, &batch, &output, usize::MAX).unwrap().acknowledged(1);
    let whole = encode_emits(1, &outlets, &batch, &output, usize::MAX).unwrap().acknowledged(1).take(usize::MAX);
    let taken = std::iter::from_fn(|| frames.take(50)).collect::<Vec<_>>();
    let lengths = taken.iter().map(Bytes::len).collect::<Vec<_>>();
    assert_eq!(lengths, [2 * 21, 68, 19 + 9], "two fit, one is larger and goes alone, and the ack goes with the last");
    assert_eq!(taken.concat(), whole.unwrap());
}
