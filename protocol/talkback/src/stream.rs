//! A stream: a source connected to a sink, and the loop that moves both.
//!
//! Owns both ends; dropping it releases them. Refuses an item or an end that the stream's state does not allow. It ends
//! with the source's end; after a stop it rests until somebody starts it again or drops it.

use core::fmt;
use core::task::{Context, Poll};

use crate::rule::{Policy, Rule};
use crate::signal::{End, State, Step, Stop};
use crate::sink::{Connection, Sink};
use crate::source::Source;
use crate::talkback::Talkback;

/// A source connected to a sink. Made by [`Source::connect`]; data flows in [`run`](Self::run).
///
/// ```
/// use talkback::{Source, State, for_each, iterable};
///
/// let mut sum = 0;
/// let mut stream = iterable(1..=4).map(|n| n * n).connect(for_each(|n: u32| sum += n));
/// assert_eq!(stream.run(), State::Complete);
/// drop(stream);
/// assert_eq!(sum, 30);
/// ```
#[must_use = "a stream moves only in `run`"]
pub struct Stream<S: Source, K> {
    source: S,
    connection: Connection<S::Item, K, S::Error>,
    /// The end, delivered; or not yet, because it came while the stream was stopped.
    end: Option<End<S::Error>>,
    pending: bool,
}

impl<S: Source, K: Sink<S::Item, S::Error>> Stream<S, K> {
    #[inline]
    pub(crate) fn new(source: S, sink: K) -> Self {
        let connection = Connection::new(source.name(), sink);
        let mut stream = Self { source, connection, end: None, pending: false };
        stream.greet();
        if stream.connection.talkback.is_open() {
            stream.signal();
        }
        stream
    }

    /// Moves data until nothing more can be done for now.
    #[inline]
    pub fn run(&mut self) -> State {
        self.step::<false>(1);
        self.state()
    }

    /// Moves at most `items` items to the sink. [`State::More`] says that the budget ended the run.
    #[inline]
    pub fn run_for(&mut self, items: usize) -> State {
        self.step::<true>(items);
        if self.connection.talkback.is_held() && self.connection.talkback.is_open() {
            self.connection.talkback.hold(false);
            return State::More;
        }
        self.connection.talkback.hold(false);
        self.state()
    }

    /// Moves at most `items` items, and is ready when the stream is over, idle or paused. A waiting source wakes the
    /// task; a stream that has used its budget wakes it at once, after others had their turn.
    pub fn poll_run(&mut self, context: &mut Context<'_>, items: usize) -> Poll<State> {
        self.connection.talkback.set_waker(context.waker());
        match self.run_for(items) {
            State::Waiting => Poll::Pending,
            State::More => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
            state => Poll::Ready(state),
        }
    }

    /// Runs the stream and gives back the sink, or why the stream failed. A stream that waits or is paused gives its
    /// sink back as it is.
    pub fn finish(mut self) -> Result<K, S::Error> {
        self.run();
        if let Some(End::Failed(error)) = self.end {
            return Err(error);
        }
        match self.connection.take_stopped() {
            Some(Stop::Failed(error)) => Err(error),
            _ => Ok(self.connection.into_sink()),
        }
    }

    /// Starts, for the sink, from outside (rule 5).
    pub fn start(&mut self) {
        self.connection.talkback.start();
        self.signal();
    }

    /// Requests, for the sink, from outside (rule 3). The item comes in the next run.
    #[inline]
    pub fn request(&mut self) {
        self.connection.talkback.request();
    }

    /// Stops, for the sink, from outside (rule 6).
    pub fn stop(&mut self, reason: Stop<S::Error>) {
        self.connection.talkback.stop(reason);
        self.signal();
    }

    /// Where the stream stands.
    #[inline]
    pub fn state(&self) -> State {
        let talkback = &self.connection.talkback;
        if talkback.is_ended() {
            return if let Some(End::Failed(_)) = self.end { State::Failed } else { State::Complete };
        }
        match talkback.stopped() {
            Some(Stop::Pause) => State::Paused,
            Some(Stop::Enough) => State::Enough,
            Some(Stop::Failed(_)) => State::Failed,
            None if self.pending || !talkback.is_greeted() => State::Waiting,
            None => State::Idle,
        }
    }

    /// Why the source ended, if the sink was told.
    pub fn ended(&self) -> Option<&End<S::Error>> {
        self.end.as_ref().filter(|_| self.connection.talkback.is_ended())
    }

    /// Why the sink stopped, if the stream is stopped.
    pub fn stopped(&self) -> Option<&Stop<S::Error>> {
        self.connection.talkback.stopped()
    }

    /// The source, for what it offers beside the protocol.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The sink.
    pub fn sink(&self) -> &K {
        &self.connection.sink
    }

    /// The sink, for what it offers beside the protocol.
    pub fn sink_mut(&mut self) -> &mut K {
        &mut self.connection.sink
    }

    /// Both ends, released.
    pub fn into_parts(self) -> (S, K) {
        (self.source, self.connection.into_sink())
    }

    /// The hop between the two: its state and its violations.
    pub fn talkback(&self) -> &Talkback<S::Error> {
        &self.connection.talkback
    }

    /// What a violation does from now on, here and in the source's operators.
    pub fn set_policy(&mut self, policy: Policy) {
        self.connection.set_policy(policy);
    }

    /// Greets the sink when the source does.
    #[inline]
    fn greet(&mut self) -> bool {
        if !self.connection.is_greeted() {
            if !self.source.greets() {
                return false;
            }
            self.connection.greet();
        }
        true
    }

    /// Lets the source see a signal, without letting it emit.
    #[inline]
    fn signal(&mut self) {
        self.step::<true>(0);
        self.connection.talkback.hold(false);
    }

    #[inline]
    fn step<const BUDGET: bool>(&mut self, items: usize) {
        if self.connection.talkback.is_ended() || !self.greet() {
            return;
        }
        let Connection { sink, talkback, .. } = &mut self.connection;
        if self.end.is_none() {
            talkback.hold(items == 0);
            let mut left = items;
            let step = self.source.drive(talkback, &mut |item, talkback| {
                if talkback.deliver() {
                    sink.receive(item, talkback);
                    if BUDGET {
                        left -= 1;
                        talkback.hold(left == 0);
                    }
                }
            });
            self.pending = matches!(step, Step::Pending);
            let Step::Ended(end) = step else { return };
            if !talkback.is_open() {
                talkback.violate(Rule::End);
            }
            self.end = Some(end);
        }
        // An end that came while the stream was stopped, against rule 4, waits here for the next start.
        if let Some(end) = &self.end
            && talkback.is_open()
        {
            talkback.close();
            sink.end(end);
        }
    }
}

impl<S: Source, K> fmt::Debug for Stream<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("talkback", &self.connection.talkback).finish_non_exhaustive()
    }
}
