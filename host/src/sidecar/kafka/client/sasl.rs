//! Who a client says it is: mechanism and login.

use super::jaas::{Login, Module};
use super::special;
use super::translation::{Given, Translation};

const MECHANISMS: &str = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI";

/// A family of mechanisms, which share their credentials.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mechanism {
    Plain,
    Scram,
    Kerberos,
}

pub(super) fn translate(translation: &mut Translation<'_>) {
    let uses_sasl = translation.settings.get("security.protocol").is_some_and(|protocol| protocol.starts_with("sasl"));
    let given = translation.given_first(&["sasl.mechanism", "sasl.mechanisms"]);
    let mechanism = match given {
        Some(given) => match mechanism(translation, given) {
            Some(mechanism) => mechanism,
            None => return,
        },
        // Java's default and librdkafka's.
        None => Mechanism::Kerberos,
    };
    let login = translation.given("sasl.jaas.config");
    if let Some(login) = login {
        self::login(translation, login, mechanism);
    }
    let first = given.or(login);
    if !uses_sasl {
        if let Some(first) = first {
            translation.ignored(first, "security.protocol is neither SASL_SSL nor SASL_PLAINTEXT");
        }
        return;
    }
    let line = first.map_or_else(|| translation.line_of(&["security.protocol"]), |first| first.line);
    match mechanism {
        Mechanism::Kerberos if cfg!(feature = "kerberos") => kerberos(translation, line),
        Mechanism::Kerberos => no_kerberos(translation, line, given),
        Mechanism::Plain | Mechanism::Scram => {
            let is_known = |name: &str| translation.is_set(name);
            if login.is_none() && !(is_known("sasl.username") && is_known("sasl.password")) {
                let advice = "the mechanism needs a login; write it, or sasl.username and sasl.password";
                translation.missing(line, "sasl.jaas.config", advice);
            }
        }
    }
}

fn mechanism(translation: &mut Translation<'_>, given: &Given) -> Option<Mechanism> {
    let name = given.value.trim().to_uppercase();
    let mechanism = match name.as_str() {
        "PLAIN" => Mechanism::Plain,
        "SCRAM-SHA-256" | "SCRAM-SHA-512" => Mechanism::Scram,
        "GSSAPI" => Mechanism::Kerberos,
        "OAUTHBEARER" | "AWS_MSK_IAM" => {
            translation.value_unsupported(given, format!("{name} is not among its mechanisms: {MECHANISMS}"));
            return None;
        }
        _ => {
            translation.refuse_value(given, MECHANISMS);
            return None;
        }
    };
    translation.put(given, "sasl.mechanism", name);
    Some(mechanism)
}

fn login(translation: &mut Translation<'_>, given: &Given, mechanism: Mechanism) {
    let login = match Login::parse(&given.value) {
        Ok(login) => login,
        Err(expected) => return translation.refuse_value(given, format!("one login: {expected}")),
    };
    let fits = match login.module {
        Module::Plain => mechanism == Mechanism::Plain,
        Module::Scram => mechanism == Mechanism::Scram,
        Module::Kerberos => mechanism == Mechanism::Kerberos,
        Module::Token | Module::Unknown => {
            let advice =
                "its login module has no counterpart; take PlainLoginModule, ScramLoginModule or Krb5LoginModule";
            return translation.value_unsupported(given, advice);
        }
    };
    if !fits {
        let advice = format!("the login is {}; write the sasl.mechanism that goes with it", login.module.name());
        return translation.conflict(given.line, "sasl.jaas.config", "sasl.mechanism", &advice);
    }
    match login.module {
        Module::Kerberos => kerberos_login(translation, given, &login),
        _ => {
            for (option, name) in [("username", "sasl.username"), ("password", "sasl.password")] {
                match login.option(option) {
                    Some(value) => translation.put(given, name, value),
                    None => translation.refuse_value(given, format!("one login with {option}=\"…\"")),
                }
            }
        }
    }
}

/// What of Java's Kerberos login librdkafka can take: a key tab, or a ticket that is in the cache already.
fn kerberos_login(translation: &mut Translation<'_>, given: &Given, login: &Login) {
    let key_tab = login.option("keyTab").map(|path| path.strip_prefix("file:").unwrap_or(path));
    for (value, name) in [
        (key_tab, "sasl.kerberos.keytab"),
        (login.option("principal"), "sasl.kerberos.principal"),
        (login.option("serviceName"), "sasl.kerberos.service.name"),
    ] {
        if let Some(value) = value {
            translation.put(given, name, value);
        }
    }
    if key_tab.is_none() {
        if login.is_on("useTicketCache") {
            // librdkafka would run `kinit` with a key tab; the ticket is somebody else's to renew.
            if !translation.is_set("sasl.kerberos.kinit.cmd") {
                translation.put(given, "sasl.kerberos.kinit.cmd", "true");
            }
        } else {
            translation.refuse_value(given, "one Kerberos login with keyTab=\"…\" or useTicketCache=true");
        }
    }
}

/// librdkafka gets tickets with a command. Its own names a principal `kafkaclient` where none is given.
fn kerberos(translation: &mut Translation<'_>, line: usize) {
    if translation.is_set("sasl.kerberos.kinit.cmd") {
        return;
    }
    if !translation.is_set("sasl.kerberos.keytab") {
        let advice = "the mechanism needs a login; write it, with Krb5LoginModule";
        return translation.missing(line, "sasl.jaas.config", advice);
    }
    if !translation.is_set("sasl.kerberos.principal") {
        let advice = "a key tab is of somebody; write it, or principal=\"…\" in sasl.jaas.config";
        return translation.missing(line, "sasl.kerberos.principal", advice);
    }
    translation.settings.set("sasl.kerberos.kinit.cmd", special::kinit_command("kinit"));
}

fn no_kerberos(translation: &mut Translation<'_>, line: usize, given: Option<&Given>) {
    let advice = "this streamlet was built without Kerberos; build it with the cargo feature `kerberos`, or take \
                  PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512";
    match given {
        Some(given) => translation.value_unsupported(given, advice),
        None => {
            translation.missing(line, "sasl.mechanism", format!("without it the mechanism is GSSAPI, but {advice}"));
        }
    }
}
