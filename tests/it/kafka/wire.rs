//! Which requests we send, as a tap before the broker sees them: those that the document lists, and what idempotence and
//! transactions need beside them.

use std::collections::BTreeSet;

use streamlet_tests::kafka::events::events;
use streamlet_tests::kafka::tap::api_name;
use streamlet_tests::kafka::{Broker, until};

use super::Scene;

/// What the third document lists, without SASL.
const DOCUMENTED: [i16; 12] = [0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 18];
/// Of the idempotent producer.
const INIT_PRODUCER_ID: i16 = 22;
/// What a consumer asks after a leader has changed.
const OFFSET_FOR_LEADER_EPOCH: i16 = 23;
/// Offsets outside a transaction.
const OFFSET_COMMIT: i16 = 8;
/// Of transactions.
const TRANSACTIONS: [i16; 4] = [24, 25, 26, 28];

/// What a run sends from its beginning to its end, with a rebalance in it.
fn sent(name: &str, flags: &[&str]) -> Option<BTreeSet<i16>> {
    let broker = Broker::shared()?;
    let scene = Scene::new(broker, name, 4);
    let scene = Scene::of([scene.input, scene.out, scene.other], scene.group, &broker.tap().address());
    let faulty = scene.faulty.flags(flags);
    let another = faulty.another();
    let (first, second) = (faulty.start(), another.start());
    scene.group.wait_stable(2);
    scene.input.produce(&events(10, 10, 4, |_, _| "both"));
    scene.input.wait_committed(&scene.group);
    until("a heartbeat", || (broker.tap().count(faulty.client_id(), 12) > 0).then_some(()));
    assert_eq!((first.stop().code, second.stop().code), (Some(0), Some(0)));
    let of_both = [&faulty, &another].map(|member| broker.tap().keys(member.client_id()));
    Some(of_both.into_iter().flatten().collect())
}

#[track_caller]
fn check(sent: &BTreeSet<i16>, expect: &[i16]) {
    let names = |keys: &BTreeSet<i16>| keys.iter().map(|key| api_name(*key)).collect::<Vec<_>>();
    let expect = expect.iter().copied().collect::<BTreeSet<_>>();
    let mut sent = sent.clone();
    sent.remove(&OFFSET_FOR_LEADER_EPOCH);
    assert_eq!(names(&sent), names(&expect));
}

#[test]
fn at_least_once_uses_the_documents_requests_and_a_producers_id() {
    let Some(sent) = sent("plain", &[]) else { return };
    check(&sent, &[&DOCUMENTED[..], &[INIT_PRODUCER_ID]].concat());
}

#[test]
fn exactly_once_adds_those_of_transactions_and_commits_within_them_alone() {
    let Some(sent) = sent("transactional", &["--exactly-once"]) else { return };
    assert!(!sent.contains(&OFFSET_COMMIT), "offsets are committed within transactions alone");
    let mut expect = [&DOCUMENTED[..], &[INIT_PRODUCER_ID], &TRANSACTIONS[..]].concat();
    expect.retain(|key| *key != OFFSET_COMMIT);
    check(&sent, &expect);
}
