//! A client that makes calls and counts what they cost the server.

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A server process of ours, ended when dropped.
pub struct Running {
    pub child: Child,
    pub address: String,
    pub path: &'static str,
}

impl Running {
    /// Starts a program and waits until it says `listening on http://ADDRESS` on stderr.
    pub async fn start(program: &str, arguments: &[&str], path: &'static str) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        let mut child = command
            .args(arguments)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let mut lines = BufReader::new(child.stderr.take().context("stderr is piped")?).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some((_, rest)) = line.split_once("listening on http://") {
                let address = rest.split_whitespace().next().unwrap_or_default().to_owned();
                tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                return Ok(Self { child, address, path });
            }
        }
        bail!("{program} ended before it listened")
    }

    fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    /// CPU seconds that the process has used.
    pub fn cpu_s(&self) -> f64 {
        cpu_s(self.pid())
    }

    /// Resident memory in MB.
    pub fn memory_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<f64>().ok()).unwrap_or_default() / 1024.0
    }

    pub async fn connect(&self) -> anyhow::Result<Connection> {
        let stream = TcpStream::connect(&self.address).await?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream: BufReader::new(stream), address: self.address.clone(), path: self.path, session: None })
    }

    /// A connection with a session of the initialize era.
    pub async fn connect_in_session(&self) -> anyhow::Result<Connection> {
        let mut connection = self.connect().await?;
        connection.initialize().await?;
        Ok(connection)
    }

    /// Makes `calls` calls over `connections` connections. `body` gives the request of the nth call.
    pub async fn load(
        &self,
        connections: usize,
        calls: usize,
        body: impl Fn(usize) -> Request + Sync,
    ) -> anyhow::Result<Cost> {
        self.load_as(Era::Stateless, connections, calls, body).await
    }

    /// The same for clients of one era.
    pub async fn load_as(
        &self,
        era: Era,
        connections: usize,
        calls: usize,
        body: impl Fn(usize) -> Request + Sync,
    ) -> anyhow::Result<Cost> {
        let connect = async || match era {
            Era::Stateless => self.connect().await,
            Era::Sessions => self.connect_in_session().await,
        };
        let mut open = Vec::with_capacity(connections);
        for _ in 0..connections {
            open.push(connect().await?);
        }
        let (cpu, begin) = (self.cpu_s(), Instant::now());
        let each = calls / connections;
        let worker = |(worker, mut connection): (usize, Connection)| {
            let body = &body;
            async move {
                for call in 0..each {
                    connection.call(&body(worker * each + call)).await?;
                }
                anyhow::Ok(())
            }
        };
        futures::future::try_join_all(open.into_iter().enumerate().map(worker)).await?;
        #[expect(clippy::cast_precision_loss, reason = "a number of calls is small")]
        let made = (each * connections) as f64;
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Cost { cpu_us: (self.cpu_s() - cpu) * 1e6 / made, per_s: made / seconds })
    }
}

/// CPU seconds that the threads of a process have used. The scheduler counts them in nanoseconds; the ticks of
/// `/proc/PID/stat` are as coarse as fifty calls.
pub fn cpu_s(pid: u32) -> f64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let on_cpu_ns = |thread: std::fs::DirEntry| {
        let counted = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
        counted.split_whitespace().next().and_then(|field| field.parse::<f64>().ok()).unwrap_or_default()
    };
    threads.map(on_cpu_ns).sum::<f64>() / 1e9
}

/// What calls cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// CPU time of the server per call.
    pub cpu_us: f64,
    /// Calls per second; noisy.
    pub per_s: f64,
}

/// How clients speak: each call for itself, or within a session that begins with initialize.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Stateless,
    Sessions,
}

/// A request, for either era.
pub struct Request {
    pub method: &'static str,
    pub name: String,
    /// With the `_meta` that a call without a session carries.
    stateless: String,
    in_session: String,
}

impl Request {
    pub fn tool(name: &str, arguments: &Value) -> Self {
        Self::new("tools/call", name, &json!({ "name": name, "arguments": arguments }))
    }

    /// The same as an agent of a type.
    pub fn tool_as(agent_type: &str, name: &str, arguments: &Value) -> Self {
        let meta = json!({ "agent_type": agent_type });
        Self::new("tools/call", name, &json!({ "name": name, "arguments": arguments, "_meta": meta }))
    }

    pub fn read(uri: &str) -> Self {
        Self::new("resources/read", uri, &json!({ "uri": uri }))
    }

    pub fn list_tools() -> Self {
        Self::new("tools/list", "", &json!({}))
    }

    fn new(method: &'static str, name: &str, params: &Value) -> Self {
        let body =
            |params: &Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let in_session = body(params);
        let mut params = params.clone();
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "bench", "version": "1" });
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        Self { method, name: name.to_owned(), stateless: body(&params), in_session }
    }
}

/// One keep-alive connection.
pub struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
    path: &'static str,
    session: Option<String>,
}

impl Connection {
    /// Begins a session.
    async fn initialize(&mut self) -> anyhow::Result<()> {
        let client = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string();
        let answer = self.post("", &body).await?;
        self.session = Some(answer.session.context("no session id in the answer to initialize")?);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        self.post("MCP-Protocol-Version: 2025-11-25\r\n", &ready).await?;
        Ok(())
    }

    /// Makes one call and returns the body of the answer, which must be a success.
    pub async fn call(&mut self, request: &Request) -> anyhow::Result<Vec<u8>> {
        let (headers, body) = match &self.session {
            Some(_) => ("MCP-Protocol-Version: 2025-11-25\r\n".to_owned(), &request.in_session),
            None => {
                let name =
                    if request.name.is_empty() { String::new() } else { format!("Mcp-Name: {}\r\n", request.name) };
                let headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n{name}", request.method);
                (headers, &request.stateless)
            }
        };
        let Answer { status, body, .. } = self.post(&headers, body).await?;
        let failed = !status.contains(" 200 ") || find(&body, b"\"isError\":true") || find(&body, b"\"error\":{");
        if failed {
            bail!("{status}{}", String::from_utf8_lossy(&body[..body.len().min(600)]));
        }
        Ok(body)
    }

    async fn post(&mut self, headers: &str, body: &str) -> anyhow::Result<Answer> {
        let session = self.session.as_ref().map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             {headers}{session}Content-Length: {}\r\n\r\n",
            self.path,
            self.address,
            body.len()
        );
        let mut message = head.into_bytes();
        message.extend_from_slice(body.as_bytes());
        self.stream.get_mut().write_all(&message).await?;
        let mut answer = Answer { status: self.line().await?, session: None, body: Vec::new() };
        let (mut length, mut chunked) = (None, false);
        loop {
            let line = self.line().await?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse::<usize>().ok(),
                "transfer-encoding" => chunked = value.trim() == "chunked",
                "mcp-session-id" => answer.session = Some(value.trim().to_owned()),
                _ => {}
            }
        }
        if chunked {
            answer.body = self.chunks().await?;
        } else {
            answer.body = vec![0; length.unwrap_or_default()];
            self.stream.read_exact(&mut answer.body).await?;
        }
        Ok(answer)
    }

    async fn chunks(&mut self) -> anyhow::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line().await?;
            let size = usize::from_str_radix(&line, 16).with_context(|| format!("not the size of a chunk: {line}"))?;
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).await?;
            if size == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&chunk[..size]);
        }
    }

    async fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line).await?;
        Ok(line.trim_end().to_owned())
    }
}

/// What came back.
struct Answer {
    status: String,
    session: Option<String>,
    body: Vec<u8>,
}

fn find(body: &[u8], part: &[u8]) -> bool {
    body.windows(part.len()).any(|window| window == part)
}
