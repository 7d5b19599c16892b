//! A port has a contract, and the schema's name is it.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet]
    carts: Inlet,
    #[outlet(name = "accepted")]
    valid: Outlet,
    #[outlet()]
    review: Outlet,
    rejected: Outlet,
}

fn main() {}
