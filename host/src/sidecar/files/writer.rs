//! Writes acknowledged emits: one thread, so that a slow terminal or a full pipe never holds a lane's thread.
//!
//! Each batch arrives as one chunk of whole lines per place and is written with one call. A standard output that its
//! reader has closed ends the writing quietly; any other error ends it with a [`WriteError`].

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use streamlet_protocol::Port;
use tokio::sync::{mpsc, oneshot};

use super::envelope;
use super::settings::{Location, Settings, SettingsError};
use crate::batch::{Batch, Output};

/// The lines of one batch for one place, in the order in which they were emitted.
#[derive(Debug)]
pub(super) struct Chunk {
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
    /// The reader of standard output had enough.
    Closed,
}

/// Which sink each outlet's emits go to, by the outlet's index.
#[derive(Debug, Clone)]
pub(super) struct Routes(Arc<[usize]>);

impl Routes {
    /// Formats a batch's emits as the chunks to write.
    pub(super) fn chunks(&self, outlets: &[Port], batch: &Batch, parts: &[Output]) -> Vec<Chunk> {
        let mut chunks = Vec::<Chunk>::new();
        for emit in parts.iter().flat_map(|part| part.emits(batch)) {
            let index = emit.outlet as usize;
            // The checker has found every outlet to be a declared one.
            let (Some(outlet), Some(&sink)) = (outlets.get(index), self.0.get(index)) else { continue };
            if let Some(chunk) = chunks.iter_mut().find(|chunk| chunk.sink == sink) {
                envelope::write(&mut chunk.lines, &outlet.name, batch, &emit);
            } else {
                let mut lines = Vec::new();
                envelope::write(&mut lines, &outlet.name, batch, &emit);
                chunks.push(Chunk { sink, lines });
            }
        }
        chunks
    }
}

/// An opened place to write to.
pub(super) struct Sink {
    location: Location,
    writer: Box<dyn Write + Send>,
}

/// Creates every output; outlets that go to the same place share it.
pub(super) fn open(settings: &Settings, outlets: &[String]) -> Result<(Vec<Sink>, Routes), SettingsError> {
    let mut sinks = Vec::<Sink>::new();
    let mut routes = Vec::new();
    for (outlet, location) in outlets.iter().zip(settings.output_locations(outlets)?) {
        if let Some(known) = sinks.iter().position(|sink| sink.location == location) {
            routes.push(known);
            continue;
        }
        let writer = create(&location).map_err(|(path, source)| SettingsError::Uncreatable {
            outlet: outlet.clone(),
            path,
            source,
        })?;
        routes.push(sinks.len());
        sinks.push(Sink { location, writer });
    }
    Ok((sinks, Routes(routes.into())))
}

fn create(location: &Location) -> Result<Box<dyn Write + Send>, (PathBuf, io::Error)> {
    match location {
        Location::Standard => Ok(Box::new(io::stdout())),
        Location::File(path) => match File::create(path) {
            Ok(file) => Ok(Box::new(file)),
            Err(error) => Err((path.clone(), error)),
        },
    }
}

/// The writing thread's end, to be waited for.
pub(super) struct Writing(oneshot::Receiver<Result<Written, WriteError>>);

impl Writing {
    /// Waits until everything is written, or the writing has ended early. Every sender must be gone by then.
    pub(super) async fn finish(self) -> Result<Written, WriteError> {
        // The thread always answers; if it was lost, so was the output.
        self.0.await.unwrap_or(Ok(Written::Closed))
    }
}

/// Starts the writing thread. When it ends early it closes the queue, which tells the lanes.
pub(super) fn spawn(mut sinks: Vec<Sink>, mut queue: mpsc::Receiver<Vec<Chunk>>) -> io::Result<Writing> {
    let (ended, writing) = oneshot::channel();
    thread::Builder::new().name("output".into()).spawn(move || {
        let mut end = Ok(Written::All);
        while let Some(chunks) = queue.blocking_recv() {
            if let Err(error) = chunks.iter().try_for_each(|chunk| write(&mut sinks, chunk)) {
                let is_closed = error.source.kind() == io::ErrorKind::BrokenPipe && error.to == Location::Standard;
                end = if is_closed { Ok(Written::Closed) } else { Err(error) };
                break;
            }
        }
        drop(queue);
        // Nobody waits any more only if the run was given up.
        let _ = ended.send(end);
    })?;
    Ok(Writing(writing))
}

/// Writes a chunk with one call.
fn write(sinks: &mut [Sink], chunk: &Chunk) -> Result<(), WriteError> {
    let Some(sink) = sinks.get_mut(chunk.sink) else { return Ok(()) };
    let written = sink.writer.write_all(&chunk.lines).and_then(|()| sink.writer.flush());
    written.map_err(|source| WriteError { to: sink.location.clone(), source })
}
