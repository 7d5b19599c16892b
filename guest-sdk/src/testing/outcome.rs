//! What a run has led to.

use super::record::Record;
use crate::declaration::PortDeclaration;

/// What became of the records of a [`Harness`](super::Harness).
#[derive(Debug)]
pub struct Outcome {
    outlets: &'static [PortDeclaration],
    /// For each outlet what was emitted to it.
    pub(super) emitted: Vec<Vec<Record>>,
    pub(super) skipped: Vec<Record>,
    pub(super) failures: Vec<Failure>,
    pub(super) batches: Vec<BatchOutcome>,
}

/// Why a batch failed. The rest of its partition was not processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The error's text, or that of a panic.
    pub message: String,
    /// The inlet's name.
    pub inlet: &'static str,
    /// The inlet's partition.
    pub partition: i32,
    /// The offset of the blamed record, if one is to blame.
    pub offset: Option<i64>,
}

/// A batch that was processed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchOutcome {
    /// The inlet's name.
    pub inlet: &'static str,
    /// The inlet's partition.
    pub partition: i32,
    /// The offsets of its records.
    pub offsets: Vec<i64>,
    /// Whether it was acknowledged; otherwise it failed.
    pub acknowledged: bool,
}

impl Outcome {
    pub(super) fn new(outlets: &'static [PortDeclaration]) -> Self {
        Self {
            outlets,
            emitted: outlets.iter().map(|_| Vec::new()).collect(),
            skipped: Vec::new(),
            failures: Vec::new(),
            batches: Vec::new(),
        }
    }

    /// What was emitted to an outlet, by inlet, partition, and then in the order of the emits. A failed batch emits
    /// nothing.
    ///
    /// # Panics
    /// The streamlet declares no such outlet.
    #[track_caller]
    pub fn records(&self, outlet: &str) -> &[Record] {
        let mut outlets = self.outlets.iter().zip(&self.emitted);
        match outlets.find(|(port, _)| port.name == outlet) {
            Some((_, records)) => records,
            None => panic!(r#"the streamlet declares no outlet "{outlet}""#),
        }
    }

    /// The records of acknowledged batches of which nothing was emitted: no emit has them as source, and none was made
    /// while the iteration stood on them.
    pub fn skipped(&self) -> &[Record] {
        &self.skipped
    }

    /// The batches that failed, at most one for each partition of each inlet.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Every batch, by inlet and partition.
    pub fn batches(&self) -> &[BatchOutcome] {
        &self.batches
    }
}
