//! Compiled components on disk, so that the next start takes milliseconds.
//!
//! An entry's name is the digest of the component's bytes and of everything about the engine that compiled code depends
//! on; its content is sealed ([`super::code`]). The directory belongs to this user alone: whoever can write an entry can
//! run code here, so one that is somebody else's, or that others can write to, is refused. Entries are written beside
//! their place and renamed, so that processes share a directory without locks. It is bounded: what was used least
//! recently goes first. Whatever goes wrong, the component is compiled.

use std::fs::{self, DirBuilder, DirEntry, OpenOptions};
use std::hash::{Hash as _, Hasher};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

use super::code::{self, Code};

/// How an entry's name ends.
const ENTRY: &str = ".cwasm";
/// How the name of a file that is being written ends.
const UNFINISHED: &str = ".unfinished";
/// After this time a file that is being written has been given up.
const GIVEN_UP_AFTER: Duration = Duration::from_hours(1);
/// Permissions of group and others that nobody may have.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A directory that cannot be used as a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It cannot be made or read.
    #[error("cannot use cache directory \"{}\"", path.display())]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is another user's.
    #[error("cache directory \"{}\" belongs to user {owner}, and whoever can write to it could run code here", path.display())]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Others can write to it.
    #[error("others can write to cache directory \"{}\" (mode {mode:03o}), and so run code here; remove it", path.display())]
    OthersWrite {
        /// The directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

/// A directory of compiled components.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    bytes_max: u64,
}

impl Cache {
    /// Opens a directory, made if it is missing, that may hold up to `bytes_max` bytes.
    ///
    /// # Errors
    /// [`CacheError`]: do without.
    pub fn open(directory: &Path, bytes_max: u64) -> Result<Self, CacheError> {
        let path = directory.to_owned();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        let metadata = match made.and_then(|()| fs::metadata(directory)) {
            Ok(metadata) => metadata,
            Err(source) => return Err(CacheError::Unusable { path, source }),
        };
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(CacheError::NotOurs { path, owner: metadata.uid() });
        }
        if metadata.mode() & WRITABLE_BY_OTHERS != 0 {
            return Err(CacheError::OthersWrite { path, mode: metadata.mode() & 0o777 });
        }
        Ok(Self { directory: path, bytes_max })
    }

    /// The entry of a component, if there is one that is ours alone and intact.
    pub(super) fn find(&self, key: &Key) -> Option<Code> {
        let path = self.entry(key);
        match read_own(&path).map(|bytes| bytes.and_then(code::unsealed)) {
            Ok(Some(code)) => Some(Code::trusted(code)),
            Ok(None) => {
                tracing::warn!(target: "streamlet", entry = %path.display(), "a damaged entry of the cache is replaced");
                None
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(target: "streamlet", entry = %path.display(), %error, "cannot read an entry of the cache");
                }
                None
            }
        }
    }

    /// Keeps a component's code, and makes room for it. Code that is larger than everything together may be is not kept.
    pub(super) fn keep(&self, key: &Key, code: &Code) {
        if code.sealed_bytes() > self.bytes_max {
            return;
        }
        let path = self.entry(key);
        match replace(&path, 0o600, code) {
            Ok(()) => self.evict(&path),
            Err(error) => {
                tracing::warn!(target: "streamlet", entry = %path.display(), %error, "cannot keep the compiled component");
            }
        }
    }

    fn entry(&self, Key(key): &Key) -> PathBuf {
        self.directory.join(format!("{key}{ENTRY}"))
    }

    /// Removes what was used least recently until the rest fits. Another process may do the same at the same time.
    fn evict(&self, newest: &Path) {
        let Ok(files) = fs::read_dir(&self.directory) else { return };
        let mut entries = Vec::new();
        for file in files.flatten() {
            let Some((used, bytes)) = used(&file) else { continue };
            let name = file.file_name();
            let name = name.to_string_lossy();
            if name.ends_with(UNFINISHED) && used.elapsed().is_ok_and(|age| age > GIVEN_UP_AFTER) {
                let _ = fs::remove_file(file.path());
            } else if name.ends_with(ENTRY) {
                entries.push((used, bytes, file.path()));
            }
        }
        let mut sum = entries.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
        entries.sort();
        for (_, bytes, path) in entries {
            if sum > self.bytes_max && path != newest && fs::remove_file(&path).is_ok() {
                tracing::debug!(target: "streamlet", entry = %path.display(), "entry of the cache removed to make room");
                sum -= bytes;
            }
        }
    }
}

/// A file's bytes; none if it is no file, another user's, or one that others may write to: whatever it holds, it is not
/// ours. What is checked is what is read: it is opened once, and no link is followed.
fn read_own(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    let is_ours = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & WRITABLE_BY_OTHERS == 0;
    if !metadata.is_file() || !is_ours {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // Whether it counts as used is worth no failure.
    let _ = file.set_modified(SystemTime::now());
    Ok(Some(bytes))
}

/// When a file was used last, and its length.
fn used(file: &DirEntry) -> Option<(SystemTime, u64)> {
    let metadata = file.metadata().ok().filter(fs::Metadata::is_file)?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Writes sealed code to a file, all of it or nothing.
pub(super) fn replace(path: &Path, mode: u32, code: &Code) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    // No other process, and no other thread of this one, has the same.
    name.push(format!(".{}-{}{UNFINISHED}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let unfinished = path.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&unfinished)?;
    let written = code.write_sealed(&mut file).and_then(|()| fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// What an entry's code depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key(String);

impl Key {
    /// Of a component by its digest, compiled by this engine.
    pub(super) fn new(engine: &wasmtime::Engine, component: &str) -> Self {
        let mut hasher = DigestHasher(Sha256::new_with_prefix(component));
        engine.precompile_compatibility_hash().hash(&mut hasher);
        Self(format!("{:x}", hasher.0.finalize()))
    }
}

/// What is hashed, digested: 64 bits would be too few to tell code apart.
struct DigestHasher(Sha256);

impl Hasher for DigestHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.clone().finalize().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn key(name: &str) -> Key {
        Key(name.into())
    }

    #[test]
    fn what_was_used_least_recently_makes_room() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(&directory.path().join("cache"), 3 * 1048).unwrap();
        let code = Code::trusted(vec![7; 1000]);
        let age = |name: &str, hours| {
            let file = File::open(cache.entry(&key(name))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_hours(hours)).unwrap();
        };
        for (name, hours) in [("a", 4), ("b", 3), ("c", 2)] {
            cache.keep(&key(name), &code);
            age(name, hours);
        }
        // Being found is being used.
        assert!(cache.find(&key("a")).is_some());
        let given_up = cache.directory.join(format!("x{UNFINISHED}"));
        File::create(&given_up).unwrap().set_modified(SystemTime::now() - Duration::from_hours(2)).unwrap();
        cache.keep(&key("d"), &code);
        let found = ["a", "b", "c", "d"].map(|name| cache.find(&key(name)).is_some());
        assert_eq!((found, given_up.exists()), ([true, false, true, true], false));
        cache.keep(&key("e"), &Code::trusted(vec![7; 4000]));
        assert!(cache.find(&key("e")).is_none() && cache.find(&key("d")).is_some(), "what cannot fit evicts nothing");
    }

    #[test]
    fn an_entry_that_is_not_ours_alone_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(&directory.path().join("cache"), 1 << 20).unwrap();
        cache.keep(&key("a"), &Code::trusted(vec![7; 1000]));
        let path = cache.entry(&key("a"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(cache.find(&key("a")).is_none(), "others may have written it");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(cache.find(&key("a")).is_some());
        let elsewhere = directory.path().join("elsewhere");
        fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(cache.find(&key("a")).is_none(), "a link");
        fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()));
        assert!(cache.find(&key("a")).is_none(), "a pipe, which nobody writes to");
    }

    #[test]
    fn the_key_tells_components_and_engines_apart() {
        let engine = wasmtime::Engine::default();
        let other = wasmtime::Engine::new(wasmtime::Config::new().epoch_interruption(true)).unwrap();
        assert_eq!(Key::new(&engine, "one"), Key::new(&wasmtime::Engine::default(), "one"));
        assert_ne!(Key::new(&engine, "one"), Key::new(&engine, "two"));
        assert_ne!(Key::new(&engine, "one"), Key::new(&other, "one"));
    }
}
