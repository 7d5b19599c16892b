//! A port's field is an `Inlet` or an `Outlet`, as its attribute says.

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Outlet,
    #[outlet(schema = "carts.v1")]
    valid: Inlet,
    #[outlet(schema = "carts.v1")]
    review: Vec<Outlet>,
}

fn main() {}
