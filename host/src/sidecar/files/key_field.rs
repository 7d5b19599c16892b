//! Takes a record's key from a top-level field of its value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

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

/// The key: a string's text, or a number's or boolean's JSON text. None where the field is absent or null.
pub(super) fn find<'a>(value: &'a [u8], field: &str) -> Result<Option<Cow<'a, [u8]>>, KeyError> {
    let mut json = serde_json::Deserializer::from_slice(value);
    let found = json.deserialize_any(Fields { field }).and_then(|found| json.end().map(|()| found));
    match found {
        Ok(Found::Nothing) => Ok(None),
        Ok(Found::Text(Cow::Borrowed(text))) => Ok(Some(Cow::Borrowed(text.as_bytes()))),
        Ok(Found::Text(Cow::Owned(text))) => Ok(Some(Cow::Owned(text.into_bytes()))),
        Ok(Found::Compound) => Err(KeyError::NotScalar),
        Err(error) if error.is_data() => Err(KeyError::NotAnObject),
        Err(error) => Err(KeyError::NotJson { column: error.column() }),
    }
}

/// What the field holds.
enum Found<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Compound,
}

/// Visits the object and keeps the field's last occurrence, as JSON readers commonly do.
struct Fields<'f> {
    field: &'f str,
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        let mut found = Found::Nothing;
        while let Some(is_field) = map.next_key_seed(IsField(self.field))? {
            if is_field {
                found = map.next_value_seed(Scalar)?;
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

/// A string, number or boolean as text.
struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Found<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Found<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Owned(value.to_string())))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Found<'de>, E> {
        Ok(Found::Text(Cow::Owned(value.to_string())))
    }

    fn visit_unit<E: Error>(self) -> Result<Found<'de>, E> {
        Ok(Found::Nothing)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<Found<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found::Compound)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Compound)
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
        check(r#"{"id":18446744073709551615}"#, Ok(Some("18446744073709551615")));
        check(r#"{"id":-7}"#, Ok(Some("-7")));
        check(r#"{"id":1.5}"#, Ok(Some("1.5")));
        check(r#"{"id":true}"#, Ok(Some("true")));
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
}
