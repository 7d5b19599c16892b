//! Objects: their keys, their values, and enum variants written as `{"variant": ..}`.

use std::borrow::Cow;

use serde::de::value::CowStrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, VariantAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::{Walk, number};
use crate::json::fault::Fault;
use crate::json::path::Step;

/// The members of an object. `fields` are those that the type declares, if it does.
pub(super) struct Object<'w, 'a> {
    pub(super) walk: &'w mut Walk<'a>,
    pub(super) fields: &'static [&'static str],
    pub(super) depth: usize,
    pub(super) first: bool,
    pub(super) ended: bool,
    /// Where the value of the last key is.
    pub(super) step: Step,
}

/// The step for a key: its name if the type declares it.
fn step(declared: &'static [&'static str], key: &str) -> Step {
    declared.iter().find(|name| **name == key).map_or(Step::Key, |name| Step::Name(name))
}

impl<'a> MapAccess<'a> for &mut Object<'_, 'a> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'a>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let walk = &mut *self.walk;
        walk.path.0.truncate(self.depth);
        if !walk.scan.element_follows(self.first, b'}')? {
            self.ended = true;
            return Ok(None);
        }
        self.first = false;
        let key = walk.scan.string()?;
        walk.scan.expect(b':')?;
        self.step = step(self.fields, &key);
        if self.fields.is_empty() {
            walk.path.0.push(Step::Key);
        }
        let key = seed.deserialize(Key(key))?;
        walk.path.0.truncate(self.depth);
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'a>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        self.walk.descend(self.depth, self.step, seed)
    }
}

/// A key, which may stand for a number or a boolean.
struct Key<'a>(Cow<'a, str>);

macro_rules! numeric_keys {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
            number(&self.0, visitor)
        }
    )+};
}

impl<'a> Deserializer<'a> for Key<'a> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Cow::Borrowed(key) => visitor.visit_borrowed_str(key),
            Cow::Owned(key) => visitor.visit_str(&key),
        }
    }

    numeric_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.as_ref() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'a>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let name: CowStrDeserializer<'_, Fault> = self.0.into_deserializer();
        visitor.visit_enum(name)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'a>>
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant with its content, inside the object's braces.
pub(super) struct Variant<'w, 'a> {
    pub(super) walk: &'w mut Walk<'a>,
    pub(super) variants: &'static [&'static str],
    pub(super) step: Step,
}

impl<'a> EnumAccess<'a> for Variant<'_, 'a> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'a>>(mut self, seed: V) -> Result<(V::Value, Self), Fault> {
        let key = self.walk.scan.string()?;
        self.walk.scan.expect(b':')?;
        self.step = step(self.variants, &key);
        let variant = seed.deserialize(Key(key))?;
        Ok((variant, self))
    }
}

impl<'a> Variant<'_, 'a> {
    /// Reads the content one step down; the step stays on the path if that fails.
    fn content<T>(self, read: impl FnOnce(&mut Walk<'a>) -> Result<T, Fault>) -> Result<T, Fault> {
        let depth = self.walk.path.0.len();
        self.walk.path.0.push(self.step);
        let value = read(self.walk)?;
        self.walk.path.0.truncate(depth);
        Ok(value)
    }
}

impl<'a> VariantAccess<'a> for Variant<'_, 'a> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        self.content(|walk| <()>::deserialize(walk))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'a>>(self, seed: T) -> Result<T::Value, Fault> {
        self.content(|walk| seed.deserialize(walk))
    }

    fn tuple_variant<V: Visitor<'a>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content(|walk| walk.deserialize_any(visitor))
    }

    fn struct_variant<V: Visitor<'a>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.content(|walk| walk.deserialize_struct("", fields, visitor))
    }
}
