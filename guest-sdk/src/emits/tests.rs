//! The tables that emits become, word by word.

use super::buffer::{FLUSH_ARENA_BYTES, FLUSH_ROWS};
use super::*;
use crate::batch::Batch;
use crate::record::Header;
use crate::table::BatchTables;

const OUTLETS: &[PortDeclaration] =
    &[PortDeclaration { name: "valid", schema: "x.v1" }, PortDeclaration { name: "review", schema: "x.v1" }];
const VALID: Outlet = Outlet::at(0);
const REVIEW: Outlet = Outlet::at(1);

/// One record: key `k`, value `v`, headers `a: 1` and `b: null`.
fn batch() -> Batch {
    Batch::new(BatchTables {
        arena: b"kva1b".to_vec(),
        times: vec![7, 0],
        records: vec![0, 1, 1, 1, 0, 2],
        headers: vec![2, 1, 3, 1, 4, 1, NONE, 0],
        ..BatchTables::default()
    })
    .unwrap()
}

#[track_caller]
fn check(write: impl FnOnce(&mut Emits, Record<'_>), emits: &[u32], arena: &str, headers: &[u32]) {
    let mut out = Emits::new(OUTLETS, 1);
    write(&mut out, batch().get(0).unwrap());
    let tables = out.finish().unwrap();
    assert_eq!(tables.emits, emits);
    assert_eq!(str::from_utf8(&tables.arena), Ok(arena));
    assert_eq!(tables.headers, headers);
}

const WHOLE: [u32; 6] = [FROM_SOURCE, 0, FROM_SOURCE, 0, 0, FROM_SOURCE];

#[test]
fn a_forward_is_an_index() {
    check(
        |out, record| {
            out.forward(REVIEW, record);
            out.forward(VALID, record);
        },
        &[[1, 0].as_slice(), &WHOLE, &[0, 0], &WHOLE].concat(),
        "",
        &[],
    );
}

#[test]
fn parts_are_replaced_one_by_one() {
    let set = |write: fn(&mut Emits, Record<'_>), row: [u32; 6], arena: &str, headers: &[u32]| {
        check(write, &[[0, 0].as_slice(), &row].concat(), arena, headers);
    };
    let [k, _, v, _, _, h] = WHOLE;
    set(|out, r| _ = out.forward(VALID, r).value("new"), [k, 0, 0, 3, 0, h], "new", &[]);
    set(|out, r| _ = out.forward(VALID, r).key(b"new"), [0, 3, v, 0, 0, h], "new", &[]);
    set(|out, r| _ = out.forward(VALID, r).key(""), [0, 0, v, 0, 0, h], "", &[]);
    set(|out, r| _ = out.forward(VALID, r).without_key(), [NONE, 0, v, 0, 0, h], "", &[]);
    set(|out, r| _ = out.forward(VALID, r).null_value(), [k, 0, NONE, 0, 0, h], "", &[]);
    set(|out, r| _ = out.forward(VALID, r).json(&[1, 2]), [k, 0, 0, 5, 0, h], "[1,2]", &[]);
    set(|out, r| _ = out.forward(VALID, r).headers([("", ""); 0]), [k, 0, v, 0, 0, 0], "", &[]);
    let more = [0, 1, 1, 1, 2, 1, NONE, 0, 3, 1, 4, 2];
    set(|out, r| _ = out.forward(VALID, r).header("c", "22"), [k, 0, v, 0, 0, 3], "a1bc22", &more);
    let reversed = [0, 1, NONE, 0, 1, 1, 2, 1];
    set(|out, r| _ = out.forward(VALID, r).headers(r.headers().rev()), [k, 0, v, 0, 0, 2], "ba1", &reversed);
}

#[test]
fn headers_of_neighbours_do_not_mix() {
    let mut out = Emits::new(OUTLETS, 1);
    let batch = batch();
    let record = batch.get(0).unwrap();
    out.forward(VALID, record).headers([("x", "1")]).null_header("y");
    out.emit(REVIEW).header("z", b"\xff");
    out.forward(VALID, record).headers([Header { name: "n", value: None }]).headers([("m", "2")]);
    let tables = out.finish().unwrap();
    let (rows, _) = tables.emits.as_chunks::<8>();
    let counts: Vec<&[u32]> = rows.iter().map(|row| &row[6..]).collect();
    assert_eq!(counts, [[0, 2], [2, 1], [4, 1]], "the third's first list is left behind");
}

#[test]
fn a_new_record_has_no_key_and_an_empty_value() {
    check(|out, _| _ = out.emit(REVIEW), &[1, NONE, NONE, 0, 0, 0, 0, 0], "", &[]);
    check(|out, _| _ = out.emit(VALID).key("k").value("v"), &[0, NONE, 0, 1, 1, 1, 0, 0], "kv", &[]);
    check(|out, _| _ = out.tombstone(VALID, "k"), &[0, NONE, 0, 1, NONE, 0, 0, 0], "k", &[]);
}

#[test]
fn outlets_are_found_by_name() {
    let out = Emits::new(OUTLETS, 1);
    assert_eq!(out.outlet("review").unwrap(), REVIEW);
    assert_eq!(out.outlet("nope").unwrap_err().to_string(), "emit to undeclared outlet 'nope'");
}

#[test]
fn what_is_no_json_is_withdrawn_and_not_quoted() {
    struct Refusing;
    impl serde::Serialize for Refusing {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("s3cr3t"))
        }
    }
    let mut out = Emits::new(OUTLETS, 1);
    out.emit(VALID).value("kept");
    let batch = batch();
    let mut emit = out.forward(REVIEW, batch.get(0).unwrap());
    let error = emit.json(&[Some(Refusing)]).unwrap_err();
    assert_eq!(error.to_string(), "value cannot be written as JSON: its type refuses");
    emit.key("k").header("a", "b").without_key();
    let error = out.emit(VALID).json(&std::collections::HashMap::from([((), 1)])).unwrap_err();
    assert_eq!(error.to_string(), "value cannot be written as JSON: key must be a string");
    assert_eq!(out.finish().unwrap().emits.len(), 8);
}

#[test]
fn parts_are_handed_over_in_order_before_the_next_emit() {
    let mut out = Emits::new(OUTLETS, 1);
    let half = vec![b'x'; FLUSH_ARENA_BYTES / 2];
    for n in ["0", "1", "2", "3", "4"] {
        out.emit(VALID).key(n).value(&half).header("n", n);
    }
    let parts = out.into_parts().unwrap();
    let keys: Vec<Vec<u8>> = parts
        .iter()
        .map(|Part { tables, .. }| {
            let (rows, _) = tables.emits.as_chunks::<8>();
            rows.iter().map(|row| tables.arena[row[2] as usize]).collect()
        })
        .collect();
    assert_eq!(keys, [b"01".to_vec(), b"23".to_vec(), b"4".to_vec()]);

    let mut out = Emits::new(OUTLETS, 1);
    for _ in 0..=FLUSH_ROWS {
        out.emit(VALID);
    }
    let sizes: Vec<usize> = out.into_parts().unwrap().iter().map(|part| part.tables.emits.len() / 8).collect();
    assert_eq!(sizes, [FLUSH_ROWS, 1]);
}

#[test]
fn too_much_is_an_error_and_never_wraps() {
    let over = |write: fn(&mut Emits)| {
        let mut out = Emits::new(OUTLETS, 1);
        out.bound(4);
        write(&mut out);
        out.finish().err().map(|error| error.to_string())
    };
    let expected = "an emit with its predecessors is larger than the 4 bytes that can be handed over";
    assert_eq!(over(|out| _ = out.emit(VALID).value("1234")), None);
    assert_eq!(over(|out| _ = out.emit(VALID).value("12345").key("k")).as_deref(), Some(expected));
    assert_eq!(over(|out| _ = out.emit(VALID).key("123").value("45")).as_deref(), Some(expected));
    assert_eq!(over(|out| _ = out.emit(VALID).json("345")).as_deref(), Some(expected));
    assert_eq!(over(|out| _ = out.emit(VALID).header("1234", "5")).as_deref(), Some(expected));
}
