//! The reader against prost's: what one accepts the other accepts, and what they read is the same.

#[path = "../../../../tests/src/wire_oracle.rs"]
#[expect(unreachable_pub, reason = "a public module elsewhere")]
mod wire_oracle;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use streamlet_protocol::wire::ToProcess;
use streamlet_protocol::wire::to_process::Message;

use super::*;
use wire_oracle::compare;

fn bytes() -> impl Strategy<Value = Bytes> {
    vec(any::<u8>(), 0..40).prop_map(Bytes::from)
}

fn record() -> impl Strategy<Value = wire::Record> {
    let header = ("\\PC{0,8}", bytes()).prop_map(|(key, value)| wire::Header { key, value });
    (option::of(bytes()), vec(header, 0..4), bytes()).prop_map(|(key, headers, value)| wire::Record {
        key,
        headers,
        value,
    })
}

fn message() -> impl Strategy<Value = ToProcess> {
    let input = (any::<i64>(), any::<i64>(), option::weighted(0.9, record()))
        .prop_map(|(offset, timestamp_ms, record)| wire::InputRecord { offset, timestamp_ms, record });
    let batch = (any::<u64>(), "[a-z]{0,8}", any::<i32>(), vec(input, 0..6)).prop_map(
        |(batch_id, inlet, partition, records)| Message::Batch(wire::Batch { batch_id, inlet, partition, records }),
    );
    let binding = ("[a-z]{0,5}", "[a-z.]{0,9}").prop_map(|(port, topic)| wire::PortBinding { port, topic });
    let start = ("[a-z0-9-]{0,9}", "\\PC{0,20}", vec(binding, 0..4), any::<u32>()).prop_map(
        |(conversation_id, config_json, inlets, max_message_bytes)| {
            let outlets = inlets.clone();
            let start =
                wire::Start { conversation_id, config_json, inlets, outlets, max_message_bytes, ..<_>::default() };
            Message::Start(start)
        },
    );
    let stop = "\\PC{0,20}".prop_map(|reason| Message::Stop(wire::Stop { reason }));
    let message =
        prop_oneof![6 => batch.prop_map(Some), 1 => start.prop_map(Some), 1 => stop.prop_map(Some), 1 => Just(None)];
    message.prop_map(|message| ToProcess { message })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_valid_reads_the_same(message in message()) {
        let bytes = message.encode_to_vec();
        compare(&bytes);
        if let Inbound::Batch(batch) = decode(bytes.into()).unwrap() {
            let Some(Message::Batch(sent)) = message.message else { panic!("a batch was sent") };
            let batch = batch.of_inlet(0);
            for (index, sent) in sent.records.into_iter().enumerate() {
                let sent = sent.record.map(|record| record.encode_to_vec());
                prop_assert_eq!(batch.record(index).unwrap().encoded(), sent.as_deref());
            }
        }
    }

    /// Messages one after another are one message to protobuf: scalars are replaced, lists grow.
    #[test]
    fn messages_that_are_joined_read_the_same(parts in vec(message(), 2..4)) {
        compare(&parts.iter().flat_map(ToProcess::encode_to_vec).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_damaged_is_judged_the_same(
        message in message(),
        damage in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
        cut in option::of(any::<proptest::sample::Index>()),
    ) {
        let mut bytes = message.encode_to_vec();
        for (at, byte) in damage {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        compare(&bytes);
    }

    #[test]
    fn noise_is_judged_the_same(bytes in vec(prop_oneof![any::<u8>(), 0..32u8], 0..60)) {
        compare(&bytes);
    }
}

#[test]
fn groups_nest_as_deep_as_prost_lets_them() {
    let nested = |depth: usize, inner: &[u8]| [&vec![0x7b; depth], inner, &vec![0x7c; depth]].concat();
    for depth in 95..105 {
        for inner in [&[][..], &[0x78, 0x01]] {
            let group = nested(depth, inner);
            compare(&group);
            // The same in a batch, in its record, in the record's body, and in a header.
            let mut body = group;
            for key in [0x12, 0x1a, 0x22, 0x12] {
                let mut outer = vec![key];
                prost::encoding::encode_varint(body.len() as u64, &mut outer);
                outer.extend(&body);
                body = outer;
                if key == 0x12 {
                    compare(&body);
                }
            }
        }
    }
}

#[test]
fn what_says_more_than_was_read_is_not_sent_on() {
    let is_plain = |records: &[&[u8]]| {
        let field = |key: u8, bytes: &[u8]| [&[key, u8::try_from(bytes.len()).unwrap()], bytes].concat();
        let input = records.iter().flat_map(|record| field(0x1a, record)).collect::<Vec<_>>();
        let body = field(0x12, &field(0x22, &input));
        compare(&body);
        let Inbound::Batch(batch) = decode(body.into()).unwrap() else { panic!("a batch was sent") };
        batch.of_inlet(0).record(0).unwrap().encoded().is_some()
    };
    assert!(is_plain(&[b"\x0a\x01k\x12\x06\x0a\x01n\x12\x01h\x1a\x01v"]));
    assert!(is_plain(&[b"\x1a\x00\x0a\x00"]), "in another order, and with what is empty");
    assert!(!is_plain(&[]), "there is none");
    assert!(!is_plain(&[b"\x1a\x01v", b"\x0a\x01k"]), "in two parts");
    assert!(!is_plain(&[b"\x12\x00", b"\x1a\x01v"]), "in two parts, the first of which has headers only");
    for twice in [
        &b"\x0a\x01k\x0a\x01k"[..],
        b"\x1a\x01v\x1a\x01v",
        b"\x12\x06\x0a\x01n\x0a\x01n",
        b"\x12\x06\x12\x01h\x12\x01h",
    ] {
        assert!(!is_plain(&[twice]), "{twice:?}");
    }
    for unknown in [&b"\x1a\x01v\x20\x01"[..], b"\x12\x05\x0a\x01n\x20\x01"] {
        assert!(!is_plain(&[unknown]), "{unknown:?}");
    }
}

#[test]
fn numbers_of_every_length_are_read() {
    for bits in 0..=64 {
        for value in [
            u64::MAX.checked_shr(bits).unwrap_or(0),
            1u64.checked_shl(bits).unwrap_or(0),
            0x0123_4567_89ab_cdef >> bits.min(63),
        ] {
            for more in [0, 1, 8] {
                let mut batch = vec![0x08];
                prost::encoding::encode_varint(value, &mut batch);
                // What follows may or may not be read along with it.
                batch.extend([0x18, 0x81, 0x01].repeat(more));
                let body = [&[0x12, u8::try_from(batch.len()).unwrap()], &batch[..]].concat();
                compare(&body);
                let Inbound::Batch(read) = decode(body.into()).unwrap() else { panic!("a batch was sent") };
                assert_eq!(read.batch_id, value);
            }
        }
    }
    // Longer than need be, and too long.
    for bytes in 1..12 {
        let number = [vec![0x80; bytes], vec![0x00]].concat();
        let batch = [&[0x08], &number[..]].concat();
        compare(&[&[0x12, u8::try_from(batch.len()).unwrap()], &batch[..]].concat());
    }
}

#[test]
fn faults_are_named() {
    let error = |bytes: &'static [u8]| decode(Bytes::from_static(bytes)).unwrap_err().to_string();
    assert_eq!(error(b"\x07"), "the field key at byte 0 is no key");
    assert_eq!(error(b"\x12\x05\x08"), "the length at byte 1 leads past the end of its message");
    assert_eq!(error(b"\x12\x02\x08\x80"), "the number at byte 3 does not end or is over 64 bits");
    assert_eq!(error(b"\x08\x01"), "field ToProcess.start at byte 1 has another wire type than its declaration");
    assert_eq!(error(b"\x12\x03\x12\x01\xff"), "field Batch.inlet at byte 4 is not UTF-8");
    assert!(error(b"\x0a\x03\x0a\x01\xff").starts_with("field ToProcess.start cannot be read: "));
}
