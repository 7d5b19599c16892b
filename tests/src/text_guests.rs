//! Guests in the text format: what a component can do that no compiler makes it do. Each is the same small streamlet,
//! [`SHELL`], with some evil put in its places.

use std::borrow::Cow;

/// The streamlet, and in comments the places.
const SHELL: &str = include_str!("text_guests/shell.wat");

/// What is put into the shell's places: instructions, except for `fields`.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Fields of the module that holds the exports.
    pub fields: Cow<'static, str>,
    /// Before the allocator gives room for what the host hands over.
    pub realloc: Cow<'static, str>,
    /// Before `describe` answers.
    pub describe: Cow<'static, str>,
    /// Before `start` answers.
    pub start: Cow<'static, str>,
    /// Before `process` forwards a batch of partition 0. Those of other partitions it just forwards.
    pub process: Cow<'static, str>,
    /// After the host has read what `process` answered.
    pub returned: Cow<'static, str>,
}

impl Places {
    /// Whether all but `process`, and what it may use, is as it should be, so that other partitions are served.
    pub fn is_only_process(&self) -> bool {
        let Self { fields, realloc, describe, start, returned, .. } = self;
        !self.process.is_empty()
            && [realloc, describe, start, returned].iter().all(|place| place.is_empty())
            && !fields.contains("(start ")
    }
}

/// The component.
///
/// # Panics
/// It is not well-formed.
pub fn component(places: &Places) -> Vec<u8> {
    let mut text = SHELL.to_owned();
    for (place, evil) in [
        ("(; fields ;)", &places.fields),
        ("(; realloc ;)", &places.realloc),
        ("(; describe ;)", &places.describe),
        ("(; start ;)", &places.start),
        ("(; process ;)", &places.process),
        ("(; returned ;)", &places.returned),
    ] {
        assert_eq!(text.matches(place).count(), 1, "the shell has one {place}");
        text = text.replace(place, evil);
    }
    wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}"))
}
