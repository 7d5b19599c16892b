//! A line as a record of its own, for whoever wants records and no run.

use super::envelope;
use super::key_field;
use super::reader::LineError;
use super::settings::Format;

/// A record as a line has it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LineRecord {
    /// Its key, if it has one.
    pub key: Option<Vec<u8>>,
    /// Its value; none for a tombstone.
    pub value: Option<Vec<u8>>,
    /// Its headers, in order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
}

/// Sizes only: a record's bytes are the user's.
impl std::fmt::Debug for LineRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LineRecord").field("headers", &self.headers.len()).finish_non_exhaustive()
    }
}

/// Reads a line, its end cut off; none where it is blank.
///
/// # Errors
/// [`LineError`], as a run has it.
pub fn read_line(format: &Format, line: &[u8]) -> Result<Option<LineRecord>, LineError> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    let owned = |bytes: std::borrow::Cow<'_, [u8]>| bytes.into_owned();
    Ok(Some(match format {
        Format::Plain { key_field } => {
            let key = key_field.as_ref().map(|field| key_field::find(line, field)).transpose();
            let key = key.map_err(LineError::Key)?.flatten().map(owned);
            LineRecord { key, value: Some(line.to_vec()), headers: Vec::new() }
        }
        Format::Envelope => {
            let envelope = envelope::read(line).map_err(LineError::Envelope)?;
            let headers = envelope.headers.into_iter().map(|(name, value)| (name.into_owned(), value.map(owned)));
            LineRecord { headers: headers.collect(), key: envelope.key.map(owned), value: envelope.value.map(owned) }
        }
    }))
}
