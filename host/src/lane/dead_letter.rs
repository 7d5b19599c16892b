//! A record on its way to a dead-letter outlet: key, value and headers as they came, and headers that say why.

use crate::batch::{Batch, Failure, Output, OutputBuilder};

/// Bytes of the header that says why.
const ERROR_BYTES_MAX: usize = 1024;

/// The emit of the one record of `part`, which failed.
pub(super) fn of(outlet: u32, part: &Batch, failed: &Failure, digest: &str) -> Output {
    let mut builder = OutputBuilder::default();
    let Some(record) = part.record(0) else { return builder.build() };
    let headline = failed.headline();
    let error = headline.get(..headline.floor_char_boundary(ERROR_BYTES_MAX)).unwrap_or_default();
    let (partition, offset) = (part.partition.to_string(), record.offset.to_string());
    let why = [
        ("streamlet-error", error),
        ("streamlet-inlet", &failed.place.inlet),
        ("streamlet-partition", &partition),
        ("streamlet-offset", &offset),
        ("streamlet-component", digest),
    ];
    for header in record.headers() {
        builder.header(header.name, header.value);
    }
    for (name, value) in why {
        builder.header(name.as_bytes(), Some(value.as_bytes()));
    }
    builder.forward(outlet, 0);
    builder.build()
}
