//! Connections: a bounded number, and none that says nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use super::gathering::Gathering;

/// Connections at once. The sidecar has one; whatever else is in the pod waits its turn.
const CONNECTIONS_MAX: usize = 256;
/// How long a connection may stay silent before its first byte.
const FIRST_BYTE_WAIT: Duration = Duration::from_secs(10);
/// How long to wait after the system refused another connection, for example for want of file handles.
const REFUSED_WAIT: Duration = Duration::from_millis(100);

/// A connection that holds its place until it is dropped.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Gathering<TcpStream>,
    _place: OwnedSemaphorePermit,
}

/// Accepts connections for as long as anybody takes them.
pub(super) fn accept(listener: TcpListener) -> impl Stream<Item = io::Result<Connection>> {
    let (accepted, connections) = mpsc::channel(1);
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    tokio::spawn(async move {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let stream = tokio::select! {
                accept = listener.accept() => match accept {
                    Ok((stream, _)) => stream,
                    Err(error) => {
                        tracing::warn!(target: "streamlet", %error, "cannot accept a connection");
                        tokio::time::sleep(REFUSED_WAIT).await;
                        continue;
                    }
                },
                () = accepted.closed() => return,
            };
            let accepted = accepted.clone();
            tokio::spawn(async move {
                // Small answers must not wait for an acknowledgement of the one before.
                let speaks = stream.set_nodelay(true).is_ok()
                    && matches!(tokio::time::timeout(FIRST_BYTE_WAIT, stream.readable()).await, Ok(Ok(())));
                if speaks {
                    let stream = Gathering::new(stream);
                    // Nobody takes it only when the server has ended.
                    let _ = accepted.send(Ok(Connection { stream, _place: place })).await;
                }
            });
        }
    });
    ReceiverStream::new(connections)
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.inner().connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
