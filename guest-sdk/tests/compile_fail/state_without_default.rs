//! A field without an attribute is state and starts from its `Default`.

use streamlet::{Inlet, Streamlet};

struct Connection;

#[derive(Streamlet)]
struct Router {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    connection: Connection,
    other: std::sync::mpsc::Sender<i64>,
}

fn main() {}
