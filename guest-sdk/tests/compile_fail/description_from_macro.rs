//! A derive sees a macro's call and not its text, which would be lost.

use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
#[doc = concat!("Routes ", "carts.")]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
}

fn main() {}
