//! `Streamlet.Run` as a tonic service. Written by hand, since the generated one would decode every record, and tonic's
//! encoder copy every emit; and the one place that knows which conversation is current.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::Notify;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::metadata::MetadataValue;
use tonic::server::NamedService;
use tonic::{Status, Streaming};

use super::outgoing::{self, Outgoing};
use super::session::Session;
use super::{INBOUND_BYTES_MAX, Ready, Shutdown};
use crate::codec::{Inbound, RunCodec};

/// The one method's path.
pub(super) const RUN_PATH: &str = "/ankka.flow.v1.Streamlet/Run";

/// Headers of gRPC, and what they say here.
const ENCODING: &str = "grpc-encoding";
const ACCEPT_ENCODING: &str = "grpc-accept-encoding";
const IDENTITY: &str = "identity";
const GRPC: http::HeaderValue = http::HeaderValue::from_static("application/grpc");

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

    async fn run(mut self, inbound: Streaming<Inbound>) -> Result<Outgoing, Status> {
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
        Ok(outgoing)
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
            let encoding = request.headers().get(ENCODING);
            if encoding.is_some_and(|encoding| encoding != IDENTITY) {
                let mut status = Status::unimplemented("messages may not be compressed");
                status.metadata_mut().insert(ACCEPT_ENCODING, MetadataValue::from_static(IDENTITY));
                return Ok(status.into_http());
            }
            let inbound = Streaming::new_request(RunCodec, request.into_body(), None, Some(INBOUND_BYTES_MAX));
            Ok(match service.run(inbound).await {
                Ok(outgoing) => {
                    let mut response = http::Response::new(Body::new(outgoing));
                    response.headers_mut().insert(http::header::CONTENT_TYPE, GRPC);
                    response
                }
                Err(status) => status.into_http(),
            })
        })
    }
}
