//! A source made anew when it fails: `retry`.
//!
//! Owns the source and how to make another. Loops, so that many failures are no recursion; passes the last one on.

use crate::operators::debug_as_name;
use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// The source that `make` makes, and another each time one fails, at most `times` times.
///
/// ```
/// use talkback::{Source, failed, retry};
///
/// let mut made = 0;
/// let source = retry(2, || {
///     made += 1;
///     failed::<u8, _>("no luck")
/// });
/// assert_eq!(source.collect_vec(), Err("no luck"));
/// assert_eq!(made, 3);
/// ```
pub fn retry<S: Source, F: FnMut() -> S>(times: usize, make: F) -> Retry<S, F> {
    Retry { upstream: None, make, left: times }
}

/// See [`retry`].
pub struct Retry<S: Source, F> {
    upstream: Option<Upstream<S>>,
    make: F,
    left: usize,
}

impl<S: Source, F: FnMut() -> S> Source for Retry<S, F> {
    type Item = S::Item;
    type Error = S::Error;

    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(S::Item, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, make, left } = self;
        loop {
            let source = upstream.get_or_insert_with(|| Upstream::new(make()).below("retry"));
            match source.drive(below, &mut |item, _, below| emit(item, below)) {
                Step::Ended(End::Failed(_)) if *left > 0 => {
                    *left -= 1;
                    *upstream = None;
                }
                step => return step,
            }
        }
    }
}

debug_as_name! { Retry [S: Source, F]: Retry<S, F> }
