//! Parameters, resolved: the host has read the text, a streamlet sees values of the declared types.

use std::time::Duration;

use crate::declaration::ParameterType;
use crate::error::{Error, Result};

/// A size in bytes, the value of a `MEMORY_SIZE` parameter. A whole `1 MiB` is 1,048,576 of them.
///
/// ```
/// use streamlet::MemorySize;
///
/// assert_eq!(MemorySize::from_bytes(1 << 20).bytes(), 1_048_576);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemorySize(u64);

impl MemorySize {
    /// The size of this many bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// How many bytes it is.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

/// A parameter's value, of its declared type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Of a `STRING` parameter.
    Text(String),
    /// Of an `INTEGER` parameter.
    Integer(i64),
    /// Of a `DOUBLE` parameter.
    Double(f64),
    /// Of a `BOOLEAN` parameter.
    Boolean(bool),
    /// Of a `DURATION` parameter.
    Duration(Duration),
    /// Of a `MEMORY_SIZE` parameter.
    MemorySize(MemorySize),
}

impl Value {
    /// The declared type whose value this is.
    pub const fn parameter_type(&self) -> ParameterType {
        match self {
            Self::Text(_) => ParameterType::Text,
            Self::Integer(_) => ParameterType::Integer,
            Self::Double(_) => ParameterType::Double,
            Self::Boolean(_) => ParameterType::Boolean,
            Self::Duration(_) => ParameterType::Duration,
            Self::MemorySize(_) => ParameterType::MemorySize,
        }
    }
}

/// The parameters of a conversation, every declared one. The derive macro reads it; an author reads the fields.
///
/// ```
/// use streamlet::{Config, Value};
///
/// let config = Config::from_iter([("review-threshold".to_owned(), Value::Integer(50))]);
/// assert_eq!(config.get::<i64>("review-threshold").unwrap(), 50);
///
/// let missing = config.get::<bool>("strict").unwrap_err();
/// assert_eq!(missing.to_string(), r#"parameter "strict" is missing from the conversation's configuration"#);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config(Vec<(String, Value)>);

impl Config {
    /// The parameter of this key.
    ///
    /// # Errors
    /// The parameter is missing or of another type, which only a faulty host causes.
    pub fn get<T: Parameter>(&self, key: &str) -> Result<T> {
        let Some((_, value)) = self.0.iter().find(|(name, _)| name == key) else {
            return Err(Error::new(format!(r#"parameter "{key}" is missing from the conversation's configuration"#)));
        };
        T::from_value(value).ok_or_else(|| {
            let (found, declared) = (value.parameter_type(), T::TYPE);
            Error::new(format!(r#"parameter "{key}" arrived as {found:?} but is declared as {declared:?}"#))
        })
    }
}

impl FromIterator<(String, Value)> for Config {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

/// A type that a parameter's field may have: `String`, `i64`, `f64`, `bool`, [`Duration`] or [`MemorySize`].
pub trait Parameter: Sized {
    /// How the platform calls the type.
    const TYPE: ParameterType;

    /// The value, if it is of this type.
    fn from_value(value: &Value) -> Option<Self>;
}

macro_rules! parameter {
    ($($field:ty: $variant:ident,)+) => {$(
        impl Parameter for $field {
            const TYPE: ParameterType = ParameterType::$variant;

            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::$variant(value) => Some(value.clone()),
                    _ => None,
                }
            }
        }
    )+};
}

parameter! {
    String: Text,
    i64: Integer,
    f64: Double,
    bool: Boolean,
    Duration: Duration,
    MemorySize: MemorySize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_read_as_itself_and_as_no_other() {
        let config = Config::from_iter([
            ("s".to_owned(), Value::Text("echo".to_owned())),
            ("i".to_owned(), Value::Integer(-1)),
            ("d".to_owned(), Value::Double(0.5)),
            ("b".to_owned(), Value::Boolean(true)),
            ("t".to_owned(), Value::Duration(Duration::from_millis(100))),
            ("m".to_owned(), Value::MemorySize(MemorySize::from_bytes(512))),
        ]);
        assert_eq!(config.get::<String>("s").unwrap(), "echo");
        assert_eq!(config.get::<i64>("i").unwrap(), -1);
        assert!((config.get::<f64>("d").unwrap() - 0.5).abs() < f64::EPSILON);
        assert!(config.get::<bool>("b").unwrap());
        assert_eq!(config.get::<Duration>("t").unwrap(), Duration::from_millis(100));
        assert_eq!(config.get::<MemorySize>("m").unwrap().bytes(), 512);
        let error = config.get::<i64>("d").unwrap_err();
        assert_eq!(error.to_string(), r#"parameter "d" arrived as Double but is declared as Integer"#);
    }
}
