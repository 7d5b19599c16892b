//! A component without any transport: each message is read, its batch run through its lane, and the emits written, one
//! batch after the other.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Stopped;
use super::figures::{Round, Stages, as_f64, median};
use super::load::{Load, Sending};
use super::usage;
use crate::batch::{Batch, Failure, Output, Start};
use crate::codec::{Frames, Inbound, decode, encode_emits};
use crate::guest::{Checker, Component, Guest, OutletRule};
use crate::lane::{Door, Lane, Policy};

/// Bytes that an emit may take: the platform's default.
pub(super) const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Bytes that a batch's output may count when it is checked once more, only to time it.
const OUTPUT_BYTES_MAX: usize = 1 << 30;
/// Batches after which the last ones are looked at once more, and how many those are: enough to be still in the caches.
const ASIDE_EVERY: usize = 32;
const KEPT_MAX: usize = 2;

/// Lanes of a component, and beside each one of the streamlet that does nothing.
pub(super) struct InProcess {
    guest: Arc<Guest>,
    crossing: Arc<Guest>,
    lanes: BTreeMap<i32, (Lane, Lane)>,
    door: Encoding,
    rules: Arc<[OutletRule]>,
    /// Never repeated, so that no batch of a round before comes again.
    sent: usize,
}

impl InProcess {
    pub(super) fn new(component: &Arc<Component>, start: &Start, crossing: &Arc<Component>) -> Self {
        let guest = Arc::new(component.converse(start.clone()));
        let alone = Start { config: Vec::new(), inlets: Vec::new(), outlets: Vec::new(), ..start.clone() };
        let outlets = component.descriptor().outlets.iter().map(|outlet| outlet.name.clone()).collect::<Vec<_>>();
        let rules = outlets.iter().map(|name| OutletRule { name: name.clone(), bound: true }).collect();
        Self {
            crossing: Arc::new(crossing.converse(alone)),
            lanes: BTreeMap::new(),
            door: Encoding(Arc::new(Shared {
                guest: Arc::clone(&guest),
                outlets,
                nanos: AtomicU64::new(0),
                kept: Mutex::default(),
            })),
            guest,
            rules,
            sent: 0,
        }
    }

    /// Instances that live.
    pub(super) fn instances(&self) -> usize {
        self.lanes.len()
    }

    /// Has every partition process a batch.
    pub(super) async fn warm_up(&mut self, load: &Load) -> Result<(), Stopped> {
        for _ in load.partitions() {
            self.run(load, 1).await?;
        }
        Ok(())
    }

    /// Runs batches until there were so many records.
    pub(super) async fn run(&mut self, load: &Load, records: usize) -> Result<Round, Stopped> {
        let mut round = Round::default();
        let mut times = Times::default();
        for sending in load.sendings().skip(self.sent) {
            if round.records >= records {
                break;
            }
            self.sent += 1;
            self.run_one(load, sending, &mut round, &mut times).await?;
            if self.sent.is_multiple_of(ASIDE_EVERY) {
                self.time_aside(load, &mut times).await?;
            }
        }
        self.time_aside(load, &mut times).await?;
        round.stages = Some(times.stages());
        Ok(round)
    }

    async fn run_one(
        &mut self,
        load: &Load,
        sending: Sending<'_>,
        round: &mut Round,
        times: &mut Times,
    ) -> Result<(), Stopped> {
        // The sidecar's work, and not counted. The message is fresh in the processor's caches, as one just received is.
        let body = sending.encoded(self.sent as u64);
        let processor = usage::process_time();
        let began = Instant::now();
        let batch = Arc::new(decoded(body, load.inlet).map_err(Stopped::Broke)?);
        let read = Instant::now();
        let door = self.door.clone();
        let (lane, _) = self.lanes(load.inlet, batch.partition);
        let ran = lane.run(&batch, &door).await;
        let done = Instant::now();
        round.processor += usage::process_time().saturating_sub(processor);
        let ran = ran.map_err(|failure| Stopped::failed(load, sending.partition(), &failure))?;
        round.records += sending.records();
        round.value_bytes += sending.value_bytes();
        round.emits += ran.emits.iter().map(Frames::len).sum::<usize>();
        round.elapsed += done - began;
        round.batches.push(done - began);
        let encode = Duration::from_nanos(door.0.nanos.load(Ordering::Relaxed));
        for (times, time) in [
            (&mut times.decode, read - began),
            (&mut times.call, (done - read).saturating_sub(encode)),
            (&mut times.encode, encode),
        ] {
            times.push(nanos_each(time, batch.len()));
        }
        Ok(())
    }

    /// Times what cannot be timed while it happens, for the last batches: the crossing, by a streamlet that does nothing;
    /// and the check, by doing it once more.
    async fn time_aside(&mut self, load: &Load, times: &mut Times) -> Result<(), Stopped> {
        let kept = std::mem::take(&mut *lock(&self.door.0.kept));
        for (batch, parts) in kept {
            let tables = parts.iter().map(Output::tables);
            let tables = tables.map(|(arena, emits, headers)| (arena.to_vec(), emits.to_vec(), headers.to_vec()));
            let tables = tables.collect::<Vec<_>>();
            let began = Instant::now();
            let mut checker = Checker::new(Arc::clone(&self.rules), Arc::clone(&batch), OUTPUT_BYTES_MAX);
            // They have passed once.
            let outputs = tables.into_iter().map(|(arena, emits, headers)| checker.check_tables(arena, emits, headers));
            let outputs = outputs.filter_map(Result::ok).collect::<Vec<_>>();
            let check = began.elapsed();
            drop(outputs);
            let batch = Arc::new(Batch { inlet: 0, ..Batch::clone(&batch) });
            let (_, crossing) = self.lanes(load.inlet, batch.partition);
            let began = Instant::now();
            let ran = crossing.run(&batch, &Nowhere).await;
            let copy_in = began.elapsed();
            ran.map_err(|failure| Stopped::Broke(failure.into()))?;
            times.check.push(nanos_each(check, batch.len()));
            times.copy_in.push(nanos_each(copy_in, batch.len()));
        }
        Ok(())
    }

    fn lanes(&mut self, inlet: u32, partition: i32) -> &mut (Lane, Lane) {
        self.lanes.entry(partition).or_insert_with(|| {
            let lane = |guest, inlet| Lane::new(Arc::clone(guest), inlet, partition, Policy::default());
            (lane(&self.guest, inlet), lane(&self.crossing, 0))
        })
    }
}

/// Nanoseconds a record, a batch each.
#[derive(Default)]
struct Times {
    decode: Vec<f64>,
    call: Vec<f64>,
    encode: Vec<f64>,
    copy_in: Vec<f64>,
    check: Vec<f64>,
}

impl Times {
    fn stages(self) -> Stages {
        let Self { decode, call, encode, copy_in, check } = self;
        let [decode, call, encode, copy_in, check] = [decode, call, encode, copy_in, check].map(median);
        Stages { decode, copy_in, guest: (call - copy_in - check).max(0.0), check, encode }
    }
}

fn nanos_each(time: Duration, records: usize) -> f64 {
    time.as_secs_f64() * 1e9 / as_f64(records.max(1))
}

/// Reads a message as the server does.
fn decoded(body: bytes::Bytes, inlet: u32) -> anyhow::Result<Batch> {
    match decode(body)? {
        Inbound::Batch(batch) => Ok(batch.of_inlet(inlet)),
        other => anyhow::bail!("a batch was sent, and {other:?} was read"),
    }
}

/// Writes emits as the server does, and keeps what they were made of.
#[derive(Clone)]
struct Encoding(Arc<Shared>);

struct Shared {
    guest: Arc<Guest>,
    outlets: Vec<String>,
    /// How long the last batch's emits took to write.
    nanos: AtomicU64,
    /// The last batches, with what became of them.
    kept: Mutex<VecDeque<(Arc<Batch>, Vec<Output>)>>,
}

impl Door for Encoding {
    type Emits = Frames;

    fn accept(&self, batch: &Arc<Batch>, parts: Vec<Output>) -> Result<Frames, Box<Failure>> {
        let Shared { guest, outlets, nanos, kept } = &*self.0;
        let began = Instant::now();
        let encoded = encode_emits(1, outlets, batch, &parts, MESSAGE_BYTES_MAX);
        nanos.store(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
        let mut kept = lock(kept);
        if kept.len() == KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back((Arc::clone(batch), parts));
        encoded.map_err(|fault| {
            let record = fault.offset().and_then(|offset| Some((batch.index_of(offset)?, offset)));
            Box::new(Failure::unsendable(guest.place(batch), record, fault.to_string()))
        })
    }
}

/// Takes nothing.
#[derive(Clone)]
struct Nowhere;

impl Door for Nowhere {
    type Emits = ();

    fn accept(&self, _: &Arc<Batch>, _: Vec<Output>) -> Result<(), Box<Failure>> {
        Ok(())
    }
}

/// Nothing panics while it holds the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
