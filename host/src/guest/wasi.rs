//! What a guest reaches of the system: WASI 0.2 with nothing granted but what the user has named.
//!
//! Clocks and random numbers work, standard output and error become log lines. Files and variables are there if they
//! were granted, the network never is. A guest that asks for what it has not gets an error of WASI's, and the log has one
//! line about it, once a process and capability, naming the flag that grants it.
//!
//! Host code has no epoch checks, so whatever a guest can make it do at length is bounded: the resources an instance
//! holds, the random bytes of one call, the pollables of one `poll`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, LinkerInstance, Resource, ResourceTable, WasmList};
use wasmtime_wasi::filesystem::{Descriptor, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::filesystem::preopens::Host as _;
use wasmtime_wasi::p2::bindings::filesystem::types::{
    DescriptorFlags, ErrorCode, HostDescriptor as _, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::bindings::io::poll::Host as _;
use wasmtime_wasi::p2::bindings::random::random::Host as _;
use wasmtime_wasi::p2::bindings::sockets::ip_name_lookup::ResolveAddressStream;
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode as SocketErrorCode, IpAddressFamily};
use wasmtime_wasi::p2::{DynPollable, FsError, Network, TcpSocket, UdpSocket};
use wasmtime_wasi::random::WasiRandomView as _;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

use super::instance::State;
use super::log::{GuestLog, Stream};
use crate::telemetry::{self, Denied};

/// The version of WASI that the linker offers; what is replaced in it goes by this name.
const VERSION: &str = "0.2.12";
/// Resources that an instance may hold at once: open files, streams, pollables.
pub(super) const RESOURCES_MAX: usize = 1024;
/// Random bytes of one call. Making them takes the host a few milliseconds.
const RANDOM_BYTES_MAX: u64 = 1 << 20;
/// Pollables of one `poll`: a list may name the same one many times.
const POLLABLES_MAX: usize = RESOURCES_MAX;

/// What the user grants the guest of the system.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grants {
    /// Variables of its environment.
    pub variables: Vec<(String, String)>,
    /// Directories it may enter.
    pub directories: Vec<GrantedDirectory>,
}

/// A directory that is granted, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedDirectory {
    /// Where it is.
    pub host: PathBuf,
    /// What the guest calls it.
    pub guest: String,
    /// The guest may not change anything in it.
    pub is_read_only: bool,
}

/// The grants of a process, and which denials it has told already.
#[derive(Debug, Default)]
pub(super) struct Granted {
    grants: Grants,
    told: [AtomicBool; Denied::COUNT],
}

impl Granted {
    pub(super) fn new(grants: Grants) -> Self {
        Self { grants, told: Default::default() }
    }

    fn deny(&self, denied: Denied) {
        let is_told = self.told.get(denied as usize).is_none_or(|told| told.swap(true, Ordering::Relaxed));
        if !is_told {
            telemetry::denied(denied);
        }
    }
}

/// An instance's part of the system.
pub(super) struct Sandbox {
    wasi: WasiCtx,
    table: ResourceTable,
    granted: Arc<Granted>,
}

impl Sandbox {
    /// With its output going to `log`.
    ///
    /// # Errors
    /// A granted directory cannot be opened any more.
    pub(super) fn new(granted: &Arc<Granted>, log: &GuestLog) -> wasmtime::Result<Self> {
        let mut wasi = WasiCtx::builder();
        wasi.stdout(log.stream(Stream::Output)).stderr(log.stream(Stream::Error));
        wasi.envs(&granted.grants.variables).allow_tcp(false).allow_udp(false);
        for GrantedDirectory { host, guest, is_read_only } in &granted.grants.directories {
            let permissions = if *is_read_only { FsPerms::ReadOnly } else { FsPerms::ReadWrite };
            wasi.preopened_dir(host, guest, permissions)
                .map_err(|error| error.context(format!("cannot open the granted directory \"{}\"", host.display())))?;
        }
        let mut table = ResourceTable::new();
        table.set_max_capacity(RESOURCES_MAX);
        Ok(Self { wasi: wasi.build(), table, granted: Arc::clone(granted) })
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.sandbox.wasi, table: &mut self.sandbox.table }
    }
}

/// Offers WASI, with what is watched or bounded here in place of the library's own.
pub(super) fn add_to_linker(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi::p2::add_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    watch_environment(&mut interface(linker, "cli/environment")?)?;
    watch_directories(&mut interface(linker, "filesystem/preopens")?)?;
    watch_writing(&mut interface(linker, "filesystem/types")?)?;
    refuse_sockets(linker)?;
    bound_polling(&mut interface(linker, "io/poll")?)?;
    bound_random(&mut interface(linker, "random/random")?, "get-random-bytes")?;
    bound_random(&mut interface(linker, "random/insecure")?, "get-insecure-random-bytes")?;
    linker.allow_shadowing(false);
    Ok(())
}

fn interface<'a>(linker: &'a mut Linker<State>, name: &str) -> wasmtime::Result<LinkerInstance<'a, State>> {
    linker.instance(&format!("wasi:{name}@{VERSION}"))
}

fn watch_environment(environment: &mut LinkerInstance<'_, State>) -> wasmtime::Result<()> {
    environment.func_wrap("get-environment", |store: StoreContextMut<'_, State>, (): ()| {
        let granted = &store.data().sandbox.granted;
        if granted.grants.variables.is_empty() {
            granted.deny(Denied::Environment);
        }
        Ok((granted.grants.variables.clone(),))
    })
}

fn watch_directories(preopens: &mut LinkerInstance<'_, State>) -> wasmtime::Result<()> {
    preopens.func_wrap("get-directories", |mut store: StoreContextMut<'_, State>, (): ()| {
        let granted = &store.data().sandbox.granted;
        if granted.grants.directories.is_empty() {
            granted.deny(Denied::Files);
        }
        Ok((store.data_mut().filesystem().get_directories()?,))
    })
}

/// What would change a directory that may only be read.
fn watch_writing(types: &mut LinkerInstance<'_, State>) -> wasmtime::Result<()> {
    type Directory = Resource<Descriptor>;
    type Arguments = (Directory, PathFlags, String, OpenFlags, DescriptorFlags);
    macro_rules! watch {
        ($name:literal, $method:ident, $($argument:ident: $type:ty),*) => {
            types.func_wrap_async(
                concat!("[method]descriptor.", $name),
                |mut store: StoreContextMut<'_, State>, ($($argument,)*): ($($type,)*)| {
                    Box::new(async move {
                        let changed = store.data_mut().filesystem().$method($($argument),*).await;
                        Ok((told(&store, changed, true)?,))
                    })
                },
            )?;
        };
    }
    watch!("create-directory-at", create_directory_at, directory: Directory, path: String);
    watch!("remove-directory-at", remove_directory_at, directory: Directory, path: String);
    watch!("unlink-file-at", unlink_file_at, directory: Directory, path: String);
    watch!("symlink-at", symlink_at, directory: Directory, old: String, new: String);
    watch!("rename-at", rename_at, directory: Directory, old: String, other: Directory, new: String);
    types.func_wrap_async(
        "[method]descriptor.open-at",
        |mut store: StoreContextMut<'_, State>, arguments: Arguments| {
            Box::new(async move {
                let (directory, path_flags, path, open_flags, flags) = arguments;
                let writes = flags.contains(DescriptorFlags::WRITE)
                    || open_flags.intersects(OpenFlags::CREATE | OpenFlags::TRUNCATE);
                let opened =
                    store.data_mut().filesystem().open_at(directory, path_flags, path, open_flags, flags).await;
                Ok((told(&store, opened, writes)?,))
            })
        },
    )
}

/// The guest's own answer; that it may not write is told in the log as well.
fn told<T>(
    store: &StoreContextMut<'_, State>,
    answer: Result<T, FsError>,
    writes: bool,
) -> wasmtime::Result<Result<T, ErrorCode>> {
    let error = match answer {
        Ok(answer) => return Ok(Ok(answer)),
        Err(error) => error.downcast()?,
    };
    if writes && matches!(error, ErrorCode::NotPermitted | ErrorCode::ReadOnly) {
        store.data().sandbox.granted.deny(Denied::Writing);
    }
    Ok(Err(error))
}

/// No socket is made, so that a guest cannot use up the process's file descriptors.
fn refuse_sockets(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    fn refused<T>(store: &StoreContextMut<'_, State>) -> (Result<T, SocketErrorCode>,) {
        store.data().sandbox.granted.deny(Denied::Network);
        (Err(SocketErrorCode::AccessDenied),)
    }
    interface(linker, "sockets/tcp-create-socket")?
        .func_wrap("create-tcp-socket", |store, (_,): (IpAddressFamily,)| Ok(refused::<Resource<TcpSocket>>(&store)))?;
    interface(linker, "sockets/udp-create-socket")?
        .func_wrap("create-udp-socket", |store, (_,): (IpAddressFamily,)| Ok(refused::<Resource<UdpSocket>>(&store)))?;
    interface(linker, "sockets/ip-name-lookup")?
        .func_wrap("resolve-addresses", |store, (_, _): (Resource<Network>, String)| {
            Ok(refused::<Resource<ResolveAddressStream>>(&store))
        })
}

fn bound_polling(poll: &mut LinkerInstance<'_, State>) -> wasmtime::Result<()> {
    type Pollables = WasmList<Resource<DynPollable>>;
    poll.func_wrap_async("poll", |mut store: StoreContextMut<'_, State>, (list,): (Pollables,)| {
        Box::new(async move {
            if list.len() > POLLABLES_MAX {
                let asked = list.len();
                wasmtime::bail!("it polls {asked} pollables at once; this host takes {POLLABLES_MAX}");
            }
            let pollables = list.iter(&mut store)?.collect::<wasmtime::Result<Vec<_>>>()?;
            Ok((store.data_mut().sandbox.table.poll(pollables).await?,))
        })
    })
}

fn bound_random(random: &mut LinkerInstance<'_, State>, name: &str) -> wasmtime::Result<()> {
    random.func_wrap(name, |mut store: StoreContextMut<'_, State>, (bytes,): (u64,)| {
        if bytes > RANDOM_BYTES_MAX {
            wasmtime::bail!("it asks for {bytes} random bytes at once; this host gives {RANDOM_BYTES_MAX} at a time");
        }
        Ok((store.data_mut().random().get_random_bytes(bytes)?,))
    })
}
