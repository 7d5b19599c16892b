//! Kafka's request headers, decoded from the bytes of a connection as they come.
//!
//! A request is its length and then a header: `api_key`, `api_version` and `correlation_id` (version 0), a nullable
//! `client_id` (version 1), and tagged fields (version 2), which every flexible version of an API has. What follows the
//! header is passed over, whatever its size.

use std::fmt;

/// Bytes of a request that are kept to find its header in. Longer headers have a `client_id` that nobody writes.
const HEADER_BYTES_MAX: usize = 4096;
/// A request longer than this is none: brokers take 100 MiB.
const REQUEST_BYTES_MAX: usize = 128 << 20;

/// Every API a test may meet: key, name, and the first version that is flexible. By Kafka's own definitions of its
/// messages.
const APIS: [(i16, &str, Option<i16>); 36] = [
    (0, "Produce", Some(9)),
    (1, "Fetch", Some(12)),
    (2, "ListOffsets", Some(6)),
    (3, "Metadata", Some(9)),
    (8, "OffsetCommit", Some(8)),
    (9, "OffsetFetch", Some(6)),
    (10, "FindCoordinator", Some(3)),
    (11, "JoinGroup", Some(6)),
    (12, "Heartbeat", Some(4)),
    (13, "LeaveGroup", Some(4)),
    (14, "SyncGroup", Some(4)),
    (15, "DescribeGroups", Some(5)),
    (16, "ListGroups", Some(3)),
    (17, "SaslHandshake", None),
    (18, "ApiVersions", Some(3)),
    (19, "CreateTopics", Some(5)),
    (20, "DeleteTopics", Some(4)),
    (21, "DeleteRecords", Some(2)),
    (22, "InitProducerId", Some(2)),
    (23, "OffsetForLeaderEpoch", Some(4)),
    (24, "AddPartitionsToTxn", Some(3)),
    (25, "AddOffsetsToTxn", Some(3)),
    (26, "EndTxn", Some(3)),
    (27, "WriteTxnMarkers", Some(1)),
    (28, "TxnOffsetCommit", Some(3)),
    (29, "DescribeAcls", Some(2)),
    (30, "CreateAcls", Some(2)),
    (32, "DescribeConfigs", Some(4)),
    (36, "SaslAuthenticate", Some(2)),
    (37, "CreatePartitions", Some(2)),
    (42, "DeleteGroups", Some(2)),
    (44, "IncrementalAlterConfigs", Some(1)),
    (60, "DescribeCluster", Some(0)),
    (68, "ConsumerGroupHeartbeat", Some(0)),
    (69, "ConsumerGroupDescribe", Some(0)),
    (71, "GetTelemetrySubscriptions", Some(0)),
];

/// The first flexible version of an API; none if it has none, or is not known.
pub fn first_flexible(api_key: i16) -> Option<i16> {
    APIS.iter().find(|(key, ..)| *key == api_key).and_then(|(.., flexible)| *flexible)
}

/// The name of an API, or its number.
pub fn api_name(api_key: i16) -> String {
    let known = APIS.iter().find(|(key, ..)| *key == api_key);
    known.map_or_else(|| format!("API {api_key}"), |(_, name, _)| (*name).to_owned())
}

/// The header of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHeader {
    /// Which API.
    pub api_key: i16,
    /// Which version of it.
    pub api_version: i16,
    /// What the response will repeat.
    pub correlation_id: i32,
    /// The client's own name.
    pub client_id: Option<String>,
    /// The header's version: 0, 1 or 2.
    pub version: u8,
}

/// Bytes that are no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// The length is negative, or beyond any broker's limit.
    Length(i32),
    /// The header goes on after the request's end.
    Short,
    /// The client's name is no text.
    ClientId,
    /// The API is none that a test may meet, so nobody knows its header's version.
    Api(i16),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(length) => write!(f, "a request of {length} bytes"),
            Self::Short => f.write_str("a header that is not complete"),
            Self::ClientId => f.write_str("a client_id that is no UTF-8"),
            Self::Api(key) => write!(f, "a request for the unknown API {key}"),
        }
    }
}

/// Reads the header that a request begins with; its length is not part of `request`.
///
/// # Errors
/// It is none.
pub fn parse(request: &[u8]) -> Result<RequestHeader, Malformed> {
    let mut rest = Rest(request);
    let (api_key, api_version) = (rest.int16()?, rest.int16()?);
    let correlation_id = rest.int32()?;
    if !APIS.iter().any(|(key, ..)| *key == api_key) {
        return Err(Malformed::Api(api_key));
    }
    // ControlledShutdown version 0 alone has a header without a client_id, and only brokers send it; a request that ends
    // here is read as one all the same.
    if rest.0.is_empty() {
        return Ok(RequestHeader { api_key, api_version, correlation_id, client_id: None, version: 0 });
    }
    let client_id = match rest.int16()? {
        length if length < 0 => None,
        length => Some(rest.take(length.unsigned_abs().into())?),
    };
    let client_id =
        client_id.map(|name| String::from_utf8(name.to_vec())).transpose().map_err(|_| Malformed::ClientId)?;
    let is_flexible = first_flexible(api_key).is_some_and(|first| api_version >= first);
    if is_flexible {
        for _ in 0..rest.unsigned_varint()? {
            let (_tag, length) = (rest.unsigned_varint()?, rest.unsigned_varint()?);
            rest.take(length as usize)?;
        }
    }
    Ok(RequestHeader { api_key, api_version, correlation_id, client_id, version: 1 + u8::from(is_flexible) })
}

/// The requests of one connection, fed in pieces of any size.
#[derive(Debug, Default)]
pub struct Requests {
    /// The length and what is kept of the request that is coming.
    kept: Vec<u8>,
    /// Bytes of the current request that are still to be passed over.
    passing: usize,
    /// Whether the bytes stopped to make sense: then there is no next request to find.
    is_lost: bool,
}

impl Requests {
    /// Takes the next bytes, and tells each request as soon as its header is there.
    pub fn feed(&mut self, mut bytes: &[u8], mut tell: impl FnMut(Result<RequestHeader, Malformed>)) {
        while !bytes.is_empty() && !self.is_lost {
            let passed = self.passing.min(bytes.len());
            self.passing -= passed;
            bytes = &bytes[passed..];
            let wanted = match self.wanted() {
                Ok(wanted) => wanted,
                Err(malformed) => {
                    self.is_lost = true;
                    return tell(Err(malformed));
                }
            };
            let taken = (wanted - self.kept.len()).min(bytes.len());
            self.kept.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if let Some((length, request)) = self.whole() {
                tell(parse(request));
                self.passing = length - request.len();
                self.kept.clear();
            }
        }
    }

    /// How many bytes there have to be before there is anything to see.
    fn wanted(&self) -> Result<usize, Malformed> {
        match self.length() {
            None => Ok(4),
            Some(length) => match usize::try_from(length) {
                Ok(bytes) if bytes <= REQUEST_BYTES_MAX => Ok(4 + bytes.min(HEADER_BYTES_MAX)),
                _ => Err(Malformed::Length(length)),
            },
        }
    }

    /// The length that the request begins with.
    fn length(&self) -> Option<i32> {
        self.kept.first_chunk().map(|length| i32::from_be_bytes(*length))
    }

    /// The request's length and the beginning of it, once that is there.
    fn whole(&self) -> Option<(usize, &[u8])> {
        let length = usize::try_from(self.length()?).ok()?;
        let request = self.kept.get(4..4 + length.min(HEADER_BYTES_MAX))?;
        Some((length, request))
    }
}

/// Bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(Malformed::Short)?;
        self.0 = left;
        Ok(taken)
    }

    fn int16(&mut self) -> Result<i16, Malformed> {
        Ok(i16::from_be_bytes(self.take(2)?.try_into().map_err(|_| Malformed::Short)?))
    }

    fn int32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_be_bytes(self.take(4)?.try_into().map_err(|_| Malformed::Short)?))
    }

    /// Seven bits a byte, the lowest first, without a sign.
    fn unsigned_varint(&mut self) -> Result<u32, Malformed> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.take(1)?[0];
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed::Short)
    }
}

#[cfg(test)]
mod tests;
