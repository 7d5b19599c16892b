//! A streamlet is a struct whose fields have names.

use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
enum Choice {
    Carts(Inlet),
}

#[derive(Streamlet)]
union Overlay {
    number: i64,
}

#[derive(Streamlet)]
struct Tuple(#[inlet(schema = "carts.v1")] Inlet);

#[derive(Streamlet)]
struct Unit;

fn main() {}
