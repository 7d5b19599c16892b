//! JSON as it was written: every entry of an object in its order, repeated keys included, and integers exact.
//!
//! `serde_json::Value` keeps the last of two equal keys in silence; here both reach whoever must refuse them.
//! Nesting is limited by `serde_json` (128 levels), so hostile input ends in an error.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::parameter::JsonKind;

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Tree {
    Null,
    Boolean(bool),
    Number(Number),
    Text(String),
    List(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// A JSON number. One beyond 64 bits is a float, as its value then is to every reader of JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Unsigned(u64),
    Negative(i64),
    Float(f64),
}

/// Where JSON's grammar was broken.
#[derive(Debug)]
pub(crate) struct TreeError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) reason: String,
}

/// Below this a double holds every whole number exactly.
const WHOLE_FLOAT_MAX: f64 = 9_007_199_254_740_992.0;

impl Tree {
    /// Reads one JSON document; anything but space after it is an error.
    pub(crate) fn parse(text: &str) -> Result<Self, TreeError> {
        serde_json::from_str(text).map_err(|error| {
            let text = error.to_string();
            let reason = text.split(" at line ").next().unwrap_or_default().to_owned();
            TreeError { line: error.line(), column: error.column(), reason }
        })
    }

    pub(crate) fn kind(&self) -> JsonKind {
        match self {
            Self::Null => JsonKind::Null,
            Self::Boolean(_) => JsonKind::Boolean,
            Self::Number(_) => JsonKind::Number,
            Self::Text(_) => JsonKind::String,
            Self::List(_) => JsonKind::Array,
            Self::Object(_) => JsonKind::Object,
        }
    }
}

impl Number {
    /// The number when it is whole and in range. A float is taken up to 2^53 only: beyond, it may stand for a neighbour.
    #[expect(clippy::cast_possible_truncation, reason = "the guard leaves whole numbers of at most 54 bits")]
    pub(crate) fn as_i64(self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => i64::try_from(number).ok(),
            Self::Negative(number) => Some(number),
            Self::Float(number) => (number.fract() == 0.0 && number.abs() <= WHOLE_FLOAT_MAX).then_some(number as i64),
        }
    }

    /// The double nearest to the number. JSON cannot write one that is not finite.
    #[expect(clippy::cast_precision_loss, reason = "a DOUBLE written as an integer means the nearest double")]
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Unsigned(number) => number as f64,
            Self::Negative(number) => number as f64,
            Self::Float(number) => number,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned(number) => number.fmt(formatter),
            Self::Negative(number) => number.fmt(formatter),
            Self::Float(number) => number.fmt(formatter),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Boolean(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Number(Number::Unsigned(value)))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Number(Number::Negative(value)))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Number(Number::Float(value)))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut object = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            object.push(entry);
        }
        Ok(Tree::Object(object))
    }
}
