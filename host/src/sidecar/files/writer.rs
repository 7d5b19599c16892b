//! Writes acknowledged emits: one thread, so that a slow terminal or a full pipe never holds a lane's thread.
//!
//! Each batch arrives as one chunk of whole lines per place and is written with one call. What waits is bounded in
//! bytes. A standard output that its reader has closed takes no more, quietly; the writing ends when nothing is left
//! that does, or with a [`WriteError`].

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use streamlet_protocol::Port;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::envelope;
use super::settings::{self, Identity, Location, Settings, SettingsError};
use crate::batch::{Batch, Output};

/// Bytes of lines that may wait for the writer. A batch with more waits alone.
const WAITING_BYTES_MAX: u32 = 16 << 20;
/// Batches that may wait for the writer, however small.
const WAITING_BATCHES_MAX: usize = 1024;

/// The lines of one batch for one place, in the order in which they were emitted.
#[derive(Debug)]
struct Chunk {
    sink: usize,
    lines: Vec<u8>,
}

/// An output that cannot be written on. What was written before is whole lines of acknowledged batches, save perhaps
/// the last.
#[derive(Debug, thiserror::Error)]
#[error("cannot write on to \"{to}\"; its output is incomplete")]
pub struct WriteError {
    to: Location,
    #[source]
    source: io::Error,
}

/// How the writing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// All of it is written.
    All,
    /// The readers of all outputs had enough.
    Closed,
}

/// An opened place to write to.
pub(super) struct Sink {
    location: Location,
    identity: Option<Identity>,
    writer: Box<dyn Write + Send>,
}

/// Opens every output; outlets that go to the same place, under whatever name, share it. Files are emptied only once
/// all is known to be well; one that is also an input is refused.
///
/// Returns the sinks and, by the outlet's index, which one its emits go to.
pub(super) fn open(
    settings: &Settings,
    outlets: &[String],
    inputs: &[Identity],
) -> Result<(Vec<Sink>, Vec<usize>), SettingsError> {
    let (mut sinks, mut files, mut routes) = (Vec::<Sink>::new(), Vec::new(), Vec::new());
    for (outlet, location) in outlets.iter().zip(settings.output_locations(outlets)?) {
        let (sink, file) = sink(&location).map_err(|(path, source)| SettingsError::Uncreatable {
            outlet: outlet.clone(),
            path,
            source,
        })?;
        if sink.identity.is_some_and(|identity| inputs.contains(&identity)) {
            return Err(match location {
                Location::Standard => SettingsError::StandardOutputIsInput,
                Location::File(path) => SettingsError::OutputIsInput(path),
            });
        }
        let is_same = |known: &Sink| {
            known.location == sink.location || (known.identity.is_some() && known.identity == sink.identity)
        };
        if let Some(known) = sinks.iter().position(is_same) {
            routes.push(known);
            continue;
        }
        routes.push(sinks.len());
        sinks.push(sink);
        files.extend(file.map(|(path, file)| (outlet.clone(), path, file)));
    }
    for (outlet, path, file) in files {
        file.set_len(0).map_err(|source| SettingsError::Uncreatable { outlet, path, source })?;
    }
    Ok((sinks, routes))
}

/// A sink, not emptied yet, and the file to empty if it is one. Standard output, under any name, is its caller's to
/// empty: `>>` appends.
#[expect(clippy::type_complexity, reason = "each part is named by what it is")]
fn sink(location: &Location) -> Result<(Sink, Option<(PathBuf, File)>), (PathBuf, io::Error)> {
    let (identity, writer, file): (_, Box<dyn Write + Send>, _) = match location {
        Location::Standard => (Identity::of_standard(&io::stdout()), Box::new(io::stdout()), None),
        Location::File(path) => {
            let opened = open_file(path).map_err(|error| (path.clone(), error))?;
            if settings::is_standard_output(&opened) {
                return sink(&Location::Standard);
            }
            let identity = Identity::of(&opened);
            // A pipe or a device cannot be emptied and need not be.
            let file = match identity {
                Some(_) => Some((path.clone(), opened.try_clone().map_err(|error| (path.clone(), error))?)),
                None => None,
            };
            (identity, Box::new(opened), file)
        }
    };
    Ok((Sink { location: location.clone(), identity, writer }, file))
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).open(path)
}

/// A lane's way to the writer. Clones share the bound.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    queue: mpsc::Sender<Lines>,
    room: Arc<Semaphore>,
    routes: Arc<[usize]>,
}

/// A batch's lines, which take room until they are written.
#[derive(Debug)]
struct Lines {
    chunks: Vec<Chunk>,
    _room: OwnedSemaphorePermit,
}

/// Nobody takes output any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NobodyTakes;

impl Outbox {
    /// Formats a batch's emits and queues them, waiting while too much waits already.
    pub(super) async fn send(&self, outlets: &[Port], batch: &Batch, parts: &[Output]) -> Result<(), NobodyTakes> {
        let chunks = self.chunks(outlets, batch, parts);
        if chunks.is_empty() {
            return Ok(());
        }
        let bytes = chunks.iter().map(|chunk| chunk.lines.len()).sum::<usize>();
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(WAITING_BYTES_MAX);
        let room = Arc::clone(&self.room).acquire_many_owned(bytes).await.map_err(|_| NobodyTakes)?;
        self.queue.send(Lines { chunks, _room: room }).await.map_err(|_| NobodyTakes)
    }

    fn chunks(&self, outlets: &[Port], batch: &Batch, parts: &[Output]) -> Vec<Chunk> {
        let mut chunks = Vec::<Chunk>::new();
        for emit in parts.iter().flat_map(|part| part.emits(batch)) {
            let index = emit.outlet as usize;
            // The checker has found every outlet to be a declared one.
            let (Some(outlet), Some(&sink)) = (outlets.get(index), self.routes.get(index)) else { continue };
            if let Some(chunk) = chunks.iter_mut().find(|chunk| chunk.sink == sink) {
                envelope::write(&mut chunk.lines, &outlet.name, batch, &emit);
            } else {
                // An envelope repeats its record, and often escapes it.
                let mut lines = Vec::with_capacity(batch.arena.len() + batch.arena.len() / 2);
                envelope::write(&mut lines, &outlet.name, batch, &emit);
                chunks.push(Chunk { sink, lines });
            }
        }
        chunks
    }
}

/// The writing's end, to be waited for.
pub(super) type Writing = oneshot::Receiver<Result<Written, WriteError>>;

/// Starts the writing thread. It ends when every [`Outbox`] is gone and all is written, or early; then the outboxes
/// take no more.
pub(super) fn spawn(sinks: Vec<Sink>, routes: Vec<usize>) -> io::Result<(Outbox, Writing)> {
    let (queue, mut batches) = mpsc::channel::<Lines>(WAITING_BATCHES_MAX);
    let (ended, writing) = oneshot::channel();
    let room = Arc::new(Semaphore::new(WAITING_BYTES_MAX as usize));
    let outbox = Outbox { queue, room: Arc::clone(&room), routes: routes.into() };
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut sinks = sinks.into_iter().map(Some).collect::<Vec<_>>();
        let mut end = Ok(Written::All);
        while let Some(lines) = batches.blocking_recv() {
            if let Err(error) = lines.chunks.iter().try_for_each(|chunk| write(&mut sinks, chunk)) {
                end = Err(error);
                break;
            }
            if sinks.iter().all(Option::is_none) {
                end = Ok(Written::Closed);
                break;
            }
        }
        room.close();
        drop(batches);
        // Nobody waits any more only if the run was given up.
        let _ = ended.send(end);
    })?;
    Ok((outbox, writing))
}

/// Waits for the writing's end. A writer that has gone without a word has not written all.
pub(super) async fn ended(writing: &mut Writing) -> Result<Written, WriteError> {
    let lost = || WriteError { to: Location::Standard, source: io::Error::other("the writing thread is gone") };
    writing.await.unwrap_or_else(|_| Err(lost()))
}

/// Writes a chunk with one call. A standard output that is closed is let go.
fn write(sinks: &mut [Option<Sink>], chunk: &Chunk) -> Result<(), WriteError> {
    let Some(place) = sinks.get_mut(chunk.sink) else { return Ok(()) };
    let Some(sink) = place else { return Ok(()) };
    match sink.writer.write_all(&chunk.lines).and_then(|()| sink.writer.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe && sink.location == Location::Standard => {
            *place = None;
            Ok(())
        }
        Err(source) => Err(WriteError { to: sink.location.clone(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panics;

    impl Write for Panics {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("the writer is lost")
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_writer_that_is_lost_is_an_error() {
        let sink = Sink { location: Location::Standard, identity: None, writer: Box::new(Panics) };
        let (outbox, mut writing) = spawn(vec![sink], vec![0]).unwrap();
        let room = Arc::clone(&outbox.room).acquire_many_owned(2).await.unwrap();
        let chunks = vec![Chunk { sink: 0, lines: b"x\n".to_vec() }];
        outbox.queue.send(Lines { chunks, _room: room }).await.unwrap();
        let error = ended(&mut writing).await.unwrap_err();
        assert_eq!(error.source.to_string(), "the writing thread is gone");
    }

    /// What waits is bounded in bytes, and a batch beyond the bound waits alone instead of for ever.
    #[tokio::test]
    async fn what_waits_takes_room_until_it_is_written() {
        let sink = Sink { location: Location::Standard, identity: None, writer: Box::new(io::sink()) };
        let (outbox, mut writing) = spawn(vec![sink], vec![0]).unwrap();
        let room = Arc::clone(&outbox.room);
        let all = Arc::clone(&room).acquire_many_owned(WAITING_BYTES_MAX).await.unwrap();
        assert!(Arc::clone(&room).try_acquire_owned().is_err(), "nothing more may wait");
        let chunks = vec![Chunk { sink: 0, lines: vec![b'\n'; WAITING_BYTES_MAX as usize + 1] }];
        outbox.queue.send(Lines { chunks, _room: all }).await.unwrap();
        drop(outbox);
        assert_eq!(ended(&mut writing).await.unwrap(), Written::All);
    }
}
