//! A document as written: definitions in order, substitutions not yet made.

/// Where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// One element of a path each, without quotes.
pub(super) type Path = Vec<String>;

/// A path as one would write it.
pub(super) fn written(path: &[String]) -> String {
    let is_plain = |element: &&String| {
        !element.is_empty() && element.chars().all(|character| character.is_alphanumeric() || "-_".contains(character))
    };
    let quoted = |element: &String| format!("\"{element}\"");
    path.iter()
        .map(|element| Some(element).filter(is_plain).cloned().unwrap_or_else(|| quoted(element)))
        .collect::<Vec<_>>()
        .join(".")
}

/// An object's definitions by key, in the order of first definition. A path `a.b = 1` is kept as `a { b = 1 }`, which
/// is what it means.
#[derive(Debug, Default)]
pub(super) struct RawObject {
    pub(super) entries: Vec<RawEntry>,
}

/// A key with everything it is defined as. Later definitions merge with or replace earlier ones, which only the
/// resolved values tell.
#[derive(Debug)]
pub(super) struct RawEntry {
    pub(super) key: String,
    pub(super) definitions: Vec<Definition>,
}

#[derive(Debug)]
pub(super) struct Definition {
    /// Of the key.
    pub(super) place: Place,
    pub(super) value: RawValue,
    /// `+=`.
    pub(super) appends: bool,
}

/// Pieces that stand side by side, at least one.
#[derive(Debug)]
pub(super) struct RawValue {
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(super) enum Piece {
    /// An unquoted `null` that stands alone.
    Null,
    /// Quoted or unquoted text.
    Text(String),
    /// What separates two pieces: part of a joined text, nothing between objects or lists.
    Space(String),
    List(Vec<RawValue>),
    Object(RawObject),
    Substitution {
        place: Place,
        path: Path,
        is_optional: bool,
    },
}

impl RawObject {
    /// Adds a definition below a path, which has at least one element.
    pub(super) fn define(&mut self, path: &[String], definition: Definition) {
        let Some((key, rest)) = path.split_first() else { return };
        let definition = if rest.is_empty() {
            definition
        } else {
            let place = definition.place;
            let mut inner = Self::default();
            inner.define(rest, definition);
            Definition { place, value: RawValue { pieces: vec![Piece::Object(inner)] }, appends: false }
        };
        self.push(key, definition);
    }

    /// Adds a definition of a key. Of two objects in a row one is made, so that what the later one hides is never looked
    /// at: nobody misses a variable that a replaced value wanted.
    fn push(&mut self, key: &str, mut definition: Definition) {
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == *key) else {
            self.entries.push(RawEntry { key: key.to_owned(), definitions: vec![definition] });
            return;
        };
        match (entry.definitions.last_mut().and_then(Definition::object), definition.object()) {
            (Some(last), Some(object)) => {
                for entry in std::mem::take(&mut object.entries) {
                    for definition in entry.definitions {
                        last.push(&entry.key, definition);
                    }
                }
            }
            _ => entry.definitions.push(definition),
        }
    }

    pub(super) fn entry(&self, key: &str) -> Option<&RawEntry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Definition {
    /// The object this is, if it is one as written.
    fn object(&mut self) -> Option<&mut RawObject> {
        match self.value.pieces.as_mut_slice() {
            [Piece::Object(object)] if !self.appends => Some(object),
            _ => None,
        }
    }
}
