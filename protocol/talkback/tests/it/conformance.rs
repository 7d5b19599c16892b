//! The kit over every part of the crate.

use std::convert::Infallible;
use std::task::Waker;

use talkback::kit::{self, Report};
use talkback::{
    End, Hub, Source, collect, empty, failed, fold, for_each, from_stream, iterable, once, pour, retry, try_for_each,
};

type Checked = Result<Report, kit::Failure>;

fn sources() -> Vec<Checked> {
    vec![
        kit::source("iterable", |_| iterable(1..=5)).pulled().items(1..=5).ends_on_demand().check(),
        kit::source("iterable, endless", |_| iterable(1..)).pulled().items(1..999).endless().check(),
        kit::source("pour", |_| pour(1..=5)).pushed().items(1..=5).ends_eagerly().check(),
        kit::source("pour, endless", |_| pour(1..)).pushed().endless().check(),
        kit::source("once", |_| once(7)).pulled().items([7]).ends_eagerly().check(),
        kit::source("empty", |_| empty::<u8>()).pulled().items([]).ends_eagerly().check(),
        kit::source("failed", |_| failed::<u8, _>("no")).pulled().items([]).ends_eagerly().fails().check(),
        kit::source("boxed", |_| iterable(1..=5).boxed()).pulled().items(1..=5).ends_on_demand().check(),
        kit::source("hub, nothing sent", |_| Hub::<u8, Infallible>::new(4).source()).pushed().waits().endless().check(),
        kit::source("hub, ended", |_| {
            let hub = Hub::<u8, _>::new(4);
            hub.end(End::Failed("no"));
            hub.source()
        })
        .pushed()
        .items([])
        .ends_eagerly()
        .fails()
        .check(),
        kit::source("from_stream", |_| from_stream(futures_util::stream::iter(1..=5)))
            .pulled()
            .items(1..=5)
            .ends_on_demand()
            .check(),
        kit::source("retry", |bench| {
            let (bench, mut attempts) = (bench.clone(), 0);
            retry(2, move || {
                attempts += 1;
                let probe = bench.pulled(attempts * 10..attempts * 10 + 2);
                if attempts < 3 { probe.failing("again") } else { probe.late() }
            })
        })
        .pulled()
        .items([10, 11, 20, 21, 30, 31])
        .ends_on_demand()
        .waits()
        .check(),
    ]
}

/// Each operator on a pulled, a pushed, a hybrid, a late and a slow source.
macro_rules! over_every_source {
    ($name:literal, $op:expr, $items:expr $(, $declare:ident)*) => {{
        let from = || 1..=6_u32;
        [
            kit::source(concat!($name, ", pulled"), |bench| $op(bench.pulled(from())))
                .pulled().items($items)$(.$declare())*.check(),
            kit::source(concat!($name, ", pushed"), |bench| $op(bench.pushed(from())))
                .pushed().items($items)$(.$declare())*.check(),
            kit::source(concat!($name, ", hybrid"), |bench| $op(bench.hybrid(from())))
                .hybrid().items($items)$(.$declare())*.check(),
            kit::source(concat!($name, ", late and slow"), |bench| $op(bench.pulled(from()).late().slow()))
                .pulled().waits().items($items)$(.$declare())*.check(),
            kit::source(concat!($name, ", pushed, slow"), |bench| $op(bench.pushed(from()).slow()))
                .pushed().waits().items($items)$(.$declare())*.check(),
        ]
    }};
}

fn operators() -> Vec<Checked> {
    let even = |n: &u32| n.is_multiple_of(2);
    let halves = move |n: u32| n.is_multiple_of(2).then_some(n / 2);
    [
        over_every_source!("map", |s: kit::Probe<_>| s.map(|n| n * 2), [2, 4, 6, 8, 10, 12]),
        over_every_source!("filter", |s: kit::Probe<_>| s.filter(even), [2, 4, 6]),
        over_every_source!("filter_map", |s: kit::Probe<_>| s.filter_map(halves), [1, 2, 3]),
        over_every_source!("inspect", |s: kit::Probe<_>| s.inspect(|_| ()), 1..=6),
        over_every_source!("skip", |s: kit::Probe<_>| s.skip(4), [5, 6]),
        over_every_source!(
            "scan",
            |s: kit::Probe<_>| s.scan(0, |sum, n| {
                *sum += n;
                *sum
            }),
            [1, 3, 6, 10, 15, 21]
        ),
        over_every_source!("take", |s: kit::Probe<_>| s.take(3), [1, 2, 3], ends_eagerly),
        over_every_source!("take none", |s: kit::Probe<_>| s.take(0), [], ends_eagerly),
        over_every_source!("take_while", |s: kit::Probe<_>| s.take_while(|n| *n < 4), [1, 2, 3]),
        over_every_source!("try_map", |s: kit::Probe<_>| s.try_map(|n| Ok(n + 1)), 2..=7),
        over_every_source!(
            "try_map, failing",
            |s: kit::Probe<_>| s.try_map(|n| if n < 4 { Ok(n) } else { Err("four") }),
            [1, 2, 3],
            fails
        ),
        over_every_source!("map_err", |s: kit::Probe<_>| s.map_err(str::len), 1..=6),
        over_every_source!("chunk", |s: kit::Probe<_>| s.chunk(4), [vec![1, 2, 3, 4], vec![5, 6]]),
        over_every_source!(
            "chunk_bytes",
            |s: kit::Probe<_>| s.chunk_bytes(7, |n| usize::try_from(*n).unwrap()),
            [vec![1, 2, 3], vec![4], vec![5], vec![6]]
        ),
        over_every_source!("boxed", |s: kit::Probe<_>| s.boxed(), 1..=6),
        over_every_source!("share", |s: kit::Probe<_>| s.share(2), 1..=6),
        over_every_source!("remote", |s: kit::Probe<_>| s.remote(Waker::noop().clone()).0, 1..=6),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn joined() -> Vec<Checked> {
    vec![
        kit::source("chain", |bench| bench.pulled([1, 2]).chain(bench.pulled([3]))).items([1, 2, 3]).check(),
        kit::source("chain, late", |bench| bench.pulled([1, 2]).chain(bench.pulled([3]).late()))
            .waits()
            .items([1, 2, 3])
            .check(),
        kit::source("chain, pushed", |bench| bench.pushed([1, 2]).chain(bench.pushed([3])))
            .pushed()
            .items([1, 2, 3])
            .ends_eagerly()
            .check(),
        kit::source("chain, failing", |bench| bench.pulled([1]).failing("no").chain(bench.pulled([3])))
            .items([1])
            .fails()
            .check(),
        kit::source("merge", |bench| bench.pulled([1, 3, 5]).merge(bench.pulled([2, 4, 6]))).items(1..=6).check(),
        kit::source("merge, one late and slow", |bench| bench.pulled([1, 3]).merge(bench.pulled([2]).late().slow()))
            .waits()
            .check(),
        kit::source("merge, pushed", |bench| bench.pushed([1, 3, 5]).merge(bench.pushed([2, 4, 6])))
            .pushed()
            .items(1..=6)
            .ends_eagerly()
            .check(),
        kit::source("merge, pulled and pushed", |bench| bench.pulled([1, 3]).merge(bench.pushed([2, 4])))
            .hybrid()
            .check(),
        kit::source("merge, failing", |bench| bench.pulled(1..4).merge(bench.pulled([]).failing("no")))
            .items([1])
            .fails()
            .check(),
        kit::source("flat_map", |bench| bench.pulled(1..=3).flat_map(|n| iterable(0..n)))
            .items([0, 0, 1, 0, 1, 2])
            .check(),
        kit::source("flat_map, inner pushed", |bench| bench.pulled(1..=3).flat_map(|n| pour(0..n)))
            .hybrid()
            .items([0, 0, 1, 0, 1, 2])
            .check(),
        kit::source("flat_map, all pushed", |bench| bench.pushed(1..=3).flat_map(|n| pour(0..n)))
            .pushed()
            .items([0, 0, 1, 0, 1, 2])
            .ends_eagerly()
            .check(),
        kit::source("flat_map, inner watched", |bench| {
            let inner = bench.clone();
            bench.pulled(1..=3).try_flat_map(move |n| inner.pulled(0..n))
        })
        .items([0, 0, 1, 0, 1, 2])
        .check(),
        kit::source("flat_map, all late and slow", |bench| {
            let inner = bench.clone();
            bench.pulled(1..=3).late().slow().try_flat_map(move |n| inner.pulled(0..n).late().slow())
        })
        .waits()
        .items([0, 0, 1, 0, 1, 2])
        .check(),
        kit::source("flat_map, inner failing", |bench| {
            let inner = bench.clone();
            bench.pulled(1..=3).try_flat_map(move |n| {
                let probe = inner.pulled(0..n);
                if n == 2 { probe.failing("two") } else { probe }
            })
        })
        .items([0, 0, 1])
        .fails()
        .check(),
        kit::source("flat_map, inner slow and failing", |bench| {
            let inner = bench.clone();
            bench.pulled(1..=3).try_flat_map(move |n| {
                let probe = inner.pulled(0..n).slow();
                if n == 2 { probe.failing("two") } else { probe }
            })
        })
        .waits()
        .items([0, 0, 1])
        .fails()
        .check(),
        kit::source("tee", |bench| bench.pulled(1..=4).tee(bench.side())).items(1..=4).check(),
        kit::source("tee, pushed", |bench| bench.pushed(1..=4).tee(bench.side())).pushed().items(1..=4).check(),
        kit::source("route", |bench| bench.pulled(1..=4).route(|n| n % 2 == 0, bench.side())).items([1, 3]).check(),
        kit::source("divert_err", |bench| bench.pulled([Ok(1), Err('a'), Err('b'), Ok(2)]).divert_err(bench.side()))
            .items([1, 2])
            .check(),
        kit::source("a chain of many", |bench| {
            let inner = bench.clone();
            bench
                .pulled(0..40)
                .filter(|n| n % 2 == 0)
                .try_flat_map(move |n| inner.pulled([n, n + 1]))
                .try_map(Ok)
                .chunk(2)
                .tee(bench.side())
                .take(3)
                .map(|chunk| chunk.into_iter().sum::<i32>())
        })
        .items([1, 5, 9])
        .ends_eagerly()
        .check(),
    ]
}

fn sinks() -> Vec<Checked> {
    vec![
        kit::sink("for_each", || for_each(drop::<u8>), 0..9).requests().check(),
        kit::sink("try_for_each", || try_for_each(|n: u8| if n < 4 { Ok(()) } else { Err("four") }), 0..9)
            .requests()
            .check(),
        kit::sink("fold", || fold(0, |sum: &mut u8, n: u8| *sum += n), 0..9).requests().check(),
        kit::sink("collect", collect::<Vec<u8>>, 0..9).requests().check(),
    ]
}

#[test]
fn every_part_conforms() {
    let begun = std::time::Instant::now();
    let checked = [sources(), operators(), joined(), sinks()].into_iter().flatten();
    let (reports, failures): (Vec<_>, Vec<_>) = checked.partition(Result::is_ok);
    let reports = reports.into_iter().map(Result::unwrap).collect::<Vec<_>>();
    println!("{}", kit::summary(&reports));
    println!("{} parts in {:?}", reports.len(), begun.elapsed());
    let failures = failures.into_iter().map(|failure| failure.unwrap_err().to_string()).collect::<Vec<_>>();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), failures.len() + reports.len(), failures.join("\n"));
}
