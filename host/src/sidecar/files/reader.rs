//! Reads an inlet's inputs, line by line, and places each record in its partition.

use std::io::Read;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::envelope::{self, EnvelopeError};
use super::intake::{Incoming, Intake, Origin};
use super::key_field::{self, KeyError};
use super::partitioner::Partitioner;
use super::settings::{Format, Opened};
use crate::batch::{BatchFull, Header};

/// Bytes read at once.
const READ_BYTES: usize = 256 * 1024;
/// Bytes of a line: what the platform accepts as a message.
pub(super) const LINE_BYTES_MAX: usize = 16 << 20;

/// An input that cannot be read on. What was read before is processed.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The system's word.
    #[error("cannot read on in \"{input}\" after line {line}")]
    Broken {
        /// The input's path, or `-`.
        input: String,
        /// The last whole line.
        line: u64,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line that is no record.
    #[error("{input}:{line}")]
    Line {
        /// The input's path, or `-`.
        input: String,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it; never quotes it.
        #[source]
        problem: LineError,
    },
}

/// What is wrong with a line. Texts name columns and kinds, never what the line holds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No line ends in so many bytes.
    #[error("the line is longer than {LINE_BYTES_MAX} bytes; is this file really one record a line?")]
    TooLong,
    /// It is no envelope.
    #[error("the line is no envelope: {0}; without --envelope, lines are values")]
    Envelope(EnvelopeError),
    /// Its key cannot be found.
    #[error("the line gives no key: {0}")]
    Key(KeyError),
    /// It is too large for any batch.
    #[error("{0}")]
    Full(BatchFull),
}

/// Reads the inputs of one inlet.
pub(super) struct Reader<'a> {
    intake: &'a Intake,
    inlet: u32,
    format: Format,
    partitioner: Partitioner,
    /// When the bytes at hand were read, in milliseconds since 1970.
    now_ms: i64,
    /// The line at hand, counted from 1.
    line: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn new(intake: &'a Intake, inlet: u32, format: Format, partitions: u32) -> Self {
        Self { intake, inlet, format, partitioner: Partitioner::new(partitions), now_ms: 0, line: 0 }
    }

    /// Reads all inputs to their end, or until nobody wants more. Whatever lines are whole reach their lanes before the
    /// next read, which may block for ever.
    pub(super) fn read(&mut self, inputs: Vec<Opened>) -> Result<(), InputError> {
        for input in inputs {
            self.line = 0;
            let name = Arc::clone(&input.name);
            let read = self.read_input(input);
            self.intake.wake(self.inlet);
            read.map_err(|ended| match ended {
                Stop::Broken(source) => InputError::Broken { input: name.to_string(), line: self.line, source },
                Stop::Line(problem) => InputError::Line { input: name.to_string(), line: self.line, problem },
            })?;
        }
        Ok(())
    }

    fn read_input(&mut self, mut input: Opened) -> Result<(), Stop> {
        let mut chunk = vec![0; READ_BYTES];
        let mut partial = Vec::new();
        while self.intake.wants(self.inlet) {
            let count = match input.bytes.read(&mut chunk) {
                Ok(0) => {
                    return if partial.is_empty() { Ok(()) } else { self.take_line(&partial, &input.name) };
                }
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Stop::Broken(error)),
            };
            self.now_ms = now_ms();
            let mut rest = chunk.get(..count).unwrap_or_default();
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (line, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                if partial.is_empty() {
                    self.take_line(line, &input.name)?;
                } else {
                    partial.extend_from_slice(line);
                    self.take_line(&partial, &input.name)?;
                    partial.clear();
                }
            }
            partial.extend_from_slice(rest);
            if partial.len() > LINE_BYTES_MAX {
                self.line += 1;
                return Err(Stop::Line(LineError::TooLong));
            }
            self.intake.wake(self.inlet);
        }
        Ok(())
    }

    /// Makes a record of a line, its end cut off. A blank line is none.
    fn take_line(&mut self, line: &[u8], input: &Arc<str>) -> Result<(), Stop> {
        self.line += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        self.place(line, input).map_err(Stop::Line)
    }

    fn place(&mut self, line: &[u8], input: &Arc<str>) -> Result<(), LineError> {
        match &self.format {
            Format::Plain { key_field: None } => self.push(None, Some(line), std::iter::empty(), input),
            Format::Plain { key_field: Some(field) } => {
                let key = key_field::find(line, field).map_err(LineError::Key)?;
                self.push(key.as_deref(), Some(line), std::iter::empty(), input)
            }
            Format::Envelope => {
                let envelope = envelope::read(line).map_err(LineError::Envelope)?;
                let headers = envelope
                    .headers
                    .iter()
                    .map(|(name, value)| Header { name: name.as_bytes(), value: value.as_deref() });
                self.push(envelope.key.as_deref(), envelope.value.as_deref(), headers, input)
            }
        }
    }

    fn push<'r>(
        &mut self,
        key: Option<&'r [u8]>,
        value: Option<&'r [u8]>,
        headers: impl Iterator<Item = Header<'r>> + Clone,
        input: &Arc<str>,
    ) -> Result<(), LineError> {
        let record = Incoming { timestamp_ms: self.now_ms, key, value, headers };
        let origin = Origin { input: Arc::clone(input), line: self.line };
        let place = (self.inlet, self.partitioner.place(key));
        self.intake.push(place, &record, origin).map_err(LineError::Full)
    }
}

/// Why an input's reading ended early.
enum Stop {
    Broken(std::io::Error),
    Line(LineError),
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
