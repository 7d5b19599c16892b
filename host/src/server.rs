//! The gRPC door: the process that the platform's sidecar dials.
//!
//! It binds the loopback interface only, at once, and holds every `Discover` and `Run` until the component is ready,
//! because a port that refuses connections costs the sidecar more than a slow answer. It owns the one current
//! conversation: a newer `Start` voids it. It refuses new streams once the process is to end, and ends when nothing is
//! open any more, or when the drain grace is over.
//!
//! This module, those below it and `codec` are the only ones that name tonic.

mod discovery;
mod gathering;
mod incoming;
mod lanes;
mod loopback;
mod outgoing;
mod run;
mod session;
mod shutdown;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use streamlet_protocol::wire::discovery_server::DiscoveryServer;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::Status;
use tonic::transport::Server;

use crate::guest::Component;
use crate::lane::Policy;
use discovery::DiscoveryService;
pub use loopback::{Heard, Loopback, LoopbackError};
use run::RunService;
pub use shutdown::Shutdown;

/// Bytes of an inbound message: a record of very many tiny headers weighs little with the sidecar and much on the wire.
const INBOUND_BYTES_MAX: usize = 16 << 20;
/// Bytes of a frame we are willing to receive.
const FRAME_BYTES_MAX: u32 = 128 << 10;
/// Streams that one connection may have open at once; the sidecar has one or two.
const STREAMS_PER_CONNECTION_MAX: u32 = 64;
/// Bytes of headers that a request may have.
const HEADER_LIST_BYTES_MAX: u32 = 16 << 10;
/// How long an ended server waits for its connections to close.
const CLOSE_WAIT: Duration = Duration::from_millis(500);

/// A server that could not begin, or not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken or not allowed.
    #[error("cannot listen on {address}; is another process using the port?")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The transport failed.
    #[error("the gRPC server failed")]
    Transport(#[source] tonic::transport::Error),
}

/// What is served.
#[derive(Debug, Clone)]
pub struct Served {
    /// The component.
    pub component: Arc<Component>,
    /// What becomes of its batches that fail.
    pub policy: Policy,
}

/// What is served, once it is ready.
type Ready = watch::Receiver<Option<Served>>;

/// A bound port.
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Binds `port` of the loopback interface; 0 lets the system choose.
    ///
    /// # Errors
    /// [`ServeError::Bind`].
    pub async fn bind(port: u16) -> Result<Self, ServeError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bind = |source| ServeError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        Ok(Self { listener, address })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Waits for the component.
async fn served(ready: &mut Ready) -> Result<Served, Status> {
    let found = ready.wait_for(Option::is_some).await.ok().and_then(|served| served.clone());
    found.ok_or_else(|| Status::unavailable("the component was refused; the process is ending"))
}

/// Serves until `shutdown` is over. Answers are held until `ready` has a component.
///
/// # Errors
/// [`ServeError::Transport`].
pub async fn serve(listener: Listener, ready: Ready, shutdown: Shutdown) -> Result<(), ServeError> {
    let discovery = DiscoveryServer::new(DiscoveryService::new(ready.clone()));
    let run = RunService::new(ready, shutdown.clone());
    let over = shutdown.clone();
    let serving = Server::builder()
        .max_concurrent_streams(STREAMS_PER_CONNECTION_MAX)
        .max_frame_size(FRAME_BYTES_MAX)
        .http2_max_header_list_size(HEADER_LIST_BYTES_MAX)
        .add_service(discovery)
        .add_service(run)
        .serve_with_incoming_shutdown(incoming::accept(listener.listener), async move { over.over().await });
    tokio::select! {
        ended = serving => ended.map_err(ServeError::Transport),
        () = async { shutdown.over().await; tokio::time::sleep(CLOSE_WAIT).await } => Ok(()),
    }
}
