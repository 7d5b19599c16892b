//! Standard error, shared by the log, the reports and the progress line: one thread writes, so that none of them tears
//! another apart and nobody waits for a reader who has paused.
//!
//! People read errors and reports as plain lines; where the log is JSON they are log events too, under the target
//! [`REPORT`], which no filter silences. Log lines wait in a bounded queue; when it is full they are dropped, counted, and the count is told. Reports are few
//! and are kept. [`Console::finish`] waits for what is queued, as long as somebody reads.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::fmt::MakeWriter;

/// Clears the terminal's current line.
const CLEAR_LINE: &str = "\r\x1b[K";
/// Goes to the line above.
const LINE_UP: &str = "\x1b[A";
/// The target of the events that a command owes its user.
pub const REPORT: &str = "report";
/// Bytes of log lines that may wait.
const LOG_BYTES_MAX: usize = 1 << 20;
/// How long the end waits for a reader that takes nothing.
const STALLED_WAIT: Duration = Duration::from_secs(1);

/// A handle to standard error. Clones share it.
#[derive(Debug, Clone)]
pub struct Console(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    /// Errors are log events.
    is_json: AtomicBool,
}

#[derive(Debug, Default)]
struct Queue {
    texts: VecDeque<Text>,
    log_bytes: usize,
    dropped_log_lines: u64,
    /// How many texts have been written.
    written: u64,
    /// A text is being written.
    is_writing: bool,
}

#[derive(Debug)]
enum Text {
    Log(Vec<u8>),
    Report(Vec<u8>),
    Progress(String),
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}

impl Console {
    /// Starts the thread that writes. Where the system refuses one, nothing is ever shown.
    pub fn new() -> Self {
        let shared = Arc::<Shared>::default();
        let writing = Arc::clone(&shared);
        // Without the thread the queue fills up and drops, which is all that can be done.
        let _ = thread::Builder::new().name("console".into()).spawn(move || writing.write_for_ever());
        Self(shared)
    }

    /// From now on errors are log events: somebody reads the log as JSON.
    pub fn speak_json(&self) {
        self.0.is_json.store(true, Ordering::Relaxed);
    }

    /// Whether somebody watches.
    pub fn is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    /// Whether a progress line is for somebody who watches, and not in the way of a program that reads JSON.
    pub fn shows_progress(&self) -> bool {
        self.is_terminal() && !self.0.is_json.load(Ordering::Relaxed)
    }

    /// Writes a text on lines of its own.
    pub fn line(&self, text: &str) {
        self.0.push(Text::Report(format!("{text}\n").into_bytes()));
    }

    /// Writes a text that may come by the thousand: like a log line, it is dropped, and counted, when nobody reads.
    pub fn note(&self, text: &str) {
        self.0.push(Text::Log(format!("{text}\n").into_bytes()));
    }

    /// Writes an error as people, or programs, expect it.
    pub fn error(&self, text: &str) {
        if self.0.is_json.load(Ordering::Relaxed) {
            tracing::error!(target: REPORT, "{text}");
        } else {
            self.line(&format!("error: {text}"));
        }
    }

    /// Shows progress, on one line or several, in place of the last; an empty one goes away.
    pub fn progress(&self, text: &str) {
        self.0.push(Text::Progress(text.to_owned()));
    }

    /// Waits until everything is written, or until nothing has been taken for a while.
    pub fn finish(&self) {
        let mut queue = self.0.queue();
        let (mut written, mut since) = (queue.written, Instant::now());
        while !queue.texts.is_empty() || queue.is_writing {
            if queue.written != written {
                (written, since) = (queue.written, Instant::now());
            }
            let Some(left) = STALLED_WAIT.checked_sub(since.elapsed()) else { return };
            (queue, _) = self.0.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Shared {
    fn push(&self, text: Text) {
        let mut queue = self.queue();
        match &text {
            Text::Log(line) if queue.log_bytes + line.len() > LOG_BYTES_MAX => {
                queue.dropped_log_lines += 1;
                return;
            }
            Text::Log(line) => queue.log_bytes += line.len(),
            // A newer progress line makes one that waits pointless.
            Text::Progress(_) => queue.texts.retain(|waiting| !matches!(waiting, Text::Progress(_))),
            Text::Report(_) => {}
        }
        queue.texts.push_back(text);
        self.changed.notify_all();
    }

    fn write_for_ever(&self) {
        let mut progress = String::new();
        loop {
            let (text, dropped) = self.next();
            let bytes = match text {
                Text::Progress(text) if text == progress => Vec::new(),
                Text::Progress(text) => {
                    let clear = cleared(&std::mem::replace(&mut progress, text));
                    format!("{clear}{progress}").into_bytes()
                }
                Text::Log(bytes) | Text::Report(bytes) if progress.is_empty() => bytes,
                Text::Log(bytes) | Text::Report(bytes) => {
                    [cleared(&progress).as_bytes(), &bytes, progress.as_bytes()].concat()
                }
            };
            // Nobody is left to be told that standard error cannot be written.
            let _ = io::stderr().lock().write_all(&bytes);
            let mut queue = self.queue();
            queue.is_writing = false;
            queue.written += 1;
            drop(queue);
            self.changed.notify_all();
            if dropped > 0 {
                tracing::warn!(target: "streamlet", dropped, "log lines were dropped: they came faster than they were read");
            }
        }
    }

    /// The next text, and how many log lines were dropped before it.
    fn next(&self) -> (Text, u64) {
        let mut queue = self.queue();
        loop {
            if let Some(text) = queue.texts.pop_front() {
                if let Text::Log(line) = &text {
                    queue.log_bytes = queue.log_bytes.saturating_sub(line.len());
                }
                queue.is_writing = true;
                // Told once there is room for the telling.
                let told = queue.log_bytes < LOG_BYTES_MAX / 2;
                let dropped = if told { std::mem::take(&mut queue.dropped_log_lines) } else { 0 };
                return (text, dropped);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing panics while it holds the lock.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What takes the lines of a progress away from the terminal, from the end of the last one on.
fn cleared(progress: &str) -> String {
    let lines_above = progress.matches('\n').count();
    CLEAR_LINE.to_owned() + &format!("{LINE_UP}{CLEAR_LINE}").repeat(lines_above)
}

/// Writes log events.
#[derive(Debug)]
pub struct LogWriter {
    shared: Arc<Shared>,
    is_report: bool,
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = if self.is_report { Text::Report } else { Text::Log };
        self.shared.push(text(bytes.to_vec()));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Console {
    type Writer = LogWriter;

    fn make_writer(&self) -> LogWriter {
        LogWriter { shared: Arc::clone(&self.0), is_report: false }
    }

    fn make_writer_for(&self, event: &tracing::Metadata<'_>) -> LogWriter {
        LogWriter { shared: Arc::clone(&self.0), is_report: event.target() == REPORT }
    }
}
