//! Engines: their settings, the linker that offers WASI and `emitter`, and the epoch's ticker.
//!
//! A process makes one, which compiles; a component whose instances come from a pool runs on a second one, made for it.

use std::num::NonZeroUsize;
use std::sync::Arc;

use wasmtime::component::Linker;
use wasmtime::{Config, OptLevel, PoolingAllocationConfig, WasmBacktraceDetails};

use super::bindings::ankka::flow::emitter;
use super::instance::State;
use super::instances::Instances;
use super::limits::Limits;
use super::overtime::Overtime;
use super::pool::Allocation;
use super::ticker::Ticker;
use super::wasi::{self, Granted, Grants};

/// Bytes of stack a guest may use before it traps.
const GUEST_STACK_BYTES: usize = 1 << 20;
/// Bytes of a fiber's stack: the guest's and, on top of it, the host's own calls made from within.
const FIBER_STACK_BYTES: usize = 2 << 20;
/// Frames kept of a guest's backtrace. The first dozen of a Rust panic are its machinery and are not shown.
const BACKTRACE_FRAMES_MAX: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// The engine could not be set up: not the doing of any component.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine refused its settings, or the linker its interfaces.
    #[error("the engine cannot be set up")]
    Settings(#[source] wasmtime::Error),
    /// The ticker's thread could not be started.
    #[error("the thread that interrupts guests cannot be started")]
    Ticker(#[source] std::io::Error),
    /// The threads of long calls could not be started.
    #[error("the threads for calls that take long cannot be started")]
    Overtime(#[source] std::io::Error),
}

/// Compiles components and runs their instances within [`Limits`].
pub struct Engine {
    pub(super) wasmtime: wasmtime::Engine,
    pub(super) linker: Linker<State>,
    pub(super) ticker: Ticker,
    pub(super) limits: Limits,
    pub(super) allocation: Allocation,
    pub(super) granted: Arc<Granted>,
    pub(super) instances: Arc<Instances>,
    pub(super) overtime: Arc<Overtime>,
}

impl Engine {
    /// Sets the engine up, with nothing granted.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn new(limits: Limits) -> Result<Self, EngineError> {
        Self::granting(limits, Grants::default())
    }

    /// Sets the engine up for guests that are granted something of the system.
    ///
    /// # Errors
    /// [`EngineError`].
    pub fn granting(limits: Limits, grants: Grants) -> Result<Self, EngineError> {
        let granted = Arc::new(Granted::new(grants));
        let instances = Arc::new(Instances::new(limits.live_instances_max));
        let overtime = Arc::new(Overtime::start().map_err(EngineError::Overtime)?);
        Self::allocating(&config(), limits, Allocation::OnDemand, granted, instances, overtime)
    }

    /// One more engine like this, whose instances come from a pool. What this one compiled runs on it.
    pub(super) fn pooled(&self, pool: PoolingAllocationConfig) -> Result<Self, EngineError> {
        let mut config = config();
        config.allocation_strategy(pool);
        let (granted, instances, overtime) = (&self.granted, &self.instances, &self.overtime);
        let (granted, instances, overtime) = (Arc::clone(granted), Arc::clone(instances), Arc::clone(overtime));
        Self::allocating(&config, self.limits, Allocation::Pooled, granted, instances, overtime)
    }

    fn allocating(
        config: &Config,
        limits: Limits,
        allocation: Allocation,
        granted: Arc<Granted>,
        instances: Arc<Instances>,
        overtime: Arc<Overtime>,
    ) -> Result<Self, EngineError> {
        let wasmtime = wasmtime::Engine::new(config).map_err(EngineError::Settings)?;
        let mut linker = Linker::new(&wasmtime);
        wasi::add_to_linker(&mut linker).map_err(EngineError::Settings)?;
        emitter::add_to_linker::<State, wasmtime::component::HasSelf<State>>(&mut linker, |state| state)
            .map_err(EngineError::Settings)?;
        let ticker = Ticker::start(&wasmtime, limits.tick).map_err(EngineError::Ticker)?;
        Ok(Self { wasmtime, linker, ticker, limits, allocation, granted, instances, overtime })
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The memory reservation stays at its default of 4 GiB of address space: with less, every access is checked in code,
/// which made a JSON parser 1.4 times slower. Without the async proposal a call on a fiber is four times cheaper.
fn config() -> Config {
    let mut config = Config::new();
    config
        .cranelift_opt_level(OptLevel::Speed)
        .concurrency_support(false)
        .epoch_interruption(true)
        .max_wasm_stack(GUEST_STACK_BYTES)
        .async_stack_size(FIBER_STACK_BYTES)
        .wasm_backtrace_max_frames(Some(BACKTRACE_FRAMES_MAX))
        // Said here, or the engine asks the environment. Lines are looked up only where a component carries them.
        .wasm_backtrace_details(WasmBacktraceDetails::Enable);
    config
}
