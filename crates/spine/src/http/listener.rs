//! Accepting connections, within bounds, until told to stop.
//!
//! A thread of its own accepts them and looks how each begins. Probes (`/health`, `/ready`) are answered there; the others go to
//! the threads that serve calls, where they may have to wait behind any number of them. Whoever comes when all [`Places`] are
//! taken is let in to a few reserved ones, where only probes are answered. So an operator sees how the server is, whatever its
//! clients do.

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::deadline::WriteDeadline;
use super::places::{Place, Places};
use crate::config::Limits;

/// Pause after a failed accept, so that running out of file descriptors does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many connections have reserved places. When more come, the oldest of them has to go.
const RESERVED_MAX: usize = 64;
/// How long a connection with a probe, or in a reserved place, may take to send its request.
const PROBE_READ_TIMEOUT: Duration = Duration::from_secs(2);
/// When it is worth coming again to a server that is full.
const RETRY_AFTER_S: u64 = 1;
/// How a request begins that is answered at the door.
const PROBES: [&[u8]; 2] = [b"GET /health ", b"GET /ready "];

/// Serves until `stop` fires, then lets the calls under way finish within the limit. True when all of them did.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: CancellationToken,
) -> io::Result<bool> {
    let (stop, listener) = (stop.child_token(), listener.into_std()?);
    // Also when nobody waits for this any more.
    let _stopped = stop.clone().drop_guard();
    let timeout = Duration::from_millis(limits.read_timeout_ms);
    let probes = router.clone().layer(middleware::from_fn(probes_only));
    let door = Door { router, probes, timeout, calls: Handle::current(), stop };
    let (places, (done, ended)) = (Places::new(limits.connections_max), oneshot::channel());
    let doorkeeper = runtime::Builder::new_current_thread().enable_all().build()?;
    let keep = async move {
        let (graceful, waiting) = (GracefulShutdown::new(), TaskTracker::new());
        door.take_in(TcpListener::from_std(listener)?, &places, &graceful, &waiting).await;
        // Nobody listens when the server did not wait for its end.
        let _ = done.send(graceful);
        waiting.close();
        waiting.wait().await;
        io::Result::Ok(())
    };
    let run = move || {
        if let Err(error) = doorkeeper.block_on(keep) {
            tracing::error!(%error, "connections cannot be accepted");
        }
    };
    std::thread::Builder::new().name("doorkeeper".to_owned()).spawn(run)?;
    let Ok(graceful) = ended.await else { return Ok(false) };
    Ok(tokio::time::timeout(Duration::from_millis(limits.shutdown_ms), graceful.shutdown()).await.is_ok())
}

/// From which address a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// What a new connection meets.
#[derive(Clone)]
struct Door {
    router: Router,
    /// The same for those who are let in for a probe only.
    probes: Router,
    timeout: Duration,
    /// Where calls are served.
    calls: Handle,
    stop: CancellationToken,
}

/// How a connection begins.
enum Beginning {
    Probe,
    Call,
    /// It never did.
    Silence,
}

impl Door {
    /// Accepts connections until it is time to stop. Those of which nothing is known yet wait in `waiting`.
    async fn take_in(
        &self,
        listener: TcpListener,
        places: &Places,
        graceful: &GracefulShutdown,
        waiting: &TaskTracker,
    ) {
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
                () = self.stop.cancelled() => break,
            };
            match places.take(peer) {
                Some(place) => drop(waiting.spawn(self.clone().sort(stream, place, graceful.watcher()))),
                None => {
                    reserve(&mut reserved, tokio::spawn(self.clone().probe(stream)).abort_handle());
                    // It is looked at before the next ones are let in, which might push it out.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Answers a probe and hands everything else to those who serve calls.
    async fn sort(self, stream: TcpStream, place: Place, watcher: Watcher) {
        match self.beginning(&stream).await {
            Beginning::Silence => {}
            Beginning::Probe => {
                drop(watcher);
                self.probe(stream).await;
            }
            Beginning::Call => {
                // It leaves this thread's list of what may arrive for that of the others.
                if let Ok(stream) = stream.into_std() {
                    self.calls.clone().spawn(self.call(stream, place, watcher));
                }
            }
        }
    }

    /// Looks at the first bytes without taking them.
    async fn beginning(&self, stream: &TcpStream) -> Beginning {
        let mut start = [0; 12];
        tokio::select! {
            seen = tokio::time::timeout(self.timeout, stream.peek(&mut start)) => match seen {
                Ok(Ok(read)) if PROBES.iter().any(|probe| start[..read].starts_with(probe)) => Beginning::Probe,
                Ok(Ok(read)) if read > 0 => Beginning::Call,
                _ => Beginning::Silence,
            },
            // Those who serve calls end a connection in the right way.
            () = self.stop.cancelled() => Beginning::Call,
        }
    }

    async fn call(self, stream: std::net::TcpStream, place: Place, watcher: Watcher) {
        let Ok(stream) = TcpStream::from_std(stream) else { return };
        let peer = Peer(place.address());
        let io = TokioIo::new(WriteDeadline::new(stream, self.timeout));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.timeout);
        // A peer that goes away in the middle is its own business.
        let _ = watcher
            .watch(http.serve_connection(io, TowerToHyperService::new(self.router.layer(Extension(peer)))))
            .await;
    }

    /// Answers one probe; whatever else it turns out to be is turned away.
    async fn probe(self, stream: TcpStream) {
        let io = TokioIo::new(WriteDeadline::new(stream, self.timeout));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.timeout.min(PROBE_READ_TIMEOUT)).keep_alive(false);
        let _ = http.serve_connection(io, TowerToHyperService::new(self.probes)).await;
    }
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::SocketAddr;

    use axum::routing::get;

    use super::*;

    #[tokio::test]
    async fn connections_do_not_wait_for_acknowledgements() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        assert!(accept(&listener).await.unwrap().0.nodelay().unwrap());
    }

    /// Asks and waits, with the thread and all.
    fn ask(address: SocketAddr, path: &str) -> String {
        let mut peer = std::net::TcpStream::connect(address).unwrap();
        peer.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        peer.read_to_string(&mut answer).unwrap();
        answer
    }

    #[tokio::test]
    async fn probes_are_answered_while_nobody_can_serve_a_call() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, stop) = (listener.local_addr().unwrap(), CancellationToken::new());
        let answers = |text: &'static str| get(move || async move { text });
        let router = Router::new()
            .route("/health", answers("healthy"))
            .route("/ready", answers("ready"))
            .route("/healthy", answers("a call"));
        let stopped = stop.clone();
        let serving = tokio::spawn(async move { serve(listener, router, &Limits::default(), stopped).await });
        tokio::task::yield_now().await;
        // Calls are served by this thread alone, and it waits here.
        assert!(ask(address, "/health").ends_with("healthy"));
        assert!(ask(address, "/ready").ends_with("ready"));
        let call = tokio::task::spawn_blocking(move || ask(address, "/healthy"));
        assert!(call.await.unwrap().ends_with("a call"));
        stop.cancel();
        assert!(serving.await.unwrap().unwrap());
    }
}
