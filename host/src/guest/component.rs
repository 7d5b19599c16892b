//! A component that is known to be a streamlet, and that component within a conversation.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use streamlet_protocol::Descriptor;

use super::bindings::StreamletGuestPre;
use super::compiled::Compiled;
use super::descriptor::from_guest;
use super::ended::Ended;
use super::engine::Engine;
use super::executor::{Executor, Native, NativeExecutor};
use super::instance::{Instance, State};
use super::instances::{Home, Seat};
use super::loading::{ComponentFile, LoadError};
use super::output::OutletRule;
use super::overtime::Pace;
use super::owner::Owner;
use super::pool::Allocation;
use super::text;
use crate::batch::{Batch, Place, Start};

/// Bytes of one problem of a descriptor.
const PROBLEM_BYTES_MAX: usize = 512;

/// Where instances come from.
enum Code {
    Component(StreamletGuestPre<State>),
    Native(Box<dyn Native>),
}

/// A compiled, linked and described component. It outlives conversations.
pub struct Component {
    engine: Arc<Engine>,
    code: Code,
    descriptor: Descriptor,
    digest: String,
}

impl Component {
    /// Compiles a component, links it, and asks it what it declares.
    ///
    /// # Errors
    /// [`LoadError`], which says what the file is instead, or what the component lacks.
    pub async fn load(engine: Arc<Engine>, file: ComponentFile) -> Result<Self, LoadError> {
        let compiled = Compiled::new(&engine, file, None).await?;
        Self::link(&engine, compiled).await
    }

    /// Links a compiled component and asks it what it declares.
    ///
    /// # Errors
    /// [`LoadError`], which says what the component lacks.
    pub async fn link(engine: &Arc<Engine>, compiled: Compiled) -> Result<Self, LoadError> {
        let (engine, pre) = compiled.link(engine)?;
        let descriptor = describe(&engine, &pre, compiled.path()).await?;
        let digest = compiled.digest().to_owned();
        Ok(Self { engine, code: Code::Component(pre), descriptor, digest })
    }

    /// Native code in a component's place, which declares what `descriptor` says; for measurements.
    pub fn native(engine: Arc<Engine>, descriptor: Descriptor, native: impl Native) -> Self {
        Self { engine, code: Code::Native(Box::new(native)), descriptor, digest: String::new() }
    }

    /// Where its instances get their memory.
    pub fn allocation(&self) -> Allocation {
        self.engine.allocation
    }

    /// Where the bytes of the linear memories of all live instances are counted.
    pub fn memory_bytes(&self) -> Arc<AtomicU64> {
        self.engine.instances.memory_bytes()
    }

    /// What the component declares; valid by the platform's rules.
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// SHA-256 of the file that it was loaded from, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The component within a conversation.
    pub fn converse(self: &Arc<Self>, start: Start) -> Guest {
        let outlets = self.descriptor.outlets.iter().map(|outlet| OutletRule {
            name: outlet.name.clone(),
            bound: start.outlets.iter().any(|binding| binding.port == outlet.name),
        });
        Guest { outlets: outlets.collect(), component: Arc::clone(self), start }
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component").field("descriptor", &self.descriptor).finish_non_exhaustive()
    }
}

async fn describe(engine: &Arc<Engine>, pre: &StreamletGuestPre<State>, path: &Path) -> Result<Descriptor, LoadError> {
    let silent = |ended: Ended| LoadError::silent(path, &ended);
    let owner = Arc::new(Owner::describing(engine.limits.log_lines_per_second));
    let instance = Instance::new(engine, pre, &Arc::from([]), owner, Seat::aside()).await;
    let mut instance = instance.map_err(silent)?;
    let answer = instance.describe().await.map_err(silent)?;
    from_guest(answer).map_err(|problems| {
        // They quote what the guest declared, which may be as long as it likes.
        let problems =
            problems.iter().map(|problem| text::bounded(&text::printable(problem.as_bytes()), PROBLEM_BYTES_MAX));
        LoadError::Invalid { path: path.into(), problems: text::some_of(problems) }
    })
}

/// A component in one conversation: it makes instances that have been started with the conversation's parameters.
#[derive(Debug)]
pub struct Guest {
    component: Arc<Component>,
    start: Start,
    outlets: Arc<[OutletRule]>,
}

impl Guest {
    /// What the component declares.
    pub fn descriptor(&self) -> &Descriptor {
        self.component.descriptor()
    }

    /// SHA-256 of the component's file, in hexadecimal digits.
    pub fn digest(&self) -> &str {
        self.component.digest()
    }

    /// Whether the conversation binds the outlet of this index.
    pub fn binds(&self, outlet: u32) -> bool {
        self.outlets.get(outlet as usize).is_some_and(|outlet| outlet.bound)
    }

    /// Where a batch comes from, in the words of a failure.
    pub fn place(&self, batch: &Batch) -> Place {
        let inlet = self.descriptor().inlets.get(batch.inlet as usize);
        Place {
            inlet: inlet.map_or_else(String::new, |inlet| inlet.name.clone()),
            partition: batch.partition,
            offsets: batch.offsets().unwrap_or_default(),
        }
    }

    /// The lane of one partition of the inlet with this index, in the log's words.
    pub fn owner(&self, inlet: u32, partition: i32) -> Arc<Owner> {
        let inlet = self.descriptor().inlets.get(inlet as usize).map_or_else(String::new, |inlet| inlet.name.clone());
        let lines_per_second = self.component.engine.limits.log_lines_per_second;
        Arc::new(Owner::new(self.start.streamlet.clone(), Some((inlet, partition)), lines_per_second))
    }

    /// Where a lane keeps its instance between batches.
    pub fn home(&self) -> Home {
        self.component.engine.instances.home()
    }

    /// How long an instance may wait there.
    pub fn idle_max(&self) -> Duration {
        self.component.engine.limits.idle_max
    }

    /// Bytes that a batch's output may count.
    pub fn output_bytes_max(&self) -> u64 {
        self.component.engine.limits.output_bytes_max as u64
    }

    /// Makes an instance and starts it, once there is a place for one more.
    ///
    /// # Errors
    /// [`Ended`]; the instance is gone then.
    pub async fn instantiate(&self, owner: Arc<Owner>) -> Result<Executor, Ended> {
        let Component { engine, code, .. } = &*self.component;
        let seat = engine.instances.seat().await;
        match code {
            Code::Component(pre) => {
                let mut instance = Instance::new(engine, pre, &self.outlets, owner, seat).await?;
                instance.start(&self.start).await?;
                Ok(Executor::Component(instance))
            }
            Code::Native(native) => {
                let bytes_max = engine.limits.output_bytes_max;
                NativeExecutor::start(&**native, &self.start, &self.outlets, bytes_max, seat).map(Executor::Native)
            }
        }
    }

    /// Runs a call into a guest to its end, on threads of its own once it takes long.
    ///
    /// # Errors
    /// The call's own, or [`Ended::Host`] if it panicked.
    pub async fn run<T: Send + 'static>(
        &self,
        pace: &mut Pace,
        call: impl Future<Output = Result<T, Ended>> + Send + 'static,
    ) -> Result<T, Ended> {
        let ended = self.component.engine.overtime.run(pace, call).await;
        ended.unwrap_or_else(|panicked| Err(Ended::Host(panicked.into())))
    }
}
