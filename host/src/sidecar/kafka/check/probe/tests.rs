//! Listeners that are no brokers, or not quite.

use std::net::TcpListener;
use std::thread;

use super::*;
use crate::sidecar::kafka::client::Role;

/// A listener that takes one connection, reads what comes, and answers with these bytes.
fn listener(answer: &'static [u8]) -> Address {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 100]);
        let _ = stream.write_all(answer);
    });
    Address { host: "127.0.0.1".into(), port }
}

fn settings(protocol: &str) -> ClientSettings {
    let mut settings = ClientSettings::new(Role::Consumer);
    settings.set("security.protocol", protocol);
    settings.set("sasl.mechanism", "PLAIN");
    settings
}

#[track_caller]
fn check(answer: &'static [u8], expect: &str) {
    let report = one(&listener(answer), Origin::Bootstrap, &settings("plaintext"));
    let problem = report.problem.expect("it is no broker").to_string();
    assert!(problem.contains(expect), "{problem}");
}

#[test]
fn what_listens_there_may_be_anything() {
    check(b"", "did not answer ApiVersions: it closed the connection");
    check(b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak Kafka's protocol");
    check(b"\x15\x03\x03\0\x02\x02\x50", "answers in TLS; security.protocol PLAINTEXT does not fit this port");
    check(b"\0\0\0\x06\0\0\0\x01\0\x23", "error 35");
    check(b"\0\0\0\x0a\0\0\0\x01\0\0\0\0\0\0", "does not take Produce requests");
}

#[test]
fn who_says_nothing_is_waited_for_a_while() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    for (protocol, expect) in
        [("plaintext", "did not answer ApiVersions: no answer within 4 s"), ("ssl", "failed: no answer within 4 s")]
    {
        let problem = one(&address, Origin::Bootstrap, &settings(protocol)).problem.expect("silence").to_string();
        assert!(problem.contains(expect), "{problem}");
    }
}

#[test]
fn a_name_without_an_address_and_a_port_without_a_listener() {
    let address = Address { host: "no-such-host.invalid".into(), port: 9092 };
    let problem = one(&address, Origin::Bootstrap, &settings("plaintext")).problem.unwrap();
    assert!(matches!(&problem, Problem::Unresolved { .. }), "{problem:?}");
    assert!(problem.to_string().ends_with("correct bootstrap.servers"), "{problem}");

    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = Address { host: "127.0.0.1".into(), port };
    let problem = one(&address, Origin::Cluster, &settings("plaintext")).problem.unwrap();
    assert_eq!(
        problem.to_string(),
        format!(
            "cannot connect to broker \"127.0.0.1:{port}\": nobody listens there (connection refused); the cluster tells \
             its clients to come there: start that broker, or correct its advertised.listeners"
        )
    );
}

#[test]
fn protocols_are_of_two_halves() {
    for (name, has_sasl, has_tls) in
        [("PLAINTEXT", false, false), ("ssl", false, true), ("sasl_plaintext", true, false), ("SASL_SSL", true, true)]
    {
        let protocol = Protocol::of(&settings(name));
        assert_eq!(protocol, Protocol { has_tls, has_sasl });
        assert_eq!(protocol.name(), name.to_uppercase());
    }
}
