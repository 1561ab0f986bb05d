//! Accepting connections, within bounds, until told to stop.
//!
//! There are places for so many connections, and one address may not take them all. Whoever comes when they are taken is
//! let in all the same, to a few reserved places where only probes are answered: an operator sees how the server is whatever
//! its clients do.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::deadline::WriteDeadline;
use crate::config::Limits;

/// Pause after a failed accept, so that running out of file descriptors does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many connections have reserved places. When more come, the oldest of them has to go.
const RESERVED_MAX: usize = 16;
/// How long a connection in a reserved place may take to send its request.
const RESERVED_READ_TIMEOUT: Duration = Duration::from_secs(2);
/// When it is worth coming again to a server that is full.
const RETRY_AFTER_S: u64 = 1;

/// Serves until `stop` fires, then lets the calls under way finish within the limit. True when all of them did.
pub async fn serve(listener: TcpListener, router: Router, limits: &Limits, stop: CancellationToken) -> bool {
    // A task of its own, so that who sees a connection come in also answers it. Elsewhere each would be handed from
    // thread to thread, and wait at each of them for a processor that a long call has.
    let places = Places::new(limits.connections_max);
    let timeout = Duration::from_millis(limits.read_timeout_ms);
    let accepting = AbortOnDropHandle::new(tokio::spawn(take_in(listener, router, places, timeout, stop)));
    let Ok(graceful) = accepting.await else { return false };
    tokio::time::timeout(Duration::from_millis(limits.shutdown_ms), graceful.shutdown()).await.is_ok()
}

/// Accepts connections until `stop` fires, and answers with what watches over them.
async fn take_in(
    listener: TcpListener,
    router: Router,
    places: Places,
    timeout: Duration,
    stop: CancellationToken,
) -> GracefulShutdown {
    let graceful = GracefulShutdown::new();
    let probes = router.clone().layer(middleware::from_fn(probes_only));
    let mut reserved = VecDeque::new();
    loop {
        let (stream, peer) = tokio::select! {
            accepted = accept(&listener) => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = stop.cancelled() => break,
        };
        let io = TokioIo::new(WriteDeadline::new(stream, timeout));
        let mut http = hyper::server::conn::http1::Builder::new();
        http.timer(TokioTimer::new());
        match places.take(peer) {
            Some(place) => {
                let service = TowerToHyperService::new(router.clone());
                let connection = graceful.watch(http.header_read_timeout(timeout).serve_connection(io, service));
                tokio::spawn(async move {
                    let _place = place;
                    // A peer that goes away in the middle is its own business.
                    let _ = connection.await;
                });
            }
            None => {
                let service = TowerToHyperService::new(probes.clone());
                http.header_read_timeout(timeout.min(RESERVED_READ_TIMEOUT)).keep_alive(false);
                let connection = http.serve_connection(io, service);
                reserve(&mut reserved, tokio::spawn(async move { drop(connection.await) }).abort_handle());
            }
        }
    }
    graceful
}

/// The next connection, set up so that what is written leaves at once: otherwise each event of a stream waits for the
/// client's delayed acknowledgement, some 40 ms.
async fn accept(listener: &TcpListener) -> std::io::Result<(TcpStream, IpAddr)> {
    let (stream, peer) = listener.accept().await?;
    // A connection that is already gone is found out when it is read.
    let _ = stream.set_nodelay(true);
    Ok((stream, peer.ip()))
}

fn reserve(reserved: &mut VecDeque<AbortHandle>, newest: AbortHandle) {
    reserved.retain(|connection| !connection.is_finished());
    if reserved.len() == RESERVED_MAX
        && let Some(oldest) = reserved.pop_front()
    {
        oldest.abort();
    }
    reserved.push_back(newest);
}

/// Lets requests of operators pass and turns the others away.
async fn probes_only(request: Request, next: Next) -> Response {
    if matches!(request.uri().path(), "/health" | "/ready") {
        return next.run(request).await;
    }
    let text = "too many connections are open; close some or try again in a moment\n";
    let mut response = (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER_S));
    response
}

/// The places of a listener.
struct Places {
    free: Arc<Semaphore>,
    address_max: usize,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection's place, given back when it is dropped.
struct Place {
    _permit: OwnedSemaphorePermit,
    address: IpAddr,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Places {
    fn new(connections_max: usize) -> Self {
        // Three quarters of them, so that one peer leaves some to others.
        let address_max = (connections_max - connections_max / 4).max(1);
        Self { free: Arc::new(Semaphore::new(connections_max)), address_max, by_address: Arc::default() }
    }

    fn take(&self, address: IpAddr) -> Option<Place> {
        let permit = self.free.clone().try_acquire_owned().ok()?;
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let count = by_address.entry(address).or_default();
        if *count == self.address_max {
            return None;
        }
        *count += 1;
        Some(Place { _permit: permit, address, by_address: self.by_address.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_do_not_wait_for_acknowledgements() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(accept(&listener).await.unwrap().0.nodelay().unwrap());
    }

    #[test]
    fn one_address_leaves_places_to_others() {
        let places = Places::new(8);
        let [one, other] = [[127, 0, 0, 1], [127, 0, 0, 2]].map(IpAddr::from);
        let mut taken: Vec<Place> = std::iter::from_fn(|| places.take(one)).collect();
        assert_eq!(taken.len(), 6);
        taken.extend([places.take(other).unwrap(), places.take(other).unwrap()]);
        assert!(places.take(other).is_none());
        taken.clear();
        assert!(places.by_address.lock().unwrap().is_empty());
        assert_eq!(places.free.available_permits(), 8);
        assert!(Places::new(1).take(one).is_some());
    }
}
