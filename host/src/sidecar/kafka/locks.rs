//! Locks, whose holders do not panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; should a holder have panicked after all, what it holds is as whole as what it said of its panic.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
