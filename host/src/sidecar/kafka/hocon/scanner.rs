//! Characters of a text with their lines and columns, and the space and comments between them.

use super::tree::Place;
use super::{HoconError, HoconReason};

/// A position in a text.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    rest: &'a str,
    place: Place,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.strip_prefix('\u{feff}').unwrap_or(text), place: Place { line: 1, column: 1 } }
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn sees(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    pub(super) fn sees_comment(&self) -> bool {
        self.sees("#") || self.sees("//")
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        if character == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(character)
    }

    /// Moves past `text` if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let comes = self.sees(text);
        if comes {
            for _ in text.chars() {
                self.next();
            }
        }
        comes
    }

    /// Moves past what `wanted` says yes to, and hands it out.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let before = self.rest;
        while self.peek().is_some_and(&wanted) {
            self.next();
        }
        before.get(..before.len() - self.rest.len()).unwrap_or_default()
    }

    /// Moves past space within a line.
    pub(super) fn skip_space(&mut self) -> &'a str {
        self.take_while(is_space)
    }

    /// Moves past space, comments and line ends. Says whether a line ended.
    pub(super) fn skip_lines(&mut self) -> bool {
        let line = self.place.line;
        loop {
            self.take_while(|character| is_space(character) || character == '\n');
            if !self.sees_comment() {
                return self.place.line > line;
            }
            self.take_while(|character| character != '\n');
        }
    }

    pub(super) fn error(&self, reason: HoconReason) -> HoconError {
        error(self.place, reason)
    }
}

pub(super) fn error(place: Place, reason: HoconReason) -> HoconError {
    HoconError { line: place.line, column: place.column, reason }
}

/// HOCON's whitespace within a line: a line ends at `\n`, before which a `\r` is space.
pub(super) fn is_space(character: char) -> bool {
    character != '\n'
        && ((character.is_whitespace() && character != '\u{85}')
            || matches!(character, '\u{1c}'..='\u{1f}' | '\u{feff}'))
}
