//! Accepting connections, within bounds, until told to stop.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::Limits;

/// Pause after a failed accept, so that running out of file descriptors does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` fires, then lets the calls under way finish within the limit. True when all of them did.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits, stop: CancellationToken) -> bool {
    // A task of its own, so that who sees a connection come in also answers it. Elsewhere each would be handed from
    // thread to thread, and wait at each of them for a processor that a long call has.
    let connections = Arc::new(Semaphore::new(limits.connections_max));
    let read_timeout = Duration::from_millis(limits.read_timeout_ms);
    let accepting = AbortOnDropHandle::new(tokio::spawn(take_in(listener, router, connections, read_timeout, stop)));
    let Ok(graceful) = accepting.await else { return false };
    tokio::time::timeout(Duration::from_millis(limits.shutdown_ms), graceful.shutdown()).await.is_ok()
}

/// Accepts connections until `stop` fires, and answers with what watches over them.
async fn take_in(
    listener: TcpListener,
    router: Router,
    connections: Arc<Semaphore>,
    read_timeout: Duration,
    stop: CancellationToken,
) -> GracefulShutdown {
    let graceful = GracefulShutdown::new();
    loop {
        let permit = tokio::select! {
            permit = connections.clone().acquire_owned() => permit.expect("the semaphore is never closed"),
            () = stop.cancelled() => break,
        };
        let stream = tokio::select! {
            accepted = accept(&listener) => match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = stop.cancelled() => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(read_timeout)
            .serve_connection(TokioIo::new(stream), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            // A peer that goes away in the middle is its own business.
            let _ = watched.await;
        });
    }
    graceful
}

/// The next connection, set up so that what is written leaves at once: otherwise each event of a stream waits for the
/// client's delayed acknowledgement, some 40 ms.
async fn accept(listener: &TcpListener) -> std::io::Result<TcpStream> {
    let (stream, _) = listener.accept().await?;
    // A connection that is already gone is found out when it is read.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_do_not_wait_for_acknowledgements() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(accept(&listener).await.unwrap().nodelay().unwrap());
    }
}
