//! From COMPONENT to a loaded component, for every command that takes one.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;

use super::Exit;
use crate::console::Console;
use crate::guest::{Component, Engine, Limits, LoadError};
use crate::guest_crate;

/// Loads COMPONENT, built first if it is a directory. A component that is refused has been reported: the command's
/// [`Exit`] is in the inner error.
pub(super) async fn open(
    console: &Console,
    component: &Path,
    limits: Limits,
    quiet: bool,
) -> anyhow::Result<Result<Arc<Component>, Exit>> {
    let path = if component.is_dir() {
        let directory = component.to_owned();
        tokio::task::spawn_blocking(move || guest_crate::build(&directory, quiet)).await??
    } else {
        component.to_owned()
    };
    let engine = Arc::new(Engine::new(limits)?);
    match Component::load(engine, &path).await {
        Ok(component) => Ok(Ok(Arc::new(component))),
        Err(error @ LoadError::Unreadable { .. }) => {
            Err(error).context("COMPONENT is a .wasm component or a directory with a guest crate")
        }
        Err(error) => {
            console.error(&format!("{:#}", anyhow::Error::from(error)));
            Ok(Err(Exit::No))
        }
    }
}
