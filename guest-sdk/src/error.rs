//! Why a batch or a start failed: one text and, where it is known, the record to blame.
//!
//! Texts travel far: into the sidecar's log and a Kubernetes event. Any error converts with `?`, but what is known to
//! quote data, JSON errors above all, is replaced by a description that does not.

use std::fmt;

use crate::cursor;
use crate::record::Record;

/// The result of [`Process::process`](crate::Process::process) and of all that an author calls inside it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a batch failed. The text's first line stands alone; details may follow on further lines.
///
/// An error blames the record on which the iteration of the [`Batch`](crate::Batch) stood when the error was made;
/// [`Error::at`] blames another.
///
/// ```
/// use streamlet::Error;
///
/// let error = Error::new("the currency is unknown");
/// assert_eq!(error.to_string(), "the currency is unknown");
/// assert_eq!(error.blamed(), None, "no record was being processed");
/// ```
///
/// Every [`std::error::Error`] converts, with its sources:
///
/// ```
/// fn total(text: &str) -> streamlet::Result<i64> {
///     Ok(text.parse::<i64>()?)
/// }
/// assert_eq!(total("ten").unwrap_err().to_string(), "invalid digit found in string");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    at: Option<u32>,
}

impl Error {
    /// An error with this text. It must hold no record's key or value: texts reach logs and events.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), at: cursor::index() }
    }

    /// Blames `record`, whichever the iteration stands on.
    ///
    /// ```
    /// # use streamlet::{Batch, Emits, Error, Result};
    /// fn process(batch: &Batch, _: &mut Emits) -> Result<()> {
    ///     let Some(first) = batch.get(0) else { return Ok(()) };
    ///     Err(Error::new("the first record opens no cart").at(first))
    /// }
    /// ```
    #[must_use]
    pub fn at(mut self, record: Record<'_>) -> Self {
        self.at = Some(record.position());
        self
    }

    /// The blamed record's index in its batch, if one is to blame.
    pub fn blamed(&self) -> Option<usize> {
        self.at.map(|index| index as usize)
    }
}

/// The text.
impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// Takes over the error's text and those of its sources (`x: caused by y`), without the data that a `serde_json` error
/// quotes. Other errors are believed: one whose text holds data must not be converted but replaced.
impl<E: std::error::Error + 'static> From<E> for Error {
    fn from(error: E) -> Self {
        Self::new(describe(&error))
    }
}

/// Ends the current function with an [`Error`] made from a format string, as `return Err(Error::new(format!(..)))`.
///
/// ```
/// use streamlet::{Result, fail};
///
/// fn check(total: i64) -> Result<()> {
///     if total < 0 {
///         fail!("a cart's total is negative");
///     }
///     Ok(())
/// }
/// assert_eq!(check(-1).unwrap_err().to_string(), "a cart's total is negative");
/// ```
#[macro_export]
macro_rules! fail {
    ($($message:tt)+) => {
        return ::core::result::Result::Err($crate::Error::new(::std::format!($($message)+)))
    };
}

/// The texts of an error and its sources in one line, each once.
fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut message = without_data(error);
    let mut source = error.source();
    while let Some(cause) = source {
        let text = without_data(cause);
        if !message.contains(&text) {
            message.push_str(": caused by ");
            message.push_str(&text);
        }
        source = cause.source();
    }
    message
}

/// An error's own text; what JSON errors below it would quote from the data is replaced.
fn without_data(error: &(dyn std::error::Error + 'static)) -> String {
    let mut message = None;
    let mut below = Some(error);
    while let Some(cause) = below {
        if let Some(json) = as_json(cause) {
            let quoting = json.to_string();
            let text = message.take().unwrap_or_else(|| error.to_string());
            let safe = json_text(json);
            message = Some(text.replace(&quoting, &safe).replace(&format!("{json:?}"), &safe));
        }
        below = cause.source();
    }
    message.unwrap_or_else(|| error.to_string())
}

/// The JSON error that `error` is, or that it carries as an I/O error.
fn as_json<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e serde_json::Error> {
    if let Some(io) = error.downcast_ref::<std::io::Error>() {
        return io.get_ref().and_then(|inner| inner.downcast_ref());
    }
    error.downcast_ref()
}

/// What a JSON error says, with no byte of the JSON it is about.
pub(crate) fn json_text(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    match error.classify() {
        // These texts are constants of serde_json: what was expected, line and column.
        Category::Syntax | Category::Eof => error.to_string(),
        Category::Io => "reading or writing JSON failed".to_owned(),
        Category::Data if error.line() == 0 => "JSON and the type do not fit".to_owned(),
        Category::Data => {
            format!("JSON and the type do not fit at line {} column {}", error.line(), error.column())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CANARY: &str = "s3cr3t-canary";

    #[derive(Debug)]
    struct Wrapper(&'static str, Box<dyn std::error::Error>);

    impl fmt::Display for Wrapper {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "{}{}", self.0, if self.0.ends_with(' ') { self.1.to_string() } else { String::new() })
        }
    }

    impl std::error::Error for Wrapper {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(self.1.as_ref())
        }
    }

    fn json_error() -> serde_json::Error {
        serde_json::from_str::<i64>(&format!(r#""{CANARY}""#)).unwrap_err()
    }

    #[track_caller]
    fn check(error: impl std::error::Error + 'static, expect: &str) {
        let text = Error::from(error).to_string();
        assert!(!text.contains(CANARY), "{text}");
        assert_eq!(text, expect);
    }

    #[test]
    fn sources_are_told_once() {
        let inner = || Box::new("x".parse::<i64>().unwrap_err());
        check(Wrapper("no total", inner()), "no total: caused by invalid digit found in string");
        check(Wrapper("no total, ", inner()), "no total, invalid digit found in string");
    }

    #[test]
    fn a_json_error_never_quotes_the_data() {
        const SAFE: &str = "JSON and the type do not fit at line 1 column 15";
        check(json_error(), SAFE);
        check(Wrapper("no cart", Box::new(json_error())), &format!("no cart: caused by {SAFE}"));
        check(Wrapper("no cart, ", Box::new(json_error())), &format!("no cart, {SAFE}"));
        check(std::io::Error::from(json_error()), SAFE);
        check(Wrapper("io ", Box::new(std::io::Error::from(json_error()))), &format!("io {SAFE}"));
        let nested = Wrapper("b ", Box::new(json_error()));
        check(Wrapper("a ", Box::new(nested)), &format!("a b {SAFE}"));
    }

    #[test]
    fn json_syntax_errors_keep_their_constant_text() {
        let error = serde_json::from_str::<i64>("[1,").unwrap_err();
        check(error, "JSON and the type do not fit at line 1 column 0");
        let error = serde_json::from_str::<Vec<i64>>("[1,").unwrap_err();
        check(error, "EOF while parsing a value at line 1 column 3");
    }

    #[test]
    fn utf8_errors_have_no_data() {
        let bytes = [CANARY.as_bytes(), &[0xff]].concat();
        check(String::from_utf8(bytes).unwrap_err(), "invalid utf-8 sequence of 1 bytes from index 13");
    }
}
