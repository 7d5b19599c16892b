//! One instance: a store, its WASI state, and the calls into it.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use streamlet_protocol::parameter::ParameterValue;
use tokio::time::sleep;
use wasmtime::{Store, Trap as WasmTrap};

use super::bindings::ankka::flow::{emitter, types};
use super::bindings::{StreamletGuest, StreamletGuestPre};
use super::ended::{Ended, Trap};
use super::engine::Engine;
use super::instances::Seat;
use super::limits::{Accountant, Limits};
use super::log::GuestLog;
use super::output::{Checker, OutletRule, OutputFault};
use super::owner::Owner;
use super::text::bounded;
use super::wasi::Sandbox;
use crate::batch::{Batch, Binding, Output, Start};

/// Bytes of a guest's message that are copied into the host's.
const MESSAGE_BYTES_MAX: usize = 16 * 1024;
/// Bytes of a descriptor that are copied into the host's memory.
pub(super) const DESCRIPTOR_BYTES_MAX: usize = 1 << 20;
/// Ticks for which a call may keep its thread: up to the next one. They count from where they were set last, so each call
/// sets them anew: it would begin by giving its thread back if there has been a tick since the last.
const TICKS: u64 = 1;
/// What runs before any export.
const INSTANTIATION: &str = "instantiation";

/// What an instance's store holds.
pub(super) struct State {
    pub(super) sandbox: Sandbox,
    accountant: Accountant,
    log: GuestLog,
    /// The batch in progress; `flush` outside of one is a fault.
    current: Option<Current>,
    /// What the guest's output broke in `flush`.
    fault: Option<OutputFault>,
}

/// The batch in progress: what checks its output, and the parts flushed so far.
struct Current {
    checker: Checker,
    parts: Vec<Output>,
}

impl types::Host for State {}

impl emitter::Host for State {
    async fn flush(&mut self, part: types::Output) -> wasmtime::Result<()> {
        let Some(current) = &mut self.current else {
            return Err(wasmtime::Error::msg("`flush` may only be called inside `process`"));
        };
        match current.checker.check(part) {
            Ok(part) if part.is_empty() => {}
            Ok(part) => current.parts.push(part),
            Err(fault) => {
                let error = wasmtime::Error::msg(fault.to_string());
                self.fault = Some(fault);
                return Err(error);
            }
        }
        Ok(())
    }
}

/// A live guest for one inlet partition. Any [`Ended`] other than a refusal leaves it dead: drop it.
pub struct Instance {
    store: Store<State>,
    guest: StreamletGuest,
    engine: Arc<Engine>,
    outlets: Arc<[OutletRule]>,
    /// Bytes of memory once it was started.
    started_bytes: usize,
    /// Given back after everything above is gone.
    _seat: Seat,
}

impl Instance {
    /// Makes an instance, not yet started.
    pub(super) async fn new(
        engine: &Arc<Engine>,
        component: &StreamletGuestPre<State>,
        outlets: &Arc<[OutletRule]>,
        owner: Arc<Owner>,
        seat: Seat,
    ) -> Result<Self, Ended> {
        let log = GuestLog::new(owner);
        let state = State {
            sandbox: Sandbox::new(&engine.granted, &log).map_err(Ended::Host)?,
            accountant: Accountant::new(&engine.limits, engine.instances.memory_bytes()),
            log,
            current: None,
            fault: None,
        };
        let mut store = Store::new(&engine.wasmtime, state);
        store.limiter(|state| &mut state.accountant);
        // At each tick of the epoch the guest gives its thread back.
        store.set_epoch_deadline(TICKS);
        store.epoch_deadline_async_yield_and_update(TICKS);
        store.set_hostcall_fuel(engine.limits.output_bytes_max.saturating_add(MESSAGE_BYTES_MAX));
        let log = store.data().log.clone();
        let instantiate = component.instantiate_async(&mut store);
        let guest = within(engine, &log, engine.limits.start_deadline, INSTANTIATION, instantiate).await?;
        match guest {
            Ok(guest) => {
                let (engine, outlets) = (Arc::clone(engine), Arc::clone(outlets));
                Ok(Self { store, guest, engine, outlets, started_bytes: 0, _seat: seat })
            }
            // A module may run code when it is instantiated. Whatever else fails here is the host's lack of something.
            Err(error) if error.is::<WasmTrap>() => Err(ended(&mut store, &engine.limits, INSTANTIATION, error)),
            Err(error) => match store.data().accountant.refusal {
                Some(_) => Err(ended(&mut store, &engine.limits, INSTANTIATION, error)),
                None => Err(Ended::Host(error)),
            },
        }
    }

    /// Asks the guest what it declares.
    pub(super) async fn describe(&mut self) -> Result<types::Descriptor, Ended> {
        self.store.set_hostcall_fuel(DESCRIPTOR_BYTES_MAX);
        self.store.set_epoch_deadline(TICKS);
        let log = self.store.data().log.clone();
        let call = self.guest.ankka_flow_streamlet().call_describe(&mut self.store);
        let answer = within(&self.engine, &log, self.engine.limits.start_deadline, "describe", call).await?;
        answer.map_err(|error| ended(&mut self.store, &self.engine.limits, "describe", error))
    }

    /// Hands the guest its parameters.
    pub(super) async fn start(&mut self, start: &Start) -> Result<(), Ended> {
        let (inlets, outlets) = (bindings(&start.inlets), bindings(&start.outlets));
        let config = start.config.iter().map(|(key, value)| (key.as_str(), lowered(value))).collect::<Vec<_>>();
        let conversation = types::Conversation {
            id: &start.conversation_id,
            pipeline: &start.pipeline,
            streamlet: &start.streamlet,
            config: &config,
            inlets: &inlets,
            outlets: &outlets,
        };
        let log = self.store.data().log.clone();
        self.store.set_epoch_deadline(TICKS);
        let call = self.guest.ankka_flow_streamlet().call_start(&mut self.store, conversation);
        match within(&self.engine, &log, self.engine.limits.start_deadline, "start", call).await? {
            Ok(Ok(())) => {
                self.store.data().log.call_returned();
                self.started_bytes = self.store.data().accountant.memory_bytes();
                Ok(())
            }
            Ok(Err(message)) => Err(Ended::NotStarted(bounded(&message, MESSAGE_BYTES_MAX))),
            Err(error) => Err(ended(&mut self.store, &self.engine.limits, "start", error)),
        }
    }

    /// Whether it has grown, since its start, past what an instance may keep between batches.
    pub fn has_outgrown(&self) -> bool {
        let bytes = self.store.data().accountant.memory_bytes();
        bytes > self.engine.limits.kept_memory_bytes_max && bytes > self.started_bytes
    }

    /// Runs a batch and returns its output's parts in order: what was flushed, then what was returned.
    ///
    /// Dropping the future kills the guest; the instance is dead then.
    ///
    /// # Errors
    /// [`Ended`]. After [`Ended::Refused`] the guest is alive, but may have learnt half of the batch.
    pub async fn process(&mut self, batch: &Arc<Batch>) -> Result<Vec<Output>, Ended> {
        let limits = &self.engine.limits;
        let checker = Checker::new(Arc::clone(&self.outlets), Arc::clone(batch), limits.output_bytes_max);
        self.store.data_mut().current = Some(Current { checker, parts: Vec::new() });
        // A refusal that an earlier call has survived explains nothing of this one.
        self.store.data_mut().accountant.refusal = None;
        let tables = types::Batch {
            inlet: batch.inlet,
            partition: batch.partition,
            arena: &batch.arena,
            times: &batch.times,
            records: &batch.records,
            headers: &batch.headers,
        };
        let log = self.store.data().log.clone();
        self.store.set_epoch_deadline(TICKS);
        let call = self.guest.ankka_flow_streamlet().call_process(&mut self.store, tables);
        let answer = within(&self.engine, &log, limits.batch_deadline, "process", call).await?;
        let answer = answer.map_err(|error| ended(&mut self.store, &self.engine.limits, "process", error))?;
        let state = self.store.data_mut();
        state.log.call_returned();
        let Some(mut current) = state.current.take() else { return Ok(Vec::new()) };
        match answer {
            Ok(output) => {
                current.parts.push(current.checker.check(output).map_err(Ended::Broke)?);
                Ok(current.parts)
            }
            Err(types::Failure { message, at }) => Err(Ended::Refused {
                message: bounded(&message, MESSAGE_BYTES_MAX),
                at: at.map(|at| at as usize).filter(|at| *at < batch.len()),
            }),
        }
    }
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance").finish_non_exhaustive()
    }
}

/// Runs a call with the epoch advancing, and gives it up at its deadline, which drops the fiber it runs on.
async fn within<T>(
    engine: &Engine,
    log: &GuestLog,
    deadline: Duration,
    export: &'static str,
    call: impl Future<Output = T>,
) -> Result<T, Ended> {
    let _running = engine.ticker.run();
    let began = Instant::now();
    let mut call = pin!(call);
    // Most calls never wait, and arming a timer may wake up another thread: theirs is never armed.
    let mut timer = None;
    poll_fn(|cx| {
        if let Poll::Ready(answer) = call.as_mut().poll(cx) {
            return Poll::Ready(Ok(answer));
        }
        let left = || Box::pin(sleep(deadline.saturating_sub(began.elapsed())));
        let timer = timer.get_or_insert_with(left);
        let timed_out = |()| Err(Ended::TimedOut { export, deadline, last_words: log.last_words() });
        timer.as_mut().poll(cx).map(timed_out)
    })
    .await
}

/// Why a call came back with an error of the engine.
fn ended(store: &mut Store<State>, limits: &Limits, export: &'static str, error: wasmtime::Error) -> Ended {
    let state = store.data_mut();
    if let Some(fault) = state.fault.take() {
        return Ended::Broke(fault);
    }
    Ended::Trapped(Box::new(Trap::new(export, state.accountant.refusal, *limits, state.log.last_words(), error)))
}

fn bindings(bindings: &[Binding]) -> Vec<types::Binding<'_>> {
    bindings.iter().map(|Binding { port, topic }| types::Binding { port, topic }).collect()
}

fn lowered(value: &ParameterValue) -> types::Value<'_> {
    match value {
        ParameterValue::Text(text) => types::Value::Text(text),
        ParameterValue::Integer(integer) => types::Value::Integer(*integer),
        ParameterValue::Double(double) => types::Value::Double(*double),
        ParameterValue::Boolean(boolean) => types::Value::Boolean(*boolean),
        ParameterValue::DurationNanos(nanos) => types::Value::DurationNs(*nanos),
        ParameterValue::Bytes(bytes) => types::Value::Bytes(*bytes),
    }
}
