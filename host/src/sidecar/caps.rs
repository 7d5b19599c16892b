//! How much a batch may hold: the platform's `batch.max-records` and `batch.max-bytes`.

use crate::batch::BatchBuilder;

/// How much a batch may hold. One record may be heavier; it is a batch of its own then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchCaps {
    /// Records.
    pub records_max: usize,
    /// Bytes of keys, values and headers, without framing.
    pub bytes_max: usize,
}

/// The platform's defaults.
impl Default for BatchCaps {
    fn default() -> Self {
        Self { records_max: 100, bytes_max: 1 << 20 }
    }
}

impl BatchCaps {
    /// Whether a batch has room for one more record, of so many bytes.
    pub(super) fn has_room(self, batch: &BatchBuilder, record_bytes: usize) -> bool {
        batch.len() < self.records_max && batch.weight_bytes().saturating_add(record_bytes) <= self.bytes_max
    }
}
