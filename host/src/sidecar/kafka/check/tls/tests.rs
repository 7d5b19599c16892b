//! TLS listeners that are wrong in one way each, with certificates that are made for the test.

use std::net::TcpListener;
use std::thread;

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslAcceptor, SslMethod};
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509Builder, X509Name, X509NameBuilder};

use super::*;
use crate::sidecar::kafka::client::Role;

const DAY: i64 = 24 * 60 * 60;

/// A certificate with its key.
struct Pair {
    key: PKey<Private>,
    certificate: X509,
}

fn named(name: &str) -> X509Name {
    let mut builder = X509NameBuilder::new().unwrap();
    builder.append_entry_by_text("CN", name).unwrap();
    builder.build()
}

/// A certificate for days from now, signed by an authority, or one that signs itself.
fn certificate(name: &str, address: Option<&str>, days: (i64, i64), authority: Option<&Pair>) -> Pair {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    let key = PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap();
    let now = i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_secs()).unwrap();
    let mut builder = X509Builder::new().unwrap();
    builder.set_version(2).unwrap();
    builder.set_serial_number(&BigNum::from_u32(7).unwrap().to_asn1_integer().unwrap()).unwrap();
    builder.set_subject_name(&named(name)).unwrap();
    builder.set_issuer_name(authority.map_or(&named(name), |authority| authority.certificate.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::from_unix(now + days.0 * DAY).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::from_unix(now + days.1 * DAY).unwrap()).unwrap();
    builder.set_pubkey(&key).unwrap();
    if let Some(address) = address {
        let mut names = SubjectAlternativeName::new();
        let names = if address.parse::<IpAddr>().is_ok() { names.ip(address) } else { names.dns(address) };
        let extension = names.build(&builder.x509v3_context(None, None)).unwrap();
        builder.append_extension(extension).unwrap();
    } else {
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
    }
    builder.sign(authority.map_or(&key, |authority| &authority.key), MessageDigest::sha256()).unwrap();
    Pair { key, certificate: builder.build() }
}

fn authority(name: &str) -> Pair {
    certificate(name, None, (-10, 10), None)
}

/// A listener with this certificate, which takes one handshake.
fn listener(pair: &Pair) -> Address {
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server()).unwrap();
    acceptor.set_private_key(&pair.key).unwrap();
    acceptor.set_certificate(&pair.certificate).unwrap();
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        // A client that refuses ends it here.
        let _ = acceptor.accept(stream);
    });
    Address { host: "127.0.0.1".into(), port }
}

fn settings(entries: &[(&str, &str)]) -> ClientSettings {
    let mut settings = ClientSettings::new(Role::Consumer);
    settings.set("security.protocol", "ssl");
    for (key, value) in entries {
        settings.set(key, *value);
    }
    settings
}

fn pem(pair: &Pair) -> String {
    String::from_utf8(pair.certificate.to_pem().unwrap()).unwrap()
}

fn shake(address: &Address, settings: &ClientSettings) -> Result<TlsReport, Problem> {
    let stream = TcpStream::connect(("127.0.0.1", address.port)).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
    handshake(stream, address, Protocol::of(settings), settings).map(|(_, shown)| shown)
}

/// The problem that a listener with a certificate has, for a client that trusts `trusted`.
fn refused(pair: &Pair, trusted: &Pair) -> Problem {
    shake(&listener(pair), &settings(&[("ssl.ca.pem", &pem(trusted))])).expect_err("it is refused")
}

#[test]
fn a_certificate_of_a_trusted_authority_is_taken() {
    let authority = authority("one");
    let pair = certificate("broker", Some("127.0.0.1"), (-1, 5), Some(&authority));
    let shown = shake(&listener(&pair), &settings(&[("ssl.ca.pem", &pem(&authority))])).unwrap();
    assert_eq!((shown.version.as_str(), shown.names.as_str()), ("TLSv1.3", "\"127.0.0.1\""));
    assert!(shown.expires.ends_with("GMT"), "{shown:?}");
}

#[test]
fn an_unknown_authority_is_named() {
    let (one, other) = (authority("one"), authority("other"));
    let problem = refused(&certificate("broker", Some("127.0.0.1"), (-1, 5), Some(&one)), &other);
    let Problem::Untrusted { issuer, trusted, .. } = &problem else { panic!("{problem:?}") };
    assert_eq!((issuer.as_str(), trusted.as_str()), ("\"CN=one\"", "ssl.truststore.certificates"));
    // One that signs itself is its own.
    let problem = refused(&certificate("itself", Some("127.0.0.1"), (-1, 5), None), &other);
    assert!(problem.to_string().contains("signed by \"CN=itself\""), "{problem}");
}

#[test]
fn a_certificate_for_another_host_is_refused_unless_nobody_looks() {
    let authority = authority("one");
    let pair = certificate("broker", Some("kafka.example"), (-1, 5), Some(&authority));
    let problem = refused(&pair, &authority);
    assert!(matches!(&problem, Problem::OtherHost { names, .. } if names == "\"kafka.example\""), "{problem:?}");
    let trusted = ("ssl.ca.pem", pem(&authority));
    let trusted = (trusted.0, trusted.1.as_str());
    shake(&listener(&pair), &settings(&[trusted, ("ssl.endpoint.identification.algorithm", "none")])).unwrap();
    shake(&listener(&pair), &settings(&[("enable.ssl.certificate.verification", "false")])).unwrap();
}

#[test]
fn certificates_out_of_their_time_are_refused() {
    let authority = authority("one");
    let problem = refused(&certificate("broker", Some("127.0.0.1"), (-5, -1), Some(&authority)), &authority);
    assert!(matches!(problem, Problem::Expired { .. }), "{problem:?}");
    let problem = refused(&certificate("broker", Some("127.0.0.1"), (1, 5), Some(&authority)), &authority);
    assert!(matches!(problem, Problem::NotYetValid { .. }), "{problem:?}");
}

#[test]
fn a_listener_without_tls_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    thread::spawn(move || drop(listener.accept()));
    let problem = shake(&address, &settings(&[("ssl.ca.pem", &pem(&authority("one")))])).expect_err("no TLS");
    let Problem::NoTls { protocol, instead, .. } = problem else { panic!("{problem:?}") };
    assert_eq!((protocol, instead), ("SSL", "PLAINTEXT"));
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let address = Address { host: "127.0.0.1".into(), port: 1 };
    for (entries, expect) in [
        (&[("ssl.ca.location", "/no/such/file.pem")][..], "cannot read \"/no/such/file.pem\""),
        (&[("ssl.ca.pem", "-----BEGIN CERTIFICATE-----\nbad")], "ssl.truststore.certificates"),
        (&[("ssl.key.pem", "secret-looking")], "the client's key"),
        (&[("ssl.cipher.suites", "NO-SUCH")], "ssl.cipher.suites"),
    ] {
        let Err(problem) = prepare(&address, &settings(entries), &Seen::default()) else { panic!("{entries:?}") };
        let text = problem.to_string();
        assert!(text.contains(expect) && !text.contains("secret-looking"), "{text}");
    }
}
