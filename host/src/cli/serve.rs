//! `streamlet serve`: the process that the platform's sidecar dials.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use tokio::sync::watch;

use super::grants::GrantFlags;
use super::limits::{LimitFlags, duration};
use super::loading::LoadFlags;
use super::open::Opener;
use super::policy::PolicyFlags;
use super::{Exit, signals};
use crate::console::Console;
use crate::server::{self, Listener, Served, Shutdown};

/// Serves a streamlet to the platform's sidecar, on the loopback interface
///
/// The port is bound as soon as flags and file are known to be good; answers are held until the component is compiled
/// and described. SIGTERM and SIGINT let an open conversation end as the sidecar says, within the drain grace; a second
/// signal ends the process at once.
#[derive(Debug, Args)]
pub(super) struct Serve {
    /// A .wasm component, or a directory with a guest crate
    component: PathBuf,
    /// The port to listen on, at 127.0.0.1; 0 lets the system choose
    #[arg(long, value_name = "PORT", default_value_t = 9010, env = "FLOW_PROCESS_PORT")]
    port: u16,
    /// How long batches in flight may take once a conversation or the process is to end
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "8 s", env = "STREAMLET_DRAIN_GRACE")]
    drain_grace: Duration,
    #[command(flatten)]
    policy: PolicyFlags,
    #[command(flatten)]
    grants: GrantFlags,
    #[command(flatten)]
    loading: LoadFlags,
    #[command(flatten)]
    limits: LimitFlags,
}

impl Serve {
    pub(super) async fn call(&self, console: &Console) -> anyhow::Result<Exit> {
        let began = Instant::now();
        let opener = Opener {
            console,
            flags: &self.loading,
            limits: (&self.limits).into(),
            grants: self.grants.resolve()?,
            quiet: false,
        };
        let file = match opener.read(&self.component).await? {
            Ok(file) => file,
            Err(exit) => return Ok(exit),
        };
        let signal = signals::first();
        let listener = Listener::bind(self.port).await?;
        let address = listener.address();
        let shutdown = Shutdown::new(self.drain_grace);
        let (ready, awaited) = watch::channel(None);
        let asked = shutdown.clone();
        tokio::spawn(async move {
            signal.await;
            tracing::info!(target: "streamlet", "signal received, ending");
            asked.ask();
        });
        let serving = tokio::spawn(server::serve(listener, awaited, shutdown.clone()));
        let loaded = tokio::select! {
            loaded = opener.load(file) => loaded?,
            () = shutdown.over() => return Ok(Exit::Yes),
        };
        let component = match loaded {
            Ok(component) => component,
            Err(exit) => return Ok(exit),
        };
        let policy = self.policy.resolve(component.descriptor())?;
        tracing::info!(
            target: "streamlet",
            %address,
            streamlet = %component.descriptor().name,
            instances = %component.allocation(),
            after_ms = began.elapsed().as_millis(),
            "ready"
        );
        // The server holds a receiver until it ends.
        let _ = ready.send(Some(Served { component, policy }));
        serving.await??;
        tracing::info!(target: "streamlet", "ended");
        Ok(Exit::Yes)
    }
}
