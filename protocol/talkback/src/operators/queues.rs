//! A queue for each of several readers, of what they have still to get.
//!
//! Owns the items until their readers have them. Refuses more than `items_max` for an open reader. Used by the hub and by
//! `share`; never borrowed while a sink's code runs.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;
use core::task::Waker;

use crate::signal::End;

/// Items, and whether each answered a request; then the reader gets it on a request of its own.
struct Queue<T> {
    /// The first, so that a reader who keeps up needs no memory but this.
    first: Option<(T, bool)>,
    rest: VecDeque<(T, bool)>,
}

impl<T> Queue<T> {
    fn new() -> Self {
        Self { first: None, rest: VecDeque::new() }
    }

    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    fn push(&mut self, item: T, pulled: bool) {
        if self.first.is_none() {
            self.first = Some((item, pulled));
        } else {
            self.rest.push_back((item, pulled));
        }
    }

    fn pop(&mut self) -> Option<T> {
        let (item, _) = self.first.take()?;
        if !self.rest.is_empty() {
            self.first = self.rest.pop_front();
        }
        Some(item)
    }
}

/// Readers that are expected of a hub that has more than one; yet more make the list grow.
const READERS: usize = 16;

struct Reader<T> {
    queue: Queue<T>,
    open: bool,
    left: bool,
    waker: Option<Waker>,
}

/// The number of a reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderId(usize);

pub(crate) struct Queues<T, E> {
    readers: Vec<Reader<T>>,
    items_max: usize,
    /// Whether a reader may have left a waker.
    waits: bool,
    end: Option<End<E>>,
}

impl<T, E> Queues<T, E> {
    pub(crate) fn new(items_max: usize) -> Self {
        Self { readers: Vec::new(), items_max: items_max.max(1), waits: false, end: None }
    }

    /// A new reader, which is not open.
    pub(crate) fn join(&mut self) -> ReaderId {
        let new = Reader { queue: Queue::new(), open: false, left: false, waker: None };
        match self.readers.iter_mut().enumerate().find(|(_, reader)| reader.left) {
            Some((id, free)) => {
                *free = new;
                ReaderId(id)
            }
            None => {
                // Most hubs have one reader, and there may be many hubs; the second makes room for more.
                match self.readers.len() {
                    0 => self.readers.reserve_exact(1),
                    1 => self.readers.reserve_exact(READERS - 1),
                    _ => {}
                }
                self.readers.push(new);
                ReaderId(self.readers.len() - 1)
            }
        }
    }

    /// The reader is open or not from now on. What comes while it is not open is not for it; what it has already in its
    /// queue it keeps.
    pub(crate) fn set_open(&mut self, ReaderId(id): ReaderId, open: bool) {
        if let Some(reader) = self.readers.get_mut(id) {
            reader.open = open;
        }
    }

    pub(crate) fn leave(&mut self, ReaderId(id): ReaderId) {
        if let Some(reader) = self.readers.get_mut(id) {
            *reader = Reader { queue: Queue::new(), open: false, left: true, waker: None };
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.readers.iter().any(|reader| reader.open)
    }

    pub(crate) fn has_room(&self) -> bool {
        self.readers.iter().all(|reader| !reader.open || reader.queue.len() < self.items_max)
    }

    pub(crate) fn end(&self) -> Option<&End<E>> {
        self.end.as_ref()
    }

    pub(crate) fn set_end(&mut self, end: End<E>) {
        self.end.get_or_insert(end);
    }

    /// Adds an item for every open reader.
    pub(crate) fn push(&mut self, item: T, pulled: bool)
    where
        T: Clone,
    {
        let mut open = self.readers.iter_mut().filter(|reader| reader.open);
        let Some(first) = open.next() else { return };
        for reader in open {
            reader.queue.push(item.clone(), pulled);
        }
        first.queue.push(item, pulled);
    }

    /// Whether there is an item for the reader, and then whether it was pulled.
    pub(crate) fn peek(&self, ReaderId(id): ReaderId) -> Option<bool> {
        self.readers.get(id)?.queue.first.as_ref().map(|(_, pulled)| *pulled)
    }

    /// The reader's next item.
    pub(crate) fn next(&mut self, ReaderId(id): ReaderId) -> Option<T> {
        self.readers.get_mut(id)?.queue.pop()
    }

    /// The reader waits.
    pub(crate) fn wait(&mut self, ReaderId(id): ReaderId, waker: Option<&Waker>) {
        if let (Some(reader), Some(waker)) = (self.readers.get_mut(id), waker) {
            reader.waker = Some(waker.clone());
            self.waits = true;
        }
    }

    /// Those who waited, to be woken when nothing is borrowed.
    pub(crate) fn take_waiting(&mut self) -> Vec<Waker> {
        if !mem::take(&mut self.waits) {
            return Vec::new();
        }
        self.readers.iter_mut().filter_map(|reader| reader.waker.take()).collect()
    }
}
