//! A record as a topic has it.

use std::fmt;

use rdkafka::Message as _;
use rdkafka::message::{BorrowedMessage, Header, Headers as _, OwnedHeaders};

/// Everything of a record. In one that is to be produced the offset means nothing, and no timestamp means now.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Its partition.
    pub partition: i32,
    /// Its offset.
    pub offset: i64,
    /// Its key; none if null.
    pub key: Option<Vec<u8>>,
    /// Its value; none in a tombstone.
    pub value: Option<Vec<u8>>,
    /// Its headers, in order; a value may be null.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Milliseconds since 1970.
    pub timestamp: Option<i64>,
}

impl Record {
    /// A record with a value, for partition 0, and nothing else.
    pub fn new(value: impl AsRef<[u8]>) -> Self {
        Self { value: Some(value.as_ref().to_vec()), ..Self::default() }
    }

    /// A record without a value.
    pub fn tombstone() -> Self {
        Self::default()
    }

    /// For this partition.
    #[must_use]
    pub fn partition(self, partition: i32) -> Self {
        Self { partition, ..self }
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

    /// With one more header, whose value is null.
    #[must_use]
    pub fn null_header(mut self, name: &str) -> Self {
        self.headers.push((name.to_owned(), None));
        self
    }

    /// Of this moment.
    #[must_use]
    pub fn timestamp(self, milliseconds: i64) -> Self {
        Self { timestamp: Some(milliseconds), ..self }
    }

    /// Its value as text; empty for a tombstone.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.value.as_deref().unwrap_or_default()).into_owned()
    }

    /// Its key as text; empty without one.
    pub fn key_text(&self) -> String {
        String::from_utf8_lossy(self.key.as_deref().unwrap_or_default()).into_owned()
    }

    pub(super) fn owned_headers(&self) -> Option<OwnedHeaders> {
        let all = OwnedHeaders::new_with_capacity(self.headers.len());
        let insert = |all: OwnedHeaders, (name, value): &(String, Option<Vec<u8>>)| {
            all.insert(Header { key: name, value: value.as_ref() })
        };
        (!self.headers.is_empty()).then(|| self.headers.iter().fold(all, insert))
    }
}

impl From<&BorrowedMessage<'_>> for Record {
    fn from(message: &BorrowedMessage<'_>) -> Self {
        let headers = message.headers().into_iter().flat_map(|headers| headers.iter());
        Self {
            partition: message.partition(),
            offset: message.offset(),
            key: message.key().map(<[u8]>::to_vec),
            value: message.payload().map(<[u8]>::to_vec),
            headers: headers.map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec))).collect(),
            timestamp: message.timestamp().to_millis(),
        }
    }
}

/// Lossy and short: a large value must not fill a failed test's output.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &Vec<u8>| {
            let shown = bytes.get(..60).unwrap_or(bytes);
            format!("{} bytes: {}", bytes.len(), shown.escape_ascii())
        };
        let headers = self.headers.iter().map(|(name, value)| (name, value.as_ref().map(text))).collect::<Vec<_>>();
        f.debug_struct("Record")
            .field("at", &format_args!("{}:{}", self.partition, self.offset))
            .field("key", &self.key.as_ref().map(text))
            .field("value", &self.value.as_ref().map(text))
            .field("headers", &headers)
            .field("timestamp", &self.timestamp)
            .finish()
    }
}
