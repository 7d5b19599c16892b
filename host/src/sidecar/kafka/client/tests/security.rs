//! TLS and SASL.

use super::{CONSUMER, PRODUCER, check, create, identity};
use crate::sidecar::kafka::client::{Given, translate};

const PLAIN: &str = "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"p\";";
const SCRAM: &str =
    "org.apache.kafka.common.security.scram.ScramLoginModule required username='u' password=\"p\\\"q\";";

#[test]
fn logins() {
    for protocol in ["SASL_PLAINTEXT", "sasl_plaintext"] {
        check(
            CONSUMER,
            &[("security.protocol", protocol), ("sasl.mechanism", "plain"), ("sasl.jaas.config", PLAIN)],
            &["sasl.mechanism=PLAIN", "sasl.password=p", "sasl.username=u", "security.protocol=sasl_plaintext"],
        );
    }
    check(
        PRODUCER,
        &[("security.protocol", "SASL_SSL"), ("sasl.mechanism", "Scram-Sha-512"), ("sasl.jaas.config", SCRAM)],
        &[
            "sasl.mechanism=SCRAM-SHA-512",
            "sasl.password=p\"q",
            "sasl.username=u",
            "security.protocol=sasl_ssl",
            "ssl.ca.location=probe",
        ],
    );
    check(
        PRODUCER,
        &[
            ("security.protocol", "sasl_plaintext"),
            ("sasl.mechanisms", "SCRAM-SHA-256"),
            ("sasl.username", "u"),
            ("sasl.password", "p"),
        ],
        &["sasl.mechanism=SCRAM-SHA-256", "sasl.password=p", "sasl.username=u", "security.protocol=sasl_plaintext"],
    );
}

#[test]
fn logins_that_cannot_be() {
    let sasl = ("security.protocol", "SASL_SSL");
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "OAUTHBEARER")],
        &[
            "2: Kafka setting \"sasl.mechanism\" has a value that is not supported: OAUTHBEARER is not among its mechanisms: \
         PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI",
        ],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "aws_msk_iam")],
        &[
            "2: Kafka setting \"sasl.mechanism\" has a value that is not supported: AWS_MSK_IAM is not among its mechanisms: \
         PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI",
        ],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "SCRAM-SHA-1")],
        &[
            "2: Kafka setting \"sasl.mechanism\" has a value it does not take; it takes PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 \
         or GSSAPI",
        ],
    );
}

#[test]
fn logins_that_do_not_fit() {
    let sasl = ("security.protocol", "SASL_SSL");
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "PLAIN")],
        &[
            "2: Kafka setting \"sasl.jaas.config\" is missing: the mechanism needs a login; write it, or sasl.username and \
         sasl.password",
        ],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "PLAIN"), ("sasl.jaas.config", SCRAM)],
        &[
            "3: Kafka settings \"sasl.jaas.config\" and \"sasl.mechanism\" do not go together: the login is ScramLoginModule; \
         write the sasl.mechanism that goes with it",
        ],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "PLAIN"), ("sasl.jaas.config", "a.b.C required;")],
        &[
            "3: Kafka setting \"sasl.jaas.config\" has a value that is not supported: its login module has no counterpart; \
         take PlainLoginModule, ScramLoginModule or Krb5LoginModule",
        ],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "PLAIN"), ("sasl.jaas.config", PLAIN.trim_end_matches(';'))],
        &["3: Kafka setting \"sasl.jaas.config\" has a value it does not take; it takes one login: it ends with `;`"],
    );
    check(
        CONSUMER,
        &[sasl, ("sasl.login.class", "x"), ("sasl.mechanism", "plain"), ("sasl.jaas.config", PLAIN)],
        &[
            "2: Kafka setting \"sasl.login.class\" is not supported: no Java class runs here; write sasl.jaas.config, or \
         sasl.username and sasl.password",
        ],
    );
    check(
        CONSUMER,
        &[("sasl.mechanism", "plain"), ("sasl.jaas.config", PLAIN)],
        &[
            "sasl.mechanism=PLAIN",
            "sasl.password=p",
            "sasl.username=u",
            "1 warns: Kafka setting \"sasl.mechanism\" has no effect: security.protocol is neither SASL_SSL nor \
         SASL_PLAINTEXT",
        ],
    );
}

const KERBEROS: &str = "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"/k.keytab\" \
                        principal=\"flow@EXAMPLE\" serviceName=\"kafka\";";

#[cfg(not(feature = "kerberos"))]
#[test]
fn kerberos_is_a_feature() {
    let advice = "this streamlet was built without Kerberos; build it with the cargo feature `kerberos`, or take PLAIN, \
                  SCRAM-SHA-256 or SCRAM-SHA-512";
    let sasl = ("security.protocol", "SASL_PLAINTEXT");
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "gssapi"), ("sasl.jaas.config", KERBEROS)],
        &[&format!("2: Kafka setting \"sasl.mechanism\" has a value that is not supported: {advice}")],
    );
    check(
        CONSUMER,
        &[sasl],
        &[&format!("1: Kafka setting \"sasl.mechanism\" is missing: without it the mechanism is GSSAPI, but {advice}")],
    );
}

#[cfg(feature = "kerberos")]
#[test]
fn kerberos_needs_a_login() {
    let sasl = ("security.protocol", "SASL_PLAINTEXT");
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "GSSAPI")],
        &[
            "2: Kafka setting \"sasl.jaas.config\" is missing: the mechanism needs a login; write it, with Krb5LoginModule",
        ],
    );
    let nobody = KERBEROS.replace("principal=\"flow@EXAMPLE\"", "");
    check(
        CONSUMER,
        &[sasl, ("sasl.mechanism", "GSSAPI"), ("sasl.jaas.config", &nobody)],
        &["2: Kafka setting \"sasl.kerberos.principal\" is missing: a key tab is of somebody; write it, or \
           principal=\"…\" in sasl.jaas.config"],
    );
}

/// Without a client: one with Kerberos would run `kinit`.
#[test]
fn kerberos_logins() {
    let found = |jaas: &str| {
        let given =
            [("sasl.mechanism", "GSSAPI"), ("sasl.jaas.config", jaas), ("sasl.kerberos.kinit.cmd", "/usr/bin/kinit")];
        let given = given.map(|(key, value)| Given { key: key.into(), line: 1, value: value.into() });
        let translated = translate(&identity(CONSUMER), &given);
        assert_eq!(translated.problems, []);
        translated.settings
    };
    let settings = found(KERBEROS);
    for (name, value) in [
        ("sasl.kerberos.keytab", "/k.keytab"),
        ("sasl.kerberos.principal", "flow@EXAMPLE"),
        ("sasl.kerberos.service.name", "kafka"),
        (
            "sasl.kerberos.kinit.cmd",
            "/usr/bin/kinit -R -t \"%{sasl.kerberos.keytab}\" -k \"%{sasl.kerberos.principal}\" 2>/dev/null || \
             /usr/bin/kinit -t \"%{sasl.kerberos.keytab}\" -k \"%{sasl.kerberos.principal}\"",
        ),
    ] {
        assert_eq!(settings.get(name), Some(value));
    }
    let cached = "com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true;";
    assert_eq!(found(cached).get("sasl.kerberos.keytab"), None);
}

#[test]
fn certificates() {
    let tls = ("security.protocol", "SSL");
    check(CONSUMER, &[tls], &["security.protocol=ssl", "ssl.ca.location=probe"]);
    check(
        CONSUMER,
        &[tls, ("ssl.truststore.location", "/a/truststore.jks"), ("ssl.truststore.password", "p")],
        &[
            "3 warns: Kafka setting \"ssl.truststore.password\" has no effect: trusted certificates in PEM have no password",
            "2: Kafka setting \"ssl.truststore.location\" is not supported: only PEM is read for trusted certificates; \
         convert it, as in `keytool -exportcert -rfc -keystore FILE -alias NAME -file ca.pem`, and write \
         ssl.truststore.type = PEM and ssl.truststore.location = ca.pem; or put the text of the PEM in \
         ssl.truststore.certificates",
        ],
    );
    check(
        CONSUMER,
        &[tls, ("ssl.keystore.location", "/a/key.jks")],
        &["2: Kafka setting \"ssl.keystore.location\" is not supported: JKS is Java's own format; convert it, as in \
         `keytool -importkeystore -srckeystore FILE -destkeystore key.p12 -deststoretype pkcs12`, and write \
         ssl.keystore.type = PKCS12; or take PEM, with ssl.keystore.type = PEM"],
    );
    check(
        CONSUMER,
        &[tls, ("ssl.keystore.location", "/a/key.p12")],
        &["2: Kafka setting \"ssl.keystore.password\" is missing: a PKCS12 store has one"],
    );
    check(
        CONSUMER,
        &[tls, ("ssl.endpoint.identification.algorithm", "")],
        &[
            "security.protocol=ssl",
            "ssl.ca.location=probe",
            "ssl.endpoint.identification.algorithm=none",
            "2 warns: Kafka setting \"ssl.endpoint.identification.algorithm\": the broker's name is not checked against its \
         certificate",
        ],
    );
    check(
        CONSUMER,
        &[tls, ("ssl.cipher.suites", "ECDHE-RSA-AES256-GCM-SHA384,ECDHE-RSA-AES128-GCM-SHA256")],
        &[
            "security.protocol=ssl",
            "ssl.ca.location=probe",
            "ssl.cipher.suites=ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256",
        ],
    );
    check(
        CONSUMER,
        &[tls, ("ssl.cipher.suites", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")],
        &["2: Kafka setting \"ssl.cipher.suites\" has a value that is not supported: write OpenSSL's names, as in \
         ECDHE-RSA-AES256-GCM-SHA384, or remove it"],
    );
}

/// The files need not be there: what they become is all that is asked.
#[test]
fn stores() {
    #[track_caller]
    fn becomes(given: &[(&str, &str)], expected: &[(&str, &str)]) {
        let given = given.iter().map(|(key, value)| Given { key: (*key).into(), line: 1, value: (*value).into() });
        let translated = translate(&identity(CONSUMER), &given.collect::<Vec<_>>());
        assert_eq!(translated.problems, []);
        let found = translated.settings.entries().filter(|(name, _)| name.starts_with("ssl."));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
    becomes(&[("ssl.truststore.type", "pem"), ("ssl.truststore.location", "/ca")], &[("ssl.ca.location", "/ca")]);
    becomes(&[("ssl.truststore.location", "/ca.pem")], &[("ssl.ca.location", "/ca.pem")]);
    becomes(&[("ssl.truststore.type", "PEM"), ("ssl.truststore.certificates", "x")], &[("ssl.ca.pem", "x\n")]);
    becomes(
        &[("ssl.keystore.type", "PEM"), ("ssl.keystore.location", "/key"), ("ssl.key.password", "p")],
        &[("ssl.certificate.location", "/key"), ("ssl.key.location", "/key"), ("ssl.key.password", "p")],
    );
    becomes(
        &[("ssl.keystore.type", "PEM"), ("ssl.keystore.key", "k"), ("ssl.keystore.certificate.chain", "c")],
        &[("ssl.certificate.pem", "c\n"), ("ssl.key.pem", "k\n")],
    );
    becomes(
        &[("ssl.keystore.location", "/key.p12"), ("ssl.keystore.password", "p")],
        &[("ssl.keystore.location", "/key.p12"), ("ssl.keystore.password", "p")],
    );
}

#[test]
fn secrets_stay_in() {
    let secrets = [
        ("sasl.mechanism", "PLAIN"),
        ("security.protocol", "SASL_SSL"),
        (
            "sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=u password=hunter2;",
        ),
        ("ssl.key.password", "hunter2"),
        ("ssl.keystore.key", "hunter2"),
        ("ssl.keystore.certificate.chain", "hunter2"),
        ("ssl.truststore.certificates", "hunter2"),
        ("ssl.keystore.location", "/key.p12"),
        ("ssl.keystore.password", "hunter2"),
        ("check.crcs", "hunter2"),
        ("fetch.min.bytes", "hunter2"),
        ("partition.assignment.strategy", "hunter2"),
        ("auto.offset.reset", "hunter2"),
    ];
    let given = secrets.map(|(key, value)| Given { key: key.into(), line: 1, value: value.into() });
    let translated = translate(&identity(CONSUMER), &given);
    assert_eq!(translated.problems.len(), 3);
    let shown = format!(
        "{translated:?} {given:?} {}",
        translated.problems.iter().map(|(_, problem)| problem.to_string()).collect::<String>()
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

const CA: &str = include_str!("../../../../../../tests/fixtures/kafka/ca.pem");

/// Java takes a PEM on one line too, as files of properties have it.
#[test]
fn certificates_in_the_file_itself() {
    let on_one_line = CA.lines().collect::<Vec<_>>().join(" ");
    for certificates in [CA, on_one_line.as_str(), &on_one_line.replace("----- ", "-----").replace(" -----", "-----")] {
        let given = [
            ("security.protocol", "SSL"),
            ("ssl.truststore.type", "PEM"),
            ("ssl.truststore.certificates", certificates),
        ];
        let given = given.map(|(key, value)| Given { key: key.into(), line: 1, value: value.into() });
        let translated = translate(&identity(CONSUMER), &given);
        assert_eq!((translated.problems, translated.warnings), (vec![], vec![]));
        assert_eq!(translated.settings.get("ssl.ca.pem").map(str::trim_end), Some(CA.trim_end()));
        create(&translated.settings);
    }
}
