//! From a component's file to code that is linked and ready for instances: out of the cache, or compiled; in a pool, or
//! on demand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::bindings::StreamletGuestPre;
use super::cache::{self, Cache, Key};
use super::code::Code;
use super::engine::{Engine, EngineError};
use super::instance::State;
use super::loading::{self, ComponentFile, Content, LoadError};
use super::pool;
use super::text;

/// Permissions of a file that a user asked for, before the process's mask.
const FILE_MODE: u32 = 0o666;

/// A component's code, not yet known to be a streamlet's.
pub struct Compiled {
    path: PathBuf,
    digest: String,
    code: Code,
    component: wasmtime::component::Component,
}

impl Compiled {
    /// Takes a component's code from the cache, or compiles it and keeps it there. A precompiled one is only loaded.
    ///
    /// # Errors
    /// [`LoadError`]: it does not compile, or was compiled for another host.
    pub async fn new(engine: &Arc<Engine>, file: ComponentFile, cache: Option<Arc<Cache>>) -> Result<Self, LoadError> {
        let engine = Arc::clone(engine);
        // Compiling takes all cores for as long as it lasts.
        let compiled = tokio::task::spawn_blocking(move || Self::obtain(&engine.wasmtime, file, cache.as_deref()));
        compiled.await.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
    }

    fn obtain(engine: &wasmtime::Engine, file: ComponentFile, cache: Option<&Cache>) -> Result<Self, LoadError> {
        let ComponentFile { path, content, digest } = file;
        let bytes = match content {
            Content::Component(bytes) => bytes,
            Content::Trusted(code) => {
                let code = Code::trusted(code);
                return match code.load(engine) {
                    Ok(component) => Ok(Self { path, digest, code, component }),
                    Err(error) => Err(LoadError::Incompatible { path, source: text::words(&error) }),
                };
            }
        };
        let place = cache.map(|cache| (cache, Key::new(engine, &digest)));
        if let Some((cache, key)) = &place
            && let Some(code) = cache.find(key)
            && let Ok(component) = code.load(engine)
        {
            tracing::debug!(target: "streamlet", component = %path.display(), "compiled code found in the cache");
            return Ok(Self { path, digest, code, component });
        }
        let began = Instant::now();
        let compiled = Code::compile(engine, &bytes).and_then(|code| Ok((code.load(engine)?, code)));
        let (component, code) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => return Err(LoadError::Uncompilable { path, source: text::words(&error) }),
        };
        let after_ms = began.elapsed().as_millis();
        tracing::debug!(target: "streamlet", component = %path.display(), after_ms, "compiled");
        if let Some((cache, key)) = &place {
            cache.keep(key, &code);
        }
        Ok(Self { path, digest, code, component })
    }

    /// The component's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SHA-256 of the file, in hexadecimal digits.
    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Checks that it is a streamlet's, as far as its exports and imports tell.
    ///
    /// # Errors
    /// [`LoadError`], which says what the component lacks.
    pub fn check(&self, engine: &Engine) -> Result<(), LoadError> {
        loading::link(engine, &self.path, &self.component).map(drop)
    }

    /// Writes the code to a file, all of it or nothing.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, file: &Path) -> std::io::Result<()> {
        cache::replace(file, FILE_MODE, &self.code)
    }

    /// Links it, with its instances in a pool if one can hold them.
    pub(super) fn link(&self, engine: &Arc<Engine>) -> Result<(Arc<Engine>, StreamletGuestPre<State>), LoadError> {
        let on_demand = loading::link(engine, &self.path, &self.component)?;
        let required = self.component.resources_required();
        let Some(pool) = required.and_then(|required| pool::sized(&engine.limits, &required)) else {
            return Ok((Arc::clone(engine), on_demand));
        };
        let pooled = || {
            let pooled = engine.pooled(pool)?;
            let component = self.code.load(&pooled.wasmtime).map_err(EngineError::Settings)?;
            Ok::<_, EngineError>((pooled, component))
        };
        match pooled() {
            Ok((pooled, component)) => {
                let pre = loading::link(&pooled, &self.path, &component)?;
                Ok((Arc::new(pooled), pre))
            }
            Err(error) => {
                let error = format!("{:#}", wasmtime::Error::new(error));
                tracing::warn!(target: "streamlet", %error, "no pool for instances, making each on demand");
                Ok((Arc::clone(engine), on_demand))
            }
        }
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("path", &self.path).finish_non_exhaustive()
    }
}
