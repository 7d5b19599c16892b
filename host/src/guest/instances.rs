//! How many instances live at once. Beyond the bound lanes wait their turn, first come first served; nothing is dropped
//! and nothing fails.
//!
//! It owns the seats that live instances hold, and knows where lanes keep instances between batches. It ends idle ones,
//! the longest idle first, when another lane needs the seat: a guest's state is a cache. A lane that goes idle while
//! others wait gives its instance up at once.

use std::fmt;
use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::executor::Executor;

/// The right to be a live instance.
#[derive(Debug)]
pub(super) struct Seat {
    /// None for an instance that only describes itself.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Seat {
    /// For an instance that lives for one call, before there are lanes.
    pub(super) fn aside() -> Self {
        Self { _permit: None }
    }
}

/// The seats, and everybody who may have to give one up.
#[derive(Debug)]
pub(super) struct Instances {
    seats: Arc<Semaphore>,
    waiting: AtomicUsize,
    homes: Mutex<Homes>,
    /// Counts how often an instance was kept, to tell which has been idle longest.
    kept: AtomicU64,
    /// Bytes of the linear memories of all of them.
    memory_bytes: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Homes {
    known: Vec<Weak<Kept>>,
    /// How many may be known before the dead among them are looked for.
    sweep_at: usize,
}

impl Instances {
    pub(super) fn new(instances_max: usize) -> Self {
        Self {
            seats: Arc::new(Semaphore::new(instances_max.clamp(1, Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            homes: Mutex::default(),
            kept: AtomicU64::new(0),
            memory_bytes: Arc::default(),
        }
    }

    /// Where the bytes of all linear memories are counted.
    pub(super) fn memory_bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.memory_bytes)
    }

    /// Waits for a seat, ending the instance that has been idle longest if there is none.
    pub(super) async fn seat(&self) -> Seat {
        // A seat that is free while others wait is already theirs, so this does not jump the queue.
        if let Ok(permit) = Arc::clone(&self.seats).try_acquire_owned() {
            return Seat { _permit: Some(permit) };
        }
        // Counted before the idle are looked for: whoever goes idle after that sees that somebody waits.
        let _waiting = Waiting::begin(&self.waiting);
        let mut acquire = pin!(Arc::clone(&self.seats).acquire_owned());
        // In the queue before an idle one is ended, or a third lane could take the seat that it leaves.
        let queued = poll_fn(|cx| Poll::Ready(acquire.as_mut().poll(cx))).await;
        let permit = match queued {
            Poll::Ready(permit) => permit,
            Poll::Pending => {
                drop(self.longest_idle());
                acquire.await
            }
        };
        // The semaphore is never closed.
        Seat { _permit: permit.ok() }
    }

    /// A home for one lane's instance.
    pub(super) fn home(self: &Arc<Self>) -> Home {
        let kept = Arc::new(Kept::default());
        let mut homes = lock(&self.homes);
        if homes.known.len() >= homes.sweep_at {
            homes.known.retain(|home| home.strong_count() > 0);
            homes.sweep_at = homes.known.len().saturating_mul(2).max(64);
        }
        homes.known.push(Arc::downgrade(&kept));
        Home { kept, instances: Arc::clone(self) }
    }

    fn longest_idle(&self) -> Option<Executor> {
        let homes = lock(&self.homes).known.clone();
        // Few or none when many wait, which is when this is asked often.
        let is_idle = |home: &Arc<Kept>| lock(&home.instance).is_some();
        let mut idle = homes.iter().filter_map(Weak::upgrade).filter(is_idle).collect::<Vec<_>>();
        // Each is read once: it changes meanwhile, and a sort whose keys do is no order.
        idle.sort_by_cached_key(|home| home.since.load(Ordering::Relaxed));
        // One that looks idle may be at work again by now.
        idle.iter().find_map(|home| lock(&home.instance).take())
    }
}

/// Somebody waits, until this is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(waiting: &'a AtomicUsize) -> Self {
        waiting.fetch_add(1, Ordering::SeqCst);
        Self(waiting)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Where a lane keeps its instance between batches. It may be gone when the next one comes.
pub struct Home {
    kept: Arc<Kept>,
    instances: Arc<Instances>,
}

#[derive(Default)]
struct Kept {
    instance: Mutex<Option<Executor>>,
    /// When it was kept, in the order of [`Instances::kept`].
    since: AtomicU64,
}

impl Home {
    /// The instance, to be used.
    pub fn take(&self) -> Option<Executor> {
        lock(&self.kept.instance).take()
    }

    /// Keeps an instance for the next batch, unless another lane waits for its seat.
    pub fn keep(&self, instance: Executor) {
        self.kept.since.store(self.instances.kept.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        *lock(&self.kept.instance) = Some(instance);
        // Looked at after the instance can be found: either it is seen there, or whoever looks for it is seen here.
        if self.instances.waiting.load(Ordering::SeqCst) > 0 {
            self.clear();
        }
    }

    /// Whether there is an instance.
    pub fn is_occupied(&self) -> bool {
        lock(&self.kept.instance).is_some()
    }

    /// Ends the instance.
    pub fn clear(&self) {
        drop(self.take());
    }
}

impl fmt::Debug for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Home").field("is_occupied", &self.is_occupied()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

/// Nothing panics while it holds one of these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
