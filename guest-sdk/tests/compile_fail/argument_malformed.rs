//! Arguments are `name = value`, and names and schemas are string literals.

use streamlet::{Inlet, Outlet, Streamlet};

const SCHEMA: &str = "carts.v1";

#[derive(Streamlet)]
#[streamlet(name)]
struct Router {
    #[inlet(schema = SCHEMA)]
    carts: Inlet,
    #[outlet(schema = carts.v1)]
    valid: Outlet,
    #[outlet(schema "carts.v1")]
    review: Outlet,
    #[outlet = "carts.v1"]
    rejected: Outlet,
    #[parameter(default = )]
    threshold: i64,
    #[parameter(default)]
    limit: i64,
}

fn main() {}
