//! A component's machine code: what compiling makes, in the form that the cache keeps and `streamlet compile` writes.
//!
//! The engine's own format has no checksum, and loading damaged code would be running it. So code that is stored is
//! sealed: behind it stand its SHA-256 and a mark. A seal tells damage, not forgery: whoever can write the file can
//! seal it, and code from elsewhere is only loaded by someone who trusts its maker.

use std::fs::File;
use std::io::{self, Write as _};

use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;
use wasmtime::{Engine, Precompiled};

/// Ends every sealed file; the number is the seal's version.
const MARK: &[u8; 16] = b"streamlet-code-1";
const DIGEST_BYTES: usize = 32;
const SEAL_BYTES: usize = DIGEST_BYTES + MARK.len();
/// What the header of the engine's object files says instead of an operating system.
const OS_ABI: u8 = 200;
/// The engine's major version: code of another one does not run.
const WASMTIME: &str = "48";
/// The architecture that this host runs on.
const ARCHITECTURE: &str = if cfg!(target_arch = "x86_64") {
    "x86_64"
} else if cfg!(target_arch = "aarch64") {
    "aarch64"
} else {
    "this architecture"
};

/// Machine code whose origin is trusted: this process compiled it, or took it from its own cache, or was told to.
pub(super) struct Code(Vec<u8>);

impl Code {
    /// Compiles a component. It takes all cores for as long as it lasts.
    pub(super) fn compile(engine: &Engine, component: &[u8]) -> wasmtime::Result<Self> {
        engine.precompile_component(component).map(Self)
    }

    /// Code whose origin the caller vouches for, without its seal.
    pub(super) fn trusted(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Makes it runnable.
    ///
    /// # Errors
    /// It was compiled for another engine than this.
    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        #[expect(unsafe_code, reason = "the origin is trusted, as the type says, and the seal was intact")]
        // SAFETY: the bytes are what an engine made of a component: compiled here, or sealed when they were and found
        // intact. They are in this process's own memory, where nobody changes them between the check and their use.
        unsafe {
            Component::deserialize(engine, &self.0)
        }
    }

    /// Writes it with its seal.
    pub(super) fn write_sealed(&self, file: &mut File) -> io::Result<()> {
        file.write_all(&self.0)?;
        file.write_all(&Sha256::digest(&self.0))?;
        file.write_all(MARK)
    }

    /// Bytes that it takes when it is written.
    pub(super) fn sealed_bytes(&self) -> u64 {
        (self.0.len() + SEAL_BYTES) as u64
    }
}

/// What compiled code must have been made for to run here.
pub(super) fn needed() -> String {
    format!("wasmtime {WASMTIME} on {ARCHITECTURE}, with settings and processor features of this host")
}

/// Whether a file begins as an engine's compiled code does.
pub(super) fn begins_as_precompiled(bytes: &[u8]) -> bool {
    matches!(bytes, [0x7f, b'E', b'L', b'F', _, _, _, OS_ABI, ..])
}

/// Whether compiled code is a component's, not a core module's.
pub(super) fn is_component(code: &[u8]) -> bool {
    matches!(Engine::detect_precompiled(code), Some(Precompiled::Component))
}

/// Sealed bytes without their seal; none if it is missing or broken.
pub(super) fn unsealed(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let code = bytes.len().checked_sub(SEAL_BYTES)?;
    let (digest, mark) = bytes.get(code..)?.split_at(DIGEST_BYTES);
    let is_intact = mark == MARK && Sha256::digest(bytes.get(..code)?).as_slice() == digest;
    is_intact.then(|| {
        bytes.truncate(code);
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_is_what_the_engine_writes() {
        let Code(code) = Code::compile(&Engine::default(), b"\0asm\x0d\0\x01\0").unwrap();
        assert!(begins_as_precompiled(&code) && is_component(&code));
        let version = [&[0, 2], WASMTIME.as_bytes()].concat();
        assert!(code.windows(4).any(|window| window == version), "the engine's section begins with its version");
    }

    #[test]
    fn a_seal_tells_any_change() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("code");
        Code(vec![7; 1000]).write_sealed(&mut File::create(&path).unwrap()).unwrap();
        let sealed = std::fs::read(&path).unwrap();
        assert_eq!(sealed.len(), 1000 + SEAL_BYTES);
        assert_eq!(unsealed(sealed.clone()), Some(vec![7; 1000]));
        let check = |bytes: Vec<u8>| assert_eq!(unsealed(bytes), None);
        for at in [0, 500, 1000, 1031, 1032, 1047] {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            check(changed);
        }
        for length in [0, 1, SEAL_BYTES, 1000, 1047] {
            check(sealed[..length].to_vec());
        }
        check([sealed.as_slice(), b"x"].concat());
    }
}
