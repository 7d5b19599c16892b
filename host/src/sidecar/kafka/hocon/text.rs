//! Strings: quoted with JSON's escapes, in triple quotes without any, unquoted; and the paths made of them.

use super::scanner::{Scanner, error, is_space};
use super::tree::{Path, Place};
use super::{DEPTH_MAX, HoconError, HoconReason};

/// A string at its opening quotes.
pub(super) fn quoted(scanner: &mut Scanner<'_>) -> Result<String, HoconError> {
    let place = scanner.place();
    if scanner.take("\"\"\"") {
        return raw(scanner, place);
    }
    scanner.take("\"");
    let mut text = String::new();
    loop {
        let escape = scanner.place();
        match scanner.next() {
            Some('"') => return Ok(text),
            Some('\\') => text.push(escaped(scanner).ok_or_else(|| error(escape, HoconReason::Escape))?),
            Some('\n') | None => return Err(error(place, HoconReason::UnclosedString)),
            Some(character) => text.push(character),
        }
    }
}

/// The rest of a string in triple quotes. Of more than three quotes at its end, the first ones are its own.
fn raw(scanner: &mut Scanner<'_>, place: Place) -> Result<String, HoconError> {
    let mut text = String::new();
    while !scanner.sees("\"\"\"") || scanner.sees("\"\"\"\"") {
        text.push(scanner.next().ok_or_else(|| error(place, HoconReason::UnclosedString))?);
    }
    scanner.take("\"\"\"");
    Ok(text)
}

/// What follows a backslash.
fn escaped(scanner: &mut Scanner<'_>) -> Option<char> {
    Some(match scanner.next()? {
        character @ ('"' | '\\' | '/') => character,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let first = unit(scanner)?;
            let is_high = (0xd800..0xdc00).contains(&first);
            let second = if is_high && scanner.take("\\u") { Some(unit(scanner)?) } else { None };
            char::decode_utf16([Some(first), second].into_iter().flatten()).next()?.ok()?
        }
        _ => return None,
    })
}

/// Four hexadecimal digits.
fn unit(scanner: &mut Scanner<'_>) -> Option<u16> {
    let mut unit = 0;
    for _ in 0..4 {
        unit = unit * 16 + u16::try_from(scanner.next()?.to_digit(16)?).ok()?;
    }
    Some(unit)
}

/// Whether HOCON keeps a character for itself, so that unquoted text cannot have it.
pub(super) fn is_reserved(character: char) -> bool {
    "$\"{}[]:=,+#`^?!@*&\\".contains(character)
}

/// Unquoted text up to space, a comment or a reserved character.
pub(super) fn unquoted<'a>(scanner: &mut Scanner<'a>) -> &'a str {
    let ahead = scanner.clone();
    let whole = scanner.take_while(|character| character != '\n' && !is_space(character) && !is_reserved(character));
    let Some(comment) = whole.find("//") else { return whole };
    // The comment is not part of it; go back and take what precedes it.
    *scanner = ahead;
    let text = whole.get(..comment).unwrap_or_default();
    scanner.take(text);
    text
}

/// A path: elements between dots, each of quoted and unquoted texts. Space within it counts, around it does not. Ends
/// before what cannot be part of a path.
pub(super) fn path(scanner: &mut Scanner<'_>) -> Result<Path, HoconError> {
    let place = scanner.place();
    let mut path = Path::new();
    let mut element = String::new();
    let (mut is_given, mut space) = (false, "");
    loop {
        if scanner.sees("\"") {
            element.push_str(std::mem::take(&mut space));
            element.push_str(&quoted(scanner)?);
            is_given = true;
        } else {
            let text = if scanner.sees_comment() { "" } else { unquoted(scanner) };
            if text.is_empty() {
                break;
            }
            element.push_str(std::mem::take(&mut space));
            let mut parts = text.split('.').peekable();
            while let Some(part) = parts.next() {
                element.push_str(part);
                is_given |= !part.is_empty();
                if parts.peek().is_some() {
                    if !std::mem::take(&mut is_given) {
                        return Err(error(place, HoconReason::EmptyElement));
                    }
                    path.push(std::mem::take(&mut element));
                }
            }
        }
        space = scanner.skip_space();
    }
    if !is_given {
        let reason = if path.is_empty() { HoconReason::KeyMissing } else { HoconReason::EmptyElement };
        return Err(error(place, reason));
    }
    path.push(element);
    if path.len() > DEPTH_MAX { Err(error(place, HoconReason::TooDeep)) } else { Ok(path) }
}
