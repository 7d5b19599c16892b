//! Writes an emit as an envelope, one line with its line end.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::batch::{Batch, Emit};

/// Appends the envelope of `emit`.
pub(in crate::sidecar::files) fn write(line: &mut Vec<u8>, outlet: &str, batch: &Batch, emit: &Emit<'_>) {
    line.extend_from_slice(b"{\"outlet\":");
    string(line, outlet);
    if let Some(key) = emit.key() {
        bytes(line, b"key", key);
    }
    let headers = emit.headers();
    if headers.len() > 0 {
        line.extend_from_slice(b",\"headers\":[");
        for (index, header) in headers.enumerate() {
            line.extend_from_slice(if index == 0 { b"{\"key\":" } else { b",{\"key\":" });
            // The checker has found every name to be UTF-8; a lossy one could only come from a door's mistake.
            string(line, &String::from_utf8_lossy(header.name));
            bytes_or_null(line, header.value);
            line.push(b'}');
        }
        line.push(b']');
    }
    bytes_or_null(line, emit.value());
    if let Some(source) = emit.source {
        number(line, b"partition", i64::from(batch.partition));
        number(line, b"offset", source.offset);
        number(line, b"timestamp_ms", source.timestamp_ms);
    }
    line.extend_from_slice(b"}\n");
}

fn bytes_or_null(line: &mut Vec<u8>, value: Option<&[u8]>) {
    match value {
        Some(value) => bytes(line, b"value", value),
        None => line.extend_from_slice(b",\"value\":null"),
    }
}

/// Appends a field as text, or as base64 where the bytes are not UTF-8.
fn bytes(line: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    line.extend_from_slice(b",\"");
    line.extend_from_slice(name);
    if let Ok(text) = std::str::from_utf8(value) {
        line.extend_from_slice(b"\":");
        string(line, text);
    } else {
        line.extend_from_slice(b"_base64\":\"");
        line.extend_from_slice(STANDARD.encode(value).as_bytes());
        line.push(b'"');
    }
}

fn string(line: &mut Vec<u8>, text: &str) {
    // Writing text to memory cannot fail.
    let _ = serde_json::to_writer(line, text);
}

fn number(line: &mut Vec<u8>, name: &[u8], value: i64) {
    line.extend_from_slice(b",\"");
    line.extend_from_slice(name);
    line.extend_from_slice(b"\":");
    // Writing to memory cannot fail.
    let _ = write!(line, "{value}");
}
