//! Accepting connections, within bounds, until told to stop.
//!
//! A thread of its own accepts them and looks how each begins. Probes (`/health`, `/ready`) are answered there; the others go to
//! the threads that serve calls, where they may have to wait behind any number of them. Whoever comes when all [`Places`] are
//! taken is let in to a few reserved ones, where only probes are answered. So an operator sees how the server is, whatever its
//! clients do.
//!
//! With a certificate, whoever begins with a TLS handshake gets one; whoever speaks in the clear is answered all the same, so
//! that probes need no certificate and browsers can be sent to the right address ([`Peer::is_tls`] tells them apart).

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::HttpBody as _;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{self, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

use super::deadline::WriteDeadline;
use super::places::{Place, Places};
use super::proxies::{Peer, Proxies};
use super::tls::Tls;
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
/// How a TLS handshake begins.
const HANDSHAKE: u8 = 0x16;
/// Most bytes of a request line and its headers. A token has 16 KiB at the most.
const HEADER_BYTES_MAX: usize = 64 * 1024;

/// How a listener is served, besides its limits.
#[derive(Clone, Default)]
pub struct Listening {
    pub tls: Option<Tls>,
    /// They speak for many, so no bound of one address holds for them.
    pub proxies: Proxies,
}

/// Serves in the clear until `stop` fires, then lets the calls under way finish within the limit. True when all of them did.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: CancellationToken,
) -> io::Result<bool> {
    serve_with(listener, router, limits, Listening::default(), stop).await
}

/// The same, with TLS or behind proxies.
pub async fn serve_with(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    listening: Listening,
    stop: CancellationToken,
) -> io::Result<bool> {
    let (stop, listener) = (stop.child_token(), listener.into_std()?);
    // Also when nobody waits for this any more.
    let _stopped = stop.clone().drop_guard();
    let timeout = Duration::from_millis(limits.read_timeout_ms);
    let probes = router.clone().layer(middleware::from_fn(probes_only));
    let Listening { tls, proxies } = listening;
    let acceptor = tls.as_ref().map(Tls::acceptor);
    if let Some(tls) = tls {
        tokio::spawn(tls.follow(stop.clone()));
    }
    let door = Door { router, probes, timeout, acceptor, proxies, calls: Handle::current(), stop };
    let places = Places::new(limits.connections_max, limits.address_connections_max());
    let (done, ended) = oneshot::channel();
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

/// What a new connection meets.
#[derive(Clone)]
struct Door {
    router: Router,
    /// The same for those who are let in for a probe only.
    probes: Router,
    timeout: Duration,
    acceptor: Option<TlsAcceptor>,
    proxies: Proxies,
    /// Where calls are served.
    calls: Handle,
    stop: CancellationToken,
}

/// How a connection begins.
enum Beginning {
    Probe,
    Call,
    /// With TLS.
    Handshake,
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
            match places.take(Some(peer).filter(|peer| !self.proxies.knows(*peer))) {
                Some(place) => drop(waiting.spawn(self.clone().sort(stream, peer, place, graceful.watcher()))),
                None => {
                    reserve(&mut reserved, tokio::spawn(self.clone().reserved(stream, peer)).abort_handle());
                    // It is looked at before the next ones are let in, which might push it out.
                    tokio::task::yield_now().await;
                }
            }
        }
    }

    /// Answers a probe and hands everything else to those who serve calls.
    async fn sort(self, stream: TcpStream, address: IpAddr, place: Place, watcher: Watcher) {
        let beginning = tokio::select! {
            beginning = self.beginning(&stream) => beginning,
            () = place.evicted() => Beginning::Silence,
        };
        let peer = Peer { address, is_tls: matches!(beginning, Beginning::Handshake) };
        match beginning {
            Beginning::Silence => {}
            Beginning::Probe => {
                drop(watcher);
                self.probe(stream, peer).await;
            }
            Beginning::Call | Beginning::Handshake => {
                // It leaves this thread's list of what may arrive for that of the others.
                if let Ok(stream) = stream.into_std() {
                    self.calls.clone().spawn(self.call(stream, peer, place, watcher));
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
                Ok(Ok(read)) if read > 0 && start[0] == HANDSHAKE && self.acceptor.is_some() => Beginning::Handshake,
                Ok(Ok(read)) if read > 0 => Beginning::Call,
                _ => Beginning::Silence,
            },
            // Those who serve calls end a connection in the right way.
            () = self.stop.cancelled() => Beginning::Call,
        }
    }

    async fn call(self, stream: std::net::TcpStream, peer: Peer, place: Place, watcher: Watcher) {
        let Ok(stream) = TcpStream::from_std(stream) else { return };
        let (stream, place) = (WriteDeadline::new(stream, self.timeout), Arc::new(place));
        match self.acceptor.clone().filter(|_| peer.is_tls) {
            None => self.converse(stream, peer, place, watcher).await,
            Some(acceptor) => {
                let shaken = tokio::select! {
                    shaken = tokio::time::timeout(self.timeout, acceptor.accept(stream)) => shaken,
                    () = place.evicted() => return,
                };
                if let Ok(Ok(stream)) = shaken {
                    self.converse(stream, peer, place, watcher).await;
                }
            }
        }
    }

    /// Answers requests until the peer goes, or its place is another's.
    async fn converse<S>(self, stream: S, peer: Peer, place: Arc<Place>, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.timeout).max_buf_size(HEADER_BYTES_MAX);
        let visit = Visit { router: self.router, peer, place: Some(place.clone()) };
        let serving = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(visit));
        // A peer that goes away in the middle is its own business.
        tokio::select! { _ = watcher.watch(serving) => {}, () = place.evicted() => {} }
    }

    /// Answers one probe; whatever else it turns out to be is turned away.
    async fn probe<S>(self, stream: S, peer: Peer)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let io = TokioIo::new(WriteDeadline::new(stream, self.timeout));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(self.timeout.min(PROBE_READ_TIMEOUT)).keep_alive(false);
        http.max_buf_size(HEADER_BYTES_MAX);
        let visit = Visit { router: self.probes, peer, place: None };
        let _ = http.serve_connection(io, TowerToHyperService::new(visit)).await;
    }

    /// The same for whoever came when all places were in use.
    async fn reserved(self, stream: TcpStream, address: IpAddr) {
        let Some(acceptor) = self.acceptor.clone() else {
            return self.probe(stream, Peer { address, is_tls: false }).await;
        };
        let mut start = [0];
        let limit = PROBE_READ_TIMEOUT.min(self.timeout);
        let begun = tokio::time::timeout(limit, stream.peek(&mut start)).await;
        if !matches!(begun, Ok(Ok(1))) || start[0] != HANDSHAKE {
            return self.probe(stream, Peer { address, is_tls: false }).await;
        }
        if let Ok(Ok(stream)) = tokio::time::timeout(limit, acceptor.accept(stream)).await {
            self.probe(stream, Peer { address, is_tls: true }).await;
        }
    }
}

/// What answers the requests of one connection.
#[derive(Clone)]
struct Visit {
    router: Router,
    peer: Peer,
    place: Option<Arc<Place>>,
}

impl Service<Request<Incoming>> for Visit {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        let place = self.place.clone();
        if let Some(place) = &place {
            place.begin();
        }
        let answering = self.router.call(request);
        Box::pin(async move {
            let response = answering.await;
            // A stream has no length, and goes on for as long as it likes.
            if let (Some(place), Ok(response)) = (place, &response)
                && response.body().size_hint().exact().is_some()
            {
                place.end();
            }
            response
        })
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
