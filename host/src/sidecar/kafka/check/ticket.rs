//! A Kerberos ticket, got as a run gets it: by the command that librdkafka runs, whose words librdkafka does not hear.
//!
//! Nothing is done for other mechanisms. It ends with the command, or with its own limit.

use std::io::Read as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Problem;
use super::probe::Protocol;
use crate::sidecar::kafka::client::ClientSettings;

/// How long the command may take; a KDC that does not answer is asked more than once.
const TICKET_WAIT: Duration = Duration::from_secs(20);
/// How often is looked whether it has ended.
const STEP: Duration = Duration::from_millis(20);
/// What is kept of what it says, in bytes.
const SAID_BYTES_MAX: u64 = 4096;
/// What a shell answers when there is no such program.
const NO_PROGRAM: i32 = 127;

/// Gets a ticket, where clients with these settings do. Blocks, not for ever.
pub(super) fn get(settings: &ClientSettings) -> Result<(), Problem> {
    let is_kerberos = settings.get("sasl.mechanism").unwrap_or("GSSAPI") == "GSSAPI";
    let Some(template) = settings.get("sasl.kerberos.kinit.cmd") else { return Ok(()) };
    if !(is_kerberos && Protocol::of(settings).has_sasl) {
        return Ok(());
    }
    let failed = |reason: String| {
        let principal = settings.get("sasl.kerberos.principal").unwrap_or_default().to_owned();
        Problem::Ticket { principal, reason }
    };
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(rendered(template, settings));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Problem::NoKinit { reason: error.to_string() })?;
    let Some(status) = end_of(&mut child) else {
        return Err(failed(format!("no answer within {} s", TICKET_WAIT.as_secs())));
    };
    if status.success() {
        return Ok(());
    }
    let reason = last_words(&mut child).unwrap_or_else(|| status.to_string());
    Err(if status.code() == Some(NO_PROGRAM) { Problem::NoKinit { reason } } else { failed(reason) })
}

/// Waits for the command; one that does not end is killed.
fn end_of(child: &mut Child) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < TICKET_WAIT {
        match child.try_wait() {
            Ok(None) => thread::sleep(STEP),
            Ok(Some(status)) => return Some(status),
            Err(_) => break,
        }
    }
    // It may have ended in this moment.
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// The last line that it said.
fn last_words(child: &mut Child) -> Option<String> {
    let mut said = Vec::new();
    // What cannot be read is not told.
    let _ = child.stderr.take()?.take(SAID_BYTES_MAX).read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(line.strip_prefix("kinit: ").unwrap_or(line).to_owned())
}

/// The command with the settings that it names, as in `%{sasl.kerberos.principal}`.
fn rendered(template: &str, settings: &ClientSettings) -> String {
    let mut rest = template;
    let mut command = String::new();
    while let Some((before, (name, after))) =
        rest.split_once("%{").and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        command.push_str(before);
        command.push_str(settings.get(name).unwrap_or_default());
        rest = after;
    }
    command + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sidecar::kafka::client::Role;

    fn with(command: &str) -> ClientSettings {
        let mut settings = ClientSettings::new(Role::Consumer);
        let entries = [("security.protocol", "sasl_plaintext"), ("sasl.mechanism", "GSSAPI")];
        let entries = entries.into_iter().chain([("sasl.kerberos.kinit.cmd", command)]);
        entries.for_each(|(key, value)| settings.set(key, value));
        settings.set("sasl.kerberos.principal", "flow@EXAMPLE");
        settings
    }

    #[test]
    fn a_command_names_settings() {
        let command = |template: &str| rendered(template, &with("true"));
        assert_eq!(command("kinit \"%{sasl.kerberos.principal}\" -c"), "kinit \"flow@EXAMPLE\" -c");
        assert_eq!(command("%{no.such.setting}%{"), "%{");
    }

    #[test]
    fn what_the_command_says_is_told() {
        assert_eq!(get(&with("true")), Ok(()));
        let told = |reason: &str| Problem::Ticket { principal: "flow@EXAMPLE".into(), reason: reason.into() };
        assert_eq!(get(&with("echo kinit: why >&2; false")), Err(told("why")));
        assert_eq!(get(&with("false")), Err(told("exit status: 1")));
        assert!(matches!(get(&with("/no/such/kinit")), Err(Problem::NoKinit { .. })));
        let mut other = with("false");
        other.set("sasl.mechanism", "PLAIN");
        assert_eq!(get(&other), Ok(()));
    }
}
