//! OpenSSL's context out of a client's settings: whom it trusts, who it is, which ciphers it takes.

use std::path::Path;

use openssl::error::ErrorStack;
use openssl::pkcs12::Pkcs12;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslContext, SslContextBuilder, SslMethod, SslVersion};
use openssl::x509::X509;

use super::super::Problem;
use crate::sidecar::kafka::client::ClientSettings;

/// Where systems keep the certificates that they trust; librdkafka looks at these too when it is told to `probe`.
const SYSTEM: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/certs/ca-bundle.crt",
    "/etc/pki/tls/cacert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// A context without any rule of verification yet.
pub(super) fn context(settings: &ClientSettings) -> Result<SslContextBuilder, Problem> {
    let mut context = SslContext::builder(SslMethod::tls_client()).map_err(|error| problem("the context", &error))?;
    context.set_min_proto_version(Some(SslVersion::TLS1_2)).map_err(|error| problem("the version", &error))?;
    if let Some(ciphers) = settings.get("ssl.cipher.suites") {
        context.set_cipher_list(ciphers).map_err(|error| problem("ssl.cipher.suites", &error))?;
    }
    trust(&mut context, settings)?;
    identify(&mut context, settings)?;
    Ok(context)
}

/// Where trusted certificates come from, in words.
pub(super) fn trusted(settings: &ClientSettings) -> String {
    match settings.get("ssl.ca.location") {
        Some(location) if location != "probe" => format!("\"{location}\""),
        _ if settings.get("ssl.ca.pem").is_some() => "ssl.truststore.certificates".into(),
        _ => "this machine's own list".into(),
    }
}

/// What OpenSSL says of a setting.
pub(super) fn problem(what: &'static str, error: &ErrorStack) -> Problem {
    Problem::TlsSettings { what, reason: super::reasons(error) }
}

fn trust(context: &mut SslContextBuilder, settings: &ClientSettings) -> Result<(), Problem> {
    if let Some(pem) = settings.get("ssl.ca.pem") {
        let what = "ssl.truststore.certificates (ssl.ca.pem)";
        let certificates = X509::stack_from_pem(pem.as_bytes()).map_err(|error| problem(what, &error))?;
        for certificate in certificates {
            context.cert_store_mut().add_cert(certificate).map_err(|error| problem(what, &error))?;
        }
    }
    let what = "ssl.truststore.location (ssl.ca.location)";
    match settings.get("ssl.ca.location") {
        Some(location) if location != "probe" => {
            let path = Path::new(location);
            readable(what, path)?;
            let loaded =
                if path.is_dir() { context.load_verify_locations(None, Some(path)) } else { context.set_ca_file(path) };
            loaded.map_err(|error| problem(what, &error))
        }
        _ if settings.get("ssl.ca.pem").is_some() => Ok(()),
        _ => match SYSTEM.iter().find(|path| Path::new(path).exists()) {
            Some(path) => context.set_ca_file(path).map_err(|error| problem("this machine's certificates", &error)),
            None => context.set_default_verify_paths().map_err(|error| problem("this machine's certificates", &error)),
        },
    }
}

/// The client's own certificate and key, where it has them.
fn identify(context: &mut SslContextBuilder, settings: &ClientSettings) -> Result<(), Problem> {
    let password = settings.get("ssl.key.password");
    if let Some(location) = settings.get("ssl.keystore.location") {
        return identify_by_pkcs12(context, location, settings.get("ssl.keystore.password").unwrap_or_default());
    }
    if let Some(location) = settings.get("ssl.certificate.location") {
        let what = "the client's certificate (ssl.certificate.location)";
        readable(what, Path::new(location))?;
        context.set_certificate_chain_file(location).map_err(|error| problem(what, &error))?;
    }
    if let Some(pem) = settings.get("ssl.certificate.pem") {
        let what = "the client's certificate (ssl.certificate.pem)";
        let chain = X509::stack_from_pem(pem.as_bytes()).map_err(|error| problem(what, &error))?;
        present(context, what, chain)?;
    }
    let key = match (settings.get("ssl.key.location"), settings.get("ssl.key.pem")) {
        (Some(location), _) => {
            let what = "the client's key (ssl.key.location)";
            let pem = std::fs::read(location).map_err(|error| unreadable(what, location, &error))?;
            Some(private_key(what, &pem, password)?)
        }
        (None, Some(pem)) => Some(private_key("the client's key (ssl.key.pem)", pem.as_bytes(), password)?),
        (None, None) => None,
    };
    if let Some(key) = key {
        let what = "the client's key and certificate";
        context.set_private_key(&key).map_err(|error| problem(what, &error))?;
        context.check_private_key().map_err(|error| problem(what, &error))?;
    }
    Ok(())
}

fn identify_by_pkcs12(context: &mut SslContextBuilder, location: &str, password: &str) -> Result<(), Problem> {
    let what = "the client's store (ssl.keystore.location)";
    let bytes = std::fs::read(location).map_err(|error| unreadable(what, location, &error))?;
    let store = Pkcs12::from_der(&bytes).and_then(|store| store.parse2(password));
    let store = store.map_err(|error| problem(what, &error))?;
    let chain = store.cert.into_iter().chain(store.ca.into_iter().flatten());
    present(context, what, chain.collect())?;
    match store.pkey {
        Some(key) => context.set_private_key(&key).map_err(|error| problem(what, &error)),
        None => Err(Problem::TlsSettings { what, reason: "it holds no key".into() }),
    }
}

/// Presents the first certificate, and the others as its chain.
fn present(context: &mut SslContextBuilder, what: &'static str, chain: Vec<X509>) -> Result<(), Problem> {
    let mut chain = chain.into_iter();
    if let Some(own) = chain.next() {
        context.set_certificate(&own).map_err(|error| problem(what, &error))?;
    }
    chain.try_for_each(|other| context.add_extra_chain_cert(other)).map_err(|error| problem(what, &error))
}

fn private_key(what: &'static str, pem: &[u8], password: Option<&str>) -> Result<PKey<Private>, Problem> {
    // Without a password of ours OpenSSL would ask the terminal for one.
    let password = password.unwrap_or_default().as_bytes();
    PKey::private_key_from_pem_passphrase(pem, password).map_err(|error| problem(what, &error))
}

fn readable(what: &'static str, path: &Path) -> Result<(), Problem> {
    let opened = std::fs::File::open(path).map(drop);
    opened.map_err(|error| unreadable(what, &path.display().to_string(), &error))
}

fn unreadable(what: &'static str, path: &str, error: &std::io::Error) -> Problem {
    Problem::TlsSettings { what, reason: format!("cannot read \"{path}\": {error}") }
}
