//! Random tables from a guest: the checker takes what the contract takes, reads it right, and never panics.
#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use streamlet_tests::oracle::{NONE, Part, SOURCE, compare};
use streamlet_tests::records::Record;

fuzz_target!(|data: &[u8]| {
    // Bytes that run out make a smaller case.
    let _ = case(&mut Unstructured::new(data));
});

fn case(from: &mut Unstructured<'_>) -> Result<()> {
    let records = (0..from.int_in_range(0..=3)?).map(|offset| record(from, offset)).collect::<Result<Vec<_>>>()?;
    let parts = (0..from.int_in_range(1..=3)?).map(|_| part(from)).collect::<Result<Vec<_>>>()?;
    let limit = if from.ratio(1, 4)? { from.int_in_range(0..=600)? } else { 1 << 20 };
    compare(&records, &parts, limit);
    Ok(())
}

fn record(from: &mut Unstructured<'_>, offset: i64) -> Result<Record> {
    let mut record = Record { offset, key: from.arbitrary()?, value: from.arbitrary()?, headers: Vec::new() };
    for _ in 0..from.int_in_range(0..=2)? {
        record.headers.push(from.arbitrary()?);
    }
    Ok(record)
}

fn part(from: &mut Unstructured<'_>) -> Result<Part> {
    let length = from.int_in_range(0..=12)?;
    let arena = from.bytes(length)?.to_vec();
    let (headers, emits) = (from.int_in_range(0..=3)?, from.int_in_range(0..=4)?);
    let odd = usize::from(from.ratio(1, 32)?);
    Ok(Part { arena, headers: words(from, headers * 4 + odd)?, emits: words(from, emits * 8 + odd)? })
}

/// Words that are likely to be near an edge.
fn words(from: &mut Unstructured<'_>, count: usize) -> Result<Vec<u32>> {
    let word = |from: &mut Unstructured<'_>| match from.int_in_range(0..=7u8)? {
        0..=4 => from.int_in_range(0..=5),
        5 => Ok(SOURCE),
        6 => Ok(NONE),
        _ => from.arbitrary(),
    };
    (0..count).map(|_| word(from)).collect()
}
