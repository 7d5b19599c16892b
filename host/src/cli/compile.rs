//! `streamlet compile`: a component's machine code as a file, so that no start has to compile it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use clap::builder::FalseyValueParser;

use super::loading::CacheFlags;
use super::{Exit, open};
use crate::console::Console;
use crate::guest::{ComponentFile, Engine, Limits, LoadError};

/// Compiles a component to machine code, which --trust-precompiled loads
///
/// The file runs on hosts of the same version, on processors with at least the features of this one. Load it only where
/// nobody else can have changed it: unlike a .wasm component it runs unchecked.
#[derive(Debug, Args)]
pub(super) struct Compile {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// Write the code to this file, by custom NAME.cwasm, and make its directories if they are missing
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Show no progress
    #[arg(long, env = "STREAMLET_QUIET", value_parser = FalseyValueParser::new())]
    quiet: bool,
    #[command(flatten)]
    cache: CacheFlags,
}

impl Compile {
    pub(super) async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        open::refuse_component(&self.component, &self.out)?;
        let path = open::built(&self.component, self.quiet).await?;
        let file = match ComponentFile::read(&path) {
            Err(LoadError::Untrusted { .. }) => {
                anyhow::bail!("\"{}\" is compiled already; give the .wasm it was made from", path.display())
            }
            read => match open::accept(console, read)? {
                Ok(file) => file,
                Err(exit) => return Ok(exit),
            },
        };
        let engine = Arc::new(Engine::new(Limits::default())?);
        let compiled = match open::compile(console, &self.cache, &engine, file, self.quiet).await? {
            Ok(compiled) => compiled,
            Err(exit) => return Ok(exit),
        };
        if let Err(exit) = open::accept(console, compiled.check(&engine))? {
            return Ok(exit);
        }
        let context = || format!("cannot write compiled component \"{}\"", self.out.display());
        if let Some(directory) = self.out.parent() {
            std::fs::create_dir_all(directory).with_context(context)?;
        }
        compiled.save(&self.out).with_context(context)?;
        console.line(&format!("wrote {}", self.out.display()));
        Ok(Exit::Yes)
    }
}
