//! What a test may set a parameter to: its text, or a value.

use std::time::Duration;

use crate::config::MemorySize;

/// A value that a parameter can be set to. Text is read as a deployment's would be: `"1.5 s"`, `"1 MiB"`.
pub trait Setting {
    /// The text that the platform would read.
    fn into_text(self) -> String;
}

impl Setting for &str {
    fn into_text(self) -> String {
        self.to_owned()
    }
}

impl Setting for Duration {
    fn into_text(self) -> String {
        format!("{} ns", self.as_nanos())
    }
}

impl Setting for MemorySize {
    fn into_text(self) -> String {
        self.bytes().to_string()
    }
}

macro_rules! settings {
    ($($type:ty)+) => {$(
        impl Setting for $type {
            fn into_text(self) -> String {
                self.to_string()
            }
        }
    )+};
}

settings! { String i32 i64 f64 bool }
