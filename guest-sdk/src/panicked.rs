//! The text of a panic, bounded and without what a `serde_json` error in it quotes from the data.

use std::fmt::Display;

/// The most bytes of a panic's own text that are kept.
const TEXT_BYTES_MAX: usize = 4096;

/// `panicked at src/lib.rs:21:9 while processing the record at offset 17 of inlet "in": message`. The location in the
/// code is left out where it is not known, `place` (which begins with a space) where no batch was being processed.
pub(crate) fn describe(location: Option<&dyn Display>, place: &str, text: &str) -> String {
    let at = location.map(|location| format!(" at {location}")).unwrap_or_default();
    let text = without_json(text);
    let (text, more) = match text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)) {
        Some(start) if start.len() < text.len() => (start, " [cut]"),
        _ => (text.as_str(), ""),
    };
    format!("panicked{at}{place}: {text}{more}")
}

/// Where in the stream, as the words that follow the location in the code.
pub(crate) fn place(inlet: &str, offset: Option<i64>) -> String {
    match offset {
        Some(offset) => format!(r#" while processing the record at offset {offset} of inlet "{inlet}""#),
        None => format!(r#" while processing a batch of inlet "{inlet}""#),
    }
}

/// Replaces the message in `Error("..", line: 1, column: 5)`, which is how `unwrap` shows an error of `serde_json`.
fn without_json(text: &str) -> String {
    const OPEN: &str = "Error(\"";
    const CLOSE: &str = "\", line: ";
    let mut safe = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        // The last end, since the message may hold what looks like one.
        let Some((_, behind)) = after.rsplit_once(CLOSE) else { break };
        safe.push_str(before);
        safe.push_str("Error(\"JSON and the type do not fit");
        safe.push_str(CLOSE);
        rest = behind;
    }
    safe.push_str(rest);
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_in_the_code_and_in_the_stream() {
        assert_eq!(
            describe(Some(&"src/lib.rs:21:9"), &place("in", Some(17)), "index out of bounds"),
            r#"panicked at src/lib.rs:21:9 while processing the record at offset 17 of inlet "in": index out of bounds"#
        );
        assert_eq!(describe(None, &place("in", None), "x"), r#"panicked while processing a batch of inlet "in": x"#);
        assert_eq!(describe(None, "", "x"), "panicked: x");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let text = describe(None, "", &"é".repeat(5000));
        assert_eq!(text, format!("panicked: {} [cut]", "é".repeat(2048)));
        let text = describe(None, "", &format!("x{}", "é".repeat(5000)));
        assert_eq!(text, format!("panicked: x{} [cut]", "é".repeat(2047)));
    }

    #[test]
    fn an_unwrapped_json_error_quotes_nothing() {
        let error = serde_json::from_str::<i64>(r#""s3cr3t\", line: s3cr3t""#).unwrap_err();
        let text = describe(None, "", &format!("called `Result::unwrap()` on an `Err` value: {error:?}"));
        assert_eq!(
            text,
            "panicked: called `Result::unwrap()` on an `Err` value: \
             Error(\"JSON and the type do not fit\", line: 1, column: 24)"
        );
    }
}
