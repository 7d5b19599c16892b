//! Two sources as one: `chain`, one after the other, and `merge`, both at once.
//!
//! Own both sources. `chain` hands its talkback to one and then to the other. `merge` has a hop above each, and lets each
//! emit one item before the other has its turn, so that neither starves. Both end when both sources have, or one fails.

use crate::operators::debug_as_name;
use crate::signal::{End, Step, Stop};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// See [`Source::chain`].
pub struct Chain<A, B> {
    /// Released when it has ended.
    first: Option<A>,
    second: B,
    greeted: bool,
}

/// See [`Source::merge`].
pub struct Merge<A: Source, B: Source> {
    a: Upstream<A>,
    b: Upstream<B>,
    /// Whose turn it is.
    b_first: bool,
    end: Option<End<A::Error>>,
}

impl<A, B> Chain<A, B> {
    #[inline]
    pub(crate) fn new(first: A, second: B) -> Self {
        Self { first: Some(first), second, greeted: false }
    }
}

impl<A: Source, B: Source> Merge<A, B> {
    #[inline]
    pub(crate) fn new(a: A, b: B) -> Self {
        Self { a: Upstream::new(a).below("merge"), b: Upstream::new(b).below("merge"), b_first: false, end: None }
    }
}

impl<A: Source, B: Source<Item = A::Item, Error = A::Error>> Source for Chain<A, B> {
    type Item = A::Item;
    type Error = A::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.first.as_mut().is_some_and(Source::greets)
    }

    #[inline]
    fn drive(
        &mut self,
        talkback: &mut Talkback<A::Error>,
        emit: &mut impl FnMut(A::Item, &mut Talkback<A::Error>),
    ) -> Step<A::Error> {
        if let Some(first) = &mut self.first {
            match first.drive(talkback, emit) {
                Step::Ended(End::Complete) => {
                    self.first = None;
                    // The first may have taken a request and found nothing: it is for the second.
                    talkback.restore_request();
                }
                step => return step,
            }
        }
        if !self.greeted {
            if !self.second.greets() {
                return Step::Pending;
            }
            self.greeted = true;
        }
        self.second.drive(talkback, emit)
    }
}

/// What a source's turn came to.
enum Turn<E> {
    Emitted,
    Nothing,
    Waits,
    Failed(E),
}

/// Lets a source emit one item.
#[inline]
fn turn<S: Source>(
    source: &mut Upstream<S>,
    below: &mut Talkback<S::Error>,
    emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
) -> Turn<S::Error> {
    if source.is_ended() {
        return Turn::Nothing;
    }
    let mut emitted = false;
    let step = source.drive(below, &mut |item, hop, below| {
        emitted = true;
        hop.wait();
        emit(item, below);
    });
    match step {
        Step::Ended(End::Failed(error)) => Turn::Failed(error),
        _ if emitted => Turn::Emitted,
        Step::Pending => Turn::Waits,
        Step::Idle | Step::Ended(End::Complete) => Turn::Nothing,
    }
}

impl<A: Source, B: Source<Item = A::Item, Error = A::Error>> Source for Merge<A, B> {
    type Item = A::Item;
    type Error = A::Error;

    /// Greets with the first of the two that does.
    #[inline]
    fn greets(&mut self) -> bool {
        let (a, b) = (self.a.greets(), self.b.greets());
        a || b
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<A::Error>,
        emit: &mut impl FnMut(A::Item, &mut Talkback<A::Error>),
    ) -> Step<A::Error> {
        let Self { a, b, b_first, end } = self;
        if end.is_some() {
            return Step::due(end, below);
        }
        // Turns without an item since the last item: after two nobody has anything.
        let (mut nothing, mut waits) = (0, false);
        while nothing < 2 {
            let came = if *b_first { turn(b, below, emit) } else { turn(a, below, emit) };
            match came {
                Turn::Emitted => (nothing, waits) = (0, false),
                Turn::Nothing => nothing += 1,
                Turn::Waits => (nothing, waits) = (nothing + 1, true),
                Turn::Failed(error) => {
                    let why = if *b_first { a.release(Stop::Failed(error)) } else { b.release(Stop::Failed(error)) };
                    if let Stop::Failed(error) = why {
                        *end = Some(End::Failed(error));
                    }
                    return Step::due(end, below);
                }
            }
            *b_first = !*b_first;
        }
        match (a.is_ended() && b.is_ended(), waits) {
            (true, _) => Step::complete(below),
            (false, true) => Step::Pending,
            (false, false) => Step::Idle,
        }
    }
}

debug_as_name! {
    Chain [A, B]: Chain<A, B>,
    Merge [A: Source, B: Source]: Merge<A, B>,
}
