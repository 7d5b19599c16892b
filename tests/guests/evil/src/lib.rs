//! A streamlet that is out to hurt: its host, its neighbours, the log, or whoever looks for the reason.
//!
//! The first word of a record's value says what happens to it; what says nothing that is known is echoed. What a
//! careless author does by mistake is in `faulty`, what no SDK lets through in `raw`, and what no compiler makes is
//! written in the text format, in `tests/src/text_guests.rs`.

mod ends;
mod floods;
mod grows;
mod probes;

use streamlet::prelude::*;

/// Hurts as its records say.
#[derive(Streamlet)]
struct Evil {
    #[inlet(name = "in", schema = "evil.v1")]
    main: Inlet,
    #[outlet(schema = "evil.v1")]
    out: Outlet,
    /// What `start` does: ok, abort, sleep, flood or allocate.
    #[parameter(default = "ok")]
    start: String,
    /// How many batches this instance has seen.
    batches: i64,
}

impl Process for Evil {
    fn start(&mut self, _: &Conversation) -> Result<()> {
        match self.start.as_str() {
            "abort" => ends::abort_in_start(),
            "sleep" => ends::sleep_for_an_hour(),
            "flood" => floods::lines_for_ever(),
            "allocate" => grows::a_gibibyte(),
            _ => {}
        }
        Ok(())
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        debug_assert!(batch.inlet() == self.main, "there is one inlet");
        self.batches += 1;
        for record in batch {
            let word = record.value().and_then(|value| str::from_utf8(value).ok()).unwrap_or_default();
            let word = word.split_ascii_whitespace().next().unwrap_or_default();
            ends::act(word, self.batches);
            grows::act(word);
            floods::act(word, record, self.out, out);
            probes::act(word)?;
            out.forward(self.out, record);
        }
        Ok(())
    }
}

streamlet::export!(Evil);
