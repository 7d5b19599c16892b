//! `Streamlet.Run` as a tonic service. Written by hand, since the generated one would decode every record; and the one
//! place that knows which conversation is current.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, NamedService, StreamingService};
use tonic::{Request, Response, Status, Streaming};

use super::outgoing::{self, Outgoing};
use super::session::Session;
use super::{INBOUND_BYTES_MAX, Ready, Shutdown};
use crate::codec::{Inbound, RunCodec};

/// The one method's path.
pub(super) const RUN_PATH: &str = "/ankka.flow.v1.Streamlet/Run";

/// The service. Clones share the current conversation.
#[derive(Debug, Clone)]
pub(super) struct RunService {
    ready: Ready,
    shutdown: Shutdown,
    current: Current,
}

/// The conversation that began last.
#[derive(Debug, Clone, Default)]
pub(super) struct Current(Arc<Mutex<Option<Arc<Notify>>>>);

impl Current {
    /// Makes a stream's conversation the current one. The one before, if another stream's, is told.
    pub(super) fn take_over(&self, superseded: &Arc<Notify>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match current.replace(Arc::clone(superseded)) {
            Some(before) if !Arc::ptr_eq(&before, superseded) => before.notify_one(),
            _ => {}
        }
    }
}

impl RunService {
    pub(super) fn new(ready: Ready, shutdown: Shutdown) -> Self {
        Self { ready, shutdown, current: Current::default() }
    }

    async fn run(mut self, inbound: Streaming<Inbound>) -> Result<Response<Outgoing>, Status> {
        let served = super::served(&mut self.ready).await?;
        let Some(open) = self.shutdown.open() else {
            return Err(Status::unavailable("the process is ending"));
        };
        let (answers, outgoing) = outgoing::channel();
        let session = Session::new(served, self.current, self.shutdown, answers);
        tokio::spawn(async move {
            session.drive(inbound).await;
            drop(open);
        });
        Ok(Response::new(outgoing))
    }
}

impl NamedService for RunService {
    const NAME: &'static str = "ankka.flow.v1.Streamlet";
}

impl Service<http::Request<Body>> for RunService {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            if request.uri().path() != RUN_PATH {
                return Ok(Status::unimplemented("ankka.flow.v1.Streamlet has only Run").into_http());
            }
            let mut grpc = Grpc::new(RunCodec).max_decoding_message_size(INBOUND_BYTES_MAX);
            Ok(grpc.streaming(Method(service), request).await)
        })
    }
}

/// The method, in tonic's terms.
struct Method(RunService);

impl StreamingService<Inbound> for Method {
    type Response = bytes::Bytes;
    type ResponseStream = Outgoing;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Outgoing>, Status>> + Send>>;

    fn call(&mut self, request: Request<Streaming<Inbound>>) -> Self::Future {
        Box::pin(self.0.clone().run(request.into_inner()))
    }
}
