//! One broker from the outside: its name, its socket, its TLS, and what it answers before it lets anybody in.
//!
//! Each look is a connection of its own, on a thread that blocks, and ends with the socket's own limits.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::address::Address;
use super::{BrokerReport, Problem, blocking, tls, wire};
use crate::sidecar::kafka::client::ClientSettings;

/// How long a broker may take to accept a connection, and for each answer: in the handshake, and to a request.
const ANSWER_WAIT: Duration = Duration::from_secs(4);
/// Addresses of one name that are tried.
const ADDRESSES_MAX: usize = 3;
/// How long all of that may take together; name servers have waits of their own.
const PROBE_WAIT: Duration = Duration::from_secs(20);

/// Who told the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The settings.
    Bootstrap,
    /// The cluster, which sends its clients there.
    Cluster,
}

/// How a client speaks to brokers: `security.protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Protocol {
    pub(super) has_tls: bool,
    pub(super) has_sasl: bool,
}

impl Protocol {
    pub(super) fn of(settings: &ClientSettings) -> Self {
        let name = settings.get("security.protocol").unwrap_or("plaintext").to_ascii_lowercase();
        Self { has_tls: name.ends_with("ssl"), has_sasl: name.starts_with("sasl") }
    }

    pub(super) fn name(self) -> &'static str {
        match (self.has_sasl, self.has_tls) {
            (false, false) => "PLAINTEXT",
            (false, true) => "SSL",
            (true, false) => "SASL_PLAINTEXT",
            (true, true) => "SASL_SSL",
        }
    }

    /// The other one, as far as TLS goes.
    fn with_tls(self, has_tls: bool) -> Self {
        Self { has_tls, ..self }
    }
}

/// Looks at all of them at once; the reports are in the order of the addresses.
pub(super) async fn all(addresses: &[Address], origin: Origin, settings: &ClientSettings) -> Vec<BrokerReport> {
    let mut looks = JoinSet::new();
    for (index, address) in addresses.iter().cloned().enumerate() {
        let settings = settings.clone();
        looks.spawn(async move {
            let name = address.to_string();
            let look = blocking(move || Ok(one(&address, origin, &settings)));
            let report = match timeout(PROBE_WAIT, look).await {
                Ok(Ok(report)) => report,
                Ok(Err(problem)) => failed(name, problem),
                Err(_) => failed(name, Problem::GivenUp { seconds: PROBE_WAIT.as_secs() }),
            };
            (index, report)
        });
    }
    let mut reports = looks.join_all().await;
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

fn failed(address: String, problem: Problem) -> BrokerReport {
    BrokerReport { address, problem: Some(problem), ..BrokerReport::default() }
}

fn one(address: &Address, origin: Origin, settings: &ClientSettings) -> BrokerReport {
    let mut report = BrokerReport { address: address.to_string(), ..BrokerReport::default() };
    report.problem = look(address, origin, settings, &mut report).err();
    report
}

fn look(
    address: &Address,
    origin: Origin,
    settings: &ClientSettings,
    report: &mut BrokerReport,
) -> Result<(), Problem> {
    let protocol = Protocol::of(settings);
    let stream = connect(address, origin, settings)?;
    report.reached = stream.peer_addr().ok().map(|peer| peer.to_string());
    if protocol.has_tls {
        let (stream, shown) = tls::handshake(stream, address, protocol, settings)?;
        report.tls = Some(shown);
        converse(stream, address, protocol, settings, report)
    } else {
        converse(stream, address, protocol, settings, report)
    }
}

/// Resolves the name, and connects to the first of its addresses that takes it.
fn connect(address: &Address, origin: Origin, settings: &ClientSettings) -> Result<TcpStream, Problem> {
    let (name, advertised) = (address.to_string(), origin == Origin::Cluster);
    let unresolved = |reason: String| Problem::Unresolved { address: name.clone(), reason, advertised };
    let resolved = (address.host.as_str(), address.port).to_socket_addrs();
    let family = settings.get("broker.address.family").unwrap_or("any");
    let is_wanted = |address: &SocketAddr| match address.ip() {
        IpAddr::V4(_) => family != "v6",
        IpAddr::V6(_) => family != "v4",
    };
    let resolved = resolved.map_err(|error| unresolved(error.to_string()))?.filter(is_wanted);
    let mut reason = None;
    for resolved in resolved.take(ADDRESSES_MAX) {
        match open(&resolved) {
            Ok(stream) => return Ok(stream),
            Err(error) => reason = Some(plainly(&error)),
        }
    }
    match reason {
        Some(reason) => Err(Problem::Unreachable { address: name, reason, advertised }),
        None => Err(unresolved(format!("it has no address of family {family}"))),
    }
}

fn open(address: &SocketAddr) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(address, ANSWER_WAIT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(ANSWER_WAIT))?;
    stream.set_write_timeout(Some(ANSWER_WAIT))?;
    Ok(stream)
}

/// What a socket's error means to people.
pub(super) fn plainly(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "nobody listens there (connection refused)".into(),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => format!("no answer within {} s", ANSWER_WAIT.as_secs()),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            "it closed the connection".into()
        }
        _ => error.to_string(),
    }
}

/// Asks for versions and mechanisms.
fn converse(
    mut stream: impl Read + Write,
    address: &Address,
    protocol: Protocol,
    settings: &ClientSettings,
    report: &mut BrokerReport,
) -> Result<(), Problem> {
    let client_id = settings.client_id();
    let broken = |request, broken| no_answer(address, protocol, request, broken);
    let versions = exchange(&mut stream, &wire::api_versions(client_id));
    let versions = versions.and_then(|response| wire::decode_api_versions(&response).map_err(Broken::Nonsense));
    report.apis = versions.map_err(|error| broken("ApiVersions", error))?;
    if let Some(request) = wire::missing(&report.apis) {
        return Err(Problem::MissingApi { address: address.to_string(), request });
    }
    let mechanism = settings.get("sasl.mechanism").unwrap_or("GSSAPI").to_ascii_uppercase();
    let mechanisms = exchange(&mut stream, &wire::sasl_handshake(client_id, &mechanism));
    let mechanisms = mechanisms.and_then(|response| wire::decode_sasl_handshake(&response).map_err(Broken::Nonsense));
    if !protocol.has_sasl {
        // Where SASL is not asked for, every answer but a list of mechanisms is as it should be.
        return match mechanisms {
            Ok(offered) if !offered.is_empty() => {
                Err(Problem::WantsSasl { address: address.to_string(), offered: offered.join(", ") })
            }
            _ => Ok(()),
        };
    }
    report.mechanisms = mechanisms.map_err(|error| broken("SaslHandshake", error))?;
    if report.mechanisms.contains(&mechanism) {
        return Ok(());
    }
    Err(Problem::Mechanism { address: address.to_string(), mechanism, offered: report.mechanisms.join(", ") })
}

/// Why there is no answer.
enum Broken {
    Io(std::io::Error),
    /// The answer begins as TLS does.
    Tls,
    Nonsense(String),
}

/// Sends a request and waits for its response, which is returned without its length.
fn exchange(stream: &mut (impl Read + Write), request: &[u8]) -> Result<Vec<u8>, Broken> {
    let mut length = [0; 4];
    stream.write_all(request).and_then(|()| stream.flush()).map_err(Broken::Io)?;
    stream.read_exact(&mut length).map_err(Broken::Io)?;
    // A record of TLS: an alert or a handshake, of version 3.x.
    if let [0x15 | 0x16, 3, ..] = length {
        return Err(Broken::Tls);
    }
    let length = usize::try_from(i32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > wire::RESPONSE_BYTES_MAX {
        return Err(Broken::Nonsense("what listens there does not speak Kafka's protocol".into()));
    }
    let mut response = vec![0; length];
    stream.read_exact(&mut response).map_err(Broken::Io)?;
    Ok(response)
}

fn no_answer(address: &Address, protocol: Protocol, request: &'static str, broken: Broken) -> Problem {
    let address = address.to_string();
    let advice = if protocol.has_tls {
        "the broker may want a certificate of the client (ssl.keystore.location)"
    } else {
        "this may be a listener with TLS, or none of Kafka's: compare security.protocol with the broker's listeners"
    };
    match broken {
        Broken::Io(error) => Problem::NoAnswer { address, request, reason: plainly(&error), advice },
        Broken::Tls => {
            let instead = protocol.with_tls(true).name();
            Problem::WantsTls { address, protocol: protocol.name(), instead }
        }
        Broken::Nonsense(reason) => Problem::NoAnswer {
            address,
            request,
            reason,
            advice: "compare port and security.protocol with the broker's listeners",
        },
    }
}

#[cfg(test)]
mod tests;
