//! From COMPONENT to a loaded component, for every command that takes one.

use std::path::Path;
use std::sync::Arc;

use super::Exit;
use crate::console::Console;
use crate::guest::{Component, ComponentFile, Engine, Limits, LoadError};
use crate::guest_crate;

/// Loads COMPONENT, built first if it is a directory. A component that is refused has been reported: the command's
/// [`Exit`] is in the inner error.
pub(super) async fn open(
    console: &Console,
    component: &Path,
    limits: Limits,
    quiet: bool,
) -> anyhow::Result<Result<Arc<Component>, Exit>> {
    match read(console, component, quiet).await? {
        Ok(file) => load(console, file, limits).await,
        Err(exit) => Ok(Err(exit)),
    }
}

/// Builds COMPONENT if it is a directory, and refuses cheaply what is no component.
pub(super) async fn read(
    console: &Console,
    component: &Path,
    quiet: bool,
) -> anyhow::Result<Result<ComponentFile, Exit>> {
    let path = if component.is_dir() {
        let directory = component.to_owned();
        tokio::task::spawn_blocking(move || guest_crate::build(&directory, quiet)).await??
    } else {
        component.to_owned()
    };
    accept(console, ComponentFile::read(&path))
}

/// Compiles, links and describes a component.
pub(super) async fn load(
    console: &Console,
    file: ComponentFile,
    limits: Limits,
) -> anyhow::Result<Result<Arc<Component>, Exit>> {
    let engine = Arc::new(Engine::new(limits)?);
    let loaded = Component::load(engine, file).await;
    accept(console, loaded.map(Arc::new))
}

/// Reports a refusal; a file that cannot be read is no refusal of it.
fn accept<T>(console: &Console, loaded: Result<T, LoadError>) -> anyhow::Result<Result<T, Exit>> {
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
