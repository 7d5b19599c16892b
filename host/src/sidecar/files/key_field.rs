//! Takes a record's key from a top-level field of its value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why a value gives no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is not JSON.
    #[error("it is not JSON at column {column}")]
    NotJson {
        /// Counted in bytes from 1.
        column: usize,
    },
    /// It is JSON, but no object.
    #[error("it is not a JSON object")]
    NotAnObject,
    /// The field holds something with no one text.
    #[error("the key field is an array or an object; a key is a string, a number or a boolean")]
    NotScalar,
}

/// The key: a string's text, or a number or boolean exactly as it is written. None where the field is absent or null.
pub(super) fn find<'a>(value: &'a [u8], field: &str) -> Result<Option<Cow<'a, [u8]>>, KeyError> {
    let mut json = serde_json::Deserializer::from_slice(value);
    let found = json.deserialize_any(Fields { field }).and_then(|found| json.end().map(|()| found));
    let raw = match found {
        Ok(None) => return Ok(None),
        Ok(Some(raw)) => raw.get(),
        Err(error) if error.is_data() => return Err(KeyError::NotAnObject),
        Err(error) => return Err(KeyError::NotJson { column: error.column() }),
    };
    match raw.as_bytes().first() {
        Some(b'"') => text(raw).map(Some).ok_or(KeyError::NotScalar),
        Some(b'{' | b'[') => Err(KeyError::NotScalar),
        _ if raw == "null" => Ok(None),
        _ => Ok(Some(Cow::Borrowed(raw.as_bytes()))),
    }
}

/// A JSON string's text, borrowed where nothing in it is escaped.
fn text(raw: &str) -> Option<Cow<'_, [u8]>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str::<String>(raw).ok().map(|text| Cow::Owned(text.into_bytes()))
    } else {
        Some(Cow::Borrowed(inner.as_bytes()))
    }
}

/// Visits the object and keeps the field's last occurrence, as JSON readers commonly do.
struct Fields<'f> {
    field: &'f str,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_field) = map.next_key_seed(IsField(self.field))? {
            if is_field {
                found = Some(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Whether a field's name is the one looked for.
struct IsField<'f>(&'f str);

impl<'de> DeserializeSeed<'de> for IsField<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsField<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, expect: Result<Option<&str>, KeyError>) {
        let found = find(value.as_bytes(), "id");
        assert_eq!(found, expect.map(|key| key.map(|key| Cow::Borrowed(key.as_bytes()))), "{value}");
    }

    #[test]
    fn a_key_is_a_scalar_of_the_top_level() {
        check(r#"{"id":"c1","a":[{"id":2}]}"#, Ok(Some("c1")));
        check(r#"{"a":{"id":"no"},"id":"caf\u00e9 \n"}"#, Ok(Some("café \n")));
        check(r#"{"id":""}"#, Ok(Some("")));
        check(r#"{"id": true }"#, Ok(Some("true")));
        check(r#"{"id":"first","id":"last"}"#, Ok(Some("last")));
        check(r#"{"id":null}"#, Ok(None));
        check("{}", Ok(None));
        check(r#"{"id":[1]}"#, Err(KeyError::NotScalar));
        check(r#"{"id":{"a":1}}"#, Err(KeyError::NotScalar));
        check(r#"["id"]"#, Err(KeyError::NotAnObject));
        check("17", Err(KeyError::NotAnObject));
        check(r#""secret""#, Err(KeyError::NotAnObject));
        check(r#"{"id":"c1"} x"#, Err(KeyError::NotJson { column: 13 }));
        check(r#"{"id":"#, Err(KeyError::NotJson { column: 6 }));
    }

    #[test]
    fn a_numbers_key_is_what_is_written() {
        for number in ["18446744073709551615", "-7", "1.50", "1e2", "123456789012345678901"] {
            check(&format!(r#"{{"id":{number}}}"#), Ok(Some(number)));
        }
    }
}
