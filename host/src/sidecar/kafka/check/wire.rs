//! Two requests of Kafka's protocol by hand: `ApiVersions` version 0, and `SaslHandshake` version 1.
//!
//! Both have the request header of version 1 (`api_key`, `api_version`, `correlation_id`, `client_id`) and the response
//! header of version 0 (`correlation_id`); every broker takes them before anybody is let in. Encodes and decodes, and does
//! no I/O.

use serde::Serialize;

/// The requests that a run uses, by the protocol's own names: those that any client sends, and those of transactions.
const USED: [(i16, &str); 19] = [
    (0, "Produce"),
    (1, "Fetch"),
    (2, "ListOffsets"),
    (3, "Metadata"),
    (8, "OffsetCommit"),
    (9, "OffsetFetch"),
    (10, "FindCoordinator"),
    (11, "JoinGroup"),
    (12, "Heartbeat"),
    (13, "LeaveGroup"),
    (14, "SyncGroup"),
    (17, "SaslHandshake"),
    (18, "ApiVersions"),
    (36, "SaslAuthenticate"),
    (22, "InitProducerId"),
    (24, "AddPartitionsToTxn"),
    (25, "AddOffsetsToTxn"),
    (26, "EndTxn"),
    (28, "TxnOffsetCommit"),
];
/// How many of [`USED`] every client needs.
const DOCUMENTED: usize = 14;

const SASL_HANDSHAKE: i16 = 17;
const API_VERSIONS: i16 = 18;
/// What a request is sent with, and its response has to begin with.
const CORRELATION_ID: i32 = 1;
/// A response longer than this is none.
pub(super) const RESPONSE_BYTES_MAX: usize = 1 << 20;

/// Which versions of a request a broker takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ApiRange {
    /// Which request.
    pub key: i16,
    /// Its name.
    pub name: &'static str,
    /// The first version.
    pub min: i16,
    /// The last one.
    pub max: i16,
}

/// The name of a request that is used; none of another.
pub fn api_name(key: i16) -> Option<&'static str> {
    USED.iter().find(|(used, _)| *used == key).map(|(_, name)| *name)
}

/// The name of the first request that every client needs and the broker does not take.
pub(super) fn missing(ranges: &[ApiRange]) -> Option<&'static str> {
    let needed = USED.iter().take(DOCUMENTED);
    needed.filter(|(key, _)| !ranges.iter().any(|range| range.key == *key)).map(|(_, name)| *name).next()
}

/// An `ApiVersions` request, with its length.
pub(super) fn api_versions(client_id: &str) -> Vec<u8> {
    request(API_VERSIONS, 0, client_id, &[])
}

/// A `SaslHandshake` request, with its length.
pub(super) fn sasl_handshake(client_id: &str, mechanism: &str) -> Vec<u8> {
    request(SASL_HANDSHAKE, 1, client_id, &string(mechanism))
}

/// The ranges that a response tells, of the requests that are used, in [`USED`]'s order. `response` is without its length.
///
/// # Errors
/// It is none, or tells an error.
pub(super) fn decode_api_versions(response: &[u8]) -> Result<Vec<ApiRange>, String> {
    let mut rest = Rest(response);
    rest.correlation()?;
    let code = rest.int16()?;
    if code != 0 {
        return Err(format!("error {code}"));
    }
    let mut told = Vec::new();
    for _ in 0..rest.int32()? {
        told.push((rest.int16()?, rest.int16()?, rest.int16()?));
    }
    let range = |&(key, name): &(i16, &'static str)| {
        let (_, min, max) = *told.iter().find(|(told, ..)| *told == key)?;
        Some(ApiRange { key, name, min, max })
    };
    Ok(USED.iter().filter_map(range).collect())
}

/// The mechanisms that a response lists, in order of name, whether the one that was asked for is among them or not.
///
/// # Errors
/// It is none, or tells another error.
pub(super) fn decode_sasl_handshake(response: &[u8]) -> Result<Vec<String>, String> {
    /// `UNSUPPORTED_SASL_MECHANISM`; the list follows all the same.
    const UNSUPPORTED: i16 = 33;
    /// `ILLEGAL_SASL_STATE`, of a listener without SASL.
    const ILLEGAL_STATE: i16 = 34;
    let mut rest = Rest(response);
    rest.correlation()?;
    match rest.int16()? {
        0 | UNSUPPORTED => {}
        ILLEGAL_STATE => return Err("this listener has no SASL".into()),
        code => return Err(format!("error {code}")),
    }
    let mut mechanisms = Vec::new();
    for _ in 0..rest.int32()? {
        let length = usize::try_from(rest.int16()?).map_err(|_| TOO_SHORT)?;
        mechanisms.push(String::from_utf8_lossy(rest.take(length)?).into_owned());
    }
    // Brokers list them in any order.
    mechanisms.sort();
    Ok(mechanisms)
}

fn request(key: i16, version: i16, client_id: &str, body: &[u8]) -> Vec<u8> {
    let header = [&key.to_be_bytes()[..], &version.to_be_bytes(), &CORRELATION_ID.to_be_bytes()].concat();
    let bytes = [header, string(client_id), body.to_vec()].concat();
    // Names are cut to what a length of 16 bits can tell: this fits.
    let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    [&length.to_be_bytes()[..], &bytes].concat()
}

fn string(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..i16::MAX.unsigned_abs().into()).unwrap_or(bytes);
    let length = i16::try_from(bytes.len()).unwrap_or(i16::MAX);
    [&length.to_be_bytes()[..], bytes].concat()
}

const TOO_SHORT: &str = "an answer that is cut off";

/// Bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(TOO_SHORT)?;
        self.0 = left;
        Ok(taken)
    }

    fn int16(&mut self) -> Result<i16, String> {
        let (taken, left) = self.0.split_first_chunk().ok_or(TOO_SHORT)?;
        self.0 = left;
        Ok(i16::from_be_bytes(*taken))
    }

    fn int32(&mut self) -> Result<i32, String> {
        let (taken, left) = self.0.split_first_chunk().ok_or(TOO_SHORT)?;
        self.0 = left;
        Ok(i32::from_be_bytes(*taken))
    }

    fn correlation(&mut self) -> Result<(), String> {
        match self.int32()? {
            CORRELATION_ID => Ok(()),
            _ => Err("an answer to another request".into()),
        }
    }
}

#[cfg(test)]
mod tests;
