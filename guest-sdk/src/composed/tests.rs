//! Composed streams against the loops that they stand for: emits, blame, ends, and room.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use talkback::{End, Sink, Stop, Talkback, for_each, kit};

use crate::batch::Batch;
use crate::cursor;
use crate::declaration::PortDeclaration;
use crate::prelude::*;
use crate::table::{BatchTables, NONE};

const OUTLETS: &[PortDeclaration] =
    &[PortDeclaration { name: "good", schema: "x.v1" }, PortDeclaration { name: "bad", schema: "x.v1" }];
const GOOD: Outlet = Outlet::at(0);
const BAD: Outlet = Outlet::at(1);

/// Records with these values at offsets from 100.
fn batch_of(values: &[&str]) -> Batch {
    let mut tables = BatchTables::default();
    for (value, offset) in values.iter().zip(100..) {
        let [position, length] = [tables.arena.len(), value.len()].map(|number| u32::try_from(number).unwrap());
        tables.arena.extend_from_slice(value.as_bytes());
        tables.times.extend([offset, 0]);
        tables.records.extend([NONE, 0, position, length, 0, 0]);
    }
    Batch::new(tables).unwrap()
}

fn emits() -> Emits {
    Emits::new(OUTLETS, 1)
}

/// Outlet, key and value of each emit; the value of a forwarded one is the index of its source.
fn rows(emits: Emits) -> Vec<(u32, Option<String>, String)> {
    let mut rows = Vec::new();
    for part in emits.into_parts().unwrap() {
        let text = |at: u32, length: u32| {
            String::from_utf8(part.tables.arena[at as usize..][..length as usize].to_vec()).unwrap()
        };
        for &[outlet, source, key, key_length, value, value_length, ..] in part.tables.emits.as_chunks::<8>().0 {
            let value = if source == NONE { text(value, value_length) } else { source.to_string() };
            rows.push((outlet, (source == NONE && key != NONE).then(|| text(key, key_length)), value));
        }
    }
    rows
}

fn number(record: Record<'_>) -> Result<i64, Rejected<'_>> {
    let parsed = record.text().and_then(|text| Ok(text.parse()?));
    parsed.map_err(|error| record.reject(error))
}

#[test]
fn emits_keep_their_order_over_all_sinks() {
    let (batch, out) = (batch_of(&["1", "x", "2", "y", "3"]), emits());
    let stream = batch.source().map(number).divert_err(out.sink(BAD));
    stream.filter(|n| n % 2 == 1).map(|n| n.to_string()).connect(out.sink(GOOD)).run_to_end().unwrap();
    let row = |outlet, value: &str| (outlet, None, value.to_owned());
    assert_eq!(rows(out), [row(0, "1"), row(1, "1"), row(1, "3"), row(0, "3")]);
    assert_eq!(cursor::place(), None);
}

#[test]
fn an_item_is_emitted_as_its_type_says() {
    fn check(item: impl IntoEmit, key: Option<&str>, value: &str) {
        let out = emits();
        out.lend(|out| item.emit_to(BAD, out)).unwrap();
        assert_eq!(rows(out), [(1, key.map(str::to_owned), value.to_owned())]);
    }
    let batch = batch_of(&["a", "b"]);
    check(batch.get(1).unwrap(), None, "1");
    check("text", None, "text");
    check(b"bytes".as_slice(), None, "bytes");
    check("text".to_owned(), None, "text");
    check(b"bytes".to_vec(), None, "bytes");
    check(Json([1, 2]), None, "[1,2]");
    check(("k", "v".to_owned()), Some("k"), "v");
    check((b"k", Json("v")), Some("k"), r#""v""#);
    check(batch.get(1).unwrap().reject(Error::new("no")), None, "1");
}

#[test]
fn a_rejected_record_says_why_in_one_line_and_becomes_an_error_that_blames_it() {
    let (batch, out) = (batch_of(&["a", "b"]), emits());
    let rejected = batch.get(1).unwrap().reject(Error::new("first\nsecond"));
    assert_eq!(Error::from(rejected.clone()).blamed(), Some(1));
    out.lend(|out| rejected.emit_to(GOOD, out)).unwrap();
    let parts = out.into_parts().unwrap();
    assert_eq!(parts[0].tables.arena, b"streamlet-errorfirst");
}

#[test]
fn a_failure_blames_its_record_and_stops_the_source() {
    let (batch, out) = (batch_of(&["1", "2", "x", "4"]), emits());
    let mut seen = 0;
    let failed = batch
        .source()
        .inspect(|_| seen += 1)
        .try_map(|record| Ok(record.text()?.parse::<i64>()?))
        .flat_map(|n| iterable([n, n]))
        .map(Json)
        .connect(out.sink(GOOD))
        .run_to_end()
        .unwrap_err();
    assert_eq!((failed.to_string().as_str(), failed.blamed()), ("invalid digit found in string", Some(2)));
    assert_eq!((seen, cursor::place()), (3, None));
}

#[test]
fn an_emit_that_cannot_be_made_fails_and_blames_the_record_on_its_way() {
    let (batch, out) = (batch_of(&["1", "2", "3"]), emits());
    // Keys of JSON are text.
    let refuse =
        |at: usize| move |record: Record<'_>| Json(vec![HashMap::from([((), 1)]); usize::from(record.index() == at)]);
    let failed = batch.source().map(refuse(1)).connect(out.sink(GOOD)).run_to_end().unwrap_err();
    assert_eq!(failed.blamed(), Some(1));
    assert!(failed.to_string().starts_with("value cannot be written as JSON"), "{failed}");

    let out = emits();
    let aside = batch.source().map(|record| if record.index() == 2 { Err(refuse(2)(record)) } else { Ok(record) });
    let failed = aside.divert_err(out.sink(BAD)).connect(out.sink(GOOD)).run_to_end().unwrap_err();
    assert_eq!(failed.blamed(), Some(2), "the side sink's failure ends the stream too");
}

#[test]
fn what_is_taken_is_all_that_is_requested() {
    let (batch, out) = (batch_of(&["1", "2", "3", "4"]), emits());
    let mut seen = 0;
    let stream = batch.source().inspect(|_| seen += 1).take(2);
    stream.connect(out.sink(GOOD)).run_to_end().unwrap();
    assert_eq!((seen, rows(out).len(), cursor::place()), (2, 2, None));
    let ended = batch.source().connect(for_each(|record: Record<'_>| assert!(record.index() < 4))).run_to_end();
    assert_eq!(ended, Ok(()));
}

/// Does with the stream what `act` does, when it is greeted and at each item.
struct Acts(fn(&mut Talkback<Error>));

impl<T> Sink<T, Error> for Acts {
    fn greet(&mut self, talkback: &mut Talkback<Error>) {
        talkback.start();
        (self.0)(talkback);
    }
    fn receive(&mut self, _: T, talkback: &mut Talkback<Error>) {
        (self.0)(talkback);
    }
    fn end(&mut self, _: &End<Error>) {}
}

#[test]
fn a_stream_that_stands_still_does_not_acknowledge() {
    let batch = batch_of(&["1", "2", "3"]);
    let ended = |act| batch.source().connect(Acts(act)).run_to_end().map_err(|error| error.to_string());
    let still = |why: &str| Err(format!("the stream stood still before it had ended: {why}"));
    assert_eq!(ended(Talkback::request), Ok(()));
    assert_eq!(ended(|_| {}), still("its sink requests nothing"));
    assert_eq!(ended(|talkback| talkback.stop(Stop::Pause)), still("its sink paused it"));
    assert_eq!(ended(|talkback| talkback.stop(Stop::Enough)), Ok(()));
    assert_eq!(ended(|talkback| talkback.stop(Stop::Failed(Error::new("no")))), Err("no".to_owned()));
    let out = emits();
    let waits = batch.source().tee(Acts(|talkback| talkback.stop(Stop::Pause))).connect(out.sink(GOOD)).run_to_end();
    assert_eq!(waits.map_err(|error| error.to_string()), still("it waits for something outside of the batch"));
}

#[test]
fn blame_follows_items_through_inner_sources_and_ends_with_the_stream() {
    let batch = batch_of(&["1", "2", "3"]);
    let blamed = || Error::new("x").blamed();
    let seen = RefCell::new(Vec::new());
    for outer in &batch {
        let stream = batch.source().flat_map(|record| iterable([record.index(); 2]));
        let mut stream = stream.connect(for_each(|index| seen.borrow_mut().push((index, blamed()))));
        while stream.run_for(1) == talkback::State::More {}
        assert_eq!(blamed(), Some(outer.index()), "the loop around the stream");
        let chunks = batch.source().chunk(2).connect(for_each(|_: Vec<_>| seen.borrow_mut().push((9, blamed()))));
        chunks.run_to_end().unwrap();
        drop(stream);
        let once = [0, 0, 1, 1, 2, 2].map(|index| (index, Some(index)));
        let chunks = [(9, Some(1)), (9, Some(outer.index()))];
        assert_eq!(seen.take(), [once.as_slice(), &chunks].concat());
    }
    assert_eq!(blamed(), None);
    let mut stream = batch.source().connect(Acts(|talkback| talkback.stop(Stop::Pause)));
    stream.start();
    stream.request();
    stream.run();
    assert_eq!(blamed(), Some(0), "paused on its way");
    drop(stream);
    assert_eq!(blamed(), None);
}

#[test]
fn a_full_buffer_is_handed_over_before_the_next_record_is_requested() {
    let (batch, out) = (batch_of(&["0", "1", "2", "3", "4"]), emits());
    let largest = Cell::new(0);
    let filling = || {
        out.lend(|out| {
            largest.set(largest.get().max(format!("{out:?}").len()));
            Ok(())
        })
    };
    let half = "x".repeat(1 << 19);
    let stream = batch.source().inspect(|_| filling().unwrap()).map(|_| half.as_str());
    stream.connect(out.sink(GOOD)).run_to_end().unwrap();
    let parts = out.into_parts().unwrap();
    assert_eq!(parts.iter().map(|part| part.tables.emits.len() / 8).collect::<Vec<_>>(), [2, 2, 1]);
    let full = format!("{:?}", Emits::new(OUTLETS, 1)).len() + "524288".len() - 1;
    assert_eq!(largest.get(), full, "never more than half was there when a record came");
}

#[test]
fn what_is_too_large_fails_at_its_record_even_if_the_author_overlooks_it() {
    let (batch, mut out) = (batch_of(&["1", "22222", "3"]), emits());
    out.bound(4);
    let failed = batch.source().map(|record| record.value().unwrap()).connect(out.sink(GOOD)).run_to_end();
    let failed = failed.unwrap_err();
    assert_eq!(failed.blamed(), Some(1));
    let why = "an emit with its predecessors is larger than the 4 bytes that can be handed over";
    assert_eq!((failed.to_string().as_str(), out.into_parts().err()), (why, Some(Error::new(why))));
}

#[test]
fn an_emit_within_an_emit_is_an_error_and_loses_nothing() {
    let (batch, out) = (batch_of(&["1", "2"]), emits());
    let inner = || batch.source().connect(out.sink(BAD)).run_to_end();
    let nested = out.sink_with(|record: Record<'_>, out: &mut Emits| {
        out.forward(GOOD, record);
        inner()
    });
    let failed = batch.source().connect(nested).run_to_end().unwrap_err();
    assert_eq!(failed.to_string(), "an emit was made by way of a sink while another emit was being written");
    batch.source().connect(out.sink(BAD)).run_to_end().unwrap();
    assert_eq!(rows(out).into_iter().map(|(outlet, ..)| outlet).collect::<Vec<_>>(), [0, 1, 1]);

    let mut out = emits();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| out.lend(|_| panic!("a sink's"))));
    assert!(caught.is_err());
    let lost = "the emits were lost to a panic of a sink's that was caught";
    assert_eq!(out.finish().err().map(|error| error.to_string()).as_deref(), Some(lost));
}

#[test]
fn both_ends_conform() {
    let (batch, out) = (batch_of(&["a", "b", "c", "d", "e"]), emits());
    let source = kit::source("batch", |_| batch.source().map(Record::offset)).pulled().items(100..105).ends_on_demand();
    source.check().unwrap();
    let failure = || Error::new("the kit");
    kit::sink_of("outlet", || out.sink(GOOD), ["a", "b", "c"], failure).requests().check().unwrap();
    let with =
        || out.sink_with(|text: &str, out: &mut Emits| if text == "c" { fail!("no") } else { "x".emit_to(BAD, out) });
    kit::sink_of("emits", with, ["a", "b", "c"], failure).requests().check().unwrap();
}

/// The same work as a loop and as a stream.
#[derive(Streamlet)]
struct Twin {
    #[inlet(name = "in", schema = "a.v1")]
    numbers: Inlet,
    #[outlet(schema = "a.v1")]
    good: Outlet,
    #[outlet(schema = "a.v1")]
    bad: Outlet,
    #[parameter(default = false)]
    composed: bool,
}

impl Process for Twin {
    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        let check = |n: i64| if n == 13 { Err(Error::new("thirteen")) } else { Ok(n) };
        if self.composed {
            let numbers = batch.source().map(number).divert_err(out.sink(self.bad)).try_map(check);
            let numbers = numbers.filter(|n| *n != 0).flat_map(|n| iterable((0..n % 4).map(move |_| n)));
            return numbers.map(|n| (n.to_string(), Json(n))).connect(out.sink(self.good)).run_to_end();
        }
        for record in batch {
            match number(record) {
                Err(rejected) => rejected.emit_to(self.bad, out)?,
                Ok(n) => {
                    for _ in 0..check(n)? % 4 {
                        out.emit(self.good).key(n.to_string()).json(&n)?;
                    }
                }
            }
        }
        Ok(())
    }
}
streamlet::export!(Twin);

#[test]
fn a_stream_does_what_its_loop_does() {
    use crate::testing::{Harness, Record, hash_partitioner};
    let mut random = 17_u64;
    let mut values = |count: usize| {
        let value = |_| {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            match random >> 59 {
                30 => Record::new("word").key("w"),
                31 => Record::tombstone("t"),
                n => Record::new(n.to_string()).key((random >> 40).to_string()),
            }
        };
        (0..count).map(value).collect::<Vec<_>>()
    };
    for records_max in [1, 2, 7, 100] {
        let records = values(200);
        let run = |composed: bool| {
            let harness = Harness::<Twin>::new().set("composed", composed).max_records(records_max);
            harness.partitions(hash_partitioner(3)).put_all("in", records.clone()).run()
        };
        let (stream, by_loop) = (run(true), run(false));
        assert_eq!(format!("{stream:?}"), format!("{by_loop:?}"));
        assert!(!stream.failures().is_empty() && !stream.batches().is_empty());
    }
}
