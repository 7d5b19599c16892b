//! A default is what the platform reads as the parameter's type.

use std::time::Duration;
use streamlet::{Inlet, MemorySize, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[parameter(default = 9223372036854775808)]
    threshold: i64,
    #[parameter(default = 100u32)]
    limit: i64,
    #[parameter(default = -1e999)]
    ratio: f64,
    #[parameter(default = "5 parsecs")]
    pause: Duration,
    #[parameter(default = "-1 MiB")]
    buffer: MemorySize,
}

fn main() {}
