//! Reads an envelope. Errors name fields of the envelope and columns, never what stands there.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// An envelope's record.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::sidecar::files) struct Envelope<'a> {
    pub(in crate::sidecar::files) key: Option<Cow<'a, [u8]>>,
    pub(in crate::sidecar::files) value: Option<Cow<'a, [u8]>>,
    pub(in crate::sidecar::files) headers: Vec<EnvelopeHeader<'a>>,
}

/// A header's name and its value, which may be null.
type EnvelopeHeader<'a> = (Cow<'a, str>, Option<Cow<'a, [u8]>>);

/// Why a line is no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is not JSON.
    #[error("it is not JSON at column {column}")]
    NotJson {
        /// Counted in bytes from 1.
        column: usize,
    },
    /// It is JSON of another shape.
    #[error(
        "column {column} has what an envelope has not: it is an object with key or key_base64, headers (an array of \
         objects with key and value or value_base64), value or value_base64, and perhaps partition, offset, \
         timestamp_ms and outlet, each once"
    )]
    Shape {
        /// Counted in bytes from 1.
        column: usize,
    },
    /// A part is given as text and as base64.
    #[error("{part} is given twice, as \"{part}\" and as \"{part}_base64\"")]
    Twice {
        /// The part.
        part: &'static str,
    },
    /// A part that must be there is not.
    #[error("{part} is missing; a tombstone has \"value\": null")]
    Missing {
        /// The part.
        part: &'static str,
    },
    /// A part is JSON of another kind.
    #[error("{part} is {kind}, but must be a string{}", if *part == "value" { ": the text of the value, never embedded JSON" } else { "" })]
    Kind {
        /// The part.
        part: &'static str,
        /// What it is.
        kind: &'static str,
    },
    /// A part's base64 is not.
    #[error("{part}_base64 is not padded base64 of the standard alphabet")]
    Base64 {
        /// The part.
        part: &'static str,
    },
}

/// Reads one line.
pub(in crate::sidecar::files) fn read(line: &[u8]) -> Result<Envelope<'_>, EnvelopeError> {
    let raw = serde_json::from_slice::<Raw<'_>>(line).map_err(|error| {
        let column = error.column();
        if error.is_data() { EnvelopeError::Shape { column } } else { EnvelopeError::NotJson { column } }
    })?;
    let key = bytes("key", raw.key, raw.key_base64)?.flatten();
    let value = bytes("value", raw.value, raw.value_base64)?.ok_or(EnvelopeError::Missing { part: "value" })?;
    let headers = raw.headers.unwrap_or_default().into_iter().map(|header| {
        let name = match header.key {
            Part::Text(name) => name,
            Part::Absent => return Err(EnvelopeError::Missing { part: "a header's key" }),
            Part::Null => return Err(EnvelopeError::Kind { part: "a header's key", kind: "null" }),
            Part::Other(kind) => return Err(EnvelopeError::Kind { part: "a header's key", kind }),
        };
        let value = bytes("a header's value", header.value, header.value_base64)?;
        Ok((name, value.ok_or(EnvelopeError::Missing { part: "a header's value" })?))
    });
    Ok(Envelope { key, value, headers: headers.collect::<Result<_, _>>()? })
}

/// The bytes of a part: none where it is absent, none within where it is null.
#[expect(clippy::option_option, reason = "absent and null are different, and both are no bytes")]
fn bytes<'a>(
    part: &'static str,
    text: Part<'a>,
    base64: Part<'a>,
) -> Result<Option<Option<Cow<'a, [u8]>>>, EnvelopeError> {
    match (text, base64) {
        (Part::Absent, Part::Absent) => Ok(None),
        (Part::Null, Part::Absent) | (Part::Absent, Part::Null) => Ok(Some(None)),
        (Part::Text(Cow::Borrowed(text)), Part::Absent) => Ok(Some(Some(Cow::Borrowed(text.as_bytes())))),
        (Part::Text(Cow::Owned(text)), Part::Absent) => Ok(Some(Some(Cow::Owned(text.into_bytes())))),
        (Part::Absent, Part::Text(text)) => {
            let bytes = STANDARD.decode(text.as_bytes()).map_err(|_| EnvelopeError::Base64 { part })?;
            Ok(Some(Some(Cow::Owned(bytes))))
        }
        (Part::Other(kind), Part::Absent) | (Part::Absent, Part::Other(kind)) => {
            Err(EnvelopeError::Kind { part, kind })
        }
        _ => Err(EnvelopeError::Twice { part }),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw<'a> {
    #[serde(borrow, default)]
    key: Part<'a>,
    #[serde(borrow, default)]
    key_base64: Part<'a>,
    #[serde(borrow, default)]
    headers: Option<Vec<RawHeader<'a>>>,
    #[serde(borrow, default)]
    value: Part<'a>,
    #[serde(borrow, default)]
    value_base64: Part<'a>,
    #[serde(default, rename = "partition")]
    _partition: IgnoredAny,
    #[serde(default, rename = "offset")]
    _offset: IgnoredAny,
    #[serde(default, rename = "timestamp_ms")]
    _timestamp_ms: IgnoredAny,
    #[serde(default, rename = "outlet")]
    _outlet: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHeader<'a> {
    #[serde(borrow, default)]
    key: Part<'a>,
    #[serde(borrow, default)]
    value: Part<'a>,
    #[serde(borrow, default)]
    value_base64: Part<'a>,
}

/// A field that should hold a string.
#[derive(Default)]
enum Part<'a> {
    #[default]
    Absent,
    Null,
    Text(Cow<'a, str>),
    /// Something else, by its kind.
    Other(&'static str),
}

impl<'de: 'a, 'a> Deserialize<'de> for Part<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PartVisitor)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Part<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or null")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Part<'de>, E> {
        Ok(Part::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Part<'de>, E> {
        Ok(Part::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Part<'de>, E> {
        Ok(Part::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Part<'de>, E> {
        Ok(Part::Other("a boolean"))
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Part<'de>, E> {
        Ok(Part::Other("a number"))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Part<'de>, E> {
        Ok(Part::Other("a number"))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Part<'de>, E> {
        Ok(Part::Other("a number"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Part::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Part<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Part::Other("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> EnvelopeError {
        read(line.as_bytes()).unwrap_err()
    }

    #[test]
    fn null_empty_and_absent_stay_apart() {
        let parts = |line: &'static str| {
            let envelope = read(line.as_bytes()).unwrap();
            (envelope.key.map(Cow::into_owned), envelope.value.map(Cow::into_owned))
        };
        assert_eq!(parts(r#"{"value":""}"#), (None, Some(vec![])));
        assert_eq!(parts(r#"{"key":"","value":null}"#), (Some(vec![]), None));
        assert_eq!(parts(r#"{"key":null,"value_base64":"AP8="}"#), (None, Some(vec![0, 255])));
        let line = r#"{"value":"v","headers":[{"key":"a","value":null},{"key":"a","value":""},{"key":"","value_base64":"/w=="}]}"#;
        let headers = read(line.as_bytes()).unwrap().headers;
        let headers = headers.iter().map(|(name, value)| (&**name, value.as_deref())).collect::<Vec<_>>();
        assert_eq!(headers, [("a", None), ("a", Some(&[][..])), ("", Some(&[255][..]))]);
    }

    #[test]
    fn what_is_no_envelope_is_named() {
        let column = |line: &str| match refused(line) {
            EnvelopeError::NotJson { column } => column,
            other => panic!("{other:?}"),
        };
        assert_eq!(column("{\"value\":"), 9);
        assert_eq!(column("nope"), 2);
        assert!(matches!(refused("[]"), EnvelopeError::Missing { .. } | EnvelopeError::Shape { .. }));
        assert!(matches!(refused(r#"{"value":"v","total":1}"#), EnvelopeError::Shape { .. }));
        assert!(matches!(refused(r#"{"value":"v","value":"w"}"#), EnvelopeError::Shape { .. }));
        assert!(matches!(refused(r#"{"value":"v","headers":{}}"#), EnvelopeError::Shape { .. }));
        assert_eq!(refused("{}"), EnvelopeError::Missing { part: "value" });
        assert_eq!(refused(r#"{"value":{"total":1}}"#), EnvelopeError::Kind { part: "value", kind: "an object" });
        assert_eq!(refused(r#"{"value":"v","key":7}"#), EnvelopeError::Kind { part: "key", kind: "a number" });
        assert_eq!(refused(r#"{"value":"v","value_base64":"dg=="}"#), EnvelopeError::Twice { part: "value" });
        assert_eq!(refused(r#"{"value_base64":"dg"}"#), EnvelopeError::Base64 { part: "value" });
        let part = "a header's key";
        assert_eq!(refused(r#"{"value":"v","headers":[{"value":"x"}]}"#), EnvelopeError::Missing { part });
        assert_eq!(
            refused(r#"{"value":"v","headers":[{"key":"a"}]}"#),
            EnvelopeError::Missing { part: "a header's value" }
        );
    }

    #[test]
    fn no_error_quotes_the_line() {
        for line in [
            r#"{"canary":1}"#,
            r#"{"value":"v","canary":1}"#,
            r#""canary""#,
            r#"["canary"]"#,
            r#"{"value":["canary"]}"#,
            r#"{"value_base64":"canary!"}"#,
            r#"{"value":"v","headers":"canary"}"#,
            r#"{"value":"v","headers":[{"canary":1}]}"#,
            "canary",
        ] {
            let error = refused(line);
            assert!(!format!("{error} {error:?}").contains("canary"), "{error}");
        }
    }
}
