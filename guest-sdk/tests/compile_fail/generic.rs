//! A streamlet is one type.

use std::marker::PhantomData;
use streamlet::{Inlet, Streamlet};

#[derive(Streamlet)]
struct Router<'a, T, const N: usize> {
    #[inlet(schema = "carts.v1")]
    carts: Inlet,
    state: PhantomData<&'a [T; N]>,
}

fn main() {}
