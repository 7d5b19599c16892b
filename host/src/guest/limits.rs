//! What an instance may use, and the accountant that refuses it more.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wasmtime::ResourceLimiter;

/// The bounds of one instance. Defaults are the design's; every one but the last has a flag of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long one `process` call may take, sleeping included.
    pub batch_deadline: Duration,
    /// How long `start` or `describe` may take.
    pub start_deadline: Duration,
    /// Bytes summed over an instance's linear memories.
    pub memory_bytes_max: usize,
    /// Elements summed over an instance's tables.
    pub table_elements_max: usize,
    /// Bytes of one batch's output, counted in two ways that must both stay below: what the guest hands over (arenas and
    /// tables), and what its emits carry (keys, values and headers, those of source records included).
    pub output_bytes_max: usize,
    /// Bytes of memory beyond which an instance that has grown since its `start` is ended between batches: memory of a
    /// guest never shrinks.
    pub kept_memory_bytes_max: usize,
    /// Lines a second that the guests of one lane may log, with ten seconds' worth at once.
    pub log_lines_per_second: u32,
    /// Instances that may live at once; lanes beyond it wait their turn.
    pub live_instances_max: usize,
    /// How long an instance may wait for its next batch before it is ended.
    pub idle_max: Duration,
    /// How long a guest may keep its thread at a stretch; has no flag.
    pub tick: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            batch_deadline: Duration::from_secs(30),
            start_deadline: Duration::from_secs(10),
            memory_bytes_max: 256 << 20,
            table_elements_max: 1_000_000,
            output_bytes_max: 64 << 20,
            kept_memory_bytes_max: 64 << 20,
            log_lines_per_second: 100,
            live_instances_max: 2_048,
            idle_max: Duration::from_mins(10),
            tick: Duration::from_millis(1),
        }
    }
}

/// What the accountant refused last: how much there would have been, and the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Memory { asked_bytes: usize, limit_bytes: usize },
    Table { asked_elements: usize, limit_elements: usize },
}

/// Sums the memories and tables of one store.
#[derive(Debug)]
pub(super) struct Accountant {
    memory_bytes: usize,
    memory_bytes_max: usize,
    table_elements: usize,
    table_elements_max: usize,
    /// The last growth that was refused, if any: a trap soon after is most likely its consequence.
    pub(super) refusal: Option<Refusal>,
    /// Bytes of all memories of all stores.
    all_bytes: Arc<AtomicU64>,
}

impl Drop for Accountant {
    fn drop(&mut self) {
        self.all_bytes.fetch_sub(self.memory_bytes as u64, Ordering::Relaxed);
    }
}

impl Accountant {
    /// What it counts is counted in `all_bytes` too, for as long as it lives.
    pub(super) fn new(limits: &Limits, all_bytes: Arc<AtomicU64>) -> Self {
        Self {
            all_bytes,
            memory_bytes: 0,
            memory_bytes_max: limits.memory_bytes_max,
            table_elements: 0,
            table_elements_max: limits.table_elements_max,
            refusal: None,
        }
    }

    /// Bytes of all memories.
    pub(super) fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }
}

impl ResourceLimiter for Accountant {
    fn memory_growing(&mut self, current: usize, desired: usize, max: Option<usize>) -> wasmtime::Result<bool> {
        let asked_bytes = self.memory_bytes.saturating_add(desired.saturating_sub(current));
        if asked_bytes > self.memory_bytes_max {
            self.refusal = Some(Refusal::Memory { asked_bytes, limit_bytes: self.memory_bytes_max });
            return Ok(false);
        }
        // What the memory's own declaration rules out is no growth, and no limit of ours either.
        if max.is_some_and(|max| desired > max) {
            return Ok(false);
        }
        self.all_bytes.fetch_add((asked_bytes - self.memory_bytes) as u64, Ordering::Relaxed);
        self.memory_bytes = asked_bytes;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, max: Option<usize>) -> wasmtime::Result<bool> {
        let asked_elements = self.table_elements.saturating_add(desired.saturating_sub(current));
        if asked_elements > self.table_elements_max {
            self.refusal = Some(Refusal::Table { asked_elements, limit_elements: self.table_elements_max });
            return Ok(false);
        }
        if max.is_some_and(|max| desired > max) {
            return Ok(false);
        }
        self.table_elements = asked_elements;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_that_its_own_declaration_rules_out_is_no_growth() {
        let limits = Limits { memory_bytes_max: 100, table_elements_max: 100, ..Limits::default() };
        let all_bytes = Arc::<AtomicU64>::default();
        let mut accountant = Accountant::new(&limits, Arc::clone(&all_bytes));
        assert!(accountant.memory_growing(0, 60, Some(70)).unwrap());
        for _ in 0..100 {
            assert!(!accountant.memory_growing(60, 71, Some(70)).unwrap());
            assert!(!accountant.table_growing(0, 71, Some(70)).unwrap());
        }
        assert_eq!((accountant.memory_bytes(), accountant.refusal), (60, None));
        assert!(accountant.memory_growing(60, 70, Some(70)).unwrap(), "what is left can still be had");
        assert!(!accountant.memory_growing(0, 31, None).unwrap(), "of a second memory");
        assert_eq!(accountant.refusal, Some(Refusal::Memory { asked_bytes: 101, limit_bytes: 100 }));
        assert_eq!(all_bytes.load(Ordering::Relaxed), 70);
        drop(accountant);
        assert_eq!(all_bytes.load(Ordering::Relaxed), 0);
    }
}
