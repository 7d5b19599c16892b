//! What the benches have a streamlet do: nothing, passing on, parsing, making new values, emitting much. The same source
//! is compiled to a component and, in `tests/src/bin/native-under-test.rs`, to native code.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use streamlet::prelude::*;

/// Copies of a record that `fan` emits.
const COPIES: usize = 10;

/// Does what its parameter says with every record.
#[derive(Streamlet)]
pub(crate) struct Workload {
    #[inlet(name = "in", schema = "carts.v1")]
    carts: Inlet,
    #[outlet(schema = "carts.v1")]
    valid: Outlet,
    #[outlet(schema = "carts.v1")]
    review: Outlet,
    /// `pass`, `route`, `enrich`, `fan` or `skip`.
    #[parameter(default = "pass")]
    work: String,
    /// Carts with a total above this go to the review outlet.
    #[parameter(default = 100)]
    review_threshold: i64,
}

/// What the cart router reads of a cart.
#[derive(Deserialize)]
struct Cart {
    total: i64,
}

/// A cart as far as it is written anew; the rest is borrowed as it stands.
#[derive(Deserialize, Serialize)]
struct Whole<'a> {
    cart_id: &'a str,
    total: i64,
    #[serde(borrow)]
    items: Vec<Item<'a>>,
    #[serde(default)]
    needs_review: bool,
}

#[derive(Deserialize, Serialize)]
struct Item<'a> {
    sku: &'a str,
    quantity: u32,
    price: i64,
    title: &'a str,
}

impl Process for Workload {
    fn start(&mut self, _: &Conversation) -> Result<()> {
        match self.work.as_str() {
            "pass" | "route" | "enrich" | "fan" | "skip" => Ok(()),
            _ => fail!("parameter \"work\" is none of pass, route, enrich, fan and skip"),
        }
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        match self.work.as_str() {
            "pass" => {
                for record in batch {
                    out.forward(self.valid, record);
                }
            }
            "route" => {
                for record in batch {
                    let cart: Cart = record.json()?;
                    out.forward(if cart.total > self.review_threshold { self.review } else { self.valid }, record);
                }
            }
            "enrich" => {
                for record in batch {
                    let cart: Whole<'_> = record.json()?;
                    let cart = Whole { needs_review: cart.total > self.review_threshold, ..cart };
                    out.forward(self.valid, record).value(serde_json::to_vec(&cart)?);
                }
            }
            "fan" => {
                let mut number = String::new();
                for record in batch {
                    for copy in 0..COPIES {
                        number.clear();
                        let _ = write!(number, "{copy}");
                        out.forward(self.valid, record).key(&number);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

streamlet::export!(Workload);
