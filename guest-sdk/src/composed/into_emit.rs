//! What an outlet's sink makes of an item.
//!
//! Owns the meaning of bytes, text, pairs, records and JSON as emits; authors add types of their own. Refuses what cannot
//! be written as JSON.

use serde::Serialize;

use crate::emits::Emits;
use crate::error::{Error, Result};
use crate::port::Outlet;
use crate::record::Record;

/// An item that an outlet's sink emits.
///
/// | item | emit |
/// |---|---|
/// | [`Record`] | the record, forwarded unchanged |
/// | bytes or text, owned or borrowed | a new record with this value, without key |
/// | [`Json`] of any `Serialize` type | a new record with the value as JSON, without key |
/// | `(key, value)` of bytes, text or, as value, [`Json`] | a new record with both |
/// | [`Rejected`] | the record, with a header that says why |
///
/// Other types say themselves what they are as an emit; what has no type of its own goes by
/// [`Emits::sink_with`](crate::Emits::sink_with).
///
/// ```
/// use streamlet::prelude::*;
///
/// struct Priced<'a> {
///     record: Record<'a>,
///     cents: i64,
/// }
///
/// impl IntoEmit for Priced<'_> {
///     fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
///         out.forward(outlet, self.record).json(&self.cents)?.header("currency", "EUR");
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "an outlet's sink does not know how to emit `{Self}`",
    label = "this stream's items are `{Self}`",
    note = "it emits a `Record`, bytes, text, `Json(value)`, `(key, value)` and `Rejected`",
    note = "a `Result` is taken apart before: by `try_map`, which fails the batch, or `divert_err`, which goes on",
    note = "implement `IntoEmit` for the type, or say by `out.sink_with(|item, out| ..)` what to emit"
)]
pub trait IntoEmit {
    /// Emits the item to the outlet.
    ///
    /// # Errors
    /// The item cannot be emitted. The stream is stopped with the error, and the batch fails.
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()>;
}

impl IntoEmit for Record<'_> {
    #[inline]
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
        out.forward(outlet, self);
        Ok(())
    }
}

/// Items that are a value and no more.
macro_rules! values {
    ($($type:ty),*) => {$(
        impl IntoEmit for $type {
            #[inline]
            fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
                out.emit(outlet).value(self);
                Ok(())
            }
        }
    )*};
}
values!(&[u8], Vec<u8>, &str, String);

/// An item whose value is written as JSON, straight into the output.
///
/// ```
/// # use streamlet::prelude::*;
/// # struct Lengths { lengths: Outlet }
/// # impl Lengths {
/// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///     batch
///         .source()
///         .map(|record| (record.key().unwrap_or_default(), Json(record.value().map(<[u8]>::len))))
///         .connect(out.sink(self.lengths))
///         .run_to_end()
/// }
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Json<T>(pub T);

impl<T: Serialize> IntoEmit for Json<T> {
    #[inline]
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
        out.emit(outlet).json(&self.0)?;
        Ok(())
    }
}

impl<K: AsRef<[u8]>, V: AsRef<[u8]>> IntoEmit for (K, V) {
    #[inline]
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
        out.emit(outlet).key(self.0).value(self.1);
        Ok(())
    }
}

impl<K: AsRef<[u8]>, T: Serialize> IntoEmit for (K, Json<T>) {
    #[inline]
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
        out.emit(outlet).key(self.0).json(&self.1.0)?;
        Ok(())
    }
}

/// A record that goes aside, and why: made by [`Record::reject`].
///
/// Its emit is the record with a header `streamlet-error`, the name that the host's own dead letters have, and as value
/// the reason's first line.
///
/// ```
/// use serde::Deserialize;
/// use streamlet::prelude::*;
///
/// #[derive(Deserialize)]
/// struct Cart<'a> {
///     id: &'a str,
///     total: i64,
/// }
///
/// # struct Totals { rejected: Outlet, totals: Outlet }
/// # impl Totals {
/// fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
///     batch
///         .source()
///         .map(|record| record.json::<Cart<'_>>().map_err(|error| record.reject(error)))
///         .divert_err(out.sink(self.rejected))
///         .map(|cart| (cart.id, Json(cart.total)))
///         .connect(out.sink(self.totals))
///         .run_to_end()
/// }
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Rejected<'a> {
    /// The record.
    pub record: Record<'a>,
    /// Why it goes aside.
    pub why: Error,
}

/// The name of the header that says why.
const WHY: &str = "streamlet-error";

impl IntoEmit for Rejected<'_> {
    fn emit_to(self, outlet: Outlet, out: &mut Emits) -> Result<()> {
        let why = self.why.to_string();
        out.forward(outlet, self.record).header(WHY, why.lines().next().unwrap_or_default());
        Ok(())
    }
}

/// The reason, which blames the record.
impl From<Rejected<'_>> for Error {
    fn from(rejected: Rejected<'_>) -> Self {
        rejected.why
    }
}
