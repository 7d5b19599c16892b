//! A TLS handshake with the rules that librdkafka has, and what is wrong with it in plain words.
//!
//! librdkafka tells little of a certificate that it refuses. Here the same OpenSSL looks at it under the same settings and
//! keeps what it saw. Nothing of a key or a password is in any text.

mod settings;

use std::net::{IpAddr, TcpStream};
use std::sync::{Arc, Mutex};

use openssl::ssl::{HandshakeError, Ssl, SslStream, SslVerifyMode};
use openssl::x509::{X509, X509NameRef, X509Ref, X509StoreContextRef};

use super::address::Address;
use super::probe::{Protocol, plainly};
use super::{Problem, TlsReport};
use crate::sidecar::kafka::client::ClientSettings;
use crate::sidecar::kafka::locks::lock;

// OpenSSL's numbers of what is wrong with a certificate (X509_V_ERR_…).
const NOT_YET_VALID: i32 = 9;
const HAS_EXPIRED: i32 = 10;
const SELF_SIGNED_LEAF: i32 = 18;
const SELF_SIGNED_IN_CHAIN: i32 = 19;
const NO_LOCAL_ISSUER: i32 = 20;
const NO_FIRST_SIGNATURE: i32 = 21;
const HOSTNAME_MISMATCH: i32 = 62;
const IP_ADDRESS_MISMATCH: i32 = 64;

/// A certificate that was refused, and why.
struct Refused {
    code: i32,
    reason: String,
    certificate: Option<X509>,
}

/// What the verification leaves behind for us.
type Seen = Arc<Mutex<Option<Refused>>>;

/// Shakes hands over a connection.
pub(super) fn handshake(
    stream: TcpStream,
    address: &Address,
    protocol: Protocol,
    settings: &ClientSettings,
) -> Result<(SslStream<TcpStream>, TlsReport), Problem> {
    let seen = Seen::default();
    let ssl = prepare(address, settings, &seen)?;
    match ssl.connect(stream) {
        Ok(stream) => {
            let shown = shown(&stream);
            Ok((stream, shown))
        }
        Err(error) => {
            let refused = lock(&seen).take();
            Err(match refused {
                Some(refused) => refused_certificate(address, settings, &refused),
                None => failed(address, protocol, &error),
            })
        }
    }
}

/// A connection's rules: whom to trust, and whose certificate it has to be.
fn prepare(address: &Address, settings: &ClientSettings, seen: &Seen) -> Result<Ssl, Problem> {
    let mut context = settings::context(settings)?;
    let is_checked = settings.get("enable.ssl.certificate.verification") != Some("false");
    if is_checked {
        let seen = Arc::clone(seen);
        context.set_verify_callback(SslVerifyMode::PEER, move |is_good, store| {
            if !is_good {
                note(&seen, store);
            }
            is_good
        });
    } else {
        context.set_verify(SslVerifyMode::NONE);
    }
    let refused = |what: &'static str| move |error: openssl::error::ErrorStack| settings::problem(what, &error);
    let mut ssl = Ssl::new(&context.build()).map_err(refused("the connection"))?;
    let number = address.host.parse::<IpAddr>().ok();
    if number.is_none() {
        ssl.set_hostname(&address.host).map_err(refused("the host's name"))?;
    }
    if is_checked && settings.get("ssl.endpoint.identification.algorithm") != Some("none") {
        match number {
            Some(number) => ssl.param_mut().set_ip(number),
            None => ssl.param_mut().set_host(&address.host),
        }
        .map_err(refused("the host's name"))?;
    }
    Ok(ssl)
}

/// Keeps the first certificate that is refused: what is said of the others follows from it.
fn note(seen: &Seen, store: &X509StoreContextRef) {
    let mut seen = lock(seen);
    seen.get_or_insert_with(|| Refused {
        code: store.error().as_raw(),
        reason: store.error().error_string().to_owned(),
        certificate: store.current_cert().map(X509Ref::to_owned),
    });
}

fn refused_certificate(address: &Address, settings: &ClientSettings, refused: &Refused) -> Problem {
    let address = address.to_string();
    let certificate = refused.certificate.as_deref();
    let unknown = || "an unknown date".to_owned();
    match refused.code {
        HAS_EXPIRED => Problem::Expired {
            address,
            at: certificate.map_or_else(unknown, |certificate| certificate.not_after().to_string()),
        },
        NOT_YET_VALID => Problem::NotYetValid {
            address,
            at: certificate.map_or_else(unknown, |certificate| certificate.not_before().to_string()),
        },
        HOSTNAME_MISMATCH | IP_ADDRESS_MISMATCH => {
            Problem::OtherHost { address, names: certificate.map_or_else(|| "another host".into(), names) }
        }
        SELF_SIGNED_LEAF | SELF_SIGNED_IN_CHAIN | NO_LOCAL_ISSUER | NO_FIRST_SIGNATURE => Problem::Untrusted {
            address,
            issuer: certificate.map_or_else(
                || "an unknown authority".into(),
                |certificate| format!("\"{}\"", name(certificate.issuer_name())),
            ),
            trusted: settings::trusted(settings),
        },
        _ => Problem::Tls { address, reason: refused.reason.clone() },
    }
}

/// A handshake that failed before any certificate was refused.
fn failed(address: &Address, protocol: Protocol, error: &HandshakeError<TcpStream>) -> Problem {
    let address = address.to_string();
    let reason = match error {
        HandshakeError::SetupFailure(error) => reasons(error),
        // The socket's own limit.
        HandshakeError::WouldBlock(_) => plainly(&std::io::ErrorKind::TimedOut.into()),
        HandshakeError::Failure(stream) => {
            let error = stream.error();
            match (error.io_error(), error.ssl_error()) {
                (Some(error), _) => plainly(error),
                (None, Some(errors)) => reasons(errors),
                (None, None) => "it closed the connection".into(),
            }
        }
    };
    // A broker without TLS takes the first bytes for a length beyond its limit and closes; others answer in plain.
    let is_plain = ["closed the connection", "wrong version number", "packet length", "unexpected eof"];
    if is_plain.iter().any(|sign| reason.contains(sign)) {
        let instead = Protocol { has_tls: false, ..protocol }.name();
        return Problem::NoTls { address, reason, protocol: protocol.name(), instead };
    }
    Problem::Tls { address, reason }
}

/// OpenSSL's reasons, without its places and numbers.
fn reasons(errors: &openssl::error::ErrorStack) -> String {
    let reasons = errors.errors().iter().filter_map(openssl::error::Error::reason).collect::<Vec<_>>();
    if reasons.is_empty() { "OpenSSL gives no reason".into() } else { reasons.join(", ") }
}

fn shown(stream: &SslStream<TcpStream>) -> TlsReport {
    let certificate = stream.ssl().peer_certificate();
    TlsReport {
        version: stream.ssl().version_str().to_owned(),
        names: certificate.as_deref().map(names).unwrap_or_default(),
        expires: certificate.map(|certificate| certificate.not_after().to_string()).unwrap_or_default(),
    }
}

/// Whom a certificate is for: the names that count, or its subject where it has none of them.
fn names(certificate: &X509Ref) -> String {
    let alternatives = certificate.subject_alt_names().into_iter().flatten();
    let names = alternatives.filter_map(|name| {
        let address = |bytes: &[u8]| match bytes.len() {
            4 => <[u8; 4]>::try_from(bytes).ok().map(|bytes| IpAddr::from(bytes).to_string()),
            _ => <[u8; 16]>::try_from(bytes).ok().map(|bytes| IpAddr::from(bytes).to_string()),
        };
        name.dnsname().map(ToOwned::to_owned).or_else(|| name.ipaddress().and_then(address))
    });
    let names = names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>();
    if names.is_empty() { format!("\"{}\"", name(certificate.subject_name())) } else { names.join(", ") }
}

/// A distinguished name in short.
fn name(name: &X509NameRef) -> String {
    let part = |entry: &openssl::x509::X509NameEntryRef| {
        let key = entry.object().nid().short_name().unwrap_or("?").to_owned();
        let value = entry.data().to_string().unwrap_or_default();
        format!("{key}={value}")
    };
    name.entries().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
