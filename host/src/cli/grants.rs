//! The flags of what a guest is granted of the system. Without them it is nothing.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use crate::guest::{GrantedDirectory, Grants};

/// Flags of a guest's capabilities.
#[derive(Debug, Args)]
#[command(next_help_heading = "What the guest is granted")]
pub(super) struct GrantFlags {
    /// Grant a variable of the environment: with this value, or with the one it has here; repeatable
    #[arg(long = "env", value_name = "NAME[=VALUE]", value_parser = variable)]
    variables: Vec<(String, Option<String>)>,
    /// Grant a directory, which the guest sees as GUEST; with `:ro`, only to read; repeatable
    #[arg(long = "dir", value_name = "HOST::GUEST[:ro]", value_parser = directory)]
    directories: Vec<GrantedDirectory>,
}

impl GrantFlags {
    /// What is granted.
    ///
    /// # Errors
    /// A variable that is not set, or a directory that is none.
    pub(super) fn resolve(&self) -> anyhow::Result<Grants> {
        let mut grants = Grants::default();
        for (name, value) in &self.variables {
            let value = match value {
                Some(value) => value.clone(),
                None => std::env::var(name).with_context(|| {
                    format!("--env {name}: cannot pass the variable on; give it a value with --env {name}=VALUE")
                })?,
            };
            // The last one counts, as with every flag.
            grants.variables.retain(|(other, _)| other != name);
            grants.variables.push((name.clone(), value));
        }
        for directory in &self.directories {
            let host = directory.host.canonicalize();
            let host = host.with_context(|| format!("--dir: cannot grant \"{}\"", directory.host.display()))?;
            if !host.is_dir() {
                anyhow::bail!("--dir: cannot grant \"{}\": it is no directory", directory.host.display());
            }
            if grants.directories.iter().any(|other| other.guest == directory.guest) {
                anyhow::bail!("--dir: two directories cannot both be \"{}\"", directory.guest);
            }
            grants.directories.push(GrantedDirectory { host, ..directory.clone() });
        }
        Ok(grants)
    }
}

fn variable(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    if name.is_empty() { Err("the variable has no name".into()) } else { Ok((name.to_owned(), value)) }
}

fn directory(text: &str) -> Result<GrantedDirectory, String> {
    let (host, guest) = text.split_once("::").unwrap_or_default();
    let (guest, is_read_only) = guest.strip_suffix(":ro").map_or((guest, false), |guest| (guest, true));
    // A suffix that is misspelt must not become part of a name that is then written to.
    if host.is_empty() || guest.is_empty() || guest.contains(':') {
        return Err("a directory is HOST::GUEST or HOST::GUEST:ro, such as ./data::/data:ro".into());
    }
    let guest = Some(guest.trim_end_matches('/')).filter(|guest| !guest.is_empty()).unwrap_or("/");
    Ok(GrantedDirectory { host: PathBuf::from(host), guest: guest.to_owned(), is_read_only })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_names_and_maybe_values() {
        let check = |text: &str, name: &str, value: Option<&str>| {
            assert_eq!(variable(text), Ok((name.into(), value.map(Into::into))), "{text}");
        };
        check("A", "A", None);
        check("A=", "A", Some(""));
        check("A=b=c", "A", Some("b=c"));
        assert!(variable("").is_err() && variable("=b").is_err());
    }

    #[test]
    fn directories_have_two_names_and_maybe_a_mode() {
        let check = |text: &str, host: &str, guest: &str, is_read_only| {
            let expect = GrantedDirectory { host: host.into(), guest: guest.into(), is_read_only };
            assert_eq!(directory(text), Ok(expect), "{text}");
        };
        check("./data::/data", "./data", "/data", false);
        check("data::/data:ro", "data", "/data", true);
        check("a:b::c", "a:b", "c", false);
        check("a::/b//", "a", "/b", false);
        check("a::/:ro", "a", "/", true);
        for text in
            ["", "data", "data:ro", "::", "data::", "::/data", "data:::ro", "a::b:rw", "a::b:RO", "a::b:ro,", "a::b::c"]
        {
            assert!(directory(text).is_err(), "{text}");
        }
    }
}
