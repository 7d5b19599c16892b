//! Durations and memory sizes as HOCON writes them: `100 ms`, `1.5 s`, `1 MiB`, `512k`.
//!
//! Owns the units and exact arithmetic on them. A text is a number, optional space, and an optional unit of letters;
//! without one it counts milliseconds or bytes. Numbers may have a fraction and an exponent and are computed exactly,
//! however long; what remains below one nanosecond or one byte is dropped, as HOCON's reference reader does.
//! Refuses negative numbers, units HOCON does not have, and results over 64 bits. Case matters, since HOCON tells
//! `m` (minute) and `M` (mebibyte) apart.
//!
//! Errors say what is wrong without quoting the whole text, so that a value taken from configuration stays private.

use thiserror::Error;

use decimal::Decimal;

mod decimal;

/// Why a text is not a duration or a memory size.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    /// Nothing but space.
    #[error("it is empty")]
    Empty,
    /// A unit, or no digits at all, where a number was expected.
    #[error("it does not begin with a number")]
    NumberMissing,
    /// What precedes the unit is not a decimal number.
    #[error("what precedes the unit is not a decimal number")]
    NumberMalformed,
    /// The number has a minus sign.
    #[error("it is negative")]
    Negative,
    /// HOCON has no such unit.
    #[error("its unit {unit:?} is not one of {accepted}")]
    UnitUnknown {
        /// The letters after the number.
        unit: String,
        /// The units one would write, in words.
        accepted: &'static str,
    },
    /// More than 2^64 - 1 nanoseconds (about 584 years) or bytes.
    #[error("it is too large: the most is {} {counted}", u64::MAX)]
    TooLarge {
        /// What the limit counts: nanoseconds or bytes.
        counted: &'static str,
    },
}

/// Reads a HOCON duration into nanoseconds.
///
/// ```
/// use streamlet_protocol::units::parse_duration;
///
/// assert_eq!(parse_duration("1.5 s"), Ok(1_500_000_000));
/// assert_eq!(parse_duration("250"), parse_duration("250 ms"));
/// assert!(parse_duration("5 parsecs").is_err());
/// ```
pub fn parse_duration(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split(text)?;
    let nanoseconds = duration_unit(unit).ok_or_else(|| UnitError::UnitUnknown {
        unit: unit.to_owned(),
        accepted: "ns, us, ms, s, m, h, d or their long names",
    })?;
    scale(number, nanoseconds, "nanoseconds")
}

/// Reads a HOCON memory size into bytes.
///
/// ```
/// use streamlet_protocol::units::parse_size;
///
/// assert_eq!(parse_size("1 MiB"), Ok(1_048_576));
/// assert_eq!(parse_size("10MB"), Ok(10_000_000));
/// assert_eq!(parse_size("512k"), Ok(524_288));
/// ```
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let (number, unit) = split(text)?;
    let bytes = size_unit(unit).ok_or_else(|| UnitError::UnitUnknown {
        unit: unit.to_owned(),
        accepted: "B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB, PiB, EiB or their long names",
    })?;
    scale(number, bytes, "bytes")
}

/// Separates the number from the letters at the text's end.
fn split(text: &str) -> Result<(&str, &str), UnitError> {
    let text = text.trim_matches(is_hocon_space);
    if text.is_empty() {
        return Err(UnitError::Empty);
    }
    let number = text.trim_end_matches(char::is_alphabetic);
    let unit = text.get(number.len()..).unwrap_or_default();
    let number = number.trim_end_matches(is_hocon_space);
    if number.is_empty() { Err(UnitError::NumberMissing) } else { Ok((number, unit)) }
}

fn scale(number: &str, unit: u128, counted: &'static str) -> Result<u64, UnitError> {
    let decimal = Decimal::parse(number).ok_or(UnitError::NumberMalformed)?;
    if decimal.is_negative() {
        return Err(UnitError::Negative);
    }
    decimal.times(unit).ok_or(UnitError::TooLarge { counted })
}

/// HOCON's whitespace: Unicode separators, the ASCII controls that separate, and the byte order mark. Rust's own set
/// also has U+0085, which HOCON's does not.
fn is_hocon_space(character: char) -> bool {
    (character.is_whitespace() && character != '\u{85}') || matches!(character, '\u{1c}'..='\u{1f}' | '\u{feff}')
}

/// Nanoseconds in a unit of time.
fn duration_unit(unit: &str) -> Option<u128> {
    Some(match unit {
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        "us" | "micro" | "micros" | "microsecond" | "microseconds" => 1_000,
        "" | "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        "s" | "second" | "seconds" => 1_000_000_000,
        "m" | "minute" | "minutes" => 60 * 1_000_000_000,
        "h" | "hour" | "hours" => 3_600 * 1_000_000_000,
        "d" | "day" | "days" => 86_400 * 1_000_000_000,
        _ => return None,
    })
}

/// Bytes in a unit of memory. A single letter is a power of 1,024, as Java's `-Xmx512m` reads it.
fn size_unit(unit: &str) -> Option<u128> {
    Some(match unit {
        "" | "B" | "b" | "byte" | "bytes" => 1,
        "kB" | "kilobyte" | "kilobytes" => 1_000,
        "MB" | "megabyte" | "megabytes" => 1_000_u128.pow(2),
        "GB" | "gigabyte" | "gigabytes" => 1_000_u128.pow(3),
        "TB" | "terabyte" | "terabytes" => 1_000_u128.pow(4),
        "PB" | "petabyte" | "petabytes" => 1_000_u128.pow(5),
        "EB" | "exabyte" | "exabytes" => 1_000_u128.pow(6),
        "ZB" | "zettabyte" | "zettabytes" => 1_000_u128.pow(7),
        "YB" | "yottabyte" | "yottabytes" => 1_000_u128.pow(8),
        "K" | "k" | "Ki" | "KiB" | "kibibyte" | "kibibytes" => 1 << 10,
        "M" | "m" | "Mi" | "MiB" | "mebibyte" | "mebibytes" => 1 << 20,
        "G" | "g" | "Gi" | "GiB" | "gibibyte" | "gibibytes" => 1 << 30,
        "T" | "t" | "Ti" | "TiB" | "tebibyte" | "tebibytes" => 1 << 40,
        "P" | "p" | "Pi" | "PiB" | "pebibyte" | "pebibytes" => 1 << 50,
        "E" | "e" | "Ei" | "EiB" | "exbibyte" | "exbibytes" => 1 << 60,
        "Z" | "z" | "Zi" | "ZiB" | "zebibyte" | "zebibytes" => 1 << 70,
        "Y" | "y" | "Yi" | "YiB" | "yobibyte" | "yobibytes" => 1 << 80,
        _ => return None,
    })
}
