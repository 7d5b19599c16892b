//! Java's names, each with what becomes of it here. The page `host/KAFKA.md` is written from these rows.

use super::translation::{Given, Translation};
use super::unit::Unit;
use super::{Role, native};

mod common;
mod consumer;
mod producer;
mod security;

/// One of Java's names. A name that ends in `*` stands for all that begin so.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) java: &'static str,
    /// Whose it is; none where it is everybody's.
    pub(super) role: Option<Role>,
    pub(super) rule: Rule,
}

/// What becomes of a setting.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    /// A setting of librdkafka's with a value of this kind.
    To(&'static str, Unit),
    /// Something that takes code.
    With {
        translate: fn(&mut Translation<'_>, &Given),
        /// For the page: librdkafka's names.
        #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the page"))]
        becomes: &'static str,
        /// For the page: how.
        #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the page"))]
        note: &'static str,
    },
    /// Something that is read together with other settings, in [`super::stores`] or [`super::sasl`].
    Together {
        /// For the page: librdkafka's names.
        #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the page"))]
        becomes: &'static str,
        /// For the page: how.
        #[cfg_attr(not(test), expect(dead_code, reason = "a test writes the page"))]
        note: &'static str,
    },
    /// No counterpart, and none is missed.
    Ignored(&'static str),
    /// No counterpart, and what it asks for would be missed; or a setting that is the host's own.
    Refused(&'static str),
}

/// The tables by their titles, for the page.
pub(super) const TABLES: &[(&str, &[Row])] = &[
    ("Every client", common::ROWS),
    ("Consumers, of inlets", consumer::ROWS),
    ("Producers, of outlets", producer::ROWS),
    ("TLS and SASL", security::ROWS),
];

/// What becomes of this name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    let is_meant = |row: &&Row| match row.java.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => row.java == name,
    };
    rows().find(is_meant)
}

/// Every name, for suggestions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    // What would be refused is no good suggestion.
    let suggested = |row: &&Row| !matches!(row.rule, Rule::Refused(_)) && !row.java.ends_with('*');
    rows().filter(suggested).map(|row| row.java).filter(|name| native::refusal(name).is_none())
}

pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().flat_map(|(_, rows)| rows.iter())
}

const fn to(java: &'static str, name: &'static str, unit: Unit) -> Row {
    Row { java, role: None, rule: Rule::To(name, unit) }
}

const fn ignored(java: &'static str, reason: &'static str) -> Row {
    Row { java, role: None, rule: Rule::Ignored(reason) }
}

const fn refused(java: &'static str, advice: &'static str) -> Row {
    Row { java, role: None, rule: Rule::Refused(advice) }
}

const fn together(java: &'static str, becomes: &'static str, note: &'static str) -> Row {
    Row { java, role: None, rule: Rule::Together { becomes, note } }
}

const fn with(
    java: &'static str,
    translate: fn(&mut Translation<'_>, &Given),
    becomes: &'static str,
    note: &'static str,
) -> Row {
    Row { java, role: None, rule: Rule::With { translate, becomes, note } }
}

impl Row {
    const fn of(self, role: Role) -> Self {
        Self { role: Some(role), ..self }
    }
}
