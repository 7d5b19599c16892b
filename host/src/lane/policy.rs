//! What a failed batch means.

/// What becomes of a batch that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// It fails: the platform's rule.
    #[default]
    Fail,
    /// Records that fail by themselves are skipped, the others are emitted.
    Skip,
    /// As [`OnFailure::Skip`], but such records are emitted, as they came, to the outlet of this index.
    DeadLetter(u32),
}

/// A failure policy with its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// What becomes of a batch that fails.
    pub on_failure: OnFailure,
    /// Records of one batch that may be set aside; with more, the batch fails after all.
    pub set_aside_max: usize,
}

impl Default for Policy {
    fn default() -> Self {
        Self { on_failure: OnFailure::Fail, set_aside_max: 10 }
    }
}
