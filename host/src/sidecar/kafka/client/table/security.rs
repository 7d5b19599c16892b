//! Names of TLS and SASL, which all clients have.

use super::{Row, ignored, refused, to, together, with};
use crate::sidecar::kafka::client::special;
use crate::sidecar::kafka::client::unit::Unit::{Millis, Text, Word};

const OPENSSL: &str = "OpenSSL chooses it, and takes nothing below TLS 1.2";
const TOKENS: &str = "it is about OAUTHBEARER's tokens";
const CLASS: &str = "no Java class runs here; write sasl.jaas.config, or sasl.username and sasl.password";
const TRUSTED: &str = "certificates are trusted from PEM only; `probe`, the machine's own, unless given";
const STORE: &str = "of the `ssl.keystore.type` that is given: PEM or PKCS12; JKS is refused";

pub(in crate::sidecar::kafka::client) const ROWS: &[Row] = &[
    to("security.protocol", "security.protocol", Word),
    ignored("security.providers", OPENSSL),
    together("sasl.mechanism", "`sasl.mechanism`", "`plain`, `scram-sha-256`, `scram-sha-512`, `gssapi` in any case"),
    together(
        "sasl.jaas.config",
        "`sasl.username` and `sasl.password`, or `sasl.kerberos.*`",
        "`PlainLoginModule`, `ScramLoginModule`, and of `Krb5LoginModule` key tab, principal and service name; others \
         are refused",
    ),
    refused("sasl.client.callback.handler.class", CLASS),
    refused("sasl.login.callback.handler.class", CLASS),
    refused("sasl.login.class", CLASS),
    to("sasl.kerberos.service.name", "sasl.kerberos.service.name", Text),
    with(
        "sasl.kerberos.kinit.cmd",
        special::kinit,
        "`sasl.kerberos.kinit.cmd`",
        "a path of `kinit`, as in Java, or librdkafka's whole command",
    ),
    to("sasl.kerberos.min.time.before.relogin", "sasl.kerberos.min.time.before.relogin", Millis),
    ignored("sasl.kerberos.ticket.renew.jitter", "tickets are renewed as sasl.kerberos.min.time.before.relogin says"),
    ignored(
        "sasl.kerberos.ticket.renew.window.factor",
        "tickets are renewed as sasl.kerberos.min.time.before.relogin says",
    ),
    ignored("sasl.login.connect.timeout.ms", TOKENS),
    ignored("sasl.login.read.timeout.ms", TOKENS),
    ignored("sasl.login.refresh.buffer.seconds", TOKENS),
    ignored("sasl.login.refresh.min.period.seconds", TOKENS),
    ignored("sasl.login.refresh.window.factor", TOKENS),
    ignored("sasl.login.refresh.window.jitter", TOKENS),
    ignored("sasl.login.retry.backoff.max.ms", TOKENS),
    ignored("sasl.login.retry.backoff.ms", TOKENS),
    refused(
        "sasl.oauthbearer.*",
        "the mechanism OAUTHBEARER is not; take PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI",
    ),
    with("ssl.cipher.suites", special::cipher_suites, "`ssl.cipher.suites`", "in OpenSSL's names; Java's are refused"),
    ignored("ssl.enabled.protocols", OPENSSL),
    with(
        "ssl.endpoint.identification.algorithm",
        special::identification,
        "`ssl.endpoint.identification.algorithm`",
        "`https` unless given; the empty text becomes `none`",
    ),
    refused("ssl.engine.factory.class", "no Java class runs here; write the ssl settings it stands for"),
    to("ssl.key.password", "ssl.key.password", Text),
    ignored("ssl.keymanager.algorithm", OPENSSL),
    together("ssl.keystore.certificate.chain", "`ssl.certificate.pem`", "PEM text"),
    together("ssl.keystore.key", "`ssl.key.pem`", "PEM text"),
    together(
        "ssl.keystore.location",
        "`ssl.certificate.location` and `ssl.key.location`, or `ssl.keystore.location`",
        STORE,
    ),
    together("ssl.keystore.password", "`ssl.keystore.password`", "of PKCS12; has no effect on PEM, and warns"),
    together("ssl.keystore.type", "", "`PEM` or `PKCS12`; without it the file's ending tells: `.p12`, `.pfx`, `.pem`"),
    ignored("ssl.protocol", OPENSSL),
    ignored("ssl.provider", OPENSSL),
    ignored("ssl.secure.random.implementation", OPENSSL),
    ignored("ssl.trustmanager.algorithm", OPENSSL),
    together("ssl.truststore.certificates", "`ssl.ca.pem`", "PEM text"),
    together("ssl.truststore.location", "`ssl.ca.location`", TRUSTED),
    together("ssl.truststore.password", "", "has no effect on PEM, and warns"),
    together("ssl.truststore.type", "", "`PEM`; without it the file's ending `.pem` or `.crt` tells"),
];
