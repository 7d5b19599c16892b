//! The host's check of what a batch becomes, and its resolution into records.

use super::record::Record;
use crate::declaration::PortDeclaration;
use crate::table::{self, FROM_SOURCE, NONE, OutputTables};

/// The most bytes of an emit that the sidecar takes, unless configured otherwise (`max_message_bytes`).
const EMIT_BYTES_MAX: usize = 4 << 20;

/// An emit with everything in it.
pub(super) struct Emitted {
    pub(super) outlet: usize,
    pub(super) record: Record,
}

/// The emits of a part, or which rule of the contract is broken.
pub(super) fn resolve(
    tables: &OutputTables,
    batch: &[Record],
    outlets: &[PortDeclaration],
) -> Result<Vec<Emitted>, String> {
    let (rows, []) = tables.emits.as_chunks::<8>() else {
        return Err("the table of emits ends within an emit".to_owned());
    };
    rows.iter().map(|row| emit(tables, row, batch, outlets)).collect()
}

fn emit(
    tables: &OutputTables,
    row: &[u32; 8],
    batch: &[Record],
    outlets: &[PortDeclaration],
) -> Result<Emitted, String> {
    let [outlet, source, key, key_length, value, value_length, first, count] = *row;
    let Some(port) = outlets.get(outlet as usize) else {
        return Err(format!("emit to undeclared outlet {outlet}: there are {}", outlets.len()));
    };
    let refuse = |what: &str| format!(r#"an emit to outlet "{}" has {what}"#, port.name);
    let source = match source {
        NONE => None,
        index => Some(batch.get(index as usize).ok_or_else(|| refuse("a source outside the batch"))?),
    };
    let from_source = || source.ok_or_else(|| refuse("a part from its source, but no source"));
    let bytes = |position, length| match position {
        NONE => Ok(None),
        _ => table::span(&tables.arena, position, length)
            .map(|span| Some(span.to_vec()))
            .ok_or_else(|| refuse("a span outside the arena")),
    };
    let key = if key == FROM_SOURCE { from_source()?.key.clone() } else { bytes(key, key_length)? };
    let value = if value == FROM_SOURCE { from_source()?.value.clone() } else { bytes(value, value_length)? };
    let headers = if count == FROM_SOURCE {
        from_source()?.headers.clone()
    } else {
        let rows = table::headers(&tables.headers, first, count).ok_or_else(|| refuse("headers outside the table"))?;
        let header = |&[name, name_length, value, value_length]: &[u32; 4]| {
            let name = bytes(name, name_length)?.and_then(|name| String::from_utf8(name).ok());
            let name = name.ok_or_else(|| refuse("a header name that is not UTF-8"))?;
            Ok((name, bytes(value, value_length)?))
        };
        rows.iter().map(header).collect::<Result<_, String>>()?
    };
    let place = source.map(|source| (source.offset, source.timestamp_ms, source.partition));
    let (offset, timestamp_ms, partition) = place.unwrap_or_default();
    let record = Record { key, value, headers, offset, timestamp_ms, partition };
    let size = size_of(&record);
    if size > EMIT_BYTES_MAX {
        return Err(refuse(&format!("{size} bytes, over the sidecar's limit of {EMIT_BYTES_MAX}")));
    }
    Ok(Emitted { outlet: outlet as usize, record })
}

/// The bytes of a record's parts, a little less than its encoding has.
fn size_of(record: &Record) -> usize {
    let length = |part: &Option<Vec<u8>>| part.as_ref().map_or(0, Vec::len);
    let headers = record.headers.iter().map(|(name, value)| name.len() + length(value));
    length(&record.key) + length(&record.value) + headers.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTLETS: &[PortDeclaration] = &[PortDeclaration { name: "out", schema: "x.v1" }];

    #[track_caller]
    fn check(emits: &[u32], headers: &[u32], expect: &str) {
        let tables = OutputTables { arena: b"a\xff".to_vec(), emits: emits.to_vec(), headers: headers.to_vec() };
        let refused = resolve(&tables, &[Record::new("v")], OUTLETS).err();
        assert_eq!(refused.unwrap_or_default(), expect);
    }

    #[test]
    fn what_the_host_refuses_is_refused() {
        check(&[0, 0, FROM_SOURCE, 0, FROM_SOURCE, 0, 0, FROM_SOURCE], &[], "");
        check(&[0, NONE, NONE, 0, 2, 0, 0, 1], &[0, 1, NONE, 9], "");
        check(&[0, 0], &[], "the table of emits ends within an emit");
        check(&[1, 0, NONE, 0, NONE, 0, 0, 0], &[], "emit to undeclared outlet 1: there are 1");
        check(&[0, 1, NONE, 0, NONE, 0, 0, 0], &[], r#"an emit to outlet "out" has a source outside the batch"#);
        let from_nowhere = r#"an emit to outlet "out" has a part from its source, but no source"#;
        check(&[0, NONE, FROM_SOURCE, 0, NONE, 0, 0, 0], &[], from_nowhere);
        check(&[0, NONE, NONE, 0, NONE, 0, 0, FROM_SOURCE], &[], from_nowhere);
        let outside = r#"an emit to outlet "out" has a span outside the arena"#;
        check(&[0, NONE, 1, 2, NONE, 0, 0, 0], &[], outside);
        check(&[0, NONE, NONE, 0, NONE - 2, 9, 0, 0], &[], outside);
        check(&[0, NONE, NONE, 0, NONE, 0, 1, 1], &[0; 4], r#"an emit to outlet "out" has headers outside the table"#);
        let name = r#"an emit to outlet "out" has a header name that is not UTF-8"#;
        check(&[0, NONE, NONE, 0, NONE, 0, 0, 1], &[1, 1, NONE, 0], name);
        check(&[0, NONE, NONE, 0, NONE, 0, 0, 1], &[NONE, 0, NONE, 0], name);
    }
}
