//! The protocol's version, `MAJOR.MINOR`, and which side accepts which.
//!
//! Owns parsing and the acceptance rule. Refuses anything but two unsigned integers around one dot: no sign, no third
//! part, no suffix, no space.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// The version this crate speaks: the one its `.proto` files and rules belong to.
pub const PROTOCOL_VERSION: ProtocolVersion = ProtocolVersion { major: 1, minor: 0 };

/// A version of `ankka.flow.v1`, ordered by major, then minor.
///
/// ```
/// use streamlet_protocol::version::ProtocolVersion;
///
/// let version: ProtocolVersion = "1.0".parse()?;
/// assert_eq!((version.major, version.minor), (1, 0));
/// assert_eq!(version.to_string(), "1.0");
/// assert!("1.0-beta".parse::<ProtocolVersion>().is_err());
/// # Ok::<(), streamlet_protocol::version::VersionError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    /// Differs when something was renamed, removed or given another meaning.
    pub major: u32,
    /// Grows when something optional was added.
    pub minor: u32,
}

/// Why a version was not read, or not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VersionError {
    /// The text is not two unsigned 32-bit integers around a dot.
    #[error("cannot read protocol version {text:?}: it is MAJOR.MINOR, two unsigned integers, such as \"1.0\"")]
    Malformed {
        /// The text as given.
        text: String,
    },
    /// The other side speaks another major version.
    #[error("protocol version \"{offered}\" is refused: this side speaks \"{own}\", and major versions do not mix")]
    OtherMajor {
        /// The version of the side that refuses.
        own: ProtocolVersion,
        /// The version that it was offered.
        offered: ProtocolVersion,
    },
    /// The other side may use what this side has never heard of.
    #[error(
        "protocol version \"{offered}\" is refused: this side speaks \"{own}\", and a later minor version is too new for it"
    )]
    LaterMinor {
        /// The version of the side that refuses.
        own: ProtocolVersion,
        /// The version that it was offered.
        offered: ProtocolVersion,
    },
}

/// Says whether a side that speaks `own` takes a descriptor of version `offered`: the same major, and a minor that is
/// not later.
///
/// ```
/// use streamlet_protocol::version::{ProtocolVersion, accepts};
///
/// let own = ProtocolVersion { major: 1, minor: 2 };
/// assert!(accepts(own, ProtocolVersion { major: 1, minor: 0 }).is_ok());
/// assert!(accepts(own, ProtocolVersion { major: 1, minor: 3 }).is_err());
/// ```
pub fn accepts(own: ProtocolVersion, offered: ProtocolVersion) -> Result<(), VersionError> {
    if offered.major != own.major {
        return Err(VersionError::OtherMajor { own, offered });
    }
    if offered.minor > own.minor {
        return Err(VersionError::LaterMinor { own, offered });
    }
    Ok(())
}

impl FromStr for ProtocolVersion {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let parts = text.split_once('.').and_then(|(major, minor)| Some((unsigned(major)?, unsigned(minor)?)));
        match parts {
            Some((major, minor)) => Ok(Self { major, minor }),
            None => Err(VersionError::Malformed { text: text.to_owned() }),
        }
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// Reads digits only: the standard parser would let a plus sign through.
fn unsigned(text: &str) -> Option<u32> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_two_unsigned_integers_and_nothing_else() {
        for (text, expect) in [("1.0", (1, 0)), ("0.0", (0, 0)), ("12.345", (12, 345)), ("4294967295.1", (u32::MAX, 1))]
        {
            let version: ProtocolVersion = text.parse().unwrap();
            assert_eq!((version.major, version.minor), expect, "{text:?}");
        }
        for text in [
            "",
            ".",
            "1",
            "1.",
            ".0",
            "1.0.0",
            "+1.0",
            "1.+0",
            "-1.0",
            "1.-0",
            " 1.0",
            "1.0 ",
            "1. 0",
            "v1.0",
            "1.0-rc",
            "1,0",
            "1.x",
            "4294967296.0",
            "१.०",
        ] {
            let error = text.parse::<ProtocolVersion>().unwrap_err();
            assert_eq!(error, VersionError::Malformed { text: text.to_owned() });
        }
    }

    #[test]
    fn accepts_the_same_major_and_no_later_minor() {
        let check = |own: &str, offered: &str| {
            accepts(own.parse().unwrap(), offered.parse().unwrap()).map_err(|error| error.to_string())
        };
        for (own, offered) in [("1.0", "1.0"), ("1.4", "1.0"), ("1.4", "1.4"), ("2.0", "2.0")] {
            assert_eq!(check(own, offered), Ok(()));
        }
        for (own, offered) in [("1.0", "1.1"), ("1.0", "2.0"), ("2.3", "1.0"), ("1.9", "0.9"), ("1.9", "1.10")] {
            let text = check(own, offered).unwrap_err();
            assert!(text.contains(&format!("{own:?}")) && text.contains(&format!("{offered:?}")), "{text}");
        }
    }
}
