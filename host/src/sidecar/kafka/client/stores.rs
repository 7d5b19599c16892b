//! Certificates and keys: Java's stores, and what librdkafka reads of them.
//!
//! Java's PEM stores are read as they are, its PKCS12 key stores too. Its own format JKS is not, and neither are trust
//! stores in PKCS12, since OpenSSL takes trusted certificates from PEM alone. Where no trust store is given Java trusts
//! what its installation brings; here that is what the machine trusts.

use super::translation::{Given, Translation};

const TRUST_PEM: &str = "convert it, as in `keytool -exportcert -rfc -keystore FILE -alias NAME -file ca.pem`, and write \
                         ssl.truststore.type = PEM and ssl.truststore.location = ca.pem; or put the text of the PEM in \
                         ssl.truststore.certificates";
const KEY_PKCS12: &str = "convert it, as in `keytool -importkeystore -srckeystore FILE -destkeystore key.p12 \
                          -deststoretype pkcs12`, and write ssl.keystore.type = PKCS12; or take PEM, with \
                          ssl.keystore.type = PEM";

/// The format of a store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Pem,
    Pkcs12,
    /// JKS, and whatever else Java may have a provider for.
    Other,
}

pub(super) fn translate(translation: &mut Translation<'_>) {
    truststore(translation);
    keystore(translation);
    let is_tls = translation.settings.get("security.protocol").is_some_and(|protocol| protocol.ends_with("ssl"));
    let trusts = ["ssl.ca.location", "ssl.ca.pem"].iter().any(|name| translation.is_set(name));
    if is_tls && !trusts {
        // OpenSSL is compiled in, and its own idea of where certificates are is the build's.
        translation.settings.set("ssl.ca.location", "probe");
    }
}

fn truststore(translation: &mut Translation<'_>) {
    let location = translation.given("ssl.truststore.location");
    if let Some(location) = location {
        match format(translation, "ssl.truststore.type", location) {
            Format::Pem => translation.put(location, "ssl.ca.location", location.value.as_str()),
            Format::Pkcs12 | Format::Other => {
                translation.refuse(location, format!("only PEM is read for trusted certificates; {TRUST_PEM}"));
            }
        }
    }
    if let Some(certificates) = translation.given("ssl.truststore.certificates") {
        translation.put(certificates, "ssl.ca.pem", pem(&certificates.value));
    }
    if let Some(password) = translation.given("ssl.truststore.password") {
        translation.ignored(password, "trusted certificates in PEM have no password");
    }
    if let Some(unused) = translation.given("ssl.truststore.type")
        && location.is_none()
        && !is(unused, "PEM")
    {
        translation.refuse(unused, format!("only PEM is read for trusted certificates; {TRUST_PEM}"));
    }
}

fn keystore(translation: &mut Translation<'_>) {
    let location = translation.given("ssl.keystore.location");
    let found = location.map(|location| (location, format(translation, "ssl.keystore.type", location)));
    match found {
        Some((location, Format::Pem)) => {
            // Java's PEM store is one file with the key and the chain.
            translation.put(location, "ssl.certificate.location", location.value.as_str());
            translation.put(location, "ssl.key.location", location.value.as_str());
        }
        Some((location, Format::Pkcs12)) => {
            translation.put(location, "ssl.keystore.location", location.value.as_str());
            if translation.given("ssl.keystore.password").is_none() {
                translation.missing(location.line, "ssl.keystore.password", "a PKCS12 store has one");
            }
        }
        Some((location, Format::Other)) => {
            translation.refuse(location, format!("JKS is Java's own format; {KEY_PKCS12}"));
        }
        None => {}
    }
    if let Some(password) = translation.given("ssl.keystore.password") {
        match found {
            Some((_, Format::Pem)) | None => {
                translation.ignored(password, "a key in PEM has ssl.key.password");
            }
            Some(_) => translation.put(password, "ssl.keystore.password", password.value.as_str()),
        }
    }
    for (java, name) in [("ssl.keystore.certificate.chain", "ssl.certificate.pem"), ("ssl.keystore.key", "ssl.key.pem")]
    {
        if let Some(given) = translation.given(java) {
            translation.put(given, name, pem(&given.value));
        }
    }
}

/// A PEM with its lines. Java takes one without, as files of properties have it; OpenSSL does not.
fn pem(text: &str) -> String {
    const MARK: &str = "-----";
    const LINE_CHARACTERS: usize = 64;
    if text.trim().contains('\n') {
        return text.to_owned();
    }
    let mut lines = Vec::new();
    for part in text.split(MARK).map(str::trim).filter(|part| !part.is_empty()) {
        if part.starts_with("BEGIN ") || part.starts_with("END ") {
            lines.push(format!("{MARK}{part}{MARK}"));
            continue;
        }
        let characters = part.chars().filter(|character| !character.is_whitespace()).collect::<Vec<_>>();
        lines.extend(characters.chunks(LINE_CHARACTERS).map(String::from_iter));
    }
    lines.join("\n") + "\n"
}

/// The format that is given, or else the one that the file's ending tells: Java's default is JKS.
fn format(translation: &Translation<'_>, type_key: &str, location: &Given) -> Format {
    if let Some(given) = translation.given(type_key) {
        return match () {
            () if is(given, "PEM") => Format::Pem,
            () if is(given, "PKCS12") => Format::Pkcs12,
            () => Format::Other,
        };
    }
    let path = location.value.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    match () {
        () if ends(&[".pem", ".crt", ".cer"]) => Format::Pem,
        () if ends(&[".p12", ".pfx", ".pkcs12"]) => Format::Pkcs12,
        () => Format::Other,
    }
}

fn is(given: &Given, format: &str) -> bool {
    given.value.trim().eq_ignore_ascii_case(format)
}
