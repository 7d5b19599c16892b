//! The rules by table, and by random interleavings against a model that only counts.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use streamlet_protocol::{Contract, Port, SdkInfo, wire};

use super::*;

fn descriptor() -> Arc<Descriptor> {
    let port = |name: &str| Port { name: name.into(), contract: Contract::json("x.v1") };
    Arc::new(Descriptor {
        protocol_version: "1.0".into(),
        sdk: SdkInfo { name: "test".into(), version: "0".into() },
        name: "test".into(),
        description: String::new(),
        inlets: vec![port("in"), port("side")],
        outlets: vec![port("out")],
        parameters: vec![],
    })
}

fn start(inlets: &[&str]) -> Inbound {
    let inlets = inlets.iter().map(|port| wire::PortBinding { port: (*port).into(), topic: "t".into() }).collect();
    Inbound::Start(wire::Start { inlets, ..wire::Start::default() })
}

/// A batch of so many records, which are empty.
fn batch(batch_id: u64, inlet: &str, partition: i32, records: usize) -> Inbound {
    let (times, spans) = (vec![0; 2 * records], vec![0; 6 * records]);
    Inbound::Batch(InboundBatch { batch_id, inlet: inlet.into(), partition, times, records: spans, ..<_>::default() })
}

fn stop() -> Inbound {
    Inbound::Stop(wire::Stop::default())
}

fn open() -> Conversation {
    let mut conversation = Conversation::new(descriptor());
    assert!(matches!(conversation.receive(start(&["in", "side"])), Step::Begin(_)));
    conversation
}

#[track_caller]
fn assert_end(step: &Step, code: Code, parts: &[&str]) {
    let Step::End(refusal) = step else { panic!("{step:?} is no end") };
    assert_eq!(refusal.code, code, "{refusal:?}");
    for part in parts {
        assert!(refusal.message.contains(part), "{part:?} is not in {:?}", refusal.message);
    }
}

/// What the last of these messages leads to.
fn last(messages: Vec<Inbound>) -> Step {
    let mut conversation = Conversation::new(descriptor());
    messages.into_iter().map(|message| conversation.receive(message)).last().unwrap()
}

#[test]
fn every_rule_ends_the_stream_by_name() {
    use Code::{FailedPrecondition, InvalidArgument};
    let on = || start(&["in"]);
    let table = [
        (vec![batch(3, "in", 0, 1)], FailedPrecondition, &["batch 3", "before Start"][..]),
        (vec![on(), batch(1, "in", 5, 1), batch(2, "in", 5, 1)], FailedPrecondition, &["batch 2", "partition 5"]),
        (vec![on(), batch(1, "in", 0, 1), batch(1, "in", 1, 1)], FailedPrecondition, &["id 1"]),
        (vec![on(), batch(1, "in", 0, 0), batch(2, "in", 0, 0)], FailedPrecondition, &["batch 2"]),
        (vec![on(), stop(), batch(1, "in", 0, 1)], FailedPrecondition, &["after Stop"]),
        (vec![on(), stop(), on()], FailedPrecondition, &["after Stop"]),
        (vec![on(), batch(1, "nope", 0, 1)], InvalidArgument, &["\"nope\"", "not declared"]),
        (vec![on(), batch(1, "side", 0, 1)], InvalidArgument, &["\"side\"", "does not bind"]),
        (vec![on(), batch(1, "out", 0, 1)], InvalidArgument, &["\"out\"", "not declared"]),
        (vec![Inbound::Empty], InvalidArgument, &["neither Start, Batch nor Stop"]),
        (vec![on(), Inbound::Empty], InvalidArgument, &["neither Start, Batch nor Stop"]),
        (vec![start(&["in", "nope"])], InvalidArgument, &["inlet \"nope\"", "not declared"]),
        (vec![on(), start(&["out"])], InvalidArgument, &["inlet \"out\"", "not declared"]),
    ];
    for (messages, code, parts) in table {
        assert_end(&last(messages), code, parts);
    }
}

#[test]
fn what_is_allowed() {
    assert!(matches!(last(vec![start(&[]), batch(1, "in", 0, 1)]), Step::End(_)));
    assert!(matches!(last(vec![start(&["in"]), batch(0, "in", i32::MIN, 1)]), Step::Run(..)));
    assert!(matches!(last(vec![start(&["in"]), batch(u64::MAX, "in", 0, 0)]), Step::Acknowledge(_)));
    assert!(matches!(last(vec![stop()]), Step::Drain));
    assert!(matches!(Conversation::new(descriptor()).half_closed(), Step::Drain));
    // Two inlets have partitions of their own.
    assert!(matches!(last(vec![start(&["in", "side"]), batch(1, "in", 0, 1), batch(2, "side", 0, 1)]), Step::Run(..)));
}

#[test]
fn an_end_is_the_end() {
    let mut conversation = open();
    assert_end(&conversation.superseded(), Code::Aborted, &["newer conversation"]);
    for message in [start(&["in"]), batch(1, "in", 0, 1), stop(), Inbound::Empty] {
        assert!(matches!(conversation.receive(message), Step::Wait));
    }
    assert!(matches!(conversation.superseded(), Step::Wait));
    assert!(matches!(conversation.half_closed(), Step::Wait));
}

#[test]
fn a_second_start_begins_anew() {
    let mut conversation = open();
    let Step::Run(old, _) = conversation.receive(batch(1, "in", 0, 1)) else { panic!("it runs") };
    let Step::Begin(begin) = conversation.receive(start(&["in"])) else { panic!("it begins") };
    assert_eq!((begin.epoch, begin.message_bytes_max), (2, 4 << 20));
    let Step::Run(new, _) = conversation.receive(batch(1, "in", 0, 1)) else { panic!("it runs") };
    assert!(!conversation.finish(old), "void");
    assert!(conversation.finish(new) && !conversation.finish(new), "once");
    assert!(matches!(conversation.receive(batch(1, "in", 0, 1)), Step::Run(..)), "the id is free again");
}

#[derive(Debug, Clone)]
enum Event {
    Start,
    Batch(u64, i32, usize),
    /// A lane is done with one of all tickets there ever were.
    Finish(proptest::sample::Index),
    Stop,
    HalfClose,
    Superseded,
    Void,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => Just(Event::Start),
        12 => (0..6u64, 0..4i32, 0..2usize).prop_map(|(id, partition, records)| Event::Batch(id, partition, records)),
        12 => any::<proptest::sample::Index>().prop_map(Event::Finish),
        1 => Just(Event::Stop),
        1 => Just(Event::HalfClose),
        1 => Just(Event::Superseded),
        1 => Just(Event::Void),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Model {
    Silent,
    Open,
    Draining,
    Ended,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_answer_a_ticket_and_none_that_is_void(events in vec(event(), 0..60)) {
        let mut conversation = Conversation::new(descriptor());
        let mut model = Model::Silent;
        let (mut tickets, mut in_flight) = (Vec::new(), BTreeMap::new());
        for event in events {
            match event {
                Event::Start => match (model, conversation.receive(start(&["in"]))) {
                    (Model::Silent | Model::Open, Step::Begin(_)) => {
                        in_flight.clear();
                        model = Model::Open;
                    }
                    (Model::Draining, Step::End(_)) => model = Model::Ended,
                    (Model::Ended, Step::Wait) => {}
                    (model, step) => prop_assert!(false, "{step:?} in {model:?}"),
                },
                Event::Batch(id, partition, records) => {
                    let step = conversation.receive(batch(id, "in", partition, records));
                    let is_free = !in_flight.values().any(|busy| *busy == partition)
                        && !in_flight.keys().any(|ticket: &(u64, u64)| ticket.1 == id);
                    match (model, step) {
                        (Model::Open, Step::Run(ticket, _)) if is_free && records > 0 => {
                            in_flight.insert((ticket.epoch, ticket.batch_id), partition);
                            tickets.push(ticket);
                        }
                        (Model::Open, Step::Acknowledge(ticket)) if is_free && records == 0 => {
                            in_flight.insert((ticket.epoch, ticket.batch_id), partition);
                            tickets.push(ticket);
                        }
                        (Model::Open, Step::End(refusal)) if !is_free => {
                            prop_assert_eq!(refusal.code, Code::FailedPrecondition);
                            model = Model::Ended;
                        }
                        (Model::Silent | Model::Draining, Step::End(_)) => model = Model::Ended,
                        (Model::Ended, Step::Wait) => {}
                        (model, step) => prop_assert!(false, "{step:?} in {model:?}, free: {is_free}"),
                    }
                }
                Event::Finish(index) => {
                    if !tickets.is_empty() {
                        let ticket: Ticket = tickets[index.index(tickets.len())];
                        let expected = in_flight.remove(&(ticket.epoch, ticket.batch_id)).is_some();
                        prop_assert_eq!(conversation.finish(ticket), expected);
                    }
                }
                Event::Stop => match (model, conversation.receive(stop())) {
                    (Model::Silent | Model::Open, Step::Drain) => model = Model::Draining,
                    (Model::Draining, Step::End(_)) => model = Model::Ended,
                    (Model::Ended, Step::Wait) => {}
                    (model, step) => prop_assert!(false, "{step:?} in {model:?}"),
                },
                Event::HalfClose => match (model, conversation.half_closed()) {
                    (Model::Silent | Model::Open, Step::Drain) => model = Model::Draining,
                    (Model::Draining | Model::Ended, Step::Wait) => {}
                    (model, step) => prop_assert!(false, "{step:?} in {model:?}"),
                },
                Event::Superseded => match (model, conversation.superseded()) {
                    (Model::Ended, Step::Wait) => {}
                    (_, Step::End(refusal)) => {
                        prop_assert_eq!(refusal.code, Code::Aborted);
                        model = Model::Ended;
                    }
                    (model, step) => prop_assert!(false, "{step:?} in {model:?}"),
                },
                Event::Void => {
                    conversation.void();
                    model = Model::Ended;
                }
            }
            if model == Model::Ended {
                in_flight.clear();
            }
        }
    }
}
