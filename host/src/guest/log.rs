//! A guest's standard output and error: log lines while it lives, last words when it dies.
//!
//! Each line becomes a log event under the target `guest` with the streamlet's name, the inlet and the partition. A
//! line is cut at [`LINE_BYTES_MAX`], and what is not printable text is escaped, so that a guest can neither fill the
//! log with one endless line nor write terminal sequences, and a lane's lines have a rate (`owner`). The end of the standard error is kept, bounded, for the
//! failure's text. A panic's report is held back: if the guest dies of it, the failure carries it; if not, it is logged
//! when the call returns.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use wasmtime_wasi::async_trait;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use super::owner::Owner;
use super::text::{cut, printable};

/// Bytes of a line that are logged; the rest is counted and dropped.
pub(super) const LINE_BYTES_MAX: usize = 1024;
/// Bytes of the standard error's end that are kept for a failure's text.
pub(super) const LAST_WORDS_BYTES_MAX: usize = 8 * 1024;
/// Bytes a guest may write at once; it asks before each write.
const WRITE_BYTES_MAX: usize = 64 * 1024;

/// Which of the two streams a line was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Output,
    Error,
}

/// The log of one instance, shared with the streams that write to it.
#[derive(Debug, Clone)]
pub(super) struct GuestLog(Arc<Mutex<Lines>>);

#[derive(Debug)]
struct Lines {
    owner: Arc<Owner>,
    output: Line,
    error: Line,
    /// The last lines of the standard error, escaped.
    last_words: VecDeque<String>,
    last_words_bytes: usize,
    /// How many of the last words are a panic's report that has not been logged.
    held: usize,
}

/// A line being written.
#[derive(Debug, Default)]
struct Line {
    bytes: Vec<u8>,
    dropped: usize,
}

impl GuestLog {
    pub(super) fn new(owner: Arc<Owner>) -> Self {
        Self(Arc::new(Mutex::new(Lines {
            owner,
            output: Line::default(),
            error: Line::default(),
            last_words: VecDeque::new(),
            last_words_bytes: 0,
            held: 0,
        })))
    }

    /// The stream that a guest's WASI context writes to.
    pub(super) fn stream(&self, stream: Stream) -> LogStream {
        LogStream { log: self.clone(), stream }
    }

    /// Ends a call that the guest survived: whatever was held back is logged after all.
    pub(super) fn call_returned(&self) {
        self.lines(|lines| {
            lines.release();
            lines.owner.tell_dropped();
        });
    }

    /// The end of the standard error, for the text of a failure. What was begun without a line end belongs to it.
    pub(super) fn last_words(&self) -> Vec<String> {
        self.lines(|lines| {
            lines.end_line(Stream::Error);
            lines.held = 0;
            lines.last_words_bytes = 0;
            lines.last_words.drain(..).collect()
        })
    }

    fn write(&self, stream: Stream, bytes: &[u8]) {
        self.lines(|lines| {
            let mut rest = bytes;
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (line, after) = rest.split_at(end);
                lines.line(stream).push(line);
                lines.end_line(stream);
                rest = after.get(1..).unwrap_or_default();
            }
            lines.line(stream).push(rest);
        });
    }

    /// A poisoned lock would mean a panic in here, and a log is worth going on with.
    fn lines<T>(&self, act: impl FnOnce(&mut Lines) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Line {
    fn push(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES_MAX.saturating_sub(self.bytes.len()).min(bytes.len());
        let (kept, dropped) = bytes.split_at(room);
        self.bytes.extend_from_slice(kept);
        self.dropped = self.dropped.saturating_add(dropped.len());
    }

    /// The line as text, and an empty line in its place. None where nothing was written.
    fn take(&mut self) -> Option<String> {
        let Self { bytes, dropped } = std::mem::take(self);
        // Escaping makes it longer, up to six times.
        let line = printable(bytes.strip_suffix(b"\r").unwrap_or(&bytes));
        let (mut text, rest) = cut(&line, LINE_BYTES_MAX);
        if dropped > 0 || !rest.is_empty() {
            let mark = if rest.is_empty() { "…" } else { "" };
            let _ = write!(text, "{mark} ({} more bytes)", dropped.saturating_add(rest.len()));
        }
        (!text.is_empty()).then_some(text)
    }
}

impl Lines {
    fn line(&mut self, stream: Stream) -> &mut Line {
        match stream {
            Stream::Output => &mut self.output,
            Stream::Error => &mut self.error,
        }
    }

    fn end_line(&mut self, stream: Stream) {
        let Some(line) = self.line(stream).take() else { return };
        if stream == Stream::Output {
            self.owner.log("stdout", &line);
            return;
        }
        if self.held > 0 || begins_a_panic(&line) {
            self.held += 1;
        } else {
            self.owner.log("stderr", &line);
        }
        self.last_words_bytes += line.len();
        self.last_words.push_back(line);
        while self.last_words_bytes > LAST_WORDS_BYTES_MAX {
            // A held report keeps its beginning, which says what happened; its end is logged like any other line.
            let dropped = if self.held == self.last_words.len() {
                self.held -= 1;
                let line = self.last_words.pop_back();
                line.inspect(|line| self.owner.log("stderr", line))
            } else {
                self.last_words.pop_front()
            };
            self.last_words_bytes -= dropped.map_or(0, |line| line.len());
        }
    }

    /// Logs what was held back and forgets the last words.
    fn release(&mut self) {
        let held = std::mem::take(&mut self.held);
        let skipped = self.last_words.len().saturating_sub(held);
        for line in self.last_words.drain(..).skip(skipped) {
            self.owner.log("stderr", &line);
        }
        self.last_words_bytes = 0;
    }
}

/// Nothing that was written is lost: neither a line without an end nor a report that no failure carried.
impl Drop for Lines {
    fn drop(&mut self) {
        self.end_line(Stream::Output);
        self.end_line(Stream::Error);
        self.release();
    }
}

/// Whether a line is the first of a panic's report, in the form of the SDK's hook or of Rust's own.
pub(super) fn begins_a_panic(line: &str) -> bool {
    line.starts_with("panicked at ") || (line.starts_with("thread '") && line.contains(" panicked at "))
}

/// One of an instance's two streams.
#[derive(Debug, Clone)]
pub(super) struct LogStream {
    log: GuestLog,
    stream: Stream,
}

impl IsTerminal for LogStream {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for LogStream {
    fn async_stream(&self) -> Box<dyn tokio::io::AsyncWrite + Send + Sync> {
        Box::new(self.clone())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for LogStream {
    async fn ready(&mut self) {}
}

impl OutputStream for LogStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        // Who does not ask how much it may write is told here: there are no epoch checks in the host's own code.
        if bytes.len() > WRITE_BYTES_MAX {
            return Err(StreamError::trap(&format!(
                "it writes {} bytes to standard output or error at once; this host takes {WRITE_BYTES_MAX}",
                bytes.len()
            )));
        }
        self.log.write(self.stream, &bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(WRITE_BYTES_MAX)
    }
}

impl tokio::io::AsyncWrite for LogStream {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        self.log.write(self.stream, bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> GuestLog {
        GuestLog::new(Arc::new(Owner::describing(100)))
    }

    #[test]
    fn last_words_are_the_end_of_the_standard_error() {
        let log = log();
        log.write(Stream::Output, b"not this\n");
        log.write(Stream::Error, b"one\ntw");
        log.write(Stream::Error, b"o\r\n\nthree");
        assert_eq!(log.last_words(), ["one", "two", "three"]);
        assert!(log.last_words().is_empty());
    }

    #[test]
    fn a_call_that_returns_forgets_its_last_words() {
        let log = log();
        log.write(Stream::Error, b"fine\n");
        log.call_returned();
        log.write(Stream::Error, b"panicked at src/lib.rs:1:1: gone\n");
        assert_eq!(log.last_words(), ["panicked at src/lib.rs:1:1: gone"]);
    }

    #[test]
    fn last_words_are_bounded_and_a_panic_keeps_its_beginning() {
        let log = log();
        for _ in 0..1000 {
            log.write(Stream::Error, b"before the panic there was a lot to say\n");
        }
        log.write(Stream::Error, b"panicked at src/lib.rs:1:1:\n");
        for _ in 0..1000 {
            log.write(Stream::Error, b"and after it there was a lot more to say\n");
        }
        let words = log.last_words();
        assert_eq!(words.first().map(String::as_str), Some("panicked at src/lib.rs:1:1:"));
        let bytes = words.iter().map(String::len).sum::<usize>();
        assert!((LAST_WORDS_BYTES_MAX / 2..=LAST_WORDS_BYTES_MAX).contains(&bytes), "{bytes}");
    }

    #[test]
    fn escaping_does_not_make_a_line_longer_than_it_may_be() {
        let log = log();
        log.write(Stream::Error, &[0x1b; 1000]);
        log.write(Stream::Error, b"\nx\xe2\x80\xaey\n");
        let words = log.last_words();
        assert!(words[0].len() < LINE_BYTES_MAX + 30 && words[0].ends_with(" more bytes)"), "{}", words[0]);
        assert_eq!(words[1], "x\\u{202e}y", "what turns the direction is shown");
    }

    #[test]
    fn more_than_may_be_written_at_once_is_a_trap() {
        let mut stream = log().stream(Stream::Output);
        assert!(OutputStream::write(&mut stream, Bytes::from(vec![b'\n'; WRITE_BYTES_MAX])).is_ok());
        assert!(OutputStream::write(&mut stream, Bytes::from(vec![b'\n'; WRITE_BYTES_MAX + 1])).is_err());
    }

    #[test]
    fn an_endless_line_is_cut_and_counted() {
        let log = log();
        for _ in 0..1000 {
            log.write(Stream::Error, &[b'x'; 1000]);
        }
        let words = log.last_words();
        assert_eq!(words, [format!("{}… ({} more bytes)", "x".repeat(LINE_BYTES_MAX), 1_000_000 - LINE_BYTES_MAX)]);
    }
}
