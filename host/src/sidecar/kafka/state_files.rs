//! The files `ready` and `alive`, for the probes of a pod: they are there, or they are not.
//!
//! `alive` is there from the run's start to its end, and touched every few seconds; `ready` only while a conversation
//! runs. Without a directory there are none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often `alive` is touched.
const TOUCHED_EVERY: Duration = Duration::from_secs(5);

/// The files, which go with the last clone.
#[derive(Debug, Clone)]
pub(super) struct StateFiles(Option<Arc<Directory>>);

#[derive(Debug)]
struct Directory(PathBuf);

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep `ready` and `alive` in \"{}\"; name a directory that can be written with --state-dir", path.display())]
pub struct StateFilesError {
    path: PathBuf,
    #[source]
    source: std::io::Error,
}

impl StateFiles {
    /// Makes the directory and `alive`; a `ready` of an earlier run is removed.
    pub(super) fn open(directory: Option<&Path>) -> Result<Self, StateFilesError> {
        let Some(path) = directory else { return Ok(Self(None)) };
        let failed = |source| StateFilesError { path: path.to_owned(), source };
        std::fs::create_dir_all(path).map_err(failed)?;
        let directory = Directory(path.to_owned());
        directory.set("ready", false).map_err(failed)?;
        directory.set("alive", true).map_err(failed)?;
        Ok(Self(Some(Arc::new(directory))))
    }

    /// Makes or removes `ready`.
    pub(super) fn set_ready(&self, is_ready: bool) {
        self.set("ready", is_ready);
    }

    /// Touches `alive` for ever.
    pub(super) async fn keep_alive(self) {
        let mut ticks = tokio::time::interval(TOUCHED_EVERY);
        loop {
            ticks.tick().await;
            self.set("alive", true);
        }
    }

    fn set(&self, name: &str, is_there: bool) {
        let Some(directory) = &self.0 else { return };
        if let Err(error) = directory.set(name, is_there) {
            tracing::warn!(target: "streamlet", %error, "cannot change the file \"{name}\" in {}", directory.0.display());
        }
    }
}

impl Directory {
    fn set(&self, name: &str, is_there: bool) -> std::io::Result<()> {
        let path = self.0.join(name);
        if is_there {
            return std::fs::write(path, "");
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        for name in ["ready", "alive"] {
            let _ = self.set(name, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_come_and_go_with_the_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state");
        let there = |name: &str| path.join(name).exists();
        let files = StateFiles::open(Some(&path)).unwrap();
        assert_eq!((there("alive"), there("ready")), (true, false));
        files.set_ready(true);
        assert!(there("ready"));
        files.set_ready(false);
        assert!(!there("ready"));
        drop(files);
        assert!(!there("alive"));
        let file = directory.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = StateFiles::open(Some(&file)).unwrap_err().to_string();
        assert!(refused.contains("--state-dir"), "{refused}");
    }
}
