//! The wire reads an empty default as none.

use std::time::Duration;
use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[parameter(default = "")]
    region: String,
    #[parameter(default = "")]
    pause: Duration,
}

fn main() {}
