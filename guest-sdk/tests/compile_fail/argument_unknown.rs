//! Each attribute takes its own arguments.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
#[streamlet(description = "Routes carts.")]
struct Router {
    #[inlet(shema = "carts.v1")]
    carts: Inlet,
    #[outlet(key = "accepted", schema = "carts.v1")]
    valid: Outlet,
    #[parameter(name = "limit", default = 1)]
    threshold: i64,
    #[parameter(required)]
    region: String,
    #[parameter(description = "Strict.")]
    strict: bool,
    #[parameter(type = "INTEGER")]
    window: i64,
    #[parameter(min = 1)]
    height: i64,
}

fn main() {}
