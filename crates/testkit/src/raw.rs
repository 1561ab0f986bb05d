//! HTTP/1.1 by hand: enough to send anything, well formed or not, and to read what comes back.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long a test waits for anything before it fails: longer than any call waits for another.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A request, as it is written to the wire.
#[derive(Debug, Clone)]
pub struct Request {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    pub fn new(method: &'static str, path: &str) -> Self {
        let headers = vec![("host".to_owned(), "127.0.0.1".to_owned())];
        Self { method, path: path.to_owned(), headers, body: Vec::new() }
    }

    /// A POST of JSON text to `/mcp`, with the headers that every client sends.
    pub fn post(body: impl Into<Vec<u8>>) -> Self {
        let mut request = Self::new("POST", "/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        request.body = body.into();
        request
    }

    /// Adds a header; one of the same name stays.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets a header, in place of any of the same name.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.header(name, value)
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(given, _)| given != name);
        self
    }

    pub fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("content-length: {}\r\n\r\n", self.body.len()));
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Every header, in order, with its name in lower case.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    pub fn is_stream(&self) -> bool {
        self.header("content-type").is_some_and(|media| media.starts_with("text/event-stream"))
    }

    /// The message in the body: the whole of it, or the last event of a stream.
    pub fn message(&self) -> Value {
        self.messages().pop().unwrap_or_default()
    }

    /// Every message in the body.
    pub fn messages(&self) -> Vec<Value> {
        if !self.is_stream() {
            return serde_json::from_str(&self.body).into_iter().collect();
        }
        self.body.lines().filter_map(event_data).collect()
    }
}

/// The message in a line of an event stream.
fn event_data(line: &str) -> Option<Value> {
    serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()
}

/// One connection, kept open between requests.
pub struct Connection {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, unread: Vec::new() })
    }

    /// Sends a request and reads the whole answer.
    pub async fn ask(&mut self, request: &Request) -> io::Result<Response> {
        self.write(&request.bytes()).await?;
        self.answer().await
    }

    pub async fn send(&mut self, request: &Request) -> io::Result<()> {
        self.write(&request.bytes()).await
    }

    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Reads one whole answer.
    pub async fn answer(&mut self) -> io::Result<Response> {
        let mut response = self.head().await?;
        let mut body = Vec::new();
        if response.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk().await? {
                body.extend(chunk);
            }
        } else {
            let length = response.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
            body = self.take(length).await?;
        }
        response.body = String::from_utf8_lossy(&body).into_owned();
        Ok(response)
    }

    /// Reads status and headers only; the body stays on the wire.
    pub async fn head(&mut self) -> io::Result<Response> {
        let text = self.until(b"\r\n\r\n").await?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut lines = text.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status in {text:?}")))?;
        let header =
            |line: &str| line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
        Ok(Response { status, headers: lines.filter_map(header).collect(), body: String::new() })
    }

    /// Reads the next message of a stream whose head was read before; nothing when it ended.
    pub async fn event(&mut self) -> io::Result<Option<Value>> {
        while let Some(chunk) = self.chunk().await? {
            // rmcp writes one event per chunk, and comments to keep the line alive.
            if let Some(message) = String::from_utf8_lossy(&chunk).lines().find_map(event_data) {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }

    /// True when the other side closed the connection without another byte.
    pub async fn is_closed(&mut self) -> bool {
        match self.fill().await {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::TimedOut,
        }
    }

    async fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let line = self.until(b"\r\n").await?;
        let digits = String::from_utf8_lossy(&line).trim().to_owned();
        let length = usize::from_str_radix(&digits, 16).map_err(io::Error::other)?;
        let chunk = self.take(length).await?;
        self.take(2).await?;
        Ok((length > 0).then_some(chunk))
    }

    async fn until(&mut self, end: &[u8]) -> io::Result<Vec<u8>> {
        loop {
            if let Some(at) = self.unread.windows(end.len()).position(|window| window == end) {
                return Ok(self.unread.drain(..at + end.len()).collect());
            }
            self.fill().await?;
        }
    }

    async fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < length {
            self.fill().await?;
        }
        Ok(self.unread.drain(..length).collect())
    }

    async fn fill(&mut self) -> io::Result<()> {
        let mut buffer = [0; 8192];
        let reading = self.stream.read(&mut buffer);
        match tokio::time::timeout(PATIENCE, reading).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.unread.extend_from_slice(&buffer[..read]);
                Ok(())
            }
        }
    }
}
