//! Batches that are failed by an error: the guest stays in order.

use serde::Deserialize;
use streamlet::prelude::*;

/// What a record holds that says `json`, `json-serde` or `panic-unwrap`.
#[derive(Deserialize)]
pub(crate) struct Cart {
    #[expect(dead_code, reason = "only reading it can fail")]
    total: i64,
}

/// Fails the batch if `word` says so.
pub(crate) fn act(word: &str, batch: &Batch, record: Record<'_>) -> Result<()> {
    match word {
        "fail" => fail!("the record said fail"),
        "fail-lines" => fail!("the first line\nthe second line\nthe third line"),
        "fail-long" => fail!("{}", "long ".repeat(200_000)),
        "fail-controls" => fail!("a bell \u{7} and a colour \u{1b}[31m"),
        "alone" if batch.len() > 1 => fail!("not with others"),
        "blame-first" => {
            let error = Error::new("the first record is to blame");
            return Err(batch.get(0).map_or(error.clone(), |first| error.at(first)));
        }
        "json" => {
            record.json::<Cart>()?;
        }
        "json-serde" => {
            serde_json::from_slice::<Cart>(record.value().unwrap_or_default())?;
        }
        "number" => drop(record.text()?.parse::<i64>()?),
        _ => {}
    }
    Ok(())
}
