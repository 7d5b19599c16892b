//! A streamlet that times loops and streams in itself, so that what is measured is the code of the guest and no call.
//!
//! The first record says what to do. The emit is how long it took, in nanoseconds; of `memory`, how many bytes it took.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

use streamlet::prelude::*;
use talkback::{Hub, Stream, for_each};

#[path = "../../../../protocol/talkback/benches/streams/loops.rs"]
mod loops;

/// Bytes of a page of memory.
const PAGE_BYTES: usize = 64 << 10;

/// Times what the first record says.
#[derive(Streamlet)]
struct TalkbackBench {
    #[inlet(name = "in", schema = "tasks.v1")]
    tasks: Inlet,
    #[outlet(schema = "records.v1")]
    records: Outlet,
    #[outlet(schema = "times.v1")]
    times: Outlet,
}

impl Process for TalkbackBench {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        debug_assert!(batch.inlet() == self.tasks, "there is one inlet");
        let Some(first) = batch.get(0) else { return Ok(()) };
        let words = first.text()?.split(' ').collect::<Vec<_>>();
        let number = |at: usize| Ok::<_, Error>(words.get(at).unwrap_or(&"").parse::<usize>()?);
        let began = Instant::now();
        match words.first() {
            Some(&"loop") => {
                let found = loops::SHAPES.get(number(1)?).and_then(|(_, loops)| loops.get(number(2).ok()?));
                let Some((_, run)) = found else { fail!("there is no such loop") };
                black_box(run(black_box(number(3)? as u64)));
            }
            Some(&"forward-by-loop") => {
                for record in batch {
                    out.forward(self.records, record);
                }
            }
            Some(&"forward-by-stream") => batch.source().connect(out.sink(self.records)).run_to_end()?,
            Some(&"double-by-loop") => {
                for record in batch {
                    if let Some(number) = doubled(record)? {
                        out.emit(self.records).value(number.to_string());
                    }
                }
            }
            Some(&"double-by-stream") => {
                let numbers = batch.source().try_map(doubled).filter_map(|number| number);
                numbers.map(|number| number.to_string()).connect(out.sink(self.records)).run_to_end()?;
            }
            Some(&"memory") => {
                let bytes = bytes_of_hubs(number(1)?);
                out.emit(self.times).value(bytes.to_string());
                return Ok(());
            }
            _ => fail!("the first record is no task"),
        }
        let took = began.elapsed().as_nanos();
        out.emit(self.times).value(took.to_string());
        Ok(())
    }
}

/// Twice the number that a record ends with, of every other record.
fn doubled(record: Record<'_>) -> Result<Option<u64>> {
    let number = record.text()?.rsplit(' ').next().unwrap_or_default().parse::<u64>()?;
    Ok(if number.is_multiple_of(2) { Some(number * 2) } else { None })
}

/// How much memory is added by so many hubs with a stream each.
fn bytes_of_hubs(count: usize) -> usize {
    let before = pages();
    let mut hubs = Vec::with_capacity(count);
    for _ in 0..count {
        let hub = Hub::<u64, Infallible>::new(16);
        let source = hub.source().map(|n| n + 1).filter(|n| n % 2 == 0);
        let mut stream: Stream<_, _> = source.connect(for_each(|n| _ = black_box(n)));
        stream.run();
        hubs.push((hub, stream));
    }
    let after = pages();
    black_box(hubs.len());
    (after - before) * PAGE_BYTES
}

#[cfg(target_arch = "wasm32")]
fn pages() -> usize {
    core::arch::wasm32::memory_size::<0>()
}

/// Outside of a component nobody asks.
#[cfg(not(target_arch = "wasm32"))]
fn pages() -> usize {
    0
}

streamlet::export!(TalkbackBench);
