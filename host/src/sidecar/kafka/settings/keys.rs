//! An object of known keys: taking their values, and telling the unknown ones.

use streamlet_protocol::names;

use super::problem::{ConfError, ConfProblem};
use crate::sidecar::kafka::hocon::{Field, Object, Value};

/// Problems found so far, in one file.
#[derive(Debug)]
pub(super) struct Problems {
    pub(super) path: String,
    pub(super) found: Vec<ConfError>,
}

impl Problems {
    pub(super) fn add(&mut self, line: usize, problem: ConfProblem) {
        self.found.push(ConfError { path: self.path.clone(), line, column: None, problem });
    }
}

/// An object whose keys are known. A key with a dot is a path: HOCON has `bootstrap.servers` as `bootstrap { servers }`.
pub(super) struct Keys<'a> {
    fields: Vec<(String, &'a Field)>,
    /// Of the object itself.
    pub(super) line: usize,
    /// What it is, for problems.
    pub(super) within: String,
}

impl<'a> Keys<'a> {
    /// Opens an object and tells every key that is not known.
    pub(super) fn open(
        object: &'a Object,
        line: usize,
        within: String,
        known: &[&'static str],
        problems: &mut Problems,
    ) -> Self {
        let mut fields = Vec::new();
        paths(object, "", known, &mut fields);
        for (key, field) in fields.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
            let longer = known
                .iter()
                .copied()
                .find(|known| known.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('.')));
            let nearest = longer.or_else(|| names::nearest(key, known.iter().copied())).map(str::to_owned);
            let (key, within, known) = (key.clone(), within.clone(), known.to_vec());
            problems.add(field.line, ConfProblem::Unknown { key, within, nearest, known });
        }
        Self { fields, line, within }
    }

    /// The field of a key. `null` is none, as HOCON has it.
    pub(super) fn field(&self, key: &str) -> Option<&'a Field> {
        let field = self.fields.iter().find(|(other, _)| other == key).map(|(_, field)| *field)?;
        (field.value != Value::Null).then_some(field)
    }

    /// The text of a key, with its line.
    pub(super) fn text(&self, key: &str, problems: &mut Problems) -> Option<(&'a str, usize)> {
        let field = self.field(key)?;
        match &field.value {
            Value::Text(text) => Some((text, field.line)),
            other => {
                self.wrong_kind(key, field.line, "a single value", other, problems);
                None
            }
        }
    }

    /// The text of a key that must be there and say something.
    pub(super) fn required(
        &self,
        key: &'static str,
        example: &'static str,
        problems: &mut Problems,
    ) -> Option<&'a str> {
        if self.field(key).is_none() {
            problems.add(self.line, ConfProblem::Missing { key, within: self.within.clone(), example });
        }
        let (text, line) = self.text(key, problems)?;
        self.filled(key, text, line, problems)
    }

    /// The text of a key that may be left out, but not be empty.
    pub(super) fn optional(&self, key: &str, problems: &mut Problems) -> Option<&'a str> {
        let (text, line) = self.text(key, problems)?;
        self.filled(key, text, line, problems)
    }

    fn filled(&self, key: &str, text: &'a str, line: usize, problems: &mut Problems) -> Option<&'a str> {
        if text.trim().is_empty() || text.contains('\0') {
            self.wrong_value(key, line, "a text that says something", problems);
            return None;
        }
        Some(text)
    }

    /// The object of a key, with its line.
    pub(super) fn object(&self, key: &str, problems: &mut Problems) -> Option<(&'a Object, usize)> {
        let field = self.field(key)?;
        match &field.value {
            Value::Object(object) => Some((object, field.line)),
            other => {
                self.wrong_kind(key, field.line, "an object", other, problems);
                None
            }
        }
    }

    pub(super) fn wrong_kind(
        &self,
        key: &str,
        line: usize,
        expected: &'static str,
        found: &Value,
        problems: &mut Problems,
    ) {
        let (key, within) = (key.to_owned(), self.within.clone());
        problems.add(line, ConfProblem::Kind { key, within, expected, found: found.kind() });
    }

    pub(super) fn wrong_value(&self, key: &str, line: usize, expected: &str, problems: &mut Problems) {
        let (key, within, expected) = (key.to_owned(), self.within.clone(), expected.to_owned());
        problems.add(line, ConfProblem::Value { key, within, expected });
    }
}

/// The fields, those of objects that a known path goes through by their paths.
fn paths<'a>(object: &'a Object, above: &str, known: &[&str], fields: &mut Vec<(String, &'a Field)>) {
    for field in &object.fields {
        let path = format!("{above}{}", field.key);
        let inner = format!("{path}.");
        match &field.value {
            Value::Object(object) if known.iter().any(|known| known.starts_with(&inner)) => {
                paths(object, &inner, known, fields);
            }
            _ => fields.push((path, field)),
        }
    }
}
