//! Names keep the platform's rules, whether written or taken from the struct.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
#[streamlet(name = "cart_router")]
struct Router {
    #[inlet(name = "In", schema = "carts.v1")]
    carts: Inlet,
    #[outlet(schema = "carts.v1")]
    _valid: Outlet,
    #[parameter(key = "review_threshold", default = 1)]
    review_threshold: i64,
    #[parameter(default = 1)]
    _limit: i64,
}

#[derive(Streamlet)]
struct Größe {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
}

fn main() {}
