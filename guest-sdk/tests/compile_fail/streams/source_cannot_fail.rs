use streamlet::prelude::*;

fn process(_: &Batch, out: &mut Emits, words: Outlet) -> Result<()> {
    iterable(["one", "two"]).connect(out.sink(words)).run_to_end()
}

fn main() {}
