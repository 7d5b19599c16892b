//! The checker against each fault by name, and its limits. Random tables are in `tests/it/evil/checker.rs`, beside a slow
//! and obvious reading of the contract.

use super::*;
use crate::batch::{BatchBuilder, Header};

/// Two records: `k`/`value` with a header `h`/`1`, and a tombstone without key and headers.
fn batch() -> Arc<Batch> {
    let mut builder = BatchBuilder::default();
    let header = Header { name: b"h", value: Some(b"1") };
    builder.push((10, 0), Some(b"k"), Some(b"value"), std::iter::once(header)).unwrap();
    builder.push((11, 0), None, None, std::iter::empty()).unwrap();
    Arc::new(builder.take(0, 0))
}

fn outlets() -> Arc<[OutletRule]> {
    Arc::new([OutletRule { name: "out".into(), bound: true }, OutletRule { name: "unbound".into(), bound: false }])
}

fn check_with(limit: usize, arena: &[u8], emits: &[u32], headers: &[u32]) -> Result<Output, OutputFault> {
    let part = types::Output { arena: arena.into(), emits: emits.into(), headers: headers.into() };
    Checker::new(outlets(), batch(), limit).check(part)
}

fn check(arena: &[u8], emits: &[u32], headers: &[u32], expect: OutputFault) {
    assert_eq!(check_with(1 << 20, arena, emits, headers).err(), Some(expect), "{emits:?} {headers:?}");
}

const FORWARD: [u32; 8] = [0, 0, FROM_SOURCE, 0, FROM_SOURCE, 0, 0, FROM_SOURCE];

/// [`FORWARD`] with one word replaced.
fn forward_but(word: usize, value: u32) -> [u32; 8] {
    let mut emit = FORWARD;
    emit[word] = value;
    emit
}

#[test]
fn every_fault_is_named() {
    use OutputFault as Fault;
    check(b"", &FORWARD[..7], &[], Fault::EmitsUneven { words: 7 });
    check(b"", &FORWARD, &[0; 3], Fault::HeadersUneven { words: 3 });
    check(b"", &forward_but(0, 2), &[], Fault::OutletUndeclared { emit: 0, outlet: 2, declared: 2 });
    check(b"", &forward_but(0, 1), &[], Fault::OutletUnbound { emit: 0, outlet: "unbound".into() });
    check(b"", &forward_but(1, 2), &[], Fault::SourceOutOfRange { emit: 0, source_record: 2, records: 2 });
    check(
        b"",
        &forward_but(1, FROM_SOURCE),
        &[],
        Fault::SourceOutOfRange { emit: 0, source_record: FROM_SOURCE, records: 2 },
    );
    let sourceless = [0, ABSENT, ABSENT, 0, ABSENT, 0, 0, 0];
    for (word, part) in [(2, "key"), (4, "value"), (7, "headers")] {
        let mut emit = sourceless;
        emit[word] = FROM_SOURCE;
        check(b"", &emit, &[], Fault::NoSource { emit: 0, part });
    }
    let key = |position, length| {
        let mut emit = FORWARD;
        emit[2..4].copy_from_slice(&[position, length]);
        emit
    };
    let out_of_range = |position, length| Fault::PartOutOfRange { emit: 0, part: "key", position, length, arena: 4 };
    check(b"1234", &key(5, 0), &[], out_of_range(5, 0));
    check(b"1234", &key(0, 5), &[], out_of_range(0, 5));
    check(b"1234", &key(0xffff_fffd, 0xffff_ffff), &[], out_of_range(0xffff_fffd, 0xffff_ffff));
    check_with(1 << 20, b"1234", &key(4, 0), &[]).expect("an empty span at the arena's end");

    let header = [0, 1, 1, 1];
    check(b"nv", &forward_but(7, 2), &header, Fault::HeadersOutOfRange { emit: 0, first: 0, count: 2, headers: 1 });
    let overflow = [0, 0, FROM_SOURCE, 0, FROM_SOURCE, 0, u32::MAX, u32::MAX];
    let fault = Fault::HeadersOutOfRange { emit: 0, first: u32::MAX, count: u32::MAX, headers: 1 };
    check(b"nv", &overflow, &header, fault);
    let part = |part, position, length| Fault::HeaderOutOfRange { header: 0, part, position, length, arena: 2 };
    check(b"nv", &FORWARD, &[2, 1, 0, 0], part("name", 2, 1));
    check(b"nv", &FORWARD, &[ABSENT, 0, 0, 0], part("name", ABSENT, 0));
    check(b"nv", &FORWARD, &[0, 1, 1, 2], part("value", 1, 2));
    check(b"\xffv", &FORWARD, &header, Fault::HeaderNameNotText { header: 0 });
}

/// Two emits of the same 1,000 new bytes, without key and headers.
fn twice_a_thousand_bytes() -> Vec<u32> {
    [0, ABSENT, ABSENT, 0, 0, 1000, 0, 0].repeat(2)
}

#[test]
fn the_limit_counts_what_emits_carry_even_if_they_share_it() {
    let arena = [b'x'; 1000];
    let carried = 2 * (32 + 1000);
    check_with(carried, &arena, &twice_a_thousand_bytes(), &[]).expect("exactly the limit");
    let fault = OutputFault::TooLarge { bytes: carried as u64, limit: carried - 1 };
    assert_eq!(check_with(carried - 1, &arena, &twice_a_thousand_bytes(), &[]).err(), Some(fault));
    // What a source record lends counts as well: row, key, value, and the header with its row.
    let lent = FORWARD.repeat(10);
    let fault = OutputFault::TooLarge { bytes: 10 * (32 + 1 + 5 + 16 + 2), limit: 10 * 56 - 1 };
    assert_eq!(check_with(10 * 56 - 1, b"", &lent, &[]).err(), Some(fault));
}

#[test]
fn the_limit_counts_what_is_handed_over_even_if_nothing_is_emitted() {
    let mut checker = Checker::new(outlets(), batch(), 3 * (1000 + 64));
    let part = || types::Output { arena: vec![0; 1000], emits: vec![], headers: vec![] };
    for _ in 0..3 {
        checker.check(part()).unwrap();
    }
    let fault = OutputFault::TooLarge { bytes: 4 * (1000 + 64), limit: 3 * (1000 + 64) };
    assert_eq!(checker.check(part()).err(), Some(fault));
}

#[test]
fn headers_that_share_a_long_name_are_not_read_beyond_the_limit() {
    let arena = vec![b'x'; 1 << 20];
    let headers = [0, 1 << 20, ABSENT, 0].repeat(100_000);
    let limit = 64 << 20;
    let fault = check_with(limit, &arena, &[], &headers).unwrap_err();
    assert!(matches!(fault, OutputFault::TooLarge { bytes, .. } if bytes < (limit as u64) + (2 << 20)), "{fault}");
}

#[test]
fn many_emits_that_share_many_headers_are_counted_without_walking_them() {
    let headers = [0, 1, ABSENT, 0].repeat(100_000);
    let emits = [0, ABSENT, ABSENT, 0, ABSENT, 0, 0, 100_000].repeat(100_000);
    let fault = check_with(usize::MAX, b"n", &emits, &headers).map(|output| output.len());
    assert_eq!(fault, Ok(100_000));
}
