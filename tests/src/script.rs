//! Scripted conversations: reading them, and judging what a door made of one. How a script reaches a guest is the door's:
//! it gives back a [`Transcript`], whether it called a lane or spoke gRPC.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

use crate::records::{Emitted, Record};

/// The kinds of conversations there are, each of them once in every set.
pub const KINDS: [&str; 13] = [
    "batch-order-within-partition",
    "config-applied",
    "echo-preserves-record",
    "emits-precede-ack",
    "fail-sends-fail",
    "fan-out",
    "header-order",
    "large-record",
    "rogue-outlet",
    "skip-acks-without-emit",
    "two-inlets",
    "two-partitions-interleave",
    "unkeyed-emit",
];

/// A scripted conversation with the reference streamlet `conformance`.
#[derive(Debug, Deserialize)]
pub struct Script {
    /// Its kind, behind `run.`.
    pub name: String,
    /// What the start carries as `config_json`.
    pub config: serde_json::Map<String, serde_json::Value>,
    /// The batches, in order.
    pub batches: Vec<ScriptedBatch>,
}

/// A batch of a script.
#[derive(Debug, Deserialize)]
pub struct ScriptedBatch {
    /// The inlet's name.
    pub inlet: String,
    /// The inlet's partition.
    pub partition: i32,
    records: Vec<ScriptedRecord>,
}

#[derive(Debug, Deserialize)]
struct ScriptedRecord {
    key: Option<String>,
    offset: i64,
    headers: Vec<ScriptedHeader>,
    value_base64: Option<String>,
    value_repeat: Option<Repeat>,
}

#[derive(Debug, Deserialize)]
struct ScriptedHeader {
    key: String,
    value_base64: String,
}

#[derive(Debug, Deserialize)]
struct Repeat {
    byte: char,
    count: usize,
}

/// What became of a script at a door.
#[derive(Debug, Default)]
pub struct Transcript {
    /// What became of each batch: its emits before the acknowledgement, or the failure's message.
    pub outcomes: Vec<Result<Vec<Emitted>, String>>,
    /// The batches' indices, in the order in which they ended.
    pub ended: Vec<usize>,
    /// Whether the door says no emit's source, as the wire does not.
    pub is_without_sources: bool,
}

impl Script {
    /// All scripts of a folder, by name.
    ///
    /// # Panics
    /// The folder or a script cannot be read, or a kind is missing.
    pub fn read_all(folder: &Path) -> Vec<Self> {
        let mut files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        files.sort();
        let scripts = files.iter().map(|file| serde_json::from_slice::<Self>(&std::fs::read(file).unwrap()).unwrap());
        let scripts = scripts.collect::<Vec<_>>();
        let kinds = scripts.iter().map(Self::kind).collect::<Vec<_>>();
        assert_eq!(kinds, KINDS, "{}", folder.display());
        scripts
    }

    /// Its kind, one of [`KINDS`].
    pub fn kind(&self) -> &str {
        self.name.strip_prefix("run.").unwrap_or(&self.name)
    }

    /// Whether the batches are sent at once, instead of one after the last one's end.
    pub fn is_at_once(&self) -> bool {
        self.kind() == "two-partitions-interleave"
    }

    /// Compares what happened with what the reference streamlet has to do.
    ///
    /// # Panics
    /// It is something else.
    pub fn judge(&self, transcript: &Transcript) {
        for (index, (batch, outcome)) in self.batches.iter().zip(&transcript.outcomes).enumerate() {
            let case = format!("{}, batch {index}", self.name);
            match (self.expected(&batch.records()), outcome) {
                (Ok(mut expected), Ok(emits)) => {
                    if transcript.is_without_sources {
                        for emit in &mut expected {
                            emit.record.offset = -1;
                        }
                    }
                    assert_eq!(*emits, expected, "{case}");
                }
                (Err(words), Err(message)) => assert!(message.contains(words), "{case}: {message}"),
                (expected, outcome) => panic!("{case}: {outcome:?} instead of {expected:?}"),
            }
        }
        let order = if self.is_at_once() { vec![1, 0] } else { (0..self.batches.len()).collect() };
        assert_eq!(transcript.ended, order, "{}: the order of the ends", self.name);
    }

    /// The emits of a batch by the reference streamlet's table, or a part of its failure's text.
    fn expected(&self, records: &[Record]) -> Result<Vec<Emitted>, &'static str> {
        let mut emits = Vec::new();
        for record in records {
            let mut emit = |outlet: &str, record: Record| emits.push(Emitted { outlet: outlet.to_owned(), record });
            let same = || record.clone();
            match record.key.as_deref() {
                Some(b"fan") => {
                    emit("out", same());
                    emit("other", same());
                }
                Some(b"skip") => {}
                Some(b"fail") => return Err("the record said fail"),
                Some(b"rogue-outlet") => return Err("emit to undeclared outlet 'nope'"),
                Some(b"multiply") => {
                    let factor = self.config.get("factor").and_then(serde_json::Value::as_i64).unwrap_or(1);
                    (1..=factor).for_each(|n| emit("out", same().header("n", n.to_string())));
                }
                Some(b"unkeyed") => emit("out", Record { key: None, ..same() }),
                Some(b"header-echo") => {
                    emit("out", Record { headers: record.headers.iter().rev().cloned().collect(), ..same() });
                }
                _ => emit("out", same()),
            }
        }
        Ok(emits)
    }
}

impl ScriptedBatch {
    /// Its records.
    ///
    /// # Panics
    /// The script holds something that is not base64.
    pub fn records(&self) -> Vec<Record> {
        let bytes = |base64: &String| STANDARD.decode(base64).unwrap();
        let records = self.records.iter().map(|record| Record {
            offset: record.offset,
            key: record.key.as_ref().map(|key| key.clone().into_bytes()),
            value: Some(match (&record.value_base64, &record.value_repeat) {
                (Some(base64), None) => bytes(base64),
                (None, Some(Repeat { byte, count })) => byte.to_string().repeat(*count).into_bytes(),
                _ => panic!("a record has one kind of value"),
            }),
            headers: record.headers.iter().map(|h| (h.key.clone(), Some(bytes(&h.value_base64)))).collect(),
        });
        records.collect()
    }
}
