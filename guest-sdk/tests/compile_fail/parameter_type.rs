//! A parameter has one of the platform's six types.

use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    #[parameter(default = 1)]
    limit: u64,
    #[parameter(default = 0.5)]
    ratio: f32,
    #[parameter]
    region: &'static str,
    #[parameter]
    country: Option<String>,
    #[parameter]
    names: Vec<String>,
}

fn main() {}
