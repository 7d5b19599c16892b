//! What is counted: each on a batch of 100 records of 1 KiB with 3 headers, so many rounds of it.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use streamlet_host::batch::{Batch, Output};
use streamlet_host::codec::{Inbound, decode, encode_emits};
use streamlet_host::guest::{Checker, Component, ComponentFile, Engine, Limits, OutletRule};
use streamlet_protocol::wire::{ToProcess, to_process};
use streamlet_tests::records::Record;
use streamlet_tests::room::Room;
use streamlet_tests::sidecar;

/// Records of a batch.
pub(crate) const RECORDS: usize = 100;
/// Where the component is, said by whoever has built it.
pub(crate) const COMPONENT: &str = "INSTRUCTIONS_COMPONENT";
/// In an emit's row: the source's.
const SOURCE: u32 = 0xffff_fffe;
/// No guest may be interrupted by the clock, which is another one here.
const NEVER: Duration = Duration::from_hours(24);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Decode,
    Check,
    Encode,
    Pass,
    Route,
}

impl Work {
    pub(crate) const ALL: [Self; 5] = [Self::Decode, Self::Check, Self::Encode, Self::Pass, Self::Route];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Check => "check",
            Self::Encode => "encode",
            Self::Pass => "batch-pass",
            Self::Route => "batch-route",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|work| work.name() == name).expect("a work")
    }

    /// Rounds that are enough for what else varies not to matter.
    pub(crate) fn rounds(self) -> usize {
        match self {
            Self::Decode | Self::Check | Self::Encode => 500,
            Self::Pass => 200,
            Self::Route => 60,
        }
    }

    pub(crate) fn run(self, rounds: usize) {
        let body = body();
        match self {
            Self::Decode => (0..rounds).for_each(|_| drop(black_box(decode(body.clone()).unwrap()))),
            Self::Check => {
                let batch = Arc::new(decoded(&body, 0));
                (0..rounds).for_each(|_| drop(black_box(checked(&batch))));
            }
            Self::Encode => {
                let batch = Arc::new(decoded(&body, 0));
                let output = checked(&batch);
                (0..rounds).for_each(|_| drop(black_box(encoded(&batch, std::slice::from_ref(&output)))));
            }
            Self::Pass | Self::Route => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(whole(self, &body, rounds));
            }
        }
    }
}

/// Everything but the transport: read, called, checked, written.
async fn whole(work: Work, body: &Bytes, rounds: usize) {
    let limits = Limits {
        batch_deadline: NEVER,
        start_deadline: NEVER,
        tick: NEVER,
        live_instances_max: 1,
        ..Limits::default()
    };
    let path = std::env::var_os(COMPONENT).expect("a component is named");
    let file = ComponentFile::read(Path::new(&path)).unwrap();
    let component = Component::load(Arc::new(Engine::new(limits).unwrap()), file).await.unwrap();
    let config = if work == Work::Route { r#"{"work":"route"}"# } else { "{}" };
    let mut instance = Room::of(&Arc::new(component), config).instance("in", 0).await;
    for round in 0..rounds {
        let batch = Arc::new(decoded(body, round));
        let parts = instance.process(&batch).await.unwrap();
        drop(black_box(encoded(&batch, &parts)));
    }
}

fn encoded(batch: &Batch, parts: &[Output]) -> impl Sized {
    let outlets = ["valid".to_owned(), "review".to_owned()];
    encode_emits(7, &outlets, batch, parts, 4 << 20).unwrap()
}

/// Every record forwarded.
fn checked(batch: &Arc<Batch>) -> Output {
    let rules = ["valid", "review"].map(|name| OutletRule { name: name.into(), bound: true });
    let rows = (0..u32::try_from(batch.len()).unwrap()).flat_map(|n| [0, n, SOURCE, 0, SOURCE, 0, 0, SOURCE]);
    let mut checker = Checker::new(Arc::from(rules), Arc::clone(batch), 64 << 20);
    checker.check_tables(Vec::new(), rows.collect(), Vec::new()).unwrap()
}

fn body() -> Bytes {
    let records = (0i64..).take(RECORDS).map(|offset| {
        let start = format!(r#"{{"cart_id":"cart-{offset}","total":{},"items":["#, offset * 7 % 200);
        let item = r#"{"sku":"SKU-000017","quantity":3,"price":1999,"title":"A thing of some length"}"#;
        let items = vec![item; (1024 - start.len()) / (item.len() + 1)].join(",");
        let record = Record::new(offset, format!("{start}{items}]}}")).key(format!("cart-{offset:011}"));
        (0..3).fold(record, |record, n| record.header(&format!("header-{n:03}"), "sixteen bytes in"))
    });
    let batch = sidecar::batch(7, "in", 0, &records.collect::<Vec<_>>());
    Bytes::from(ToProcess { message: Some(to_process::Message::Batch(batch)) }.encode_to_vec())
}

/// The batch in a message, with offsets that follow those of the rounds before.
fn decoded(body: &Bytes, round: usize) -> Batch {
    let Inbound::Batch(inbound) = decode(body.clone()).unwrap() else { panic!("a batch was sent") };
    let mut batch = inbound.of_inlet(0);
    let before = i64::try_from(round * RECORDS).unwrap();
    batch.times.iter_mut().step_by(2).for_each(|offset| *offset += before);
    batch
}
