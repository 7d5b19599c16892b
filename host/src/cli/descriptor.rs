//! `streamlet descriptor`: the canonical descriptor of any component, written or checked.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap::builder::{FalseyValueParser, PathBufValueParser, TypedValueParser as _};
use streamlet_protocol::descriptor::compare_exact;
use streamlet_protocol::{Descriptor as Declared, json};

use super::Exit;
use super::limits::LimitFlags;
use super::loading::LoadFlags;
use super::open::{Opener, refuse_component};
use crate::console::Console;
use crate::guest::Grants;

/// Where a guest crate keeps its descriptor.
const IN_CRATE: &str = "flow/descriptor.json";

/// Prints the canonical descriptor of a component, writes it to a file, or checks a file against it
#[derive(Debug, Args)]
pub(super) struct Descriptor {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// Write it to this file, and its directories if they are missing
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    out: Option<PathBuf>,
    /// Compare it with this file, by default flow/descriptor.json of the crate; the `sdk` block may differ
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = PathBufValueParser::new().try_map(checked_file))]
    #[expect(clippy::option_option, reason = "the flag's own form: absent, alone, or with a file")]
    check: Option<Option<PathBuf>>,
    /// Do not show cargo's progress
    #[arg(long, env = "STREAMLET_QUIET", value_parser = FalseyValueParser::new())]
    quiet: bool,
    #[command(flatten)]
    loading: LoadFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

/// The file of `--check`, which takes whatever follows it: a COMPONENT too, which is told here.
fn checked_file(file: PathBuf) -> Result<PathBuf, String> {
    let is_component =
        file.is_dir() || file.extension().is_some_and(|extension| extension == "wasm" || extension == "cwasm");
    if is_component {
        let component = file.display();
        Err(format!(
            "it looks like COMPONENT, but --check takes the descriptor's file; write COMPONENT before it, as in \
             `streamlet descriptor {component} --check`"
        ))
    } else {
        Ok(file)
    }
}

impl Descriptor {
    pub(super) async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        let file = match &self.check {
            Some(Some(file)) => Some(file.clone()),
            Some(None) if self.component.is_dir() => Some(self.component.join(IN_CRATE)),
            Some(None) => anyhow::bail!("--check needs the descriptor's file, since COMPONENT is no directory"),
            None => None,
        };
        let opener = Opener {
            console,
            flags: &self.loading,
            limits: (&self.limits).into(),
            grants: Grants::default(),
            quiet: self.quiet,
        };
        let component = match opener.open(&self.component).await? {
            Ok(component) => component,
            Err(exit) => return Ok(exit),
        };
        let declared = component.descriptor();
        match (file, &self.out) {
            (Some(file), _) => self.check(console, declared, &file),
            (None, Some(file)) => {
                refuse_component(&self.component, file)?;
                write(console, declared, file)
            }
            (None, None) => {
                print(&json::to_canonical(declared))?;
                Ok(Exit::Yes)
            }
        }
    }

    /// Compares and prints each difference on a line.
    fn check(&self, console: &Console, declared: &Declared, file: &Path) -> anyhow::Result<Exit> {
        let write_it = format!("`streamlet descriptor {} --out {}`", self.component.display(), file.display());
        let written = std::fs::read(file)
            .with_context(|| format!("cannot read descriptor \"{}\"; {write_it} writes it", file.display()))?;
        let deployed = match json::from_json(&written) {
            Ok(deployed) => deployed,
            Err(error) => {
                console.error(&format!("\"{}\" is no descriptor: {error}; {write_it} writes it", file.display()));
                return Ok(Exit::No);
            }
        };
        let mut differences = compare_exact(&deployed, declared).iter().map(ToString::to_string).collect::<Vec<_>>();
        if differences.is_empty() && json::to_canonical(&deployed).as_bytes() != written {
            differences.push("the file says the same, but is not in canonical form".into());
        }
        if differences.is_empty() {
            return Ok(Exit::Yes);
        }
        print(&(differences.join("\n") + "\n"))?;
        console.error(&format!("\"{}\" is not what the component declares; {write_it} renews it", file.display()));
        Ok(Exit::No)
    }
}

fn write(console: &Console, declared: &Declared, file: &Path) -> anyhow::Result<Exit> {
    let context = || format!("cannot write descriptor \"{}\"", file.display());
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory).with_context(context)?;
    }
    std::fs::write(file, json::to_canonical(declared)).with_context(context)?;
    console.line(&format!("wrote {}", file.display()));
    Ok(Exit::Yes)
}

/// Writes a result to standard output.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write to standard output")
}
