//! `streamlet serve` as the platform's sidecar meets it: real gRPC, real Wasm, one process a test.

mod bytes;
mod endings;
mod extremes;
mod hostile;
mod load;
mod poison;
mod process;
mod python;
mod rules;
mod suite;
mod transport;
mod unsendable;
mod voided;

use std::time::Duration;

use streamlet_tests::records::{Emitted, Record};
use streamlet_tests::service::Service;
use tonic::{Code, Status};

use crate::serve as program;

/// What superseded or cancelled work, and an idle process, may take to end.
const SOON: Duration = Duration::from_secs(2);

/// A process that serves this guest and is ready.
fn ready(package: &str) -> Service {
    Service::start(program(package))
}

/// A record that is echoed.
fn echo(offset: i64) -> Record {
    Record::new(offset, format!("{{\"n\":{offset}}}")).key("echo")
}

/// These records as the wire gives them back from `outlet`.
fn emits(outlet: &str, records: &[Record]) -> Vec<Emitted> {
    let emit = |record: &Record| Emitted { outlet: outlet.into(), record: Record { offset: -1, ..record.clone() } };
    records.iter().map(emit).collect()
}

/// The status has this code, and its message each of these parts.
#[track_caller]
fn assert_status(status: &Status, code: Code, parts: &[&str]) {
    assert_eq!(status.code(), code, "{status:?}");
    for part in parts {
        assert!(status.message().contains(part), "{part:?} is not in {:?}", status.message());
    }
    assert!(status.message().len() < 4096, "{} bytes of status message", status.message().len());
}
