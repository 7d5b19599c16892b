//! `/metrics`, `/ready` and `/alive` over HTTP, for probes and for Prometheus. Off unless an address is given.
//!
//! It answers GET and HEAD, holds few connections, and gives each a bounded time. It ends with the run.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::AbortOnDrop;
use super::monitor::Monitor;

/// Connections at once; more of them wait.
const CONNECTIONS_MAX: usize = 32;
/// How long a connection may last: a probe or a scrape is over in a moment.
const CONNECTION_MAX: Duration = Duration::from_secs(30);
/// How long a request's head may take to arrive.
const HEAD_WAIT: Duration = Duration::from_secs(5);
/// The wait after the system refuses a connection.
const ACCEPT_WAIT: Duration = Duration::from_millis(100);

/// The address cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("cannot serve metrics on {address}; name another port with --metrics-port or FLOW_METRICS_PORT")]
pub struct HealthError {
    address: SocketAddr,
    #[source]
    source: std::io::Error,
}

/// Serves until the guard is dropped.
pub(super) async fn serve(address: SocketAddr, monitor: &Arc<Monitor>) -> Result<AbortOnDrop, HealthError> {
    let failed = |source| HealthError { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    tracing::info!(target: "streamlet", %address, "metrics and health are served");
    let monitor = Arc::clone(monitor);
    Ok(AbortOnDrop(tokio::spawn(accept(listener, monitor))))
}

async fn accept(listener: TcpListener, monitor: Arc<Monitor>) {
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_WAIT).await;
            continue;
        };
        let monitor = Arc::clone(&monitor);
        tokio::spawn(async move {
            // Whoever breaks off, or takes too long, is gone.
            let _ = tokio::time::timeout(CONNECTION_MAX, answer_all(stream, monitor)).await;
            drop(permit);
        });
    }
}

async fn answer_all(stream: TcpStream, monitor: Arc<Monitor>) {
    let service = service_fn(move |request| {
        let response = answer(&request, &monitor);
        async { Ok::<_, Infallible>(response) }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD_WAIT);
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

fn answer(request: &Request<Incoming>, monitor: &Monitor) -> Response<Full<Bytes>> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    }
    match request.uri().path() {
        "/metrics" => match monitor.text() {
            Ok(metrics) => text(StatusCode::OK, metrics),
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
        },
        "/alive" => text(StatusCode::OK, "alive\n"),
        "/ready" if monitor.is_ready() => text(StatusCode::OK, "ready\n"),
        "/ready" => {
            let trouble = monitor.state().trouble.map_or_else(String::new, |trouble| format!(": {trouble}"));
            text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready{trouble}\n"))
        }
        _ => text(StatusCode::NOT_FOUND, "there are /metrics, /ready and /alive\n"),
    }
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let content = hyper::header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, content);
    response
}
