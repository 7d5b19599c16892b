//! What a value counts or names in Java's client, and how librdkafka has it written.

use streamlet_protocol::units;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// As it is.
    Text,
    /// A name that Java matches in any case, and librdkafka in lower case.
    Word,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Count,
    /// Milliseconds, or a duration with its unit. -1, which is Java's "never", is librdkafka's 0.
    Millis,
    /// Bytes, or a size with its unit. -1, which is Java's "as the system has it", is librdkafka's 0.
    Bytes,
    /// Bytes, kept as kibibytes: rounded up, so that nothing becomes 0.
    BytesAsKibibytes,
}

impl Unit {
    /// The value as librdkafka takes it; none if it is not of this kind. Ranges are librdkafka's to check.
    pub(super) fn translate(self, value: &str) -> Option<String> {
        match self {
            Self::Text => Some(value.to_owned()),
            Self::Word => Some(value.trim().to_lowercase()),
            Self::Boolean => {
                let word = value.trim().to_lowercase();
                ["true", "false"].contains(&word.as_str()).then_some(word)
            }
            Self::Count => value.trim().parse::<i64>().ok().map(|count| count.to_string()),
            Self::Millis | Self::Bytes if value.trim() == "-1" => Some("0".to_owned()),
            Self::Millis => millis(value),
            Self::Bytes => units::parse_size(value).ok().map(|bytes| bytes.to_string()),
            Self::BytesAsKibibytes => {
                units::parse_size(value).ok().map(|bytes| bytes.div_ceil(1024).max(1).to_string())
            }
        }
    }

    /// The kind of a librdkafka setting, which its name tells.
    pub(super) fn of_native(name: &str, takes: &str) -> Self {
        match name.rsplit('.').next() {
            _ if takes == "true, false" => Self::Boolean,
            // -1 switches it off there, and is no number of milliseconds.
            _ if name == "topic.metadata.refresh.interval.ms" => Self::Text,
            Some("ms") => Self::Millis,
            Some("bytes") => Self::Bytes,
            _ => Self::Text,
        }
    }

    /// What a value of this kind looks like.
    pub(super) fn takes(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Word => "a name",
            Self::Boolean => "true or false",
            Self::Count => "a whole number",
            Self::Millis => "milliseconds, or a duration such as \"5 s\"",
            Self::Bytes | Self::BytesAsKibibytes => "bytes, or a size such as \"1 MiB\"",
        }
    }
}

/// Whole milliseconds; a shorter duration than one keeps its fraction, which `linger.ms` alone takes.
fn millis(value: &str) -> Option<String> {
    let nanoseconds = units::parse_duration(value).ok()?;
    let (millis, fraction) = (nanoseconds / 1_000_000, nanoseconds % 1_000_000);
    if fraction == 0 {
        return Some(millis.to_string());
    }
    Some(format!("{millis}.{fraction:06}").trim_end_matches('0').to_owned())
}
