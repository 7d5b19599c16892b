//! An outlet as a sink.
//!
//! Owns nothing: all sinks of a batch write to its one [`Emits`], one at a time. Refuses to write while another emit is
//! being written. Requests the next item when there is room for it, and fails the stream when an emit cannot be made.

use std::fmt;
use std::marker::PhantomData;

use talkback::{End, Sink, Stop, Talkback};

use super::into_emit::IntoEmit;
use crate::emits::Emits;
use crate::error::{Error, Result};
use crate::port::Outlet;

impl Emits {
    /// An outlet as a sink, the end of a composed stream: each item that arrives is emitted, as its type says
    /// ([`IntoEmit`]).
    ///
    /// The sink starts the stream, and requests an item whenever there is room for its emit. A buffer that is full is
    /// handed to the host before that, which takes as long as the host's reader does: so a slow reader slows the source,
    /// and the emits that wait stay few. An item that cannot be emitted stops the stream with the error.
    ///
    /// Many sinks may share the emits, since it takes `&self`; while one of them is there, the emits can be used by sinks
    /// only. There is nothing in it that could be borrowed twice: a sink takes the buffer out for as long as it writes,
    /// and signals of a stream never re-enter one. Emits keep the order in which their items arrive, over all sinks.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// # struct Split { keyed: Outlet, rejected: Outlet }
    /// # impl Split {
    /// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
    ///     batch
    ///         .source()
    ///         .route(|record| record.key().is_none(), out.sink(self.rejected))
    ///         .connect(out.sink(self.keyed))
    ///         .run_to_end()
    /// }
    /// # }
    /// ```
    pub fn sink(&self, outlet: Outlet) -> OutletSink<'_> {
        OutletSink { emits: self, outlet }
    }

    /// A sink that does with each item what `emit` does, be that one emit, several or none.
    ///
    /// ```
    /// # use streamlet::prelude::*;
    /// # struct Totals { totals: Outlet }
    /// # impl Totals {
    /// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
    ///     batch
    ///         .source()
    ///         .chunk(10)
    ///         .connect(out.sink_with(|records: Vec<Record<'_>>, out| {
    ///             out.emit(self.totals).json(&records.len())?.header("of", "records");
    ///             Ok(())
    ///         }))
    ///         .run_to_end()
    /// }
    /// # }
    /// ```
    pub fn sink_with<T, F: FnMut(T, &mut Emits) -> Result<()>>(&self, emit: F) -> EmitWith<'_, T, F> {
        EmitWith { emits: self, emit, items: PhantomData }
    }
}

/// An outlet as a sink: [`Emits::sink`].
pub struct OutletSink<'e> {
    emits: &'e Emits,
    outlet: Outlet,
}

/// A sink that emits as a closure says: [`Emits::sink_with`].
pub struct EmitWith<'e, T, F> {
    emits: &'e Emits,
    emit: F,
    items: PhantomData<fn(T)>,
}

impl<T: IntoEmit> Sink<T, Error> for OutletSink<'_> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<Error>) {
        begin(talkback);
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<Error>) {
        go_on(self.emits.lend(|out| item.emit_to(self.outlet, out)), talkback);
    }

    fn end(&mut self, _: &End<Error>) {}

    fn name(&self) -> &'static str {
        "outlet"
    }
}

impl<T, F: FnMut(T, &mut Emits) -> Result<()>> Sink<T, Error> for EmitWith<'_, T, F> {
    #[inline]
    fn greet(&mut self, talkback: &mut Talkback<Error>) {
        begin(talkback);
    }

    #[inline]
    fn receive(&mut self, item: T, talkback: &mut Talkback<Error>) {
        go_on(self.emits.lend(|out| (self.emit)(item, out)), talkback);
    }

    fn end(&mut self, _: &End<Error>) {}

    fn name(&self) -> &'static str {
        "emits"
    }
}

#[inline]
fn begin(talkback: &mut Talkback<Error>) {
    talkback.start();
    talkback.request();
}

/// There is room for another emit, or the stream cannot go on.
#[inline]
fn go_on(emitted: Result<()>, talkback: &mut Talkback<Error>) {
    match emitted {
        Ok(()) => talkback.request(),
        Err(error) => talkback.stop(Stop::Failed(error)),
    }
}

impl fmt::Debug for OutletSink<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OutletSink").field("outlet", &self.outlet).finish_non_exhaustive()
    }
}

impl<T, F> fmt::Debug for EmitWith<'_, T, F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EmitWith")
    }
}
