//! Arguments and attributes are given once.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
#[streamlet(name = "router")]
#[streamlet(name = "cart-router")]
struct Router {
    #[inlet(schema = "carts.v1", schema = "carts.v2")]
    carts: Inlet,
    #[outlet(schema = "carts.v1")]
    #[outlet(schema = "carts.v2")]
    valid: Outlet,
    #[parameter(default = 1, default = 2)]
    threshold: i64,
}

fn main() {}
