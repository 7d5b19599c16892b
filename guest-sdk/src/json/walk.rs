//! The second reading of a value: the same type, the same bytes, but a path and errors without data.

mod map;

use std::borrow::Cow;

use serde::de::value::CowStrDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use self::map::{Object, Variant};
use super::fault::Fault;
use super::path::{Path, Step};
use super::scan::Scan;

/// How deep `serde_json` goes too.
const DEPTH_MAX: usize = 128;

/// What `T` refuses in the JSON and the path to it, or nothing if that cannot be told.
pub(super) fn explain<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<(String, Path)> {
    let mut walk = Walk { scan: Scan::new(bytes), path: Path::default() };
    match T::deserialize(&mut walk) {
        Err(Fault::Refused(what)) => Some((what, walk.path)),
        Err(Fault::Lost) | Ok(_) => None,
    }
}

/// Where the reading stands. The path keeps the steps to the first error, since a step is taken back only on success.
pub(super) struct Walk<'a> {
    scan: Scan<'a>,
    path: Path,
}

impl<'a> Walk<'a> {
    /// Reads what is one step down from `depth`.
    fn descend<T: DeserializeSeed<'a>>(&mut self, depth: usize, step: Step, seed: T) -> Result<T::Value, Fault> {
        if depth >= DEPTH_MAX {
            return Err(Fault::Lost);
        }
        self.path.0.truncate(depth);
        self.path.0.push(step);
        let value = seed.deserialize(&mut *self)?;
        self.path.0.truncate(depth);
        Ok(value)
    }

    fn scalar<V: Visitor<'a>>(&mut self, visitor: V) -> Result<V::Value, Fault> {
        match self.scan.word()? {
            "null" => visitor.visit_unit(),
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            text => number(text, visitor),
        }
    }

    fn object<V: Visitor<'a>>(&mut self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.scan.expect(b'{')?;
        let depth = self.path.0.len();
        let mut object = Object { walk: self, fields, depth, first: true, ended: false, step: Step::Key };
        let value = visitor.visit_map(&mut object)?;
        // A visitor may stop at the last member it needs, and `serde_json` then wants the end.
        if !object.ended {
            self.scan.expect(b'}')?;
        }
        Ok(value)
    }
}

/// Gives a number to the visitor as `serde_json` does: unsigned, signed, or else floating.
fn number<'a, V: Visitor<'a>>(text: &str, visitor: V) -> Result<V::Value, Fault> {
    if let Ok(unsigned) = text.parse() {
        return visitor.visit_u64(unsigned);
    }
    if let Ok(signed) = text.parse() {
        return visitor.visit_i64(signed);
    }
    visitor.visit_f64(serde_json::from_slice(text.as_bytes()).map_err(|_| Fault::Lost)?)
}

impl<'a> Deserializer<'a> for &mut Walk<'a> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.scan.peek()? {
            b'{' => self.object(&[], visitor),
            b'[' => {
                self.scan.expect(b'[')?;
                let depth = self.path.0.len();
                let mut array = Array { walk: self, depth, next: 0, ended: false };
                let value = visitor.visit_seq(&mut array)?;
                if !array.ended {
                    self.scan.expect(b']')?;
                }
                Ok(value)
            }
            b'"' => match self.scan.string()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_str(&text),
            },
            _ => self.scalar(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.scan.peek()? {
            b'{' => self.object(fields, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.scan.peek()? == b'n' {
            self.scan.word()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.scan.peek()? {
            b'{' => {
                self.scan.expect(b'{')?;
                let value = visitor.visit_enum(Variant { walk: self, variants, step: Step::Key })?;
                self.scan.expect(b'}')?;
                Ok(value)
            }
            b'"' => {
                let name: CowStrDeserializer<'_, Fault> = self.scan.string()?.into_deserializer();
                visitor.visit_enum(name)
            }
            // An error of syntax to `serde_json`, so the first reading never leads here.
            _ => Err(Fault::Lost),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.scan.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The elements of an array.
struct Array<'w, 'a> {
    walk: &'w mut Walk<'a>,
    depth: usize,
    next: usize,
    ended: bool,
}

impl<'a> SeqAccess<'a> for &mut Array<'_, 'a> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'a>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        self.walk.path.0.truncate(self.depth);
        if !self.walk.scan.element_follows(self.next == 0, b']')? {
            self.ended = true;
            return Ok(None);
        }
        let step = Step::Index(self.next);
        self.next += 1;
        self.walk.descend(self.depth, step, seed).map(Some)
    }
}
