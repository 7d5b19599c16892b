//! More than anybody wants: lines, lines without an end, bytes that are no text, and emits.

use std::io::{Write, stderr, stdout};

use streamlet::prelude::*;

/// Bytes written at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// Lines before an abort.
const LAST_LINES: usize = 10_000;
/// Emits of one batch.
const EMITS: usize = 100_000_000;

/// Floods as `word` says.
pub(crate) fn act(word: &str, record: Record<'_>, outlet: Outlet, out: &mut Emits) {
    match word {
        "lines" => lines_for_ever(),
        "line" => write_for_ever(&mut stdout(), &vec![b'x'; CHUNK_BYTES]),
        "error-line" => write_for_ever(&mut stderr(), &vec![b'x'; CHUNK_BYTES]),
        "error-lines" => write_for_ever(&mut stderr(), &b"a line of stderr that says nothing\n".repeat(1000)),
        "no-text" => write_for_ever(&mut stderr(), &[0xff, 0x1b, b'[', b'2', b'J', 0xc3, b'\n'].repeat(8000)),
        "last-words" => {
            for line in 0..LAST_LINES {
                write_once(&mut stderr(), format!("line {line} \u{1b}[31m").as_bytes());
                write_once(&mut stderr(), b"\xff\r\n");
            }
            std::process::abort();
        }
        "emits" => {
            for _ in 0..EMITS {
                out.forward(outlet, record);
            }
        }
        _ => {}
    }
}

/// Ten gigabytes of lines and more, if the deadline lets it.
#[inline(never)]
pub(crate) fn lines_for_ever() {
    let line = [b'x'; 99];
    let lines = [&line[..], b"\n"].concat().repeat(CHUNK_BYTES / 100);
    write_for_ever(&mut stdout(), &lines);
}

fn write_for_ever(stream: &mut impl Write, chunk: &[u8]) -> ! {
    loop {
        write_once(stream, chunk);
    }
}

/// Nobody can be told of what cannot be written.
fn write_once(stream: &mut impl Write, chunk: &[u8]) {
    let _ = stream.write_all(chunk);
}
