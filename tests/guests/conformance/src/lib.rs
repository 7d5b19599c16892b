//! The platform's conformance reference streamlet: what a record's key says is what happens to it. The platform's suite
//! drives it through its 18 cases.

use std::thread;

use streamlet::prelude::*;

/// How long the key `late` waits: what both public SDKs do, and enough for the suite to see another partition overtake.
const LATE: Duration = Duration::from_millis(300);

/// The conformance reference streamlet.
#[derive(Streamlet)]
struct Conformance {
    #[inlet(name = "in", schema = "conformance.v1")]
    main: Inlet,
    #[inlet(schema = "conformance-side.v1")]
    side: Inlet,
    #[outlet(schema = "conformance.v1")]
    out: Outlet,
    #[outlet(schema = "conformance-other.v1")]
    other: Outlet,
    /// Unused by the suite; proves a string parameter arrives.
    #[parameter(default = "echo")]
    mode: String,
    /// How many times the multiply key emits.
    #[parameter(default = 1)]
    factor: i64,
}

impl Process for Conformance {
    fn start(&mut self, _: &Conversation) -> Result<()> {
        if self.mode.is_empty() {
            fail!("parameter \"mode\" is empty");
        }
        Ok(())
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        for record in batch {
            match record.key() {
                Some(b"fan") => {
                    out.forward(self.out, record);
                    out.forward(self.other, record);
                }
                Some(b"skip") => {}
                Some(b"fail") => fail!("the record said fail"),
                Some(b"late") => {
                    thread::sleep(LATE);
                    out.forward(self.out, record);
                }
                Some(b"rogue-outlet") => {
                    out.forward(out.outlet("nope")?, record);
                }
                Some(b"multiply") => {
                    for n in 1..=self.factor {
                        out.forward(self.out, record).header("n", n.to_string());
                    }
                }
                Some(b"unkeyed") => {
                    out.forward(self.out, record).without_key();
                }
                Some(b"header-echo") => {
                    out.forward(self.out, record).headers(record.headers().rev());
                }
                _ => {
                    out.forward(self.out, record);
                }
            }
        }
        Ok(())
    }
}

streamlet::export!(Conformance);

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;
    use streamlet::testing::{self, Harness, Outcome, Record};

    fn record(key: &str) -> Record {
        Record::new(r#"{"n":0}"#).key(key).header("a", "1").header("b", b"\x00\xff")
    }

    fn run(record: Record) -> Outcome {
        Harness::<Conformance>::new().set("factor", 3).put("in", record).run()
    }

    #[test]
    fn most_keys_echo_and_keep_every_part() {
        let keyless = Record { key: None, ..record("") };
        for input in [record("echo"), record("anything"), record(""), keyless] {
            let outcome = run(input.clone());
            assert_eq!(outcome.records("out"), [input]);
            assert!(outcome.records("other").is_empty());
        }
    }

    #[test]
    fn fan_and_skip() {
        let outcome = run(record("fan"));
        assert_eq!((outcome.records("out"), outcome.records("other")), (&[record("fan")][..], &[record("fan")][..]));
        assert_eq!(run(record("skip")).skipped(), [record("skip")]);
    }

    #[test]
    fn fail_and_rogue_outlet_fail_and_blame_the_record() {
        for (key, message) in [("fail", "the record said fail"), ("rogue-outlet", "emit to undeclared outlet 'nope'")] {
            let outcome = Harness::<Conformance>::new().put_all("in", [record("echo"), record(key)]).run();
            assert!(outcome.records("out").is_empty(), "a failed batch emits nothing");
            let [failure] = outcome.failures() else { panic!("one batch fails") };
            assert_eq!((failure.message.as_str(), failure.offset), (message, Some(1)));
        }
    }

    #[test]
    fn late_waits() {
        let before = Instant::now();
        assert_eq!(run(record("late")).records("out"), [record("late")]);
        assert!(before.elapsed() >= LATE);
    }

    #[test]
    fn multiply_numbers_its_copies() {
        let expected: Vec<Record> = (1..=3).map(|n| record("multiply").header("n", n.to_string())).collect();
        assert_eq!(run(record("multiply")).records("out"), expected);
    }

    #[test]
    fn unkeyed_and_header_echo() {
        assert_eq!(run(record("unkeyed")).records("out"), [Record { key: None, ..record("unkeyed") }]);
        let mut reversed = record("header-echo");
        reversed.headers.reverse();
        assert_eq!(run(record("header-echo")).records("out"), [reversed]);
    }

    #[test]
    fn both_inlets_work() {
        let outcome = Harness::<Conformance>::new().put("in", record("echo")).put("side", record("echo")).run();
        assert_eq!(outcome.records("out").len(), 2);
        let inlets: Vec<&str> = outcome.batches().iter().map(|batch| batch.inlet).collect();
        assert_eq!(inlets, ["in", "side"]);
    }

    #[test]
    fn the_descriptor_is_the_platforms() {
        testing::check_descriptor::<Conformance>("descriptor.json");
    }
}
