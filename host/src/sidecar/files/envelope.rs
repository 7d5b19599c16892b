//! Envelopes: a record as one line of JSON, so that every key, header and value survives a text file.
//!
//! `{"key": "…", "headers": [{"key": "…", "value": "…"}], "value": "…", "partition": 0, "offset": 7,
//! "timestamp_ms": 1700000000000, "outlet": "valid"}`. A text is a JSON string; bytes that are not UTF-8 stand in base64
//! (standard alphabet, padded) under the same name with `_base64`. An absent key is no key, a null value a tombstone, a
//! null header value null. `partition`, `offset`, `timestamp_ms` and `outlet` are written and, on reading, ignored.

mod read;
mod write;

pub use read::EnvelopeError;
pub(super) use read::read;
pub(super) use write::write;
