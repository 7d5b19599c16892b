#![deny(unused_must_use)]

use streamlet::prelude::*;

fn process(batch: &Batch, out: &mut Emits, all: Outlet) -> Result<()> {
    batch.source().connect(out.sink(all));
    Ok(())
}

fn main() {}
