//! Requests byte for byte, and responses good and bad.

use super::*;

#[test]
fn requests_are_as_the_protocol_has_them() {
    assert_eq!(api_versions("ab"), b"\0\0\0\x0c\0\x12\0\0\0\0\0\x01\0\x02ab");
    assert_eq!(sasl_handshake("", "PLAIN"), b"\0\0\0\x11\0\x11\0\x01\0\0\0\x01\0\0\0\x05PLAIN");
}

#[test]
fn versions_are_told_in_our_order() {
    let response = b"\0\0\0\x01\0\0\0\0\0\x03\0\x12\0\0\0\x04\x03\xe7\0\0\0\x01\0\0\0\x03\0\x0d";
    let ranges = decode_api_versions(response).unwrap();
    let told = ranges.iter().map(|range| (range.key, range.name, range.min, range.max)).collect::<Vec<_>>();
    assert_eq!(told, [(0, "Produce", 3, 13), (18, "ApiVersions", 0, 4)]);
    assert_eq!(missing(&ranges), Some("Fetch"));
    assert_eq!((api_name(36), api_name(999)), (Some("SaslAuthenticate"), None));
}

#[test]
fn mechanisms_are_listed_whichever_was_asked_for() {
    for code in [0, 33] {
        let response = [&b"\0\0\0\x01\0"[..], &[code], b"\0\0\0\x02\0\x05PLAIN\0\x0dSCRAM-SHA-256"].concat();
        assert_eq!(decode_sasl_handshake(&response), Ok(vec!["PLAIN".into(), "SCRAM-SHA-256".into()]));
    }
    assert_eq!(decode_sasl_handshake(b"\0\0\0\x01\0\x22\0\0\0\0"), Err("this listener has no SASL".into()));
}

#[test]
fn what_is_no_response_is_told() {
    for response in [&b""[..], b"\0\0\0", b"\0\0\0\x01\0", b"\0\0\0\x01\0\0\0\0\0\x01\0\x12"] {
        assert_eq!(decode_api_versions(response), Err(TOO_SHORT.into()), "{response:?}");
    }
    assert_eq!(decode_api_versions(b"\0\0\0\x02\0\0"), Err("an answer to another request".into()));
    assert_eq!(decode_api_versions(b"\0\0\0\x01\0\x23"), Err("error 35".into()));
    assert_eq!(decode_sasl_handshake(b"\0\0\0\x01\0\0\0\0\0\x01\xff\xff"), Err(TOO_SHORT.into()));
}
