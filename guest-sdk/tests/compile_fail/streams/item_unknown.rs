use streamlet::prelude::*;

struct Total(i64);

fn process(batch: &Batch, out: &mut Emits, totals: Outlet) -> Result<()> {
    let total = |record: Record<'_>| record.json().map(Total);
    batch.source().try_map(total).connect(out.sink(totals)).run_to_end()
}

fn main() {}
