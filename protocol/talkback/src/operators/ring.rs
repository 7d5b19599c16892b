//! The items that some of several readers have not had yet.
//!
//! Owns each item until the last of those who were open when it came has had it. Refuses more than `items_max`. Used by the
//! hub and by `share`; never borrowed while a sink's code runs.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::task::Waker;

use crate::signal::End;

struct Entry<T> {
    item: T,
    /// It answered a request, so each reader gets it on a request of its own.
    pulled: bool,
    /// How many readers have still to read it.
    readers: usize,
}

#[derive(Default)]
struct Reader {
    /// The number of the next item to read, while open.
    next: Option<u64>,
    waker: Option<Waker>,
    left: bool,
}

/// The number of a reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderId(usize);

pub(crate) struct Ring<T, E> {
    entries: VecDeque<Entry<T>>,
    /// The number of the first entry.
    first: u64,
    readers: Vec<Reader>,
    open: usize,
    items_max: usize,
    end: Option<End<E>>,
}

impl<T: Clone, E: Clone> Ring<T, E> {
    pub(crate) fn new(items_max: usize) -> Self {
        let items_max = items_max.max(1);
        Self { entries: VecDeque::new(), first: 0, readers: Vec::new(), open: 0, items_max, end: None }
    }

    /// A new reader, which is not open.
    pub(crate) fn join(&mut self) -> ReaderId {
        if let Some(free) = self.readers.iter().position(|reader| reader.left) {
            if let Some(reader) = self.readers.get_mut(free) {
                *reader = Reader::default();
            }
            return ReaderId(free);
        }
        self.readers.push(Reader::default());
        ReaderId(self.readers.len() - 1)
    }

    /// The reader is open or not from now on. What comes while it is not open is not for it.
    pub(crate) fn set_open(&mut self, ReaderId(id): ReaderId, open: bool) {
        let end = self.first + self.entries.len() as u64;
        let Some(reader) = self.readers.get_mut(id) else { return };
        match (reader.next, open) {
            (None, true) => {
                reader.next = Some(end);
                self.open += 1;
            }
            (Some(next), false) => {
                reader.next = None;
                self.open -= 1;
                self.pass(next, end);
            }
            _ => {}
        }
    }

    pub(crate) fn leave(&mut self, id: ReaderId) {
        self.set_open(id, false);
        if let Some(reader) = self.readers.get_mut(id.0) {
            *reader = Reader { left: true, ..Reader::default() };
        }
    }

    /// The entries from `next` up to `end` have one reader less.
    fn pass(&mut self, next: u64, end: u64) {
        let (from, to) = (index(next, self.first), index(end, self.first));
        self.entries.range_mut(from..to).for_each(|entry| entry.readers -= 1);
        while self.entries.front().is_some_and(|entry| entry.readers == 0) {
            self.entries.pop_front();
            self.first += 1;
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open > 0
    }

    pub(crate) fn has_room(&self) -> bool {
        self.entries.len() < self.items_max
    }

    pub(crate) fn end(&self) -> Option<&End<E>> {
        self.end.as_ref()
    }

    pub(crate) fn set_end(&mut self, end: End<E>) {
        self.end.get_or_insert(end);
    }

    /// Adds an item for every open reader.
    pub(crate) fn push(&mut self, item: T, pulled: bool) {
        if self.open > 0 {
            self.entries.push_back(Entry { item, pulled, readers: self.open });
        }
    }

    /// Whether there is an item for the reader, and then whether it was pulled.
    pub(crate) fn peek(&self, ReaderId(id): ReaderId) -> Option<bool> {
        let next = self.readers.get(id)?.next?;
        Some(self.entries.get(index(next, self.first))?.pulled)
    }

    /// The reader's next item.
    pub(crate) fn next(&mut self, ReaderId(id): ReaderId) -> Option<T> {
        let next = self.readers.get(id)?.next?;
        let at = index(next, self.first);
        let entry = self.entries.get_mut(at)?;
        let last = entry.readers == 1 && at == 0;
        let item = if last {
            self.first += 1;
            self.entries.pop_front()?.item
        } else {
            entry.readers -= 1;
            entry.item.clone()
        };
        // Entries behind one that had a reader left may have none.
        while self.entries.front().is_some_and(|entry| entry.readers == 0) {
            self.entries.pop_front();
            self.first += 1;
        }
        if let Some(reader) = self.readers.get_mut(id) {
            reader.next = Some(next + 1);
        }
        Some(item)
    }

    /// The reader waits.
    pub(crate) fn wait(&mut self, ReaderId(id): ReaderId, waker: Option<&Waker>) {
        if let (Some(reader), Some(waker)) = (self.readers.get_mut(id), waker) {
            reader.waker = Some(waker.clone());
        }
    }

    /// Those who waited, to be woken when nothing is borrowed.
    pub(crate) fn take_waiting(&mut self) -> Vec<Waker> {
        self.readers.iter_mut().filter_map(|reader| reader.waker.take()).collect()
    }
}

/// Where entry `number` is. Numbers are never before the first entry's.
fn index(number: u64, first: u64) -> usize {
    usize::try_from(number.saturating_sub(first)).unwrap_or(usize::MAX)
}
