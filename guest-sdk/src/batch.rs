//! A batch as its author sees it: records that borrow from one arena.

use std::fmt;
use std::iter::{FusedIterator, Zip};
use std::slice;

use crate::composed::RecordSource;
use crate::cursor::{self, Place};
use crate::error::{Error, Result};
use crate::port::Inlet;
use crate::record::Record;
use crate::table::{self, BatchTables, NONE, RecordRow, TimesRow};

/// Records of one inlet partition, in offset order.
///
/// Iterating is free: a [`Record`] is a reference into the batch. While a `for` loop stands on a record, errors made
/// in its body blame that record.
///
/// ```
/// # use streamlet::prelude::*;
/// fn process(batch: &Batch, _: &mut Emits) -> Result<()> {
///     for record in batch {
///         record.text()?.parse::<i64>()?; // what fails here is the fault of `record`
///     }
///     Ok(())
/// }
/// ```
pub struct Batch {
    tables: BatchTables,
}

/// Shows where the batch is from and how large it is; never its data.
impl fmt::Debug for Batch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Batch")
            .field("inlet", &self.tables.inlet)
            .field("partition", &self.tables.partition)
            .field("records", &self.len())
            .finish()
    }
}

impl Batch {
    /// Takes over the host's tables, once every index and span in them is known to be good. Work on them has not begun,
    /// so nothing is blamed.
    pub(crate) fn new(tables: BatchTables) -> Result<Self> {
        cursor::stand(None);
        match check(&tables) {
            Some(()) => Ok(Self { tables }),
            None => Err(Error::new("the host sent a batch whose tables break the contract ankka:flow@1.0.0")),
        }
    }

    /// The inlet that all the records came in by, to be compared with a field of the streamlet.
    pub fn inlet(&self) -> Inlet {
        Inlet::at(self.tables.inlet)
    }

    /// The number of the inlet's partition.
    pub fn partition(&self) -> i32 {
        self.tables.partition
    }

    /// How many records there are; a host sends at least one.
    pub fn len(&self) -> usize {
        self.rows().len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The record of this index. Errors made while it is held do not blame it by themselves, its own methods' do;
    /// [`Error::at`] blames it explicitly.
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        let row = self.rows().get(index)?;
        let times = self.times().get(index)?;
        Some(Record::new(self, u32::try_from(index).ok()?, row, times))
    }

    /// The records in offset order, as `for record in batch` has them.
    pub fn iter(&self) -> Records<'_> {
        let rows = self.times().iter().zip(self.rows());
        Records { batch: self, rows, next: 0, outer: cursor::place(), mine: None }
    }

    /// The records in offset order as a source, one for each request: the beginning of a composed stream.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// # struct Numbers { even: Outlet }
    /// # impl Numbers {
    /// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
    ///     batch
    ///         .source()
    ///         .try_map(|record| Ok(record.text()?.parse::<i64>()?)) // what fails is the fault of `record`
    ///         .filter(|number| number % 2 == 0)
    ///         .map(Json)
    ///         .connect(out.sink(self.even))
    ///         .run_to_end()
    /// }
    /// # }
    /// ```
    pub fn source(&self) -> RecordSource<'_> {
        RecordSource::new(self.iter())
    }

    pub(crate) fn tables(&self) -> &BatchTables {
        &self.tables
    }

    /// A part of a record: the span's bytes, or nothing for the position that means none.
    pub(crate) fn part(&self, position: u32, length: u32) -> Option<&[u8]> {
        if position == NONE { None } else { table::span(&self.tables.arena, position, length) }
    }

    fn rows(&self) -> &[RecordRow] {
        self.tables.records.as_chunks().0
    }

    fn times(&self) -> &[TimesRow] {
        self.tables.times.as_chunks().0
    }
}

/// Checks every index and span, so that what reads them later has nothing to refuse: where the furthest ends, since most
/// of them are good and each look of its own would cost more.
fn check(tables: &BatchTables) -> Option<()> {
    let (rows, []) = tables.records.as_chunks::<6>() else { return None };
    let (headers, []) = tables.headers.as_chunks::<4>() else { return None };
    let (times, []) = tables.times.as_chunks::<2>() else { return None };
    let (mut bytes, mut last_header) = (0, 0);
    for &[key, key_length, value, value_length, first, count] in rows {
        bytes = bytes.max(end_of(key, key_length)).max(end_of(value, value_length));
        last_header = last_header.max(if count == 0 { 0 } else { u64::from(first) + u64::from(count) });
    }
    for &[name, name_length, value, value_length] in headers {
        // A header has a name.
        bytes = bytes.max(u64::from(name) + u64::from(name_length)).max(end_of(value, value_length));
    }
    let is_good =
        times.len() == rows.len() && bytes <= tables.arena.len() as u64 && last_header <= headers.len() as u64;
    is_good.then_some(())
}

/// Where a span ends; one that means none ends nowhere.
fn end_of(position: u32, length: u32) -> u64 {
    if position == NONE { 0 } else { u64::from(position) + u64::from(length) }
}

impl<'a> IntoIterator for &'a Batch {
    type Item = Record<'a>;
    type IntoIter = Records<'a>;

    fn into_iter(self) -> Records<'a> {
        self.iter()
    }
}

/// The records of a batch in offset order. The last one given is the one that errors blame; when the iteration ends,
/// by exhaustion or by `break`, that is again the record which an iteration around it stands on, or none.
#[derive(Debug)]
pub struct Records<'a> {
    batch: &'a Batch,
    rows: Zip<slice::Iter<'a, TimesRow>, slice::Iter<'a, RecordRow>>,
    next: u32,
    /// Where the cursor stood before, and where this iteration put it.
    outer: Option<Place>,
    mine: Option<Place>,
}

impl Records<'_> {
    /// Puts the cursor back, unless another iteration has moved it since.
    pub(crate) fn leave(&mut self) {
        if self.mine.is_some() && cursor::place() == self.mine {
            cursor::stand(self.outer);
        }
        self.mine = None;
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let Some((times, row)) = self.rows.next() else {
            self.leave();
            return None;
        };
        let [offset, _] = *times;
        self.mine = Some(Place { index: self.next, offset });
        cursor::stand(self.mine);
        let record = Record::new(self.batch, self.next, row, times);
        self.next += 1;
        Some(record)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl ExactSizeIterator for Records<'_> {}
impl FusedIterator for Records<'_> {}

impl Drop for Records<'_> {
    fn drop(&mut self) {
        // A panic on its way out is the record's; whoever catches it reads the cursor.
        if !std::thread::panicking() {
            self.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch_of(count: u32) -> Batch {
        let times = (0..i64::from(count)).flat_map(|n| [100 + n, 0]).collect();
        let records = (0..count).flat_map(|_| [NONE, 0, 0, 3, 0, 0]).collect();
        Batch::new(BatchTables { arena: b"abc".to_vec(), times, records, ..BatchTables::default() }).unwrap()
    }

    fn blamed() -> Option<usize> {
        Error::new("x").blamed()
    }

    #[test]
    fn an_error_blames_the_record_iterated_on_however_the_loop_is_left() {
        let batch = batch_of(3);
        for record in &batch {
            assert_eq!(blamed(), Some(record.index()));
            assert_eq!(cursor::place().unwrap().offset, record.offset());
        }
        assert_eq!(blamed(), None, "the loop has ended");
        for record in &batch {
            if record.index() == 1 {
                break;
            }
        }
        assert_eq!(blamed(), None, "the loop was left by break");
        let early = || -> Result<()> {
            for record in &batch {
                if record.index() == 1 {
                    "x".parse::<i64>()?;
                }
            }
            Ok(())
        };
        assert_eq!(early().unwrap_err().blamed(), Some(1), "the loop was left by `?`");
        assert_eq!(blamed(), None);
    }

    #[test]
    fn nested_and_parallel_iterations_keep_their_places() {
        let batch = batch_of(3);
        for outer in &batch {
            for inner in &batch {
                assert_eq!(blamed(), Some(inner.index()));
                if inner.index() == 1 {
                    break;
                }
            }
            assert_eq!(blamed(), Some(outer.index()));
            assert_eq!(batch.iter().map(Record::offset).max(), Some(102));
            assert_eq!(blamed(), Some(outer.index()));
        }
        assert_eq!(batch.iter().zip(&batch).count(), 3);
        assert_eq!(blamed(), None);
    }

    #[test]
    fn explicit_blame_wins() {
        let batch = batch_of(3);
        let error = batch.iter().map(|_| Error::new("x").at(batch.get(2).unwrap())).next().unwrap();
        assert_eq!(error.blamed(), Some(2));
        assert_eq!(batch.get(3).map(Record::index), None);
        assert_eq!((batch.len(), batch.is_empty(), batch.iter().len()), (3, false, 3));
    }

    #[test]
    fn broken_tables_are_refused() {
        let good = || BatchTables {
            arena: b"abc".to_vec(),
            times: vec![0, 0],
            records: vec![0, 1, 1, 2, 0, 1],
            headers: vec![3, 0, NONE, 7],
            ..BatchTables::default()
        };
        assert!(Batch::new(good()).is_ok());
        let broken: [fn(&mut BatchTables); 8] = [
            |tables| tables.times.truncate(1),
            |tables| tables.times.clear(),
            |tables| tables.records.truncate(5),
            |tables| tables.records[1] = 4,
            |tables| tables.records[3] = u32::MAX,
            |tables| tables.records[5] = 2,
            |tables| tables.headers[0] = NONE,
            |tables| tables.headers[2] = 4,
        ];
        for (index, break_it) in broken.iter().enumerate() {
            let mut tables = good();
            break_it(&mut tables);
            assert!(Batch::new(tables).is_err(), "case {index}");
        }
    }
}
