//! Which names a streamlet, a port and a parameter may have.
//!
//! Owns the three rules and the text that tells an author what to change. Uniqueness is the descriptor's business.

use thiserror::Error;

/// The most bytes a streamlet's or a port's name may have: what Kubernetes allows a label.
pub const NAME_BYTES_MAX: usize = 63;

/// A name that breaks its rule. The message carries the rule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// Not a streamlet's name.
    #[error("streamlet name {name:?} is not allowed: it is 1 to 63 of a-z, 0-9 and '-', with no '-' at either end")]
    Streamlet {
        /// The name as given.
        name: String,
    },
    /// Not a port's name.
    #[error("port name {name:?} is not allowed: it is 1 to 63 of a-z, 0-9 and '-', and begins with a letter")]
    Port {
        /// The name as given.
        name: String,
    },
    /// Not a parameter's key.
    #[error("parameter key {key:?} is not allowed: it is made of a-z, 0-9 and '-', and begins with a letter")]
    ParameterKey {
        /// The key as given.
        key: String,
    },
}

/// Checks a streamlet's name: `[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?`.
///
/// ```
/// use streamlet_protocol::names::check_streamlet_name;
///
/// assert!(check_streamlet_name("cart-router").is_ok());
/// assert!(check_streamlet_name("CartRouter").is_err());
/// ```
pub fn check_streamlet_name(name: &str) -> Result<(), NameError> {
    let allowed = is_plain(name) && name.len() <= NAME_BYTES_MAX && !name.starts_with('-') && !name.ends_with('-');
    if allowed { Ok(()) } else { Err(NameError::Streamlet { name: name.to_owned() }) }
}

/// Checks an inlet's or an outlet's name: `[a-z][a-z0-9-]{0,62}`.
///
/// ```
/// use streamlet_protocol::names::check_port_name;
///
/// assert!(check_port_name("in").is_ok());
/// assert!(check_port_name("2nd").is_err());
/// ```
pub fn check_port_name(name: &str) -> Result<(), NameError> {
    let allowed = is_plain(name) && name.len() <= NAME_BYTES_MAX && begins_with_letter(name);
    if allowed { Ok(()) } else { Err(NameError::Port { name: name.to_owned() }) }
}

/// Checks a parameter's key: `[a-z][a-z0-9-]*`, of any length.
///
/// ```
/// use streamlet_protocol::names::check_parameter_key;
///
/// assert!(check_parameter_key("review-threshold").is_ok());
/// assert!(check_parameter_key("review_threshold").is_err());
/// ```
pub fn check_parameter_key(key: &str) -> Result<(), NameError> {
    let allowed = is_plain(key) && begins_with_letter(key);
    if allowed { Ok(()) } else { Err(NameError::ParameterKey { key: key.to_owned() }) }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

fn begins_with_letter(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The declared name most like `name`, when it is like enough to be meant: a third of its letters may differ.
///
/// ```
/// use streamlet_protocol::names::nearest;
///
/// assert_eq!(nearest("reviw", ["valid", "review"]), Some("review"));
/// assert_eq!(nearest("other", ["valid", "review"]), None);
/// ```
pub fn nearest<'a>(name: &str, declared: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = declared.into_iter().map(|declared| (strsim::damerau_levenshtein(name, declared), declared));
    let (distance, nearest) = distances.min()?;
    (distance <= nearest.len().div_ceil(3)).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name, and whether it may name a streamlet, a port, a parameter.
    #[test]
    fn each_kind_has_its_own_rule() {
        let (just, over) = ("a".repeat(63), "a".repeat(64));
        for (name, streamlet, port, key) in [
            ("a", true, true, true),
            ("cart-router", true, true, true),
            ("a--b", true, true, true),
            ("in-", false, true, true),
            ("-in", false, false, false),
            ("-", false, false, false),
            ("0", true, false, false),
            ("1st", true, false, false),
            ("", false, false, false),
            ("Cart", false, false, false),
            ("cart_router", false, false, false),
            ("cart.router", false, false, false),
            ("cart router", false, false, false),
            ("café", false, false, false),
            ("cart\n", false, false, false),
            ("a\u{0}", false, false, false),
            (just.as_str(), true, true, true),
            (over.as_str(), false, false, true),
        ] {
            assert_eq!(check_streamlet_name(name).is_ok(), streamlet, "streamlet {name:?}");
            assert_eq!(check_port_name(name).is_ok(), port, "port {name:?}");
            assert_eq!(check_parameter_key(name).is_ok(), key, "key {name:?}");
        }
    }

    #[test]
    fn the_message_names_the_object_and_its_rule() {
        let text = check_port_name("Out\u{7}").unwrap_err().to_string();
        assert!(text.starts_with(r#"port name "Out\u{7}" is not allowed: it is 1 to 63 of"#), "{text}");
    }
}
