//! From COMPONENT to a loaded component, for every command that takes one.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, interval_at};

use super::Exit;
use super::loading::{CacheFlags, LoadFlags};
use crate::console::Console;
use crate::guest::{Compiled, Component, ComponentFile, Engine, Grants, Limits, LoadError};
use crate::guest_crate;

/// After this time compiling is told.
const SILENT: Duration = Duration::from_secs(2);
/// Seconds between two log lines about it.
const LOGGED_EVERY_SECONDS: u64 = 10;

/// How to open COMPONENT. What is refused has been reported: the command's [`Exit`] is in the inner error then.
#[derive(Debug, Clone)]
pub(super) struct Opener<'a> {
    pub(super) console: &'a Console,
    pub(super) flags: &'a LoadFlags,
    pub(super) limits: Limits,
    pub(super) grants: Grants,
    /// No progress of any kind.
    pub(super) quiet: bool,
}

impl Opener<'_> {
    /// Loads COMPONENT, built first if it is a directory.
    pub(super) async fn open(&self, component: &Path) -> anyhow::Result<Result<Arc<Component>, Exit>> {
        match self.read(component).await? {
            Ok(file) => self.load(file).await,
            Err(exit) => Ok(Err(exit)),
        }
    }

    /// Builds COMPONENT if it is a directory, and refuses cheaply what is no component.
    pub(super) async fn read(&self, component: &Path) -> anyhow::Result<Result<ComponentFile, Exit>> {
        let path = built(component, self.quiet).await?;
        let read = if self.flags.trust_precompiled { ComponentFile::read_trusting } else { ComponentFile::read };
        accept(self.console, read(&path))
    }

    /// Compiles, links and describes a component.
    pub(super) async fn load(&self, file: ComponentFile) -> anyhow::Result<Result<Arc<Component>, Exit>> {
        let engine = Arc::new(Engine::granting(self.limits, self.grants.clone())?);
        let compiled = match compile(self.console, &self.flags.cache, &engine, file, self.quiet).await? {
            Ok(compiled) => compiled,
            Err(exit) => return Ok(Err(exit)),
        };
        let loaded = Component::link(&engine, compiled).await;
        accept(self.console, loaded.map(Arc::new))
    }
}

/// COMPONENT's file, built first if it is a directory.
pub(super) async fn built(component: &Path, quiet: bool) -> anyhow::Result<PathBuf> {
    if component.is_dir() {
        let directory = component.to_owned();
        Ok(tokio::task::spawn_blocking(move || guest_crate::build(&directory, quiet)).await??)
    } else {
        Ok(component.to_owned())
    }
}

/// Compiles a component, or finds it in the cache.
pub(super) async fn compile(
    console: &Console,
    cache: &CacheFlags,
    engine: &Arc<Engine>,
    file: ComponentFile,
    quiet: bool,
) -> anyhow::Result<Result<Compiled, Exit>> {
    let path = file.path().to_owned();
    let compiling = Compiled::new(engine, file, cache.open());
    let compiled = if quiet { compiling.await } else { told(console, &path, compiling).await };
    accept(console, compiled)
}

/// Reports a refusal; a file that cannot be read is no refusal of it.
pub(super) fn accept<T>(console: &Console, loaded: Result<T, LoadError>) -> anyhow::Result<Result<T, Exit>> {
    match loaded {
        Ok(loaded) => Ok(Ok(loaded)),
        Err(error @ LoadError::Unreadable { .. }) => {
            let error = anyhow::Error::from(error);
            anyhow::bail!("{error:#}; COMPONENT is a .wasm component or a directory with a guest crate")
        }
        Err(error) => {
            console.error(&format!("{:#}", anyhow::Error::from(error)));
            Ok(Err(Exit::No))
        }
    }
}

/// Waits for `compiling`, and tells whoever waits for long: on a terminal by a line that goes away, else in the log.
async fn told<T>(console: &Console, path: &Path, compiling: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let mut ticks = interval_at(began + SILENT, Duration::from_secs(1));
    let mut compiling = pin!(compiling);
    let mut line = None;
    let mut logged = None;
    loop {
        tokio::select! {
            compiled = &mut compiling => return compiled,
            _ = ticks.tick() => {}
        }
        let seconds = began.elapsed().as_secs();
        if console.shows_progress() {
            let line = line.get_or_insert_with(|| ProgressLine(console));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            line.0.progress(&format!("compiling {name:.40}, {seconds} s"));
        } else if logged.is_none_or(|logged| seconds >= logged + LOGGED_EVERY_SECONDS) {
            logged = Some(seconds);
            tracing::info!(target: "streamlet", component = %path.display(), seconds, "compiling");
        }
    }
}

/// A line that goes away with whoever shows it.
struct ProgressLine<'a>(&'a Console);

impl Drop for ProgressLine<'_> {
    fn drop(&mut self) {
        self.0.progress("");
    }
}

/// Refuses to write a result over COMPONENT.
pub(super) fn refuse_component(component: &Path, out: &Path) -> anyhow::Result<()> {
    let is_component =
        component.canonicalize().is_ok_and(|component| out.canonicalize().is_ok_and(|out| out == component));
    anyhow::ensure!(
        !is_component,
        "\"{}\" is COMPONENT itself and would be overwritten; name another file",
        out.display()
    );
    Ok(())
}
