//! What a batch becomes, read from a guest's tables slowly and obviously: what the host's checker is compared with. It
//! shares no code with it.

use std::sync::Arc;

use streamlet_host::batch::Batch;
use streamlet_host::guest::{Checker, OutletRule};

use crate::records::{Emitted, Record, batch, emitted};

/// In place of a position or a source: there is none.
pub const NONE: u32 = 0xffff_ffff;
/// In place of a position or a header count: the source record's.
pub const SOURCE: u32 = 0xffff_fffe;
/// The outlets that are declared; the last one is not bound.
pub const OUTLETS: [&str; 3] = ["out", "other", "unbound"];

/// One part of an output.
#[derive(Debug, Clone, Default)]
pub struct Part {
    /// The bytes that spans point into.
    pub arena: Vec<u8>,
    /// Eight words an emit.
    pub emits: Vec<u32>,
    /// Four words a header.
    pub headers: Vec<u32>,
}

/// That the checker takes a batch's parts if and only if the contract does, and reads them as the contract says. Parts
/// are handed over until the first that is refused.
///
/// # Panics
/// They differ.
pub fn compare(records: &[Record], parts: &[Part], limit: usize) -> bool {
    let outlets = OUTLETS.iter().map(|name| OutletRule { name: (*name).into(), bound: *name != "unbound" });
    let batch = batch(0, 0, records);
    let mut checker = Checker::new(outlets.collect(), Arc::clone(&batch), limit);
    let mut slow = Slow { records, limit, handed_over: 0, carried: 0 };
    for part in parts {
        let Part { arena, emits, headers } = part.clone();
        let checked = checker.check_tables(arena, emits, headers);
        let expected = slow.read(part);
        match (&checked, expected) {
            (Ok(output), Some(expected)) => {
                assert_eq!(read(&batch, std::slice::from_ref(output)), expected, "{records:?} {part:?}");
            }
            (Err(_), None) => return false,
            (checked, expected) => panic!("{checked:?} instead of {expected:?}: {records:?} {part:?} limit {limit}"),
        }
    }
    true
}

fn read(batch: &Batch, parts: &[streamlet_host::batch::Output]) -> Vec<Emitted> {
    emitted(&OUTLETS, batch, parts)
}

/// The contract of `wit/streamlet.wit`, with the rules for the size of an output.
struct Slow<'a> {
    records: &'a [Record],
    limit: usize,
    handed_over: i128,
    carried: i128,
}

impl Slow<'_> {
    /// The emits of a part; none where it breaks a rule.
    fn read(&mut self, part: &Part) -> Option<Vec<Emitted>> {
        let limit = i128::try_from(self.limit).ok()?;
        let length = |length: usize| i128::try_from(length).expect("a length");
        self.handed_over += length(part.arena.len()) + 4 * length(part.emits.len() + part.headers.len()) + 64;
        let is_whole = part.emits.len() % 8 == 0 && part.headers.len() % 4 == 0;
        if !is_whole || self.handed_over > limit {
            return None;
        }
        let headers = part.headers.chunks(4).map(|row| header(&part.arena, row)).collect::<Option<Vec<_>>>()?;
        if headers.iter().map(size_of_header).sum::<i128>() > limit {
            return None;
        }
        let mut emits = Vec::new();
        for row in part.emits.chunks(8) {
            let emit = self.emit(&part.arena, &headers, row)?;
            let Record { key, value, headers, .. } = &emit.record;
            self.carried += 32 + size(key) + size(value) + headers.iter().map(size_of_header).sum::<i128>();
            emits.push(emit);
        }
        (self.carried <= limit).then_some(emits)
    }

    fn emit(&self, arena: &[u8], headers: &[(String, Option<Vec<u8>>)], row: &[u32]) -> Option<Emitted> {
        let &[outlet, source, key, key_length, value, value_length, first, count] = row else { return None };
        let outlet = OUTLETS.get(outlet as usize).filter(|outlet| **outlet != "unbound")?;
        let source = if source == NONE { None } else { Some(self.records.get(source as usize)?) };
        let part = |position, length, own: Option<Option<Vec<u8>>>| match position {
            NONE => Some(None),
            SOURCE => own,
            _ => Some(Some(span(arena, position, length)?)),
        };
        let record = Record {
            offset: source.map_or(-1, |source| source.offset),
            key: part(key, key_length, source.map(|source| source.key.clone()))?,
            value: part(value, value_length, source.map(|source| source.value.clone()))?,
            headers: match count {
                SOURCE => source?.headers.clone(),
                _ => headers.get(first as usize..first as usize + count as usize)?.to_vec(),
            },
        };
        Some(Emitted { outlet: (*outlet).into(), record })
    }
}

fn header(arena: &[u8], row: &[u32]) -> Option<(String, Option<Vec<u8>>)> {
    let &[name, name_length, value, value_length] = row else { return None };
    let name = String::from_utf8(span(arena, name, name_length)?).ok()?;
    let value = if value == NONE { None } else { Some(span(arena, value, value_length)?) };
    Some((name, value))
}

fn span(arena: &[u8], position: u32, length: u32) -> Option<Vec<u8>> {
    arena.get(position as usize..position as usize + length as usize).map(<[u8]>::to_vec)
}

fn size(bytes: &Option<Vec<u8>>) -> i128 {
    bytes.as_ref().map_or(0, |bytes| i128::try_from(bytes.len()).expect("a length"))
}

fn size_of_header((name, value): &(String, Option<Vec<u8>>)) -> i128 {
    16 + i128::try_from(name.len()).expect("a length") + size(value)
}
