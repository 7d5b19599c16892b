//! From the document as written to its values: definitions merged, substitutions made.
//!
//! A substitution sees the document as a whole, wherever it stands. One that meets a definition it is part of sees the
//! definitions before that one, which is how a key extends or keeps its own earlier value.

use std::collections::BTreeSet;

use super::scanner::error;
use super::tree::{Definition, Piece, Place, RawEntry, RawObject, RawValue, written};
use super::{DEPTH_MAX, Document, Field, HoconError, HoconReason, Object, RESOLVED_BYTES_MAX, Value};

/// How deep resolving may go: levels of the document, and substitutions within substitutions.
const RESOLVING_DEPTH_MAX: usize = 2 * DEPTH_MAX;

/// Resolves every field and reports every substitution that cannot be made.
pub(super) fn document(
    root: &RawObject,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Document, Vec<HoconError>> {
    let mut resolver = Resolver {
        root,
        environment,
        active: Vec::new(),
        met_itself: false,
        bytes: 0,
        referenced: BTreeSet::new(),
        errors: Vec::new(),
    };
    let object = resolver.object(root);
    let mut errors = resolver.errors;
    if errors.is_empty() {
        return Ok(Document { root: object, referenced: resolver.referenced });
    }
    // What several substitutions refer to is resolved, and told, for each of them.
    errors.sort_by_key(|error| (error.line, error.column));
    errors.dedup();
    Err(errors)
}

/// A value cannot be resolved, and why has been noted.
struct Told;

/// A value; none where an optional substitution leaves the key unset.
type Outcome = Result<Option<Value>, Told>;

struct Resolver<'a> {
    root: &'a RawObject,
    environment: &'a dyn Fn(&str) -> Option<String>,
    /// The definitions that are being resolved, outermost first.
    active: Vec<&'a Definition>,
    /// Whether the current look-up has met an active definition with nothing before it.
    met_itself: bool,
    /// Of [`RESOLVED_BYTES_MAX`].
    bytes: usize,
    referenced: BTreeSet<String>,
    errors: Vec<HoconError>,
}

impl<'a> Resolver<'a> {
    fn object(&mut self, object: &'a RawObject) -> Object {
        let mut fields = Vec::new();
        for entry in &object.entries {
            if let Ok(Some((value, line))) = self.entry(entry) {
                fields.push(Field { key: entry.key.clone(), line, value });
            }
        }
        Object { fields }
    }

    /// A key's value, and the line of the definition that counts.
    fn entry(&mut self, entry: &'a RawEntry) -> Result<Option<(Value, usize)>, Told> {
        let active = entry.definitions.iter().position(|definition| self.is_active(definition));
        self.met_itself |= active == Some(0);
        let mut found = Vec::new();
        for definition in entry.definitions.iter().take(active.unwrap_or(usize::MAX)).rev() {
            let Some(value) = self.definition(definition)? else { continue };
            let hides_earlier = !definition.appends && !matches!(value, Value::Object(_));
            found.push((definition, value));
            if hides_earlier {
                break;
            }
        }
        let mut combined = None;
        for (definition, value) in found.into_iter().rev() {
            let value = match (combined.take(), value) {
                (None, value) if definition.appends => Value::List(vec![value]),
                (Some(Value::List(mut list)), value) if definition.appends => {
                    list.push(value);
                    Value::List(list)
                }
                (Some(_), _) if definition.appends => {
                    let key = written(std::slice::from_ref(&entry.key));
                    return Err(self.tell(definition.place, HoconReason::AppendsToOther(key)));
                }
                (Some(Value::Object(base)), Value::Object(over)) => Value::Object(merged(base, over)),
                (_, value) => value,
            };
            combined = Some(value);
            self.met_itself = false;
        }
        let line = entry.definitions.last().map_or(0, |definition| definition.place.line);
        Ok(combined.map(|value| (value, line)))
    }

    fn is_active(&self, definition: &Definition) -> bool {
        self.active.iter().any(|active| std::ptr::eq(*active, definition))
    }

    fn definition(&mut self, definition: &'a Definition) -> Outcome {
        self.active.push(definition);
        let outcome = self.value(&definition.value, definition.place);
        self.active.pop();
        outcome
    }

    fn value(&mut self, value: &'a RawValue, place: Place) -> Outcome {
        self.count(1, place)?;
        if self.active.len() > RESOLVING_DEPTH_MAX {
            return Err(self.tell(place, HoconReason::TooDeep));
        }
        let mut parts = Vec::new();
        for piece in &value.pieces {
            parts.push(match piece {
                Piece::Space(space) => Part::Space(space),
                piece => self.piece(piece, place)?.map_or(Part::Absent, Part::Value),
            });
        }
        join(parts).map_err(|(left, right)| self.tell(place, HoconReason::Mixed(left, right)))
    }

    fn piece(&mut self, piece: &'a Piece, place: Place) -> Outcome {
        Ok(Some(match piece {
            Piece::Null => Value::Null,
            Piece::Text(text) | Piece::Space(text) => {
                self.count(text.len(), place)?;
                Value::Text(text.clone())
            }
            Piece::List(values) => {
                let mut list = Vec::new();
                for value in values {
                    list.extend(self.value(value, place)?);
                }
                Value::List(list)
            }
            Piece::Object(object) => Value::Object(self.object(object)),
            Piece::Substitution { place, path, is_optional } => {
                return self.substitution(*place, path, *is_optional);
            }
        }))
    }

    /// The document's own value, or else the environment's.
    fn substitution(&mut self, place: Place, path: &'a [String], is_optional: bool) -> Outcome {
        let root = self.root;
        self.referenced.extend(path.first().cloned());
        let outer = std::mem::take(&mut self.met_itself);
        let found = self.lookup(root, path);
        let met_itself = std::mem::replace(&mut self.met_itself, outer);
        let found = match found? {
            None => (self.environment)(&path.join(".")).map(Value::Text),
            found => found,
        };
        match &found {
            Some(Value::Text(text)) => self.count(text.len(), place)?,
            None if !is_optional => {
                let path = written(path);
                let reason = if met_itself { HoconReason::Circular(path) } else { HoconReason::Undefined(path) };
                return Err(self.tell(place, reason));
            }
            _ => {}
        }
        Ok(found)
    }

    /// The value at a path below an object. Objects are looked into without being resolved, so that their fields may
    /// refer to each other.
    fn lookup(&mut self, object: &'a RawObject, path: &[String]) -> Outcome {
        let Some((key, rest)) = path.split_first() else { return Ok(None) };
        let Some(entry) = object.entry(key) else { return Ok(None) };
        if rest.is_empty() {
            return Ok(self.entry(entry)?.map(|(value, _)| value));
        }
        let mut found = None;
        for definition in entry.definitions.iter().rev() {
            let value = match definition.value.pieces.as_slice() {
                [Piece::Object(inner)] => self.lookup(inner, rest)?,
                _ if self.is_active(definition) => continue,
                _ => match self.definition(definition)? {
                    None => continue,
                    Some(Value::Object(inner)) => below(inner, rest),
                    // Not an object: it hides whatever came before.
                    Some(_) => break,
                },
            };
            found = match (value, found) {
                (Some(Value::Object(base)), Some(Value::Object(over))) => Some(Value::Object(merged(base, over))),
                (value, None) => value,
                (_, found) => found,
            };
            if found.as_ref().is_some_and(|found| !matches!(found, Value::Object(_))) {
                break;
            }
        }
        Ok(found)
    }

    fn count(&mut self, bytes: usize, place: Place) -> Result<(), Told> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= RESOLVED_BYTES_MAX {
            return Ok(());
        }
        let is_told = self.errors.iter().any(|error| error.reason == HoconReason::TooLarge);
        Err(if is_told { Told } else { self.tell(place, HoconReason::TooLarge) })
    }

    fn tell(&mut self, place: Place, reason: HoconReason) -> Told {
        self.errors.push(error(place, reason));
        Told
    }
}

/// A piece, resolved.
enum Part<'a> {
    Space(&'a str),
    Absent,
    Value(Value),
}

/// Pieces side by side: texts are joined with the space between them, lists and objects without. The error names the
/// kinds that do not go together.
fn join(parts: Vec<Part<'_>>) -> Result<Option<Value>, (&'static str, &'static str)> {
    let mut joined: Option<Value> = None;
    // Space counts only between texts, and an absent text is an empty one.
    let mut space = String::new();
    for part in parts {
        let value = match part {
            Part::Space(text) => {
                space.push_str(text);
                continue;
            }
            Part::Absent => continue,
            Part::Value(value) => value,
        };
        let before = std::mem::take(&mut space);
        joined = Some(match (joined, value) {
            (None, value) => match (before.is_empty(), text(&value)) {
                (false, Some(text)) => Value::Text(before + text),
                _ => value,
            },
            (Some(Value::Object(base)), Value::Object(over)) => Value::Object(merged(base, over)),
            (Some(Value::List(mut list)), Value::List(more)) => {
                list.extend(more);
                Value::List(list)
            }
            (Some(left), right) => match (text(&left), text(&right)) {
                (Some(start), Some(end)) => Value::Text(format!("{start}{before}{end}")),
                _ => return Err((left.kind(), right.kind())),
            },
        });
    }
    Ok(match joined {
        Some(Value::Text(text)) => Some(Value::Text(text + &space)),
        joined => joined,
    })
}

/// What a value is within a joined text.
fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Null => Some("null"),
        Value::Text(text) => Some(text),
        Value::List(_) | Value::Object(_) => None,
    }
}

/// Two objects in one: fields of `over` replace those of `base`, objects merge.
fn merged(mut base: Object, over: Object) -> Object {
    for field in over.fields {
        let Some(existing) = base.fields.iter_mut().find(|existing| existing.key == field.key) else {
            base.fields.push(field);
            continue;
        };
        let value = match (std::mem::replace(&mut existing.value, Value::Null), field.value) {
            (Value::Object(base), Value::Object(over)) => Value::Object(merged(base, over)),
            (_, value) => value,
        };
        *existing = Field { value, ..field };
    }
    base
}

/// The value at a path below a resolved object.
fn below(object: Object, path: &[String]) -> Option<Value> {
    let (key, rest) = path.split_first()?;
    let value = object.fields.into_iter().find(|field| field.key == *key)?.value;
    match (rest.is_empty(), value) {
        (true, value) => Some(value),
        (false, Value::Object(inner)) => below(inner, rest),
        (false, _) => None,
    }
}
