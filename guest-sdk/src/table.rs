//! The layout of the packed tables in `wit/streamlet.wit`, version 1.0: the numbers that this crate's two sides share.

/// A key or value position that means "none": no key, null value; a source record that means "no source".
pub(crate) const NONE: u32 = 0xffff_ffff;

/// A key or value position or a header count of an emit that takes the part from the source record.
pub(crate) const FROM_SOURCE: u32 = 0xffff_fffe;

/// A record: key position, key length, value position, value length, first header, header count.
pub(crate) type RecordRow = [u32; 6];

/// A header: name position, name length, value position, value length.
pub(crate) type HeaderRow = [u32; 4];

/// A record's offset and its timestamp in milliseconds.
pub(crate) type TimesRow = [i64; 2];

/// What the host sends as a batch.
#[derive(Default)]
pub(crate) struct BatchTables {
    pub(crate) inlet: u32,
    pub(crate) partition: i32,
    pub(crate) arena: Vec<u8>,
    pub(crate) times: Vec<i64>,
    pub(crate) records: Vec<u32>,
    pub(crate) headers: Vec<u32>,
}

/// What the host is handed as output, or as a part of it.
#[derive(Default)]
pub(crate) struct OutputTables {
    pub(crate) arena: Vec<u8>,
    pub(crate) emits: Vec<u32>,
    pub(crate) headers: Vec<u32>,
}

/// The bytes of a span, or nothing where the span leaves the arena.
pub(crate) fn span(arena: &[u8], position: u32, length: u32) -> Option<&[u8]> {
    let start = position as usize;
    arena.get(start..start.checked_add(length as usize)?)
}

/// The headers of a row, or nothing where it counts past the table.
pub(crate) fn headers(table: &[u32], first: u32, count: u32) -> Option<&[HeaderRow]> {
    let (rows, _) = table.as_chunks();
    let first = first as usize;
    if count == 0 {
        return Some(&[]);
    }
    rows.get(first..first.checked_add(count as usize)?)
}
