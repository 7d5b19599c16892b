//! The way from a document's root to where its reading stands.

use std::fmt;

/// One step down.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A field or variant that the type declares.
    Name(&'static str),
    /// A key that only the data knows: shown as `*`.
    Key,
    /// An array's element.
    Index(usize),
}

/// The steps taken, such as `cart.items[3].*`.
#[derive(Debug, Default)]
pub(super) struct Path(pub(super) Vec<Step>);

impl Path {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match step {
                Step::Name(name) => write!(formatter, "{dot}{name}")?,
                Step::Key => write!(formatter, "{dot}*")?,
                Step::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}
