//! The streamlet: what an order is, what becomes of it, and the stream.

use std::borrow::Cow;
use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use streamlet::prelude::*;

/// Prices the lines of orders and sends them on in bundles.
#[derive(Streamlet)]
pub(crate) struct OrderLines {
    #[inlet(schema = "orders.v1")]
    orders: Inlet,
    #[outlet(schema = "order-lines.v1")]
    priced: Outlet,
    #[outlet(schema = "orders.v1")]
    rejected: Outlet,
    /// The most lines of a bundle.
    #[parameter(default = 50)]
    bundle_lines: i64,
    /// The same, once it is known to be one.
    bundle: usize,
}

#[derive(Deserialize)]
struct Order<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default)]
    cancelled: bool,
    lines: Vec<Line<'a>>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    sku: Cow<'a, str>,
    quantity: u32,
    cents: u32,
}

#[derive(Serialize)]
struct Priced<'a> {
    order: Cow<'a, str>,
    sku: Cow<'a, str>,
    cents: u64,
}

impl<'a> Order<'a> {
    fn decode(record: Record<'a>) -> Result<Self, Rejected<'a>> {
        let order = record.json::<Self>().map_err(|error| record.reject(error))?;
        if order.lines.iter().any(|line| line.quantity == 0) {
            return Err(record.reject(Error::new("a line has the quantity 0")));
        }
        Ok(order)
    }

    fn priced(self) -> impl Source<Item = Priced<'a>, Error = Infallible> {
        let Self { id, lines, .. } = self;
        iterable(lines).map(move |Line { sku, quantity, cents }| Priced {
            order: id.clone(),
            sku,
            cents: u64::from(quantity) * u64::from(cents),
        })
    }
}

/// An order that was deleted: a null value, which reaches a streamlet of the platform's sidecar as an empty one.
fn is_deleted(record: &Record<'_>) -> bool {
    record.value().is_none_or(<[u8]>::is_empty)
}

impl Process for OrderLines {
    fn start(&mut self, _: &Conversation) -> Result<()> {
        self.bundle = match usize::try_from(self.bundle_lines) {
            Ok(lines) if lines > 0 => lines,
            _ => fail!("parameter \"bundle-lines\" must be at least 1"),
        };
        Ok(())
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        batch
            .source()
            .filter(|record| !is_deleted(record))
            .map(Order::decode)
            .divert_err(out.sink(self.rejected))
            .filter(|order| !order.cancelled)
            .flat_map(Order::priced)
            .chunk(self.bundle)
            .map(Json)
            .connect(out.sink(self.priced))
            .run_to_end()
    }
}
