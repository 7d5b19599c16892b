//! Every problem of a struct is shown at once, and none is followed by "`Router` is not a `Streamlet`".

use streamlet::{Inlet, Outlet, Streamlet};

#[derive(Streamlet)]
#[streamlet(name = "Router")]
struct Router {
    #[inlet]
    carts: Inlet,
    #[outlet(name = "carts", schema = "")]
    valid: Vec<Outlet>,
    #[parameter(default = "100")]
    limit: i64,
    #[parameter(key = "limit")]
    other: u64,
}

fn host<T: Streamlet>() -> &'static str {
    T::DECLARATION.name
}

const _: fn() -> &'static str = host::<Router>;

fn main() {}
