//! More than anybody wants: lines, lines without an end, bytes that are no text, and emits.

use std::io::{Write as _, stderr, stdout};

use streamlet::prelude::*;

/// Bytes written at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// Bytes written to the standard output, for whoever lets it.
const FLOOD_BYTES: u64 = 10 << 30;
/// Lines before an abort.
const LAST_LINES: usize = 10_000;
/// Emits of one batch.
const EMITS: usize = 100_000_000;

/// Floods as `word` says.
pub(crate) fn act(word: &str, record: Record<'_>, outlet: Outlet, out: &mut Emits) {
    match word {
        "lines" => lines_for_ever(),
        "line" => write(&mut stdout(), &[b'x'; CHUNK_BYTES]),
        "error-line" => write(&mut stderr(), &[b'x'; CHUNK_BYTES]),
        "error-lines" => write(&mut stderr(), &b"a line of stderr that says nothing\n".repeat(1000)),
        "no-text" => write(&mut stderr(), &[0xff, 0x1b, b'[', b'2', b'J', 0xc3, b'\n'].repeat(8000)),
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

/// Ten gigabytes of lines, that is until the deadline.
#[inline(never)]
pub(crate) fn lines_for_ever() {
    let line = [b'x'; 99];
    let lines = [&line[..], b"\n"].concat().repeat(CHUNK_BYTES / 100);
    write(&mut stdout(), &lines);
}

fn write(stream: &mut impl std::io::Write, chunk: &[u8]) {
    let mut written = 0;
    while written < FLOOD_BYTES {
        write_once(stream, chunk);
        written += chunk.len() as u64;
    }
}

/// Nobody can be told of what cannot be written.
fn write_once(stream: &mut impl std::io::Write, chunk: &[u8]) {
    let _ = stream.write_all(chunk);
}
