//! Calls that take long go on, on threads of their own.
//!
//! A call begins on its lane's task, on the threads that also serve everybody else, because most are over within
//! microseconds. Epoch ticks make it give its thread back once a millisecond, but that is not enough for its
//! neighbours: several such calls take turns, and while one is inside a host call or a `memory.fill` of its whole memory
//! it does not give back anything. So a call that has had its [`SHORT`] time goes on as a task here, on as many threads
//! as there are cores, which the system gives a smaller share than the others. A lane of which nothing is known, or
//! that had a long call lately, begins its next one here.
//!
//! It owns those threads. It refuses nothing and ends with the engine; dropping a call kills it wherever it is.

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// How long a call may keep processors that it shares with everybody. Time on the processor counts: on a busy machine a
/// call that only waited for one would be taken for a long one, and each further call of its lane with it.
const SHORT: Duration = Duration::from_millis(2);

/// The threads.
pub(super) struct Overtime {
    /// There until it is dropped.
    runtime: Option<Runtime>,
}

/// How old the reading of a thread's processor time may be that a call is measured against; so much more may be counted.
const LATELY_MAX: Duration = Duration::from_millis(1);
/// How much less than the others these threads count when cores are scarce: a third of their share.
const NICENESS: i32 = 5;
/// Short calls after a long one before the next may begin among everybody else; twice as many after each further long
/// one, up to the most: a guest that alternates keeps others waiting ever more rarely.
const PROBATION: u32 = 32;
const PROBATION_MAX: u32 = 1 << 16;

/// How long a quick call keeps a processor: some times what handing it to another thread costs.
const QUICK: Duration = Duration::from_micros(50);
/// Quick calls in a row before the next is expected to be quick, too.
const QUICK_CALLS_MIN: u32 = 8;

/// A call that panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host panicked, which is a bug of its own; standard error has the reason")]
pub(super) struct Panicked;

/// What is known of a lane's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Short calls that are still to be seen.
    probation: u32,
    /// How many the next long one will cost.
    next_probation: u32,
    /// How many were quick since the last one that was not.
    quick_calls: u32,
}

impl Default for Pace {
    /// Nothing is known yet.
    fn default() -> Self {
        Self { probation: 1, next_probation: PROBATION, quick_calls: 0 }
    }
}

impl Pace {
    /// Whether the next call is expected to be quick.
    pub(crate) fn is_quick(&self) -> bool {
        self.quick_calls >= QUICK_CALLS_MIN && self.probation == 0
    }

    fn note(&mut self, busy: Duration) {
        self.quick_calls = if busy > QUICK { 0 } else { self.quick_calls.saturating_add(1) };
        if busy > SHORT {
            self.probation = self.next_probation;
            self.next_probation = self.next_probation.saturating_mul(2).min(PROBATION_MAX);
        } else {
            self.probation = self.probation.saturating_sub(1);
        }
    }
}

impl Overtime {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system refuses them.
    pub(super) fn start() -> std::io::Result<Self> {
        let mut threads = Builder::new_multi_thread();
        // Where the system does not allow it, they have the same share as the others.
        let give_way = || {
            let _ = rustix::process::nice(NICENESS);
        };
        let runtime =
            threads.thread_name("overtime").on_thread_start(give_way).event_interval(1).enable_all().build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs a call to its end, here or there.
    ///
    /// # Errors
    /// The call panicked, which is told on standard error by then: a fault of the host that must end nothing else.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        pace: &mut Pace,
        call: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Panicked> {
        let mut call = Measured { call: Box::pin(call), busy: Duration::ZERO };
        let ended = if pace.probation > 0 { None } else { Shortly(&mut call).await };
        let (result, busy) = match (ended, &self.runtime) {
            (Some(ended), _) => ended,
            (None, Some(runtime)) => KillOnDrop(runtime.spawn(call)).await,
            (None, None) => call.await,
        };
        pace.note(busy);
        result
    }
}

impl Drop for Overtime {
    fn drop(&mut self) {
        // Waiting for the threads is not allowed on one that serves tasks.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Overtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overtime").finish_non_exhaustive()
    }
}

/// A call and how long it has kept a processor.
struct Measured<T> {
    call: Pin<Box<dyn Future<Output = T> + Send>>,
    busy: Duration,
}

impl<T> Future for Measured<T> {
    type Output = (Result<T, Panicked>, Duration);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let began = Instant::now();
        let had = processor_time_lately(began);
        // What the call holds is not looked at again: it is dropped.
        let polled = catch_unwind(AssertUnwindSafe(|| self.call.as_mut().poll(cx)));
        let wall = began.elapsed();
        // On a busy machine the thread may have waited for a processor meanwhile, which is not the call's doing.
        let busy = if wall < SHORT { wall } else { wall.min(processor_time().saturating_sub(had)) };
        self.busy += busy;
        match polled {
            Ok(polled) => polled.map(|result| (Ok(result), self.busy)),
            Err(_) => Poll::Ready((Err(Panicked), self.busy)),
        }
    }
}

thread_local! {
    /// What this thread had had of a processor, and when.
    static LATELY: Cell<Option<(Instant, Duration)>> = const { Cell::new(None) };
}

/// What this thread had had of a processor at most [`LATELY_MAX`] ago. Asking the system each time would be dear.
fn processor_time_lately(now: Instant) -> Duration {
    match LATELY.get() {
        Some((when, had)) if now.saturating_duration_since(when) < LATELY_MAX => had,
        _ => {
            let had = processor_time();
            LATELY.set(Some((now, had)));
            had
        }
    }
}

/// What this thread has had of a processor.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap_or_default()
}

/// A call until it has ended or has had its time, which is none.
struct Shortly<'a, T>(&'a mut Measured<T>);

impl<T> Future for Shortly<'_, T> {
    type Output = Option<(Result<T, Panicked>, Duration)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match Pin::new(&mut *self.0).poll(cx) {
            Poll::Ready(ended) => Poll::Ready(Some(ended)),
            Poll::Pending if self.0.busy > SHORT => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// A task that is killed when nobody waits for it any more.
struct KillOnDrop<T>(JoinHandle<T>);

impl<T> Future for KillOnDrop<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        match Pin::new(&mut self.0).poll(cx) {
            Poll::Ready(Ok(result)) => Poll::Ready(result),
            // Its threads have been shut down, which only the process's end does: there is nobody to answer to.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl<T> Drop for KillOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests {
    use std::thread::current;

    use super::*;

    /// Keeps a thread for this many milliseconds at a time, so many times, and tells the names of the threads.
    async fn keep(millis: u64, times: usize) -> Vec<String> {
        let mut names = Vec::new();
        for _ in 0..times {
            let began = processor_time();
            while processor_time().saturating_sub(began) < Duration::from_millis(millis) {}
            names.push(current().name().unwrap_or_default().to_owned());
            tokio::task::yield_now().await;
        }
        names
    }

    #[tokio::test]
    async fn a_short_call_stays_and_a_long_one_goes() {
        let overtime = Overtime::start().unwrap();
        let mut pace = Pace::default();
        let names = overtime.run(&mut pace, keep(0, 1)).await.unwrap();
        assert_eq!(names, ["overtime"], "nothing is known of it");
        let names = overtime.run(&mut pace, keep(0, 3)).await.unwrap();
        assert!(names.iter().all(|name| name != "overtime"), "{names:?}");

        let names = overtime.run(&mut pace, keep(2, 4)).await.unwrap();
        assert!(names.first().is_some_and(|name| name != "overtime"), "{names:?}");
        assert!(names.last().is_some_and(|name| name == "overtime"), "{names:?}");
        for _ in 0..PROBATION {
            let names = overtime.run(&mut pace, keep(0, 2)).await.unwrap();
            assert!(names.iter().all(|name| name == "overtime"), "it begins where the long one ended: {names:?}");
        }
        let names = overtime.run(&mut pace, keep(0, 2)).await.unwrap();
        assert!(names.iter().all(|name| name != "overtime"), "and is back: {names:?}");
        pace.note(2 * SHORT);
        assert_eq!(pace.probation, 2 * PROBATION, "a second time costs more");
    }

    #[test]
    fn some_quick_calls_make_the_next_one_likely_to_be() {
        let mut pace = Pace::default();
        for call in 0..QUICK_CALLS_MIN {
            assert!(!pace.is_quick(), "after {call}");
            pace.note(QUICK);
        }
        assert!(pace.is_quick());
        pace.note(QUICK * 2);
        assert!(!pace.is_quick(), "one that was not is enough");
    }

    #[tokio::test]
    async fn a_panic_is_the_calls_alone() {
        let overtime = Overtime::start().unwrap();
        let mut pace = Pace::default();
        for expect in [Ok(1), Err(Panicked), Ok(1), Err(Panicked)] {
            let panics = expect.is_err();
            let call = async move { if panics { panic!("as told") } else { 1 } };
            assert_eq!(overtime.run(&mut pace, call).await, expect);
        }
    }

    #[tokio::test]
    async fn a_call_that_is_dropped_is_killed_there() {
        struct Tells(std::sync::mpsc::Sender<()>);
        impl Drop for Tells {
            fn drop(&mut self) {
                let _ = self.0.send(());
            }
        }
        let overtime = Overtime::start().unwrap();
        let (sender, dropped) = std::sync::mpsc::channel();
        let mut pace = Pace::default();
        let tells = Tells(sender);
        let call = overtime.run(&mut pace, async move {
            let _tells = tells;
            loop {
                tokio::task::yield_now().await;
            }
        });
        assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err());
        dropped.recv_timeout(Duration::from_secs(5)).unwrap();
    }
}
