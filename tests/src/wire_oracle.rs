//! What prost makes of a message from the sidecar, for the host's own reader to be compared with. The host's tests and the
//! fuzz target share it.

use bytes::Bytes;
use prost::Message as _;
use streamlet_host::batch::Record;
use streamlet_host::codec::{Inbound, InboundBatch, decode};
use streamlet_protocol::wire;
use streamlet_protocol::wire::to_process::Message;

/// That both readers refuse these bytes, or read the same; and that what would be sent on as it came says what was read.
///
/// # Panics
/// They differ.
pub fn compare(bytes: &[u8]) {
    let ours = decode(Bytes::copy_from_slice(bytes));
    let theirs = wire::ToProcess::decode(bytes);
    match (ours, theirs) {
        (Ok(ours), Ok(mut theirs)) => {
            // To a batch, a record that is absent is an empty one.
            if let Some(Message::Batch(batch)) = &mut theirs.message {
                batch.records.iter_mut().for_each(|record| {
                    record.record.get_or_insert_default();
                });
            }
            assert_eq!(rebuilt(ours), theirs);
        }
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{ours:?}, but prost: {theirs:?}"),
    }
}

/// A message as spans, put back together as prost has it.
fn rebuilt(inbound: Inbound) -> wire::ToProcess {
    let message = match inbound {
        Inbound::Empty => None,
        Inbound::Start(start) => Some(Message::Start(start)),
        Inbound::Stop(stop) => Some(Message::Stop(stop)),
        Inbound::Batch(batch) => Some(Message::Batch(rebuilt_batch(batch))),
    };
    wire::ToProcess { message }
}

fn rebuilt_batch(batch: InboundBatch) -> wire::Batch {
    let (batch_id, inlet, partition) = (batch.batch_id, batch.inlet.clone(), batch.partition);
    let batch = batch.of_inlet(0);
    let records = (0..batch.len()).map(|index| {
        let record = batch.record(index).expect("the index is in range");
        if let Some(encoded) = record.encoded() {
            let encoded = wire::Record::decode(encoded).expect("it is a record");
            assert_eq!(encoded, rebuilt_record(record));
        }
        wire::InputRecord {
            offset: record.offset,
            timestamp_ms: record.timestamp_ms,
            record: Some(rebuilt_record(record)),
        }
    });
    wire::Batch { batch_id, inlet, partition, records: records.collect() }
}

fn rebuilt_record(record: Record<'_>) -> wire::Record {
    let headers = record.headers().map(|header| wire::Header {
        key: String::from_utf8(header.name.to_vec()).expect("a name is text"),
        value: Bytes::copy_from_slice(header.value.expect("the wire knows no null")),
    });
    wire::Record {
        key: record.key().map(Bytes::copy_from_slice),
        headers: headers.collect(),
        value: Bytes::copy_from_slice(record.value().expect("the wire knows no null")),
    }
}
