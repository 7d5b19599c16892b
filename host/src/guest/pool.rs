//! Where instances get their memory: from a pool that is reserved once, or from the system each time.
//!
//! A pool has a place for each instance that may live at once, as large as the limits allow, so making and dropping one
//! costs the system fewer calls. What is reserved is addresses, not memory. A component that a pool cannot hold, or
//! could hold only by reserving absurdly much, runs on demand; so does everything where the system refuses the
//! reservation.

use std::fmt;

use wasmtime::{PoolingAllocationConfig, ResourcesRequired};

use super::limits::Limits;

/// Addresses that a pool may reserve; processors commonly have 128 TiB.
const RESERVED_BYTES_MAX: u64 = 32 << 40;
/// Addresses that each memory takes: what 32 bits can name and the guard behind it.
const MEMORY_RESERVED_BYTES: u64 = (4 << 30) + (32 << 20);
/// Bytes of a table's element.
const ELEMENT_BYTES: u64 = 8;
/// Bytes of a wasm page.
const PAGE_BYTES: u64 = 64 << 10;
/// Bytes of the engine's own data about an instance, which are not reserved: a large interpreter's has some 100 KiB.
const INSTANCE_BYTES_MAX: usize = 64 << 20;
/// Places beyond the instances of lanes, for those that are made while others go.
const SPARE_PLACES: usize = 16;

/// Where instances get their memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// From a pool.
    Pooled,
    /// From the system.
    OnDemand,
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pooled => "pooled",
            Self::OnDemand => "on demand",
        })
    }
}

/// The pool for a component that needs `required` an instance; none if it is better run on demand.
pub(super) fn sized(limits: &Limits, required: &ResourcesRequired) -> Option<PoolingAllocationConfig> {
    let ResourcesRequired { num_memories: memories, num_tables: tables, .. } = *required;
    let places = u32::try_from(limits.live_instances_max.checked_add(SPARE_PLACES)?).ok()?;
    // What exceeds a limit is refused, by its name, when it is instantiated; a pool would refuse it by other words.
    let memory_bytes = required.max_initial_memory_size.unwrap_or(0).checked_mul(PAGE_BYTES)?;
    let table_elements = required.max_initial_table_size.unwrap_or(0);
    if memory_bytes > limits.memory_bytes_max as u64 || table_elements > limits.table_elements_max as u64 {
        return None;
    }
    let table_bytes = (limits.table_elements_max as u64).checked_mul(ELEMENT_BYTES)?.checked_mul(tables.into())?;
    let place_bytes = MEMORY_RESERVED_BYTES.checked_mul(memories.into())?.checked_add(table_bytes)?;
    if place_bytes.checked_mul(places.into())? > RESERVED_BYTES_MAX || limits.memory_bytes_max as u64 > 4 << 30 {
        return None;
    }
    let mut pool = PoolingAllocationConfig::new();
    pool.total_memories(places.checked_mul(memories)?)
        .max_memories_per_module(memories)
        .max_memory_size(limits.memory_bytes_max)
        .total_tables(places.checked_mul(tables)?)
        .max_tables_per_module(tables)
        .table_elements(limits.table_elements_max)
        .total_stacks(places)
        // These are counted, not reserved, and a component may be made of many.
        .total_component_instances(u32::MAX)
        .total_core_instances(u32::MAX)
        .max_component_instance_size(INSTANCE_BYTES_MAX)
        .max_core_instance_size(INSTANCE_BYTES_MAX);
    Some(pool)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_pool_cannot_hold_runs_on_demand() {
        let check = |memories: u32, pages: u64, elements: u64, limits: Limits, expect: bool| {
            let required = ResourcesRequired {
                num_memories: memories,
                max_initial_memory_size: Some(pages),
                num_tables: 2,
                max_initial_table_size: Some(elements),
            };
            assert_eq!(sized(&limits, &required).is_some(), expect, "{memories} {pages} {elements} {limits:?}");
        };
        let limits = Limits::default();
        check(1, 17, 100, limits, true);
        check(3, 17, 100, limits, true);
        check(4000, 1, 100, limits, false);
        check(1, 4096, 100, limits, true);
        check(1, 4097, 100, limits, false);
        check(1, 17, 1_000_001, limits, false);
        check(1, 17, 100, Limits { memory_bytes_max: 8 << 30, ..limits }, false);
        check(1, 17, 100, Limits { live_instances_max: 1_000_000, ..limits }, false);
        check(1, 17, 100, Limits { live_instances_max: usize::MAX, ..limits }, false);
        check(1, 17, 100, Limits { table_elements_max: usize::MAX, ..limits }, false);
    }
}
