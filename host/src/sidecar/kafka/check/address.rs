//! A broker's address, as `bootstrap.servers` and the cluster itself write it.

use std::fmt;

use super::Problem;

/// Kafka's own port.
const DEFAULT_PORT: u16 = 9092;
/// Brokers that are looked at; a longer list adds nothing to what is known by then.
pub(super) const BROKERS_MAX: usize = 32;

/// A host, by name or by number, and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Reads `bootstrap.servers`: addresses with commas between them, each perhaps with a protocol before it.
pub(super) fn parse(servers: &str) -> Result<Vec<Address>, Problem> {
    let written = servers.split(',').map(str::trim).filter(|server| !server.is_empty());
    let addresses = written.take(BROKERS_MAX).map(one).collect::<Result<Vec<_>, _>>()?;
    if addresses.is_empty() { Err(Problem::NoServers) } else { Ok(addresses) }
}

fn one(server: &str) -> Result<Address, Problem> {
    let refused = || Problem::Address { address: server.to_owned() };
    let rest = server.split_once("://").map_or(server, |(_, rest)| rest);
    let (host, port) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (host, port) = rest.split_once(']').ok_or_else(refused)?;
            (host, port.strip_prefix(':'))
        }
        // More than one colon without brackets is an address of version 6 without a port.
        None => match rest.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            _ => (rest, None),
        },
    };
    let port = port.map_or(Ok(DEFAULT_PORT), |port| port.parse().map_err(|_| refused()))?;
    if host.is_empty() { Err(refused()) } else { Ok(Address { host: host.to_owned(), port }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(servers: &str, expect: &[&str]) {
        let parsed = parse(servers).unwrap();
        assert_eq!(parsed.iter().map(ToString::to_string).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn addresses_are_read_as_kafka_writes_them() {
        check("kafka:9093", &["kafka:9093"]);
        check(" a:1 , b , ", &["a:1", "b:9092"]);
        check("SASL_SSL://10.0.0.1:9094", &["10.0.0.1:9094"]);
        check("[::1]:9095,[::1],::1", &["[::1]:9095", "[::1]:9092", "[::1]:9092"]);
    }

    #[test]
    fn what_is_none_is_refused() {
        for servers in ["", " , ", ":9092", "kafka:port", "kafka:70000", "[::1"] {
            assert!(parse(servers).is_err(), "{servers:?}");
        }
    }
}
