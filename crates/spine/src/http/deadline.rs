//! A connection whose peer must take what is written to it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A peer that takes so much within the limit is slow, and not stuck.
const PART_BYTES: usize = 64 * 1024;

/// Fails a write when the peer took too little of it for too long. A connection on which nothing waits may be silent.
pub struct WriteDeadline<S> {
    stream: S,
    limit: Duration,
    /// Set while something waits to be taken.
    deadline: Option<Pin<Box<Sleep>>>,
    /// Taken since it was set.
    taken: usize,
}

impl<S> WriteDeadline<S> {
    pub fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, deadline: None, taken: 0 }
    }

    fn watch(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.taken += bytes;
                if self.taken >= PART_BYTES {
                    self.relax();
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let limit = self.limit;
                let deadline = self.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
                ready!(deadline.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }

    fn relax(&mut self) {
        (self.deadline, self.taken) = (None, 0);
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // Called when everything was written.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        self.relax();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tokio::time::Instant;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(15);
    const PIPE_BYTES: usize = 1024;

    /// Writes more than a pipe holds to a peer that reads as the test says.
    async fn written(
        bytes: usize,
        reading: impl Future<Output = ()>,
        far: tokio::io::DuplexStream,
        near: tokio::io::DuplexStream,
    ) -> io::Result<()> {
        let _far = far;
        let mut near = WriteDeadline::new(near, LIMIT);
        let writing = async {
            near.write_all(&vec![0; bytes]).await?;
            near.flush().await
        };
        tokio::select! { outcome = writing => outcome, () = reading => unreachable!("it reads for ever") }
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_does_not_read_is_given_up() {
        let (near, far) = duplex(PIPE_BYTES);
        let started = Instant::now();
        let outcome = written(PIPE_BYTES + 1, std::future::pending(), far, near).await;
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(started.elapsed(), LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_a_byte_a_second_is_given_up() {
        let (near, far) = duplex(PIPE_BYTES);
        let (mut far, spare) = (far, duplex(1).0);
        let reading = async {
            loop {
                tokio::time::sleep(Duration::from_secs(1)).await;
                far.read_u8().await.unwrap();
            }
        };
        let outcome = written(PIPE_BYTES * 2, reading, spare, near).await;
        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_peer_and_a_silent_connection_go_on() {
        let (near, mut far) = duplex(PIPE_BYTES);
        let mut near = WriteDeadline::new(near, LIMIT);
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; PIPE_BYTES];
            for _ in 0..300 {
                tokio::time::sleep(Duration::from_millis(200)).await;
                far.read_exact(&mut buffer).await.unwrap();
            }
            far
        });
        near.write_all(&vec![0; PIPE_BYTES * 300]).await.unwrap();
        near.flush().await.unwrap();
        let _far = reading.await.unwrap();
        tokio::time::sleep(LIMIT * 10).await;
        near.write_all(b"x").await.unwrap();
    }
}
