//! Cases in the text format: what no compiler makes a component do.

use std::fmt::Write as _;

use streamlet_tests::text_guests::Places;

use super::Case;

/// A loop of nothing.
const SPIN: &str = "(loop (br 0))";
/// An emit that forwards the batch's first record, at 640.
const EMIT: &str = r#"(data (i32.const 640) "\00\00\00\00" "\00\00\00\00" "\fe\ff\ff\ff" "\00\00\00\00" "\fe\ff\ff\ff"
    "\00\00\00\00" "\00\00\00\00" "\fe\ff\ff\ff")"#;

fn fields(fields: &'static str, does: &'static str) -> Case {
    Case::text(Places { fields: fields.into(), ..Places::default() }, does)
}

fn realloc(realloc: &'static str, does: &'static str) -> Case {
    Case::text(Places { realloc: realloc.into(), ..Places::default() }, does)
}

fn describe(describe: &'static str, does: &'static str) -> Case {
    Case::text(Places { describe: describe.into(), ..Places::default() }, does)
}

fn start(start: &'static str, does: &'static str) -> Case {
    Case::text(Places { start: start.into(), ..Places::default() }, does)
}

fn process(process: &'static str, does: &'static str) -> Case {
    Case::text(Places { fields: EMIT.into(), process: process.into(), ..Places::default() }, does)
}

fn returned(returned: &'static str, does: &'static str) -> Case {
    Case::text(Places { returned: returned.into(), ..Places::default() }, does)
}

pub(super) fn time() -> Vec<Case> {
    let whole = "(i32.shl (memory.size) (i32.const 16))";
    let of_whole = |instruction: &str| Places {
        process: format!("(drop (memory.grow (i32.const 4000))) (loop {instruction} (br 0))").into(),
        ..Places::default()
    };
    vec![
        fields("(func $spin (loop (br 0))) (start $spin)", "loops when it is instantiated"),
        realloc(SPIN, "loops in its allocator"),
        returned(SPIN, "loops after it has returned"),
        Case::text(
            of_whole(&format!("(memory.fill (i32.const 0) (i32.const 7) {whole})")),
            "fills its whole memory over and over",
        ),
        Case::text(
            of_whole(&format!("(memory.copy (i32.const 0) (i32.const 65536) (i32.sub {whole} (i32.const 65536)))")),
            "copies its whole memory over and over",
        ),
    ]
}

pub(super) fn memory() -> Vec<Case> {
    // Each has 16 MiB, and 90 of them are more than one may have.
    let mut memories = Places::default();
    for memory in 0..90 {
        let _ = write!(memories.fields.to_mut(), "(memory $m{memory} 1)");
        let _ = write!(
            memories.process.to_mut(),
            "(if (i32.eq (memory.grow $m{memory} (i32.const 255)) (i32.const -1)) (then unreachable))"
        );
    }
    let grow =
        "(if (i32.eq (table.grow $table (ref.null func) (i32.const 100000000)) (i32.const -1)) (then unreachable))";
    let table = Places { fields: "(table $table 1 funcref)".into(), process: grow.into(), ..Places::default() };
    vec![
        Case::text(memories, "grows 90 memories by 16 MiB each"),
        fields("(memory 16384)", "declares a second memory of 1 GiB"),
        Case::text(table, "grows a table by 100 million elements"),
        fields("(table 20000 funcref)", "declares a table of 20,000 elements"),
    ]
}

pub(super) fn ends() -> Vec<Case> {
    vec![
        process("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "divides by zero"),
        process("(drop (i32.load (i32.const -4)))", "reads far outside of its memory"),
        fields("(func $trap unreachable) (start $trap)", "aborts when it is instantiated"),
        realloc("unreachable", "aborts in its allocator"),
        returned("unreachable", "aborts after it has returned"),
    ]
}

pub(super) fn output() -> Vec<Case> {
    let flush = "(call $flush (i32.const 0) (i32.const 0) (i32.const 640) (i32.const 8) (i32.const 0) (i32.const 0))";
    let empty = "(loop (call $flush (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)) (br 0))";
    let fails = "(i32.store (i32.const 512) (i32.const 1)) (i32.store (i32.const 516) (i32.const 2048)) \
                 (i32.store (i32.const 520) (i32.const 4)) (i32.store (i32.const 524) (i32.const 0)) (return (i32.const 512))";
    let place = |process: String| Places { fields: EMIT.into(), process: process.into(), ..Places::default() };
    let outside =
        "(call $flush (i32.const 0x7fffff00) (i32.const 100) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))";
    let early = "(call $flush (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))";
    vec![
        Case::text(place(format!("(loop {flush} (br 0))")), "flushes an emit for ever"),
        Case::text(place(empty.into()), "flushes nothing for ever"),
        Case::text(place(format!("{flush} {fails}")), "flushes an emit, then fails"),
        Case::text(place(format!("{flush} unreachable")), "flushes an emit, then aborts"),
        Case::text(place(outside.into()), "flushes what lies outside of its memory"),
        start(early, "flushes in `start`"),
        describe(early, "flushes in `describe`"),
    ]
}

/// What the engine itself refuses to read.
pub(super) fn answers() -> Vec<Case> {
    vec![
        process("(return (i32.const 0x7ffffff0))", "answers from outside of its memory"),
        process("(return (i32.const 513))", "answers from an address that is not aligned"),
        process("(i32.store8 (i32.const 512) (i32.const 7)) (return (i32.const 512))", "answers neither well nor ill"),
        process(
            "(memory.fill (i32.const 512) (i32.const 0) (i32.const 28)) (i32.store (i32.const 520) (i32.const -1)) \
             (return (i32.const 512))",
            "answers with an arena of 4 GiB",
        ),
        process(
            "(i32.store (i32.const 512) (i32.const 1)) (i32.store (i32.const 516) (i32.const 648)) \
             (i32.store (i32.const 520) (i32.const 4)) (i32.store (i32.const 524) (i32.const 0)) (return (i32.const 512))",
            "fails with what is no text",
        ),
        process(
            "(drop (memory.grow (i32.const 1600))) (i32.store (i32.const 512) (i32.const 1)) \
             (i32.store (i32.const 516) (i32.const 65536)) (i32.store (i32.const 520) (i32.const 100000000)) \
             (i32.store (i32.const 524) (i32.const 0)) (return (i32.const 512))",
            "fails with 100 MB of text",
        ),
        realloc("(return (i32.const 0x7fffff00))", "allocates outside of its memory"),
        realloc("(return (i32.const 65537))", "allocates where nothing is aligned"),
    ]
}

pub(super) fn describing() -> Vec<Case> {
    vec![
        describe(
            "(drop (memory.grow (i32.const 400))) (i32.store (i32.const 1056) (i32.const 131072)) \
             (i32.store (i32.const 1060) (i32.const 1000000))",
            "declares a million inlets",
        ),
        describe(
            "(i32.store (i32.const 1056) (i32.const 65536)) (i32.store (i32.const 1060) (i32.const 1000))",
            "declares a thousand inlets without names",
        ),
        describe(
            "(call $random (i64.const 1) (i32.const 600)) \
             (i32.store8 (i32.const 2053) (i32.add (i32.const 97) (i32.and (i32.load8_u (i32.load (i32.const 600))) (i32.const 15))))",
            "describes itself by another name each time",
        ),
    ]
}

pub(super) fn starting() -> Vec<Case> {
    vec![start(
        "(drop (memory.grow (i32.const 160))) (memory.fill (i32.const 65536) (i32.const 120) (i32.const 10000000)) \
         (i32.store (i32.const 512) (i32.const 1)) (i32.store (i32.const 516) (i32.const 65536)) \
         (i32.store (i32.const 520) (i32.const 10000000)) (return (i32.const 512))",
        "fails in `start` with 10 MB of text",
    )]
}

pub(super) fn calls() -> Vec<Case> {
    vec![
        process(
            "(loop (drop (call $subscribe (i64.const 3600000000000))) (br 0))",
            "asks for timers for ever and drops none",
        ),
        process(
            "(local.set $row (call $subscribe (i64.const 3600000000000))) (drop (memory.grow (i32.const 8))) \
             (loop (i32.store (i32.add (i32.const 131072) (i32.shl (local.get $record) (i32.const 2))) (local.get $row)) \
               (br_if 0 (i32.lt_u (local.tee $record (i32.add (local.get $record) (i32.const 1))) (i32.const 100000)))) \
             (call $poll (i32.const 131072) (i32.const 100000) (i32.const 600))",
            "waits for one timer 100,000 times at once",
        ),
        process("(call $poll (i32.const 0) (i32.const 0) (i32.const 600))", "waits for nothing"),
        process(
            "(loop (call $random (i64.const 16777216) (i32.const 600)) (global.set $next (i32.const 65536)) (br 0))",
            "asks for 16 MiB of random bytes for ever",
        ),
    ]
}
