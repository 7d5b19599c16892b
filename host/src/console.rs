//! Standard error, shared by the log, the reports and the progress line: one writer, so that none of them tears another
//! apart.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Clears the terminal's current line.
const CLEAR_LINE: &str = "\r\x1b[K";

/// A handle to standard error. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Console(Arc<Mutex<Screen>>);

/// What stands on the terminal's last line.
#[derive(Debug, Default)]
struct Screen {
    progress: String,
}

impl Console {
    /// A console with nothing on it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether somebody watches.
    pub fn is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Writes a text on lines of its own.
    pub fn line(&self, text: &str) {
        self.write(format!("{text}\n").as_bytes());
    }

    /// Writes an error as people expect it.
    pub fn error(&self, text: &str) {
        self.line(&format!("error: {text}"));
    }

    /// Shows a progress line in place of the last one; an empty one goes away.
    pub fn progress(&self, text: &str) {
        let mut screen = self.screen();
        if text != screen.progress {
            text.clone_into(&mut screen.progress);
            write(format!("{CLEAR_LINE}{text}").as_bytes());
        }
    }

    /// Writes above the progress line.
    fn write(&self, bytes: &[u8]) {
        let screen = self.screen();
        if screen.progress.is_empty() {
            write(bytes);
        } else {
            write(&[CLEAR_LINE.as_bytes(), bytes, screen.progress.as_bytes()].concat());
        }
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nobody is left to be told that standard error cannot be written.
fn write(bytes: &[u8]) {
    let _ = io::stderr().lock().write_all(bytes);
}

/// Writes log events.
#[derive(Debug)]
pub struct LogWriter(Console);

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Console {
    type Writer = LogWriter;

    fn make_writer(&self) -> LogWriter {
        LogWriter(self.clone())
    }
}
