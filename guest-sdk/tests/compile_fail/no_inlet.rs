//! A streamlet lives on what comes in.

use streamlet::{Outlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[outlet(schema = "carts.v1")]
    valid: Outlet,
}

fn main() {}
