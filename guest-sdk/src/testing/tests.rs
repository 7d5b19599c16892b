//! The harness and the SDK together, as an author's tests use them.

use std::panic::catch_unwind;

use super::{BatchOutcome, Harness, Outcome, Record, hash_partitioner};
use crate::prelude::*;

/// Does what a record's value says.
#[derive(Streamlet)]
struct Puppet {
    #[inlet(schema = "a.v1")]
    left: Inlet,
    #[inlet(schema = "a.v1")]
    right: Inlet,
    #[outlet(schema = "a.v1")]
    out: Outlet,
    /// Refuses to start.
    #[parameter(default = false)]
    refuse: bool,
    #[parameter(default = "100 ms")]
    wait: Duration,
    #[parameter(default = "1 MiB")]
    room: MemorySize,
    #[parameter(default = 0.5)]
    rate: f64,
    #[parameter(default = "x")]
    mark: String,
    batches: i64,
}

impl Process for Puppet {
    fn start(&mut self, conversation: &Conversation) -> Result<()> {
        assert_eq!(conversation.outlets().len(), 1);
        assert_eq!(conversation.inlet_topic("left"), Some("test.left"));
        if self.refuse {
            fail!("refused to start");
        }
        Ok(())
    }

    fn process(&mut self, batch: &Batch, out: &mut Emits) -> Result<()> {
        self.batches += 1;
        for record in batch {
            match record.value() {
                None => {
                    out.forward(self.out, record);
                }
                Some(b"skip") => {}
                Some(b"fail") => fail!("told to fail"),
                Some(b"panic") => panic!("told to panic"),
                Some(b"json") => _ = record.json::<i64>()?,
                Some(b"direct") => _ = serde_json::from_str::<i64>(r#""s3cr3t""#)?,
                Some(b"rogue") => _ = out.forward(Outlet::at(9), record),
                Some(b"huge") => _ = out.emit(self.out).value(vec![b'x'; 5 << 20]),
                Some(b"fresh") => _ = out.emit(self.out).value(&self.mark),
                Some(b"settings") => {
                    let settings = format!("{:?} {} {} {}", self.wait, self.room.bytes(), self.rate, self.mark);
                    out.forward(self.out, record).value(settings);
                }
                Some(_) => {
                    let side = if batch.inlet() == self.left { "left" } else { "right" };
                    let place = format!("{side} {} #{}", batch.partition(), self.batches);
                    out.forward(self.out, record).value(place);
                }
            }
        }
        Ok(())
    }
}

fn run(values: &[&str]) -> Outcome {
    Harness::<Puppet>::new().put_all("left", values.iter().map(|value| Record::new(*value))).run()
}

#[track_caller]
fn check_failure(value: &str, message: &str, offset: Option<i64>) {
    let outcome =
        Harness::<Puppet>::new().max_records(2).put_all("left", ["a", "b", "c", value, "e"].map(Record::new)).run();
    let [failure] = outcome.failures() else { panic!("one batch fails: {outcome:?}") };
    assert_eq!((failure.message.as_str(), failure.offset), (message, offset));
    assert_eq!(outcome.records("out").len(), 2, "the failed batch emits nothing and the rest waits");
    let acknowledged: Vec<bool> = outcome.batches().iter().map(|batch| batch.acknowledged).collect();
    assert_eq!(acknowledged, [true, false]);
}

#[test]
fn failures_say_what_and_where() {
    check_failure("fail", "told to fail", Some(3));
    let panicked = r#"panicked while processing the record at offset 3 of inlet "left": told to panic"#;
    check_failure("panic", panicked, Some(3));
    check_failure("json", "value is not the JSON expected: expected value at line 1 column 1", Some(3));
    check_failure("direct", "JSON and the type do not fit at line 1 column 8", Some(3));
    check_failure("rogue", "emit to undeclared outlet 9: there are 1", None);
    let huge = r#"an emit to outlet "out" has 5242880 bytes, over the sidecar's limit of 4194304"#;
    check_failure("huge", huge, None);
}

#[test]
fn a_refused_start_fails_the_batch_that_needed_it() {
    let outcome = Harness::<Puppet>::new().set("refuse", true).put("left", Record::new("a")).run();
    let [failure] = outcome.failures() else { panic!("one batch fails") };
    assert_eq!((failure.message.as_str(), failure.offset), ("refused to start", None));
}

#[test]
fn every_partition_of_every_inlet_has_its_own_instance_and_batches() {
    let records = || (0..4).map(|_| Record::new("x"));
    let outcome = Harness::<Puppet>::new()
        .partitions(hash_partitioner(2))
        .max_records(1)
        .put_all("left", records())
        .put("right", Record::new("x").key("foobar"))
        .run();
    let places: Vec<&str> = outcome.records("out").iter().map(Record::text).collect();
    assert_eq!(places, ["left 0 #1", "left 0 #2", "left 1 #1", "left 1 #2", "right 0 #1"]);
    let last = BatchOutcome { inlet: "right", partition: 0, offsets: vec![0], acknowledged: true };
    assert_eq!(outcome.batches().last(), Some(&last));
}

#[test]
fn skipped_is_what_nothing_was_emitted_of() {
    let outcome = run(&["skip", "fresh", "x", "skip"]);
    assert_eq!(outcome.skipped(), [Record::new("skip"), Record::new("skip")]);
    assert_eq!(outcome.records("out")[0], Record::new("x"));
}

#[test]
fn every_part_survives() {
    let whole = Record::tombstone("k").header("a", b"\xff").null_header("b").offset(41).timestamp_ms(5);
    let outcome = Harness::<Puppet>::new().put("right", whole.clone()).put("right", Record::new("x")).run();
    let [first, second] = outcome.records("out") else { panic!("two emits") };
    assert_eq!(*first, whole);
    assert_eq!((first.offset, first.timestamp_ms, first.partition), (Some(41), 5, Some(0)));
    assert_eq!(second.offset, Some(42));
}

#[test]
fn settings_are_texts_or_values() {
    let harness = || Harness::<Puppet>::new().put("left", Record::new("settings"));
    let check = |harness: Harness<Puppet>, expect: &str| assert_eq!(harness.run().records("out")[0].text(), expect);
    check(harness(), "100ms 1048576 0.5 x");
    check(harness().set("wait", "2 s").set("room", "1 KiB").set("rate", "2").set("mark", "y"), "2s 1024 2 y");
    let (wait, room) = (Duration::from_micros(7), MemorySize::from_bytes(3));
    check(harness().set("wait", wait).set("room", room).set("rate", 1.5), "7µs 3 1.5 x");
}

#[test]
fn a_misuse_ends_the_test() {
    let text = |run: fn()| *catch_unwind(run).unwrap_err().downcast::<String>().unwrap();
    assert_eq!(
        text(|| _ = Harness::<Puppet>::new().put("nope", Record::new(""))),
        r#"the streamlet declares no inlet "nope""#
    );
    assert_eq!(text(|| _ = run(&[]).records("nope")), r#"the streamlet declares no outlet "nope""#);
    let missing = text(|| super::check_descriptor::<Puppet>("no/such.json"));
    assert!(missing.starts_with("cannot read the descriptor file no/such.json: "), "{missing}");
    assert!(missing.ends_with("; write it anew with `streamlet descriptor . --out no/such.json`"), "{missing}");
    let other = text(|| super::check_descriptor::<Puppet>("../examples/cart-router/flow/descriptor.json"));
    assert!(other.contains("is not the streamlet's: line "), "{other}");
    let falling = || {
        let record = || Record::new("").offset(2);
        _ = Harness::<Puppet>::new().put_all("left", [record(), record()]).run();
    };
    assert_eq!(text(falling), "offset 2 of partition 0 was put after offset 2");
    let settings = text(|| _ = Harness::<Puppet>::new().set("rate", "much").set("nope", 1).run());
    assert!(settings.contains("rate") && settings.contains("nope"), "{settings}");
}
