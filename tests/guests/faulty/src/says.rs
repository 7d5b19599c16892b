//! What a guest writes to its standard output and error.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the tests look for it in the log")]

use std::io::{Write as _, stderr, stdout};

/// Bytes of a line without an end.
const ENDLESS_BYTES: usize = 1 << 20;

/// Writes what `word` says.
pub(crate) fn act(word: &str) {
    match word {
        "print" => {
            println!("a line of stdout");
            eprintln!("a line of stderr");
        }
        "print-raw" => {
            // Nobody can be told of what cannot be written.
            let _ = stdout().write_all(b"caf\xc3\xa9 \xff\xfe \x1b[31mred\x07\n");
        }
        "print-endless" => {
            let _ = stderr().write_all(&vec![b'x'; ENDLESS_BYTES]);
        }
        "print-panicked" => eprintln!("nobody panicked at this"),
        _ => {}
    }
}

/// Writes one line to the standard output.
pub(crate) fn a_line(text: &str) {
    println!("{text}");
}
