//! Many items in, one chunk out: `chunk` by count and `chunk_bytes` by size.
//!
//! Own the items of the chunk that is being filled, which a stop and a start leave as they are. The source's end comes after
//! the last, shorter chunk.

use alloc::vec::Vec;
use core::mem;

use crate::operators::debug_as_name;
use crate::signal::{End, Step};
use crate::source::Source;
use crate::talkback::Talkback;
use crate::upstream::Upstream;

/// See [`Source::chunk`].
pub struct Chunk<S: Source> {
    upstream: Upstream<S>,
    count: usize,
    rest: Rest<S>,
}

/// See [`Source::chunk_bytes`].
pub struct ChunkBytes<S: Source, F> {
    upstream: Upstream<S>,
    bytes_max: usize,
    /// How many the chunk has.
    bytes: usize,
    measure: F,
    rest: Rest<S>,
}

/// The chunk that is being filled, and what follows when the source has ended.
struct Rest<S: Source> {
    items: Vec<S::Item>,
    /// Whether the last item answered a request; then the last chunk does too.
    pulled: bool,
    end: Option<End<S::Error>>,
}

impl<S: Source> Rest<S> {
    fn new() -> Self {
        Self { items: Vec::new(), pulled: false, end: None }
    }

    /// The last chunk, if there is one and it may be emitted, and then the end.
    fn flush(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(Vec<S::Item>, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        if !self.items.is_empty() {
            let may = if self.pulled { below.take_request() } else { below.may_emit() };
            if !may {
                return Step::Idle;
            }
            emit(mem::take(&mut self.items), below);
        }
        Step::due(&mut self.end, below)
    }
}

impl<S: Source> Chunk<S> {
    #[inline]
    pub(crate) fn new(source: S, count: usize) -> Self {
        Self { upstream: Upstream::new(source).below("chunk"), count: count.max(1), rest: Rest::new() }
    }
}

impl<S: Source, F> ChunkBytes<S, F> {
    #[inline]
    pub(crate) fn new(source: S, bytes_max: usize, measure: F) -> Self {
        Self { upstream: Upstream::new(source).below("chunk_bytes"), bytes_max, bytes: 0, measure, rest: Rest::new() }
    }
}

impl<S: Source> Source for Chunk<S> {
    type Item = Vec<S::Item>;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(Vec<S::Item>, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, count, rest } = self;
        if !upstream.is_ended() {
            let step = upstream.drive(below, &mut |item, _, below| {
                rest.pulled = below.is_answering();
                rest.items.push(item);
                if rest.items.len() == *count {
                    emit(mem::take(&mut rest.items), below);
                }
            });
            match step {
                Step::Ended(end) => rest.end = Some(end),
                step => return step,
            }
        }
        rest.flush(below, emit)
    }
}

impl<S: Source, F: FnMut(&S::Item) -> usize> Source for ChunkBytes<S, F> {
    type Item = Vec<S::Item>;
    type Error = S::Error;

    #[inline]
    fn greets(&mut self) -> bool {
        self.upstream.greets()
    }

    #[inline]
    fn drive(
        &mut self,
        below: &mut Talkback<S::Error>,
        emit: &mut impl FnMut(Vec<S::Item>, &mut Talkback<S::Error>),
    ) -> Step<S::Error> {
        let Self { upstream, bytes_max, bytes, measure, rest } = self;
        if !upstream.is_ended() {
            let step = upstream.drive(below, &mut |item, _, below| {
                rest.pulled = below.is_answering();
                let size = measure(&item);
                // A chunk goes when the next item does not fit, so at most one goes per item.
                let full = !rest.items.is_empty() && bytes.saturating_add(size) > *bytes_max;
                let chunk = full.then(|| mem::take(&mut rest.items));
                *bytes = if full { size } else { bytes.saturating_add(size) };
                rest.items.push(item);
                if let Some(chunk) = chunk {
                    emit(chunk, below);
                }
            });
            match step {
                Step::Ended(end) => rest.end = Some(end),
                step => return step,
            }
        }
        rest.flush(below, emit)
    }
}

debug_as_name! {
    Chunk [S: Source]: Chunk<S>,
    ChunkBytes [S: Source, F]: ChunkBytes<S, F>,
}
