//! The generated messages against bodies that other encoders wrote, and the model on the wire.

use std::{fs, path::Path};

use prost::Message;
use streamlet_protocol::{
    Descriptor, ParameterType,
    descriptor::UnknownTypeError,
    wire::{ConfigParameter, SidecarInfo, Spec, StreamletDescriptor, ToProcess, to_process},
};

use crate::{declarations, own_fixtures, shared_fixtures};

fn unhex(line: &str) -> Vec<u8> {
    assert_eq!(line.len() % 2, 0, "whole bytes");
    (0..line.len()).step_by(2).map(|at| u8::from_str_radix(&line[at..at + 2], 16).unwrap()).collect()
}

/// Decodes, encodes and decodes again.
fn again<M: Message + Default + PartialEq + std::fmt::Debug>(name: &str, body: &[u8]) -> M {
    let message = M::decode(body).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(M::decode(message.encode_to_vec().as_slice()).unwrap(), message, "{name}");
    message
}

/// Reads a conversation: the messages to the process, each of the kind that its comment names.
fn conversation(file: &Path) -> Vec<to_process::Message> {
    let text = fs::read_to_string(file).unwrap();
    let (mut comment, mut messages) = ("", Vec::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            comment = rest;
            continue;
        }
        let body = unhex(line);
        assert!(comment.contains(&format!("({} bytes", body.len())), "{comment}");
        if comment.starts_with("SidecarInfo") {
            assert_eq!(again::<SidecarInfo>(comment, &body).protocol_version, "1.0");
            continue;
        }
        let message = again::<ToProcess>(comment, &body).message.unwrap();
        let kind = match &message {
            to_process::Message::Start(_) => "Start",
            to_process::Message::Batch(_) => "Batch",
            to_process::Message::Stop(_) => "Stop",
        };
        assert!(comment.starts_with(kind), "{comment}");
        messages.push(message);
    }
    messages
}

#[test]
fn the_platforms_conversation_decodes() {
    let Some(folder) = shared_fixtures() else { return };
    let messages = conversation(&folder.join("conversation.hex"));
    assert_eq!(messages.len(), 13);
    let records = messages.iter().map(|message| match message {
        to_process::Message::Batch(batch) => batch.records.len(),
        _ => 0,
    });
    assert_eq!(records.sum::<usize>(), 53);
}

#[test]
fn our_own_conversation_decodes_to_its_extremes() {
    let messages = conversation(&own_fixtures().join("conversation.hex"));
    let [to_process::Message::Start(start), batches @ .., to_process::Message::Stop(stop)] = messages.as_slice() else {
        panic!("it begins with Start and ends with Stop")
    };
    assert_eq!(start.max_message_bytes, u32::MAX);
    assert_eq!(start.config_json, r#"{"currency": "CHF", "limit": 9007199254740993, "motto": "ça ☕"}"#);
    assert_eq!(stop.reason, "the sidecar is shutting down");
    let batch = |id: u64| {
        let of_id = |message: &&to_process::Message| matches!(message, to_process::Message::Batch(batch) if batch.batch_id == id);
        let Some(to_process::Message::Batch(batch)) = batches.iter().find(of_id) else { panic!("batch {id}") };
        batch.clone()
    };
    let record = |id: u64| batch(id).records[0].record.clone().unwrap();
    assert_eq!(record(1).key, None);
    assert_eq!(record(2).key.as_deref(), Some(&[][..]));
    assert_eq!(record(3).key.as_deref(), Some(&[0, 255, 128, 10, 13][..]));
    assert_eq!(record(3).value.as_ref(), (0..=255).collect::<Vec<u8>>());
    assert!(record(4).value.is_empty());
    let headers: Vec<(String, Vec<u8>)> =
        record(5).headers.into_iter().map(|header| (header.key, header.value.to_vec())).collect();
    let expect = [("trace", &b"1"[..]), ("trace", b"2"), ("", b""), ("trace", b"1"), ("größe", &[0, 255])];
    assert_eq!(headers, expect.map(|(key, value)| (key.to_owned(), value.to_vec())));
    let extreme = batch(u64::MAX);
    assert_eq!(extreme.partition, i32::MAX);
    assert_eq!((extreme.records[0].timestamp_ms, extreme.records[2].offset), (i64::MIN, i64::MAX));
    assert_eq!((batch(6).partition, batch(6).records[0].offset), (i32::MIN, i64::MIN));
    assert!(batch(7).records.is_empty());
    assert_eq!(batch(8).records[0].record, None);
    assert_eq!(batch(9).records.len(), 40);
}

#[test]
fn a_descriptor_crosses_the_wire_unchanged() {
    for declared in declarations::shared().into_iter().chain(declarations::own()) {
        let body = Spec::from(&declared).encode_to_vec();
        let received = Descriptor::try_from(Spec::decode(body.as_slice()).unwrap()).unwrap();
        assert_eq!(received, declared);
    }
}

#[test]
fn absent_messages_are_empty_and_then_refused() {
    let received = Descriptor::try_from(Spec::default()).unwrap();
    assert_eq!(received.validate().unwrap_err().len(), 2);
}

#[test]
fn an_unknown_type_is_named() {
    let parameter = |number| ConfigParameter { key: "limit".to_owned(), r#type: number, ..ConfigParameter::default() };
    let spec = |number| Spec {
        streamlet: Some(StreamletDescriptor {
            config_parameters: vec![parameter(number)],
            ..StreamletDescriptor::default()
        }),
        ..Spec::default()
    };
    let read = Descriptor::try_from(spec(5)).unwrap();
    assert_eq!(
        (read.parameters[0].parameter_type, read.parameters[0].default.as_ref()),
        (ParameterType::MemorySize, None)
    );
    for number in [6, -1, i32::MAX] {
        let error = Descriptor::try_from(spec(number)).unwrap_err();
        assert_eq!(error, UnknownTypeError { key: "limit".to_owned(), number });
    }
}

#[test]
fn both_services_have_their_two_sides() {
    use streamlet_protocol::wire::{discovery_client, discovery_server, streamlet_client, streamlet_server};
    assert_eq!(discovery_server::SERVICE_NAME, "ankka.flow.v1.Discovery");
    assert_eq!(streamlet_server::SERVICE_NAME, "ankka.flow.v1.Streamlet");
    let _ = discovery_client::DiscoveryClient::<tonic::transport::Channel>::new;
    let _ = streamlet_client::StreamletClient::<tonic::transport::Channel>::new;
}
