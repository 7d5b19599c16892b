//! What is written to a connection, gathered: HTTP/2 writes frames of 16 KiB, as large as the sidecar takes them, and flushes
//! each, so that a batch's answer would be eight calls of the system, each of which wakes its reader up.
//!
//! It owns what has been written and not sent. Little is sent at the first flush. Of what is more than a frame the rest most
//! likely follows at once, so it waits until it is a lot, or else for the connection's next turn, which is asked for and
//! begins with reading. It ends with the connection; what was not flushed then is lost, as with any other stream.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that are sent when they are flushed: less than a full frame.
const LITTLE_BYTES_MAX: usize = 16 << 10;
/// Bytes that wait for no more.
const A_LOT_BYTES: usize = 128 << 10;
/// Bytes that there is room for.
const GATHERED_BYTES_MAX: usize = A_LOT_BYTES + LITTLE_BYTES_MAX;

/// A stream, and what is to be written to it.
#[derive(Debug)]
pub(super) struct Gathering<S> {
    inner: S,
    gathered: Vec<u8>,
    /// How much of that is sent.
    sent: usize,
    /// A flush has left it to the next turn.
    is_due: bool,
}

impl<S> Gathering<S> {
    pub(super) fn new(inner: S) -> Self {
        Self { inner, gathered: Vec::new(), sent: 0, is_due: false }
    }

    pub(super) fn inner(&self) -> &S {
        &self.inner
    }
}

impl<S: AsyncWrite + Unpin> Gathering<S> {
    /// Sends all there is.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.gathered.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match ready!(Pin::new(&mut self.inner).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => self.sent += sent,
            }
        }
        self.gathered.clear();
        (self.sent, self.is_due) = (0, false);
        Poll::Ready(Ok(()))
    }

    /// Takes in as much as there is room for, which is some: a lot that was there is sent first.
    fn poll_gather(&mut self, cx: &mut Context<'_>, slices: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        if self.gathered.len() >= A_LOT_BYTES {
            ready!(self.poll_send(cx))?;
        }
        let before = self.gathered.len();
        if before + slices.iter().map(|slice| slice.len()).sum::<usize>() > LITTLE_BYTES_MAX {
            self.gathered.reserve_exact(GATHERED_BYTES_MAX - before);
        }
        for slice in slices {
            let room = GATHERED_BYTES_MAX - self.gathered.len();
            self.gathered.extend_from_slice(slice.get(..room).unwrap_or(slice));
        }
        Poll::Ready(Ok(self.gathered.len() - before))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gathering<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.is_due
            && let Poll::Ready(Err(error)) = self.poll_send(cx)
        {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gathering<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_gather(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_gather(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // What is half sent is being waited for.
        if self.sent == 0 && (LITTLE_BYTES_MAX..A_LOT_BYTES).contains(&self.gathered.len()) {
            if !std::mem::replace(&mut self.is_due, true) {
                cx.waker().wake_by_ref();
            }
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
