//! A record that owns its bytes: put into an inlet, or found at an outlet.

use serde::de::DeserializeOwned;

/// A record of a test. Two are equal when keys, values and headers are: where they come from is not compared.
///
/// ```
/// use streamlet::testing::Record;
///
/// let record = Record::new(r#"{"total": 10}"#).key("c1").header("source", "shop").timestamp_ms(1_700_000_000_000);
/// assert_eq!(record.key_text(), Some("c1"));
/// assert_eq!(record.header_text("source"), Some("shop"));
/// assert_eq!(record.json::<serde_json::Value>()["total"], 10);
/// assert_ne!(record, Record::new(r#"{"total": 10}"#).key("c1"), "the header is missing");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Record {
    /// The key; an absent one and an empty one differ.
    pub key: Option<Vec<u8>>,
    /// The value; `None` makes it a tombstone.
    pub value: Option<Vec<u8>>,
    /// The headers in order, values may be null.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// The offset in the partition: where it was put, of an emit its source's. Unset, the harness counts from 0.
    pub offset: Option<i64>,
    /// The timestamp in milliseconds, of an emit its source's.
    pub timestamp_ms: i64,
    /// The inlet's partition, of an emit its source's. Set by the harness.
    pub partition: Option<i32>,
}

impl Record {
    /// A record with this value, without key and headers.
    pub fn new(value: impl Into<Vec<u8>>) -> Self {
        Self { value: Some(value.into()), ..Self::default() }
    }

    /// A tombstone: this key and a null value.
    pub fn tombstone(key: impl Into<Vec<u8>>) -> Self {
        Self { key: Some(key.into()), ..Self::default() }
    }

    /// Sets the key.
    #[must_use]
    pub fn key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Appends a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.headers.push((name.into(), Some(value.into())));
        self
    }

    /// Appends a header with a null value.
    #[must_use]
    pub fn null_header(mut self, name: impl Into<String>) -> Self {
        self.headers.push((name.into(), None));
        self
    }

    /// Sets the offset. Records of a partition have to be put in the order of their offsets.
    #[must_use]
    pub fn offset(mut self, offset: i64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Sets the timestamp, in milliseconds since 1970.
    #[must_use]
    pub fn timestamp_ms(mut self, timestamp_ms: i64) -> Self {
        self.timestamp_ms = timestamp_ms;
        self
    }

    /// The value as text, empty for a tombstone.
    ///
    /// # Panics
    /// The value is not UTF-8.
    #[track_caller]
    pub fn text(&self) -> &str {
        text(self.value.as_deref().unwrap_or_default(), "the value")
    }

    /// The key as text.
    ///
    /// # Panics
    /// The key is not UTF-8.
    #[track_caller]
    pub fn key_text(&self) -> Option<&str> {
        self.key.as_deref().map(|key| text(key, "the key"))
    }

    /// The value of the last header of this name as text; null reads as empty.
    ///
    /// # Panics
    /// The header's value is not UTF-8.
    #[track_caller]
    pub fn header_text(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().rfind(|(found, _)| found == name)?;
        Some(text(value.as_deref().unwrap_or_default(), "the header's value"))
    }

    /// The value read as JSON.
    ///
    /// # Panics
    /// The value is not the JSON of a `T`.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(self.value.as_deref().unwrap_or_default()) {
            Ok(value) => value,
            Err(error) => panic!("the record's value is not the JSON expected: {error}"),
        }
    }
}

#[track_caller]
fn text<'a>(bytes: &'a [u8], what: &str) -> &'a str {
    match str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => panic!("{what} is not text: {error}"),
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.value, &self.headers) == (&other.key, &other.value, &other.headers)
    }
}

impl Eq for Record {}
