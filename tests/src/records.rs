//! Records and emits that a test owns, and the batches made of them.

use std::fmt;
use std::sync::Arc;

use streamlet_host::batch::{Batch, BatchBuilder, Header, Output};

/// A record, with everything that a door has to keep.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Its offset.
    pub offset: i64,
    /// Its key, if it has one.
    pub key: Option<Vec<u8>>,
    /// Its value; none in a tombstone.
    pub value: Option<Vec<u8>>,
    /// Its headers, in order; a value may be null.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Record {
    /// A record with a value, and nothing else.
    pub fn new(offset: i64, value: impl AsRef<[u8]>) -> Self {
        Self { offset, value: Some(value.as_ref().to_vec()), ..Self::default() }
    }

    /// With this key.
    #[must_use]
    pub fn key(self, key: impl AsRef<[u8]>) -> Self {
        Self { key: Some(key.as_ref().to_vec()), ..self }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), Some(value.as_ref().to_vec())));
        self
    }
}

/// Lossy and short: a large value must not fill a failed test's output.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &Vec<u8>| {
            let shown = bytes.get(..60).map_or_else(|| bytes.clone(), <[u8]>::to_vec);
            format!("{} bytes: {}", bytes.len(), shown.escape_ascii())
        };
        let headers = self.headers.iter().map(|(name, value)| (name, value.as_ref().map(text))).collect::<Vec<_>>();
        f.debug_struct("Record")
            .field("offset", &self.offset)
            .field("key", &self.key.as_ref().map(text))
            .field("value", &self.value.as_ref().map(text))
            .field("headers", &headers)
            .finish()
    }
}

/// An emit: its outlet, and what it carries. Its record's offset is the source's, or -1 where it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The outlet's name.
    pub outlet: String,
    /// What was emitted.
    pub record: Record,
}

/// A batch of these records.
pub fn batch(inlet: u32, partition: i32, records: &[Record]) -> Arc<Batch> {
    let mut builder = BatchBuilder::default();
    for record in records {
        let headers =
            record.headers.iter().map(|(name, value)| Header { name: name.as_bytes(), value: value.as_deref() });
        builder.push((record.offset, 0), record.key.as_deref(), record.value.as_deref(), headers).unwrap();
    }
    Arc::new(builder.take(inlet, partition))
}

/// The emits of a batch's output, in order.
pub fn emitted(outlets: &[&str], batch: &Batch, parts: &[Output]) -> Vec<Emitted> {
    let emits = parts.iter().flat_map(|part| part.emits(batch)).map(|emit| {
        let headers = emit
            .headers()
            .map(|header| (String::from_utf8(header.name.to_vec()).unwrap(), header.value.map(<[u8]>::to_vec)));
        let record = Record {
            offset: emit.source.map_or(-1, |source| source.offset),
            key: emit.key().map(<[u8]>::to_vec),
            value: emit.value().map(<[u8]>::to_vec),
            headers: headers.collect(),
        };
        Emitted { outlet: (*outlets.get(emit.outlet as usize).expect("a declared outlet")).to_owned(), record }
    });
    emits.collect()
}

/// A cart of about so many bytes, filled with items as carts are; a short one has none.
pub fn cart(number: usize, bytes: usize) -> Vec<u8> {
    let head = format!(r#"{{"cart_id":"cart-{number:06}","event":"item-added","at":"2025-11-30T10:03:21Z","items":["#);
    let tail = format!(r#"],"total":{},"currency":"EUR"}}"#, number * 7 % 200);
    let mut items = Vec::new();
    let mut length = head.len() + tail.len();
    loop {
        let n = items.len();
        let item = format!(
            r#"{{"sku":"SKU-{:06}","quantity":{},"price":{},"title":"A thing of some length, number {n}"}}"#,
            n * 7919 % 1_000_000,
            n % 9 + 1,
            n * 137 % 10_000
        );
        length += item.len() + 1;
        if length > bytes.max(1) {
            break;
        }
        items.push(item);
    }
    format!("{head}{}{tail}", items.join(",")).into_bytes()
}
