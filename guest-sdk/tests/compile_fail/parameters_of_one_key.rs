//! A key is one parameter's.

use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[parameter(default = 1)]
    threshold: i64,
    #[parameter(key = "threshold", default = 2)]
    limit: i64,
}

fn main() {}
