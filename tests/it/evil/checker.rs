//! The checker of output tables beside its oracle, on random batches, tables and limits.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use streamlet_tests::oracle::{NONE, Part, SOURCE, compare};
use streamlet_tests::records::Record;

/// Words that are likely to be near an edge.
fn word() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0..5u32, 1 => Just(NONE), 3 => Just(SOURCE), 1 => any::<u32>()]
}

/// A table of rows, now and then with a word too many.
fn table(rows: usize, words: usize) -> impl Strategy<Value = Vec<u32>> {
    (0..rows, prop::bool::weighted(0.02)).prop_flat_map(move |(rows, odd)| vec(word(), rows * words + usize::from(odd)))
}

fn part() -> impl Strategy<Value = Part> {
    let arena = prop_oneof![4 => vec(0..128u8, 0..8), 1 => vec(any::<u8>(), 0..8)];
    (arena, table(4, 8), table(3, 4)).prop_map(|(arena, emits, headers)| Part { arena, emits, headers })
}

fn record() -> impl Strategy<Value = Record> {
    let bytes = || option::of(vec(any::<u8>(), 0..6));
    let header = ("[a-zé]{0,3}", bytes());
    (bytes(), bytes(), vec(header, 0..3)).prop_map(|(key, value, headers)| Record { offset: 0, key, value, headers })
}

fn records() -> impl Strategy<Value = Vec<Record>> {
    vec(record(), 1..4)
        .prop_map(|records| (0..).zip(records).map(|(offset, record)| Record { offset, ..record }).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_takes_what_the_contract_takes(
        records in records(),
        parts in vec(part(), 1..4),
        limit in prop_oneof![3 => Just(1usize << 20), 1 => 64..600usize],
    ) {
        compare(&records, &parts, limit);
    }
}

/// Forwards and copies, within the edges: random tables are mostly refused.
#[test]
fn it_takes_what_is_right() {
    let records = [Record::new(0, "v").key("k").header("h", "1"), Record { offset: 1, ..Record::default() }];
    let emits =
        [[0, 0, SOURCE, 9, SOURCE, 9, 9, SOURCE], [1, NONE, 0, 1, 4, 0, 0, 1], [0, 1, NONE, 0, SOURCE, 0, 1, 0]];
    let part = Part { arena: b"name".to_vec(), emits: emits.concat(), headers: vec![0, 4, NONE, 0] };
    assert!(compare(&records, &[part.clone(), part.clone()], 1 << 20));
    // Twice what is handed over, 4 + 28 words + 64 bytes, and what is carried is less than that.
    let handed_over = 4 + 28 * 4 + 64;
    assert!(compare(&records, &[part.clone(), part.clone()], 2 * handed_over));
    assert!(!compare(&records, &[part.clone(), part], 2 * handed_over - 1));
}
