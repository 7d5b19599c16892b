//! From what is given to a client's settings, name by name, with every problem.

use std::collections::BTreeSet;

use streamlet_protocol::names;

use super::table::{Row, Rule};
use super::unit::Unit;
use super::{ClientSettings, Role, SettingProblem, SettingWarning, consistent, defaults, native, sasl, stores, table};
use crate::sidecar::files::BatchCaps;

/// A setting as given. `Debug` hides its value.
#[derive(Clone, PartialEq, Eq)]
pub struct Given {
    /// Its name.
    pub key: String,
    /// Where it is given, from 1.
    pub line: usize,
    /// Its text; a list's elements are joined with commas.
    pub value: String,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} (line {})", self.key, self.line)
    }
}

/// What a client is, besides its settings.
#[derive(Debug, Clone, Copy)]
pub struct Identity<'a> {
    /// Which side it is on.
    pub role: Role,
    /// `client.id`.
    pub client_id: &'a str,
    /// `bootstrap.servers`.
    pub bootstrap: &'a str,
    /// `group.id`, of a consumer only.
    pub group: &'a str,
    /// How large batches get, of a consumer only: it prefetches for them.
    pub caps: BatchCaps,
}

/// A client's settings, and what there is to say about them, each with its line. With a problem, do not use them.
#[derive(Debug)]
pub struct Translated {
    /// What a client is created from.
    pub settings: ClientSettings,
    /// What has no effect, or another one.
    pub warnings: Vec<(usize, SettingWarning)>,
    /// Why the settings cannot be used.
    pub problems: Vec<(usize, SettingProblem)>,
}

/// Translates what is given. Of two settings of one name the later one counts.
pub fn translate(identity: &Identity<'_>, given: &[Given]) -> Translated {
    let mut translation = Translation {
        role: identity.role,
        given,
        settings: defaults::settings(identity),
        set: BTreeSet::new(),
        warnings: Vec::new(),
        problems: Vec::new(),
    };
    let last_of_name = |at: usize, setting: &Given| !given.iter().skip(at + 1).any(|other| other.key == setting.key);
    for (_, setting) in given.iter().enumerate().filter(|(at, setting)| last_of_name(*at, setting)) {
        translation.setting(setting);
    }
    stores::translate(&mut translation);
    sasl::translate(&mut translation);
    if translation.problems.is_empty() {
        consistent::settle(&mut translation);
    }
    let Translation { settings, mut warnings, mut problems, .. } = translation;
    warnings.sort_by_key(|(line, _)| *line);
    problems.sort_by_key(|(line, _)| *line);
    Translated { settings, warnings, problems }
}

/// A translation under way.
pub(super) struct Translation<'a> {
    pub(super) role: Role,
    given: &'a [Given],
    pub(super) settings: ClientSettings,
    /// What is given rather than a default, by librdkafka's name.
    set: BTreeSet<String>,
    warnings: Vec<(usize, SettingWarning)>,
    problems: Vec<(usize, SettingProblem)>,
}

impl<'a> Translation<'a> {
    /// What is given under this name.
    pub(super) fn given(&self, key: &str) -> Option<&'a Given> {
        self.given.iter().rev().find(|given| given.key == key)
    }

    /// What is given under the first of these names that is.
    pub(super) fn given_first(&self, keys: &[&str]) -> Option<&'a Given> {
        keys.iter().find_map(|key| self.given(key))
    }

    /// Whether a setting has been given rather than left to a default, by librdkafka's name.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.set.contains(super::kept_as(name))
    }

    /// The line of the setting that one of these names has, for what is said about all of them.
    pub(super) fn line_of(&self, keys: &[&str]) -> usize {
        self.given_first(keys).map_or(0, |given| given.line)
    }

    /// Sets what librdkafka accepts, or notes that it does not.
    pub(super) fn put(&mut self, given: &Given, name: &str, value: impl Into<String>) {
        let value = value.into();
        if is_accepted(name, &value) {
            self.settings.set(name, value);
            self.set.insert(super::kept_as(name).to_owned());
        } else {
            let takes = native::find(name).map(|native| native.takes).filter(|takes| !takes.is_empty());
            self.refuse_value(given, takes.unwrap_or("a text without NUL"));
        }
    }

    /// Sets a value of a kind.
    pub(super) fn put_unit(&mut self, given: &Given, name: &str, unit: Unit) {
        match unit.translate(&given.value) {
            Some(value) => self.put(given, name, value),
            None => self.refuse_value(given, unit.takes()),
        }
    }

    pub(super) fn problem(&mut self, line: usize, problem: SettingProblem) {
        self.problems.push((line, problem));
    }

    pub(super) fn refuse(&mut self, given: &Given, advice: impl Into<String>) {
        self.problem(given.line, SettingProblem::Refused { key: given.key.clone(), advice: advice.into() });
    }

    pub(super) fn refuse_value(&mut self, given: &Given, takes: impl Into<String>) {
        self.problem(given.line, SettingProblem::Value { key: given.key.clone(), takes: takes.into() });
    }

    pub(super) fn value_unsupported(&mut self, given: &Given, advice: impl Into<String>) {
        self.problem(given.line, SettingProblem::ValueUnsupported { key: given.key.clone(), advice: advice.into() });
    }

    pub(super) fn missing(&mut self, line: usize, missing: &str, advice: impl Into<String>) {
        self.problem(line, SettingProblem::Missing { missing: missing.to_owned(), advice: advice.into() });
    }

    pub(super) fn conflict(&mut self, line: usize, key: &str, other: &str, advice: &str) {
        let (key, other, advice) = (key.to_owned(), other.to_owned(), advice.to_owned());
        self.problem(line, SettingProblem::Conflict { key, other, advice });
    }

    pub(super) fn ignored(&mut self, given: &Given, reason: impl Into<String>) {
        self.warnings.push((given.line, SettingWarning::Ignored { key: given.key.clone(), reason: reason.into() }));
    }

    pub(super) fn changed(&mut self, line: usize, key: &str, change: impl Into<String>) {
        self.warnings.push((line, SettingWarning::Changed { key: key.to_owned(), change: change.into() }));
    }

    fn other_role(&mut self, given: &Given) {
        self.warnings.push((given.line, SettingWarning::OtherRole { key: given.key.clone(), role: self.role }));
    }

    fn setting(&mut self, given: &Given) {
        if let Some(row) = table::find(&given.key) {
            self.java(given, row);
        } else if let Some(reason) = native::refusal(&given.key) {
            // Switched off is what they all are.
            if Unit::Boolean.translate(&given.value).as_deref() != Some("false") {
                self.refuse(given, reason);
            }
        } else if let Some(native) = native::find(&given.key) {
            if native.role.is_none_or(|role| role == self.role) {
                self.put_unit(given, native.name, Unit::of_native(native.name, native.takes));
            } else {
                self.other_role(given);
            }
        } else {
            self.unknown(given);
        }
    }

    fn java(&mut self, given: &Given, row: &Row) {
        if row.role.is_some_and(|role| role != self.role) {
            return self.other_role(given);
        }
        match row.rule {
            Rule::To(name, unit) => self.put_unit(given, name, unit),
            Rule::With { translate, .. } => translate(self, given),
            Rule::Together { .. } => {}
            Rule::Ignored(reason) => self.ignored(given, reason),
            Rule::Refused(advice) => self.refuse(given, advice),
        }
    }

    fn unknown(&mut self, given: &Given) {
        let known = table::names().chain(native::ALLOWED.iter().map(|native| native.name));
        let nearest = names::nearest(&given.key, known).map(str::to_owned);
        self.problem(given.line, SettingProblem::Unknown { key: given.key.clone(), nearest });
    }
}

/// Whether librdkafka takes this value, as far as it can tell before a client is created.
fn is_accepted(name: &str, value: &str) -> bool {
    let config: rdkafka::ClientConfig = [(name.to_owned(), value.to_owned())].into_iter().collect();
    config.create_native_config().is_ok()
}
