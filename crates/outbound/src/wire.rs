//! One HTTP exchange over a connection of its own.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use bytes::Bytes;
use http::{HeaderValue, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::tls::Tls;
use crate::{Address, Answer, Error, Request};

/// Asks in the clear without `tls`.
pub async fn exchange(
    address: &Address,
    tls: Option<&Tls>,
    request: Request,
    body_bytes_max: usize,
) -> Result<Answer, Error> {
    let (host, port) = (address.host(), address.port());
    // What is sent in the clear stays on this machine, whatever a resolver makes of its name.
    let stream = match tls {
        None if host.eq_ignore_ascii_case("localhost") => {
            let here = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
            TcpStream::connect(&here[..]).await
        }
        _ => TcpStream::connect((host, port)).await,
    };
    let stream = stream.map_err(|_| Error::Unreachable)?;
    let request = message(address, request)?;
    match tls {
        Some(tls) => converse(tls.handshake(host, stream).await?, request, body_bytes_max).await,
        None => converse(stream, request, body_bytes_max).await,
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    request: http::Request<Full<Bytes>>,
    body_bytes_max: usize,
) -> Result<Answer, Error> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|_| Error::Unreachable)?;
    let exchange = async {
        let response = sender.send_request(request).await.map_err(|_| Error::Unreachable)?;
        let (parts, body) = response.into_parts();
        let body = Limited::new(body, body_bytes_max).collect().await.map_err(|_| Error::Cut)?;
        Ok(Answer { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    };
    // The connection does its work while the exchange waits, and ends with it: nothing outlives a timeout.
    let mut exchange = std::pin::pin!(exchange);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        biased;
        answer = &mut exchange => answer,
        // The connection may close right after the last byte; then the exchange has all it needs.
        _ = &mut connection => exchange.await,
    }
}

fn message(address: &Address, request: Request) -> Result<http::Request<Full<Bytes>>, Error> {
    let host = HeaderValue::from_str(address.authority()).map_err(|_| Error::Header)?;
    let mut message = http::Request::new(Full::new(request.body));
    *message.method_mut() = request.method;
    *message.uri_mut() = address.target().parse().map_err(|_| Error::NotUrl)?;
    *message.headers_mut() = request.headers;
    message.headers_mut().insert(header::HOST, host);
    Ok(message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;
    use crate::{Bounds, Client};

    /// What a server that answers with these bytes makes of a request, and what we make of the answer.
    async fn ask(answer: String, body_bytes_max: usize) -> (String, Result<Answer, Error>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: Address = format!("http://{}/keys?of=me", listener.local_addr().unwrap()).parse().unwrap();
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 4096];
            let read = stream.read(&mut asked).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8(asked[..read].to_vec()).unwrap()
        });
        let bounds = Bounds { timeout: Duration::from_secs(30), body_bytes_max };
        let answer = Client::default().exchange(&address, Request::get(), bounds).await;
        (serving.await.unwrap(), answer)
    }

    #[tokio::test]
    async fn a_request_names_its_host_and_target() {
        let (asked, answer) = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi".to_owned(), 2).await;
        assert!(asked.starts_with("GET /keys?of=me HTTP/1.1\r\n") && asked.contains("host: 127.0.0.1:"), "{asked}");
        assert_eq!(answer.unwrap().body, "hi");
    }

    #[tokio::test]
    async fn a_redirect_is_an_answer_and_is_not_followed() {
        let (_, answer) = ask("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n".to_owned(), 9).await;
        assert_eq!(answer.unwrap().status, 302);
    }

    #[tokio::test]
    async fn an_answer_beyond_its_bound_is_cut() {
        let long = format!("HTTP/1.1 200 OK\r\nContent-Length: 4096\r\n\r\n{}", "x".repeat(4096));
        assert_eq!(ask(long, 4095).await.1.unwrap_err(), Error::Cut);
        let broken = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_owned();
        assert_eq!(ask(broken, 9).await.1.unwrap_err(), Error::Cut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_server_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: Address = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let bounds = Bounds { timeout: Duration::from_secs(5), body_bytes_max: 9 };
        let answer = Client::default().exchange(&address, Request::get(), bounds).await;
        assert_eq!(answer.unwrap_err(), Error::Timeout);
    }
}
