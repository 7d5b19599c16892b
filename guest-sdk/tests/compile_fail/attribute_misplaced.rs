//! A field plays one part, and each attribute has its place.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
#[inlet(schema = "carts.v1")]
struct Router {
    #[inlet(schema = "carts.v1")]
    #[parameter(default = 1)]
    carts: Inlet,
    #[outlet(schema = "carts.v1")]
    #[inlet(schema = "carts.v1")]
    valid: Outlet,
    #[streamlet(name = "router")]
    count: i64,
}

fn main() {}
