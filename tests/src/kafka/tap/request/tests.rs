//! Headers of all three versions, by table, whole and in pieces.

use super::*;

fn header(api_key: i16, api_version: i16, client_id: Option<&str>, version: u8) -> RequestHeader {
    RequestHeader { api_key, api_version, correlation_id: 7, client_id: client_id.map(str::to_owned), version }
}

#[track_caller]
fn check(request: &[u8], expect: &Result<RequestHeader, Malformed>) {
    assert_eq!(&parse(request), expect);
}

/// A request with its length before it.
fn framed(request: &[u8]) -> Vec<u8> {
    let length = i32::try_from(request.len()).unwrap();
    [&length.to_be_bytes(), request].concat()
}

fn fed(bytes: &[u8], pieces: usize) -> Vec<Result<RequestHeader, Malformed>> {
    let mut requests = Requests::default();
    let mut told = Vec::new();
    for piece in bytes.chunks(pieces) {
        requests.feed(piece, |request| told.push(request));
    }
    told
}

#[test]
fn version_0_ends_at_the_correlation_id() {
    check(b"\0\x12\0\0\0\0\0\x07", &Ok(header(18, 0, None, 0)));
}

#[test]
fn version_1_has_a_client_id_or_none() {
    check(b"\0\x12\0\0\0\0\0\x07\0\x02abrest", &Ok(header(18, 0, Some("ab"), 1)));
    check(b"\0\x12\0\0\0\0\0\x07\xff\xff", &Ok(header(18, 0, None, 1)));
    check(b"\0\x12\0\0\0\0\0\x07\0\0", &Ok(header(18, 0, Some(""), 1)));
    // SaslHandshake never became flexible; SaslAuthenticate did with version 2.
    check(b"\0\x11\0\x01\0\0\0\x07\0\x01arest", &Ok(header(17, 1, Some("a"), 1)));
    check(b"\0\x24\0\x01\0\0\0\x07\0\x01arest", &Ok(header(36, 1, Some("a"), 1)));
}

#[test]
fn version_2_has_tagged_fields() {
    check(b"\0\x12\0\x03\0\0\0\x07\0\x02ab\0rest", &Ok(header(18, 3, Some("ab"), 2)));
    check(b"\0\x03\0\x09\0\0\0\x07\0\x02ab\x02\x00\x01x\x80\x01\x02yzrest", &Ok(header(3, 9, Some("ab"), 2)));
    check(b"\0\x24\0\x02\0\0\0\x07\xff\xff\0", &Ok(header(36, 2, None, 2)));
}

#[test]
fn flexible_begins_where_kafka_says() {
    for (key, name, first) in APIS {
        let Some(first) = first else { continue };
        let request = |version: i16| [&key.to_be_bytes()[..], &version.to_be_bytes(), b"\0\0\0\x07\0\x01a\0"].concat();
        assert_eq!(parse(&request(first)), Ok(header(key, first, Some("a"), 2)), "{name}");
        if first > 0 {
            assert_eq!(parse(&request(first - 1)), Ok(header(key, first - 1, Some("a"), 1)), "{name}");
        }
    }
}

#[test]
fn what_is_no_header_is_told() {
    check(b"\0\x12\0", &Err(Malformed::Short));
    check(b"\0\x12\0\0\0\0\0\x07\0\x05ab", &Err(Malformed::Short));
    check(b"\0\x12\0\0\0\0\0\x07\0\x01\xff", &Err(Malformed::ClientId));
    check(b"\0\x12\0\x03\0\0\0\x07\0\x02ab", &Err(Malformed::Short));
    check(b"\0\x12\0\x03\0\0\0\x07\0\x02ab\xff\xff\xff\xff\xff\xff", &Err(Malformed::Short));
    check(b"\x03\xe7\0\x03\0\0\0\x07\0\x02ab", &Err(Malformed::Api(999)));
}

#[test]
fn requests_are_found_in_pieces_of_any_size() {
    let large = [b"\0\0\0\x08\0\0\0\x07\0\x02ab".to_vec(), vec![9; 3 * HEADER_BYTES_MAX]].concat();
    let bytes = [framed(b"\0\x12\0\x03\0\0\0\x07\0\x01c\0"), framed(&large), framed(b"\0\x03\0\x01\0\0\0\x07\xff\xff")]
        .concat();
    let expect = [Ok(header(18, 3, Some("c"), 2)), Ok(header(0, 8, Some("ab"), 1)), Ok(header(3, 1, None, 1))];
    for pieces in [1, 2, 3, 5, 64, 4096, 4099, bytes.len()] {
        assert_eq!(fed(&bytes, pieces), expect, "in pieces of {pieces}");
    }
}

#[test]
fn after_a_length_that_is_none_nothing_is_found() {
    let bytes = [b"\xff\xff\xff\xff".to_vec(), framed(b"\0\x12\0\0\0\0\0\x07\xff\xff")].concat();
    assert_eq!(fed(&bytes, 1), [Err(Malformed::Length(-1))]);
    assert_eq!(fed(b"GET / HTTP/1.1\r\n\r\n", 64), [Err(Malformed::Length(0x4745_5420))]);
}
