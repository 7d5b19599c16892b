use streamlet::prelude::*;

fn process(batch: &Batch, out: &mut Emits, totals: Outlet) -> Result<()> {
    batch.source().map(|record| record.text()).connect(out.sink(totals)).run_to_end()
}

fn main() {}
