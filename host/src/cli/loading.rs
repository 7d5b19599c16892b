//! The flags of how a component gets its machine code: trusted, out of the cache, or compiled.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::FalseyValueParser;

use super::limits::size;
use crate::guest::Cache;

/// Flags of the cache of compiled components.
#[derive(Debug, Args)]
#[command(next_help_heading = "Compiled code")]
pub(super) struct CacheFlags {
    /// Compile, whatever an earlier time has left, and leave nothing
    #[arg(long, env = "STREAMLET_NO_CACHE", value_parser = FalseyValueParser::new())]
    no_cache: bool,
    /// Where compiled components are kept; by default streamlet/components in the user's cache directory,
    /// ~/.cache or what the XDG base directory variable says
    #[arg(long, value_name = "DIRECTORY", env = "STREAMLET_CACHE_DIR")]
    cache_dir: Option<PathBuf>,
    /// What the cache may hold; what was used least recently goes first
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1 GiB", env = "STREAMLET_CACHE_SIZE")]
    cache_size: usize,
}

/// Flags of commands that run a component's code.
#[derive(Debug, Args)]
#[command(next_help_heading = "Compiled code")]
pub(super) struct LoadFlags {
    /// Load a precompiled COMPONENT, as `streamlet compile` writes it. Loading one is running it, outside of the sandbox:
    /// whoever made it can do whatever this process can
    #[arg(long, env = "STREAMLET_TRUST_PRECOMPILED", value_parser = FalseyValueParser::new())]
    pub trust_precompiled: bool,
    #[command(flatten)]
    pub cache: CacheFlags,
}

impl CacheFlags {
    /// The cache. Where there is none that can be used, the log says so, and components are compiled each time.
    pub(super) fn open(&self) -> Option<Arc<Cache>> {
        if self.no_cache {
            return None;
        }
        let Some(directory) = self.cache_dir.clone().or_else(default_directory) else {
            tracing::warn!(
                target: "streamlet",
                "compiled components are not kept: neither XDG_CACHE_HOME nor HOME is set; name a directory with \
                 --cache-dir, or do without by --no-cache"
            );
            return None;
        };
        match Cache::open(&directory, self.cache_size as u64) {
            Ok(cache) => Some(Arc::new(cache)),
            Err(error) => {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(
                    target: "streamlet",
                    %error,
                    "compiled components are not kept; name a directory with --cache-dir, or do without by --no-cache"
                );
                None
            }
        }
    }
}

/// By the XDG base directory specification, which has relative paths ignored.
fn default_directory() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(caches.join("streamlet/components"))
}
