use streamlet::prelude::*;

fn process(batch: &Batch, out: &mut Emits, all: Outlet) -> Result<()> {
    let stream = batch.source().connect(out.sink(all));
    out.emit(all).value("first");
    stream.run_to_end()
}

fn main() {}
