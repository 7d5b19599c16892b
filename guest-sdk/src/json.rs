//! Reading a record's value as JSON, with errors that say everything but the data.
//!
//! The fast path is `serde_json`'s. Its error texts quote what they choke on, so when it fails on data the value is
//! read a second time by [`walk`], which follows the same type along the same bytes, knows the path, and whose error
//! type never takes data in. Line and column are `serde_json`'s.
//!
//! What an error shows besides them comes from the type: names of struct fields and enum variants, and what a type says
//! it expects.

mod fault;
mod path;
mod scan;
mod walk;

use serde::Deserialize;
use serde_json::error::Category;

const PREFIX: &str = "value is not the JSON expected: ";

/// The value as `T`, or the text of the error.
pub(crate) fn decode<'a, T: Deserialize<'a>>(value: Option<&'a [u8]>) -> Result<T, String> {
    let Some(bytes) = value else {
        return Err(format!("{PREFIX}it is null (a tombstone)"));
    };
    match serde_json::from_slice(bytes) {
        Ok(decoded) => Ok(decoded),
        Err(_) if bytes.is_empty() => Err(format!("{PREFIX}it is empty (over gRPC a tombstone arrives so)")),
        Err(error) => Err(explain::<T>(bytes, &error)),
    }
}

#[cold]
fn explain<'a, T: Deserialize<'a>>(bytes: &'a [u8], error: &serde_json::Error) -> String {
    if error.classify() != Category::Data {
        return format!("{PREFIX}{}", crate::error::json_text(error));
    }
    let place = format!("line {} column {}", error.line(), error.column());
    match walk::explain::<T>(bytes) {
        Some((what, path)) if path.is_empty() => format!("{PREFIX}{what} at {place}"),
        Some((what, path)) => format!("{PREFIX}{what} at {path}, {place}"),
        None => format!("{PREFIX}it does not have the shape expected at {place}"),
    }
}

#[cfg(test)]
mod tests;
