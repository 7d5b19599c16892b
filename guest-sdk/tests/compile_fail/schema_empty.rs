//! A schema has a name.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "")]
    carts: Inlet,
    #[outlet(schema = "")]
    valid: Outlet,
}

fn main() {}
