//! A default is a literal of the field's type.

use std::time::Duration;
use streamlet::{Inlet, MemorySize, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[parameter(default = 7)]
    region: String,
    #[parameter(default = "100")]
    threshold: i64,
    #[parameter(default = 60 * 60)]
    window: i64,
    #[parameter(default = "0.5")]
    ratio: f64,
    #[parameter(default = 1)]
    strict: bool,
    #[parameter(default = 100)]
    pause: Duration,
    #[parameter(default = 1024)]
    buffer: MemorySize,
}

fn main() {}
