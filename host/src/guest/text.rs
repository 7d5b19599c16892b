//! Text that a guest made, on its way to people: printable, and bounded.

use std::fmt::Write as _;

/// Bytes as text on one line: invalid UTF-8, control characters and those that change the layout are escaped, a tab stays.
pub(super) fn printable(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if (character.is_control() && character != '\t') || is_layout(character) {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Whether a character breaks the line or turns the direction of what follows: it could make a line look like another.
fn is_layout(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name out of a component: printable and of a readable length.
pub(super) fn name(name: &str) -> String {
    const NAME_BYTES_MAX: usize = 256;
    bounded(&printable(name.as_bytes()), NAME_BYTES_MAX)
}

/// The engine's words about a component, cause by cause: they quote names out of it.
pub(super) fn words(error: &wasmtime::Error) -> wasmtime::Error {
    const CAUSE_BYTES_MAX: usize = 2048;
    let cause = |cause: &(dyn std::error::Error + 'static)| {
        let text = cause.to_string();
        let lines = text.lines().map(|line| printable(line.as_bytes())).collect::<Vec<_>>();
        bounded(&lines.join("\n"), CAUSE_BYTES_MAX)
    };
    let mut causes = error.chain().map(cause).collect::<Vec<_>>();
    let root = wasmtime::Error::msg(causes.pop().unwrap_or_default());
    causes.into_iter().rev().fold(root, wasmtime::Error::context)
}

/// The first few of many, and how many more there are.
pub(super) fn some_of(items: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    const ITEMS_MAX: usize = 20;
    let more = items.len().saturating_sub(ITEMS_MAX);
    let mut some = items.take(ITEMS_MAX).collect::<Vec<_>>();
    if more > 0 {
        some.push(format!("and {more} more"));
    }
    some
}

/// `text` up to about `bytes`, with what was left out counted.
pub(super) fn bounded(text: &str, bytes: usize) -> String {
    let (kept, rest) = cut(text, bytes);
    if rest.is_empty() { kept } else { format!("{kept} ({} more bytes)", rest.len()) }
}

/// `text` in two, the first at most `bytes` long and, if something follows, marked as cut.
pub(super) fn cut(text: &str, bytes: usize) -> (String, &str) {
    if text.len() <= bytes {
        return (text.to_owned(), "");
    }
    let (kept, rest) = text.split_at(text.floor_char_boundary(bytes));
    (format!("{kept}…"), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_text_is_escaped() {
        assert_eq!(printable(b"a\tb\x1b[2J\xff\xc3\xa9\0"), "a\tb\\u{1b}[2J\\xff\u{e9}\\u{0}");
    }

    #[test]
    fn an_engines_words_keep_their_causes() {
        let error = wasmtime::Error::msg("a name `\u{11}`\nis not valid").context("cannot\tparse").context("outer");
        assert_eq!(format!("{:#}", words(&error)), "outer: cannot\tparse: a name `\\u{11}`\nis not valid");
    }

    #[test]
    fn what_is_long_is_cut_between_characters_and_counted() {
        assert_eq!(bounded("éé", 4), "éé");
        assert_eq!(bounded("ééé", 3), "é… (4 more bytes)");
        assert_eq!(some_of((0..22).map(|item| item.to_string())).last().map(String::as_str), Some("and 2 more"));
    }
}
