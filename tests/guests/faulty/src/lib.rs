//! A streamlet that does wrong what its records say: the tests' way to every fault that a guest can have.
//!
//! A record says what happens to it by its header `do`, or, where it has none, by the first word of its value. What
//! says nothing that is known is echoed. The modules are the kinds of things that can be said.

mod ends;
mod grows;
mod refuses;
mod says;

use std::thread;

use streamlet::prelude::*;

/// Does wrong what its records say.
#[derive(Streamlet)]
struct Faulty {
    #[inlet(name = "in", schema = "faults.v1")]
    main: Inlet,
    #[outlet(schema = "faults.v1")]
    out: Outlet,
    #[outlet(schema = "faults.v1")]
    other: Outlet,
    /// What `start` does: ok, fail, panic, loop or chatter.
    #[parameter(default = "ok")]
    start: String,
    /// How long `pause` and `pause-other` take.
    #[parameter(default = "0 s")]
    pause: Duration,
    /// How many batches this instance has seen.
    batches: i64,
}

impl Process for Faulty {
    fn start(&mut self, _: &Conversation) -> Result<()> {
        match self.start.as_str() {
            "fail" => fail!("told to fail"),
            "panic" => ends::panic_in_start(),
            "loop" => ends::endless_loop(),
            "chatter" => says::a_line("started"),
            _ => {}
        }
        Ok(())
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        debug_assert!(batch.inlet() == self.main, "there is one inlet");
        self.batches += 1;
        for record in batch {
            match said(record) {
                "count" => {
                    out.forward(self.out, record).value(self.batches.to_string());
                }
                "both" => {
                    out.forward(self.other, record);
                    out.forward(self.out, record);
                }
                "other" => {
                    out.forward(self.other, record);
                }
                "pause" => {
                    thread::sleep(self.pause);
                    out.forward(self.out, record);
                }
                "pause-other" => {
                    thread::sleep(self.pause);
                    out.forward(self.other, record);
                }
                "unkeyed" => {
                    out.forward(self.out, record).without_key();
                }
                "grow" => {
                    out.forward(self.out, record).value(vec![b'g'; grown_bytes(record)?]);
                }
                "drop" => {}
                "new" => {
                    out.emit(self.out).value("from nothing");
                }
                "tombstone" => {
                    out.tombstone(self.out, record.key().unwrap_or_default());
                }
                "null-header" => {
                    out.forward(self.out, record).null_header("added");
                }
                word => {
                    refuses::act(word, batch, record)?;
                    ends::act(word, record);
                    says::act(word);
                    grows::act(word, record, self.out, out);
                    out.forward(self.out, record);
                }
            }
        }
        Ok(())
    }
}

/// What a record says is to happen; nothing if that is no text.
fn said(record: Record<'_>) -> &str {
    words(record).next().unwrap_or_default()
}

/// The bytes of the value that a record which says `grow` is to become: its second word.
fn grown_bytes(record: Record<'_>) -> Result<usize> {
    Ok(words(record).nth(1).unwrap_or_default().parse()?)
}

fn words(record: Record<'_>) -> impl Iterator<Item = &str> {
    let header = record.header("do").and_then(|header| header.value);
    str::from_utf8(header.or(record.value()).unwrap_or_default()).unwrap_or_default().split_ascii_whitespace()
}

streamlet::export!(Faulty);
