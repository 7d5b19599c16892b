//! What can be wrong, in one line each: what was attempted, what came of it, what to do.

use serde::{Serialize, Serializer};

/// Something that keeps a run from working. The text is one line without the port's name, which goes before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Nobody to begin with.
    #[error("bootstrap.servers names no broker; write host:port")]
    NoServers,
    /// Not of the form that an address has.
    #[error("\"{address}\" in bootstrap.servers is no address; write host:port")]
    Address {
        /// As written.
        address: String,
    },
    /// The name leads nowhere.
    #[error("cannot resolve the host of broker \"{address}\": {reason}; {}", name_advice(*.advertised))]
    Unresolved {
        /// The broker.
        address: String,
        /// The system's words.
        reason: String,
        /// Whether the cluster itself named it.
        advertised: bool,
    },
    /// Nobody takes the connection.
    #[error("cannot connect to broker \"{address}\": {reason}; {}", connect_advice(*.advertised))]
    Unreachable {
        /// The broker.
        address: String,
        /// The system's words.
        reason: String,
        /// Whether the cluster itself named it.
        advertised: bool,
    },
    /// The TLS settings cannot be used.
    #[error("cannot use the TLS settings: {what}: {reason}")]
    TlsSettings {
        /// Which setting.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Nobody who is trusted has signed the certificate.
    #[error(
        "broker \"{address}\" is not trusted: its certificate is signed by {issuer}, which {trusted} does not hold; put \
         the certificate of that authority into ssl.truststore.location or ssl.ca.location (PEM)"
    )]
    Untrusted {
        /// The broker.
        address: String,
        /// The authority's name.
        issuer: String,
        /// Where trusted ones come from.
        trusted: String,
    },
    /// The certificate is somebody else's.
    #[error(
        "broker \"{address}\" is not trusted: its certificate is for {names}; write one of these names in \
         bootstrap.servers, or renew the certificate (ssl.endpoint.identification.algorithm = \"\" would accept any)"
    )]
    OtherHost {
        /// The broker.
        address: String,
        /// Whose it is.
        names: String,
    },
    /// The certificate is out of date.
    #[error("broker \"{address}\" is not trusted: its certificate, or its authority's, expired on {at}; renew it")]
    Expired {
        /// The broker.
        address: String,
        /// When.
        at: String,
    },
    /// The certificate is not yet in force.
    #[error("broker \"{address}\" is not trusted: its certificate is valid from {at} on; set this machine's clock")]
    NotYetValid {
        /// The broker.
        address: String,
        /// When.
        at: String,
    },
    /// TLS was spoken to one that does not.
    #[error(
        "broker \"{address}\" does not answer in TLS ({reason}); security.protocol {protocol} does not fit this port: \
         take the broker's TLS listener, or write security.protocol = {instead}"
    )]
    NoTls {
        /// The broker.
        address: String,
        /// OpenSSL's words.
        reason: String,
        /// As set.
        protocol: &'static str,
        /// The same without TLS.
        instead: &'static str,
    },
    /// TLS failed for another reason.
    #[error("the TLS handshake with broker \"{address}\" failed: {reason}")]
    Tls {
        /// The broker.
        address: String,
        /// OpenSSL's words.
        reason: String,
    },
    /// It was spoken to without TLS.
    #[error(
        "broker \"{address}\" answers in TLS; security.protocol {protocol} does not fit this port: write \
         security.protocol = {instead}"
    )]
    WantsTls {
        /// The broker.
        address: String,
        /// As set.
        protocol: &'static str,
        /// The same with TLS.
        instead: &'static str,
    },
    /// It does not answer as Kafka does.
    #[error("broker \"{address}\" did not answer {request}: {reason}; {advice}")]
    NoAnswer {
        /// The broker.
        address: String,
        /// What was sent.
        request: &'static str,
        /// What came.
        reason: String,
        /// What may help.
        advice: &'static str,
    },
    /// Too old, or not quite Kafka.
    #[error("broker \"{address}\" does not take {request} requests, which every run needs: it is no Kafka, or too old")]
    MissingApi {
        /// The broker.
        address: String,
        /// Which ones.
        request: &'static str,
    },
    /// It was spoken to without SASL.
    #[error(
        "broker \"{address}\" wants SASL ({offered}) on this port; write security.protocol with SASL_, sasl.mechanism and \
         sasl.jaas.config, or take the port of its listener without"
    )]
    WantsSasl {
        /// The broker.
        address: String,
        /// Its mechanisms.
        offered: String,
    },
    /// The mechanism is none of the broker's.
    #[error(
        "broker \"{address}\" does not take the SASL mechanism {mechanism}, but {offered}; write sasl.mechanism = one of these"
    )]
    Mechanism {
        /// The broker.
        address: String,
        /// The client's.
        mechanism: String,
        /// The broker's.
        offered: String,
    },
    /// A client cannot be made of the settings.
    #[error("cannot make a Kafka client of these settings: {reason}")]
    Client {
        /// librdkafka's words.
        reason: String,
    },
    /// Wrong user or password.
    #[error("the cluster refuses {who} by {mechanism}: {reason}; {}", login_advice(.mechanism))]
    Authentication {
        /// The user.
        who: String,
        /// By what.
        mechanism: String,
        /// The broker's words.
        reason: String,
    },
    /// The KDC gives no ticket, or is not reached.
    #[error(
        "cannot get a Kerberos ticket for \"{principal}\": {reason}; correct keyTab or principal in sasl.jaas.config, or \
         the realm in krb5.conf (KRB5_CONFIG)"
    )]
    Ticket {
        /// For whom.
        principal: String,
        /// The words of `kinit`.
        reason: String,
    },
    /// The client's own ticket is missing, or the KDC gives none for the brokers.
    #[error(
        "no Kerberos ticket for the service \"{service}\" of the brokers: {reason}; look at `klist`, and correct \
         sasl.kerberos.service.name or the hosts' names: tickets are for both"
    )]
    ServiceTicket {
        /// Of `sasl.kerberos.service.name`.
        service: String,
        /// Kerberos's words.
        reason: String,
    },
    /// Nothing is there that gets tickets.
    #[error(
        "cannot run what gets Kerberos tickets: {reason}; install kinit (on Debian: krb5-user), or correct \
         sasl.kerberos.kinit.cmd"
    )]
    NoKinit {
        /// The shell's words.
        reason: String,
    },
    /// librdkafka gets no answer where our own requests did.
    #[error("the cluster did not answer within {seconds} s: {reason}")]
    Silent {
        /// How long was waited.
        seconds: u64,
        /// What was last heard.
        reason: String,
    },
    /// There is no such topic.
    #[error(
        "topic \"{topic}\" does not exist; create it (a run waits for it, and never creates one), or correct its name"
    )]
    NoTopic {
        /// Its name.
        topic: String,
    },
    /// It may not be seen.
    #[error("topic \"{topic}\" cannot be looked at: {reason}; allow this user to describe, and to read or write, it")]
    Topic {
        /// Its name.
        topic: String,
        /// The broker's words.
        reason: String,
    },
    /// Nobody serves some of its partitions.
    #[error("topic \"{topic}\" has no leader for partition {partitions}; a broker is missing")]
    NoLeader {
        /// Its name.
        topic: String,
        /// Which, with commas between them.
        partitions: String,
    },
    /// The group's state, or what it has committed.
    #[error("cannot {what} of group \"{group}\": {reason}")]
    Group {
        /// What was attempted.
        what: &'static str,
        /// Its name.
        group: String,
        /// The broker's words.
        reason: String,
    },
    /// A name server or a broker that says nothing.
    #[error("given up after {seconds} s without an answer")]
    GivenUp {
        /// How long was waited.
        seconds: u64,
    },
    /// A panic on our side.
    #[error("the check itself failed; please report it")]
    Ours,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn name_advice(is_advertised: bool) -> &'static str {
    if is_advertised {
        "the cluster tells its clients to come there: correct the broker's advertised.listeners, or this machine's names"
    } else {
        "correct bootstrap.servers"
    }
}

fn login_advice(mechanism: &str) -> &'static str {
    if mechanism == "GSSAPI" {
        "the broker's log says why; its key tab may be an old one"
    } else {
        "correct the user or the password in sasl.jaas.config"
    }
}

fn connect_advice(is_advertised: bool) -> &'static str {
    if is_advertised {
        "the cluster tells its clients to come there: start that broker, or correct its advertised.listeners"
    } else {
        "start the broker, or correct bootstrap.servers"
    }
}
