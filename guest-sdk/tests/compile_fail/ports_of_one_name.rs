//! Inlets and outlets share one space of names.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[outlet(name = "carts", schema = "carts.v1")]
    valid: Outlet,
    #[outlet(name = "review-carts", schema = "carts.v1")]
    review: Outlet,
    #[outlet(schema = "carts.v1")]
    review_carts: Outlet,
}

fn main() {}
