//! Where the work stands: the record under the iteration of the current batch, for errors and panics to blame.
//!
//! One cursor per thread, since a streamlet processes one batch at a time. The iterator alone moves it; whoever makes
//! an error reads it, so that an error is blamed correctly however the loop is left.

use std::cell::Cell;

/// A record by its place in the batch and in the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) index: u32,
    pub(crate) offset: i64,
}

thread_local! {
    static PLACE: Cell<Option<Place>> = const { Cell::new(None) };
}

/// The record under the iteration.
pub(crate) fn place() -> Option<Place> {
    PLACE.get()
}

/// The index in its batch of the record under the iteration.
pub(crate) fn index() -> Option<u32> {
    place().map(|place| place.index)
}

/// Moves the cursor; `None` stands on no record.
pub(crate) fn stand(place: Option<Place>) {
    PLACE.set(place);
}
