//! What a bench feeds: records made up to a shape, or real ones, cut into batches that are sent over and over, with
//! offsets that go on counting.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bytes::Bytes;
use prost::Message as _;
use streamlet_protocol::wire::{Batch, Header, InputRecord, Record, ToProcess, to_process};
use streamlet_protocol::{Descriptor, partition};

use crate::sidecar::files::{Format, LineRecord, read_line};

/// A timestamp of today's length.
const TIMESTAMP_MS: i64 = 1_700_000_000_000;

/// The shape of made-up records.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) value_bytes: usize,
    pub(super) headers: usize,
}

/// Batches of one inlet.
#[derive(Debug)]
pub(super) struct Load {
    /// Index of the inlet among the declared ones.
    pub(super) inlet: u32,
    inlet_name: String,
    batches: Vec<Prepared>,
    /// How many records each partition gets in one turn through the batches.
    turn: BTreeMap<i32, i64>,
    /// Where the records were read; none if they are made up.
    file: Option<PathBuf>,
}

/// A batch, but for its offsets.
#[derive(Debug)]
struct Prepared {
    batch: Batch,
    /// The line of each record, if it was read.
    lines: Vec<u64>,
}

/// One sending of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sending<'a> {
    load: &'a Load,
    prepared: &'a Prepared,
    turn: i64,
}

impl Load {
    /// Made-up records: JSON objects of about so many bytes, keyed, in so many partitions.
    pub(super) fn made_up(inlet: u32, descriptor: &Descriptor, batch: usize, partitions: u32, shape: Shape) -> Self {
        let record = |number: u32| Record {
            key: Some(Bytes::from(format!("key-{number:012}"))),
            headers: (0..shape.headers)
                .map(|n| Header { key: format!("header-{n:03}"), value: Bytes::from_static(b"sixteen bytes in") })
                .collect(),
            value: made_up_value(number, shape.value_bytes),
        };
        let records = (0..u32::try_from(batch).unwrap_or(u32::MAX)).map(record).collect::<Vec<_>>();
        let of_partition = |number| (number, records.iter().map(|record| (record.clone(), 0)).collect());
        Self::new(inlet, descriptor, (0i32..).take(partitions as usize).map(of_partition).collect(), batch, None)
    }

    /// The records of a file, placed by their keys.
    ///
    /// # Errors
    /// It cannot be read, has a line that is no record, or no record at all.
    pub(super) fn read(
        inlet: u32,
        descriptor: &Descriptor,
        batch: usize,
        partitions: u32,
        (file, format): (&Path, &Format),
    ) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| format!("cannot read \"{}\"", file.display()))?;
        let mut placed = BTreeMap::<i32, Vec<_>>::new();
        let mut unkeyed = 0;
        for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            let read = read_line(format, line).with_context(|| format!("{}:{number}", file.display()))?;
            let Some(LineRecord { key, value, headers }) = read else { continue };
            let partition = key.as_ref().map_or_else(
                || {
                    unkeyed += 1;
                    (unkeyed - 1) % partitions
                },
                |key| partition::of_key(key, partitions),
            );
            // The protocol has no nulls: the platform's sidecar sends them as empty, too.
            let headers = headers
                .into_iter()
                .map(|(key, value)| Header { key, value: value.unwrap_or_default().into() })
                .collect();
            let record = Record { key: key.map(Bytes::from), headers, value: value.unwrap_or_default().into() };
            placed.entry(partition.cast_signed()).or_default().push((record, number));
        }
        anyhow::ensure!(!placed.is_empty(), "\"{}\" has no record", file.display());
        Ok(Self::new(inlet, descriptor, placed, batch, Some(file.into())))
    }

    fn new(
        inlet: u32,
        descriptor: &Descriptor,
        placed: BTreeMap<i32, Vec<(Record, u64)>>,
        records_max: usize,
        file: Option<PathBuf>,
    ) -> Self {
        let inlet_name = descriptor.inlets.get(inlet as usize).map_or_else(String::new, |inlet| inlet.name.clone());
        let turn = placed.iter().map(|(number, records)| (*number, to_i64(records.len()))).collect();
        let mut rows = Vec::new();
        for (partition, records) in placed {
            for (row, chunk) in records.chunks(records_max.max(1)).enumerate() {
                let first = to_i64(row * records_max);
                let input = chunk.iter().zip(first..).map(|((record, _), offset)| InputRecord {
                    offset,
                    timestamp_ms: TIMESTAMP_MS,
                    record: Some(record.clone()),
                });
                let batch = Batch { batch_id: 0, inlet: inlet_name.clone(), partition, records: input.collect() };
                rows.push((row, Prepared { batch, lines: chunk.iter().map(|(_, line)| *line).collect() }));
            }
        }
        // Partitions take turns, as they come in from a topic.
        rows.sort_by_key(|(row, prepared)| (*row, prepared.batch.partition));
        Self { inlet, inlet_name, batches: rows.into_iter().map(|(_, prepared)| prepared).collect(), turn, file }
    }

    /// The inlet's name.
    pub(super) fn inlet_name(&self) -> &str {
        &self.inlet_name
    }

    /// The partitions that have records.
    pub(super) fn partitions(&self) -> impl Iterator<Item = i32> {
        self.turn.keys().copied()
    }

    /// All batches in turn, for ever.
    pub(super) fn sendings(&self) -> impl Iterator<Item = Sending<'_>> {
        (0..).flat_map(move |turn| self.batches.iter().map(move |prepared| Sending { load: self, prepared, turn }))
    }

    /// Where the record of this offset was read.
    pub(super) fn origin(&self, partition: i32, offset: i64) -> Option<String> {
        let file = self.file.as_ref()?;
        let offset = offset % self.turn.get(&partition)?;
        let lines = self.batches.iter().filter(|prepared| prepared.batch.partition == partition);
        let line = lines.flat_map(|prepared| &prepared.lines).nth(usize::try_from(offset).ok()?)?;
        Some(format!("{}:{line}", file.display()))
    }
}

impl Sending<'_> {
    pub(super) fn partition(&self) -> i32 {
        self.prepared.batch.partition
    }

    /// The number of records.
    pub(super) fn records(&self) -> usize {
        self.prepared.batch.records.len()
    }

    /// Bytes of all values.
    pub(super) fn value_bytes(&self) -> usize {
        let values = self.prepared.batch.records.iter().filter_map(|input| input.record.as_ref());
        values.map(|record| record.value.len()).sum()
    }

    /// The message.
    pub(super) fn encoded(&self, batch_id: u64) -> Bytes {
        let mut batch = self.prepared.batch.clone();
        batch.batch_id = batch_id;
        let before = self.turn * self.load.turn.get(&batch.partition).copied().unwrap_or_default();
        batch.records.iter_mut().for_each(|record| record.offset += before);
        ToProcess { message: Some(to_process::Message::Batch(batch)) }.encode_to_vec().into()
    }
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A JSON object with a number, and text up to about so many bytes.
fn made_up_value(number: u32, bytes: usize) -> Bytes {
    let head = format!(r#"{{"id":"id-{number}","total":{},"note":""#, u64::from(number) * 7 % 200);
    let filling = bytes.saturating_sub(head.len() + 2);
    Bytes::from(format!("{head}{}\"}}", "x".repeat(filling)))
}
