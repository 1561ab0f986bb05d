//! A client of either transport, and the process that it speaks to.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Far longer than anything here takes, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// What is left of a client when the transport does not matter.
pub trait Client {
    /// Sends a request and returns the message that answers it.
    async fn ask(&mut self, method: &str, params: Value) -> Value;

    /// The result of a call, whatever it is.
    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let message = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(message["result"].is_object(), "{tool}: {message}");
        message["result"].clone()
    }

    /// The answer of a call that has to go well. It has passed the published schema of its tool.
    async fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        answered(tool, self.call(tool, arguments).await)
    }

    /// The refusal of a call that has to be refused.
    async fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        refusal(tool, &self.call(tool, arguments).await)
    }
}

/// the structured answer in a result, which fits the tool's schema.
#[track_caller]
pub fn answered(tool: &str, result: Value) -> Value {
    assert_ne!(result["isError"], true, "{tool}: {result}");
    let answer = result["structuredContent"].clone();
    assert!(answer.is_object(), "{tool}: {result}");
    // What a model reads is the same without what is empty.
    let text: Map<String, Value> = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert!(text.iter().all(|(name, value)| answer[name] == *value), "{tool}: {result}");
    let schema = SCHEMAS.iter().find(|(name, _)| name == tool).map(|(_, schema)| schema).unwrap();
    let found: Vec<String> = schema.iter_errors(&answer).map(|error| error.to_string()).collect();
    assert!(found.is_empty(), "{tool} answers against its schema: {found:?}");
    answer
}

/// The refusal in a result: the envelope alone, in one block of text.
#[track_caller]
pub fn refusal(tool: &str, result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{tool}: {result}");
    assert!(result.get("structuredContent").is_none(), "{tool}: {result}");
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "{tool}: {result}");
    let envelope: Map<String, Value> = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(envelope.keys().collect::<Vec<_>>(), ["error"], "{tool}: {result}");
    envelope["error"].clone()
}

/// The published output schemas, compiled. A member that they do not name is an error.
static SCHEMAS: LazyLock<Vec<(String, Validator)>> = LazyLock::new(|| {
    let compile = |tool: contract::Tool| {
        let mut schema = tool.output_schema.unwrap();
        schema.insert("additionalProperties".to_owned(), false.into());
        (tool.name, jsonschema::validator_for(&Value::Object(schema)).unwrap())
    };
    contract::generated::neotoma::manifest().tools.into_iter().map(compile).collect()
});

/// A server process that listens on a port of its own. It ends with this value.
pub struct Served {
    pub http: Http,
    pub child: Child,
    log: Arc<Mutex<String>>,
}

impl Served {
    pub async fn start(data: &Path, settings: &[&str]) -> Self {
        Self::start_under(&[], data, settings).await
    }

    /// Started by another program, which is given the command as its last arguments.
    pub async fn start_under(starter: &[&str], data: &Path, settings: &[&str]) -> Self {
        let mut command = chancery(data, settings);
        if let [program, arguments @ ..] = starter {
            let started = command.as_std();
            let mut starter = Command::new(program);
            starter.args(arguments).arg(started.get_program()).args(started.get_args()).kill_on_drop(true);
            let variables = started.get_envs().filter_map(|(name, value)| Some((name, value?)));
            starter.envs(variables);
            command = starter;
        }
        command.args(["serve", "--open", "--listen", "127.0.0.1:0"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = String::new();
        let address = loop {
            let line = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it starts").unwrap();
            let line = line.unwrap_or_else(|| panic!("the server ended: {log}"));
            log.push_str(&line);
            log.push('\n');
            if let Some((_, address)) = line.split_once("listening on http://") {
                break address.split(" ").next().unwrap().trim().parse().unwrap();
            }
        };
        let log = Arc::new(Mutex::new(log));
        let writing = log.clone();
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                let mut log = writing.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        Self { http: Http { address }, child, log }
    }

    /// What it wrote to stderr so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Ends it as a power cut would.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// The most memory that it ever had, in bytes.
    pub fn peak_memory(&self) -> u64 {
        peak_memory(&self.child)
    }
}

fn peak_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").trim().parse::<u64>().unwrap() * 1024
}

impl Client for Served {
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.http.ask(method, params, &[]).await.message()
    }
}

/// The address of a server; every request has a connection of its own.
#[derive(Debug, Clone, Copy)]
pub struct Http {
    pub address: SocketAddr,
}

/// What came back.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().filter_map(|line| line.split_once(':'));
        headers.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    /// The message in the body: the whole of it, or the last event of a stream.
    #[track_caller]
    pub fn message(&self) -> Value {
        let text = std::str::from_utf8(&self.body).unwrap();
        let event =
            text.lines().rev().filter_map(|line| line.strip_prefix("data:")).find(|data| !data.trim().is_empty());
        serde_json::from_str(event.unwrap_or(text)).unwrap_or_else(|_| panic!("{} {}: {text}", self.status, self.head))
    }
}

impl Http {
    /// A request of the stateless era to neotoma.
    pub async fn ask(self, method: &str, mut params: Value, headers: &[(&str, &str)]) -> Response {
        const REVISION: &str = "2026-07-28";
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = REVISION.into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string();
        let mut all = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", REVISION),
            ("mcp-method", method),
        ];
        all.extend(name.as_deref().map(|name| ("mcp-name", name)));
        all.extend(headers);
        self.send("POST", "/neotoma/mcp", &all, body.as_bytes()).await
    }

    /// The result of a call.
    pub async fn call(self, tool: &str, arguments: Value) -> Value {
        let message = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }), &[]).await.message();
        assert!(message["result"].is_object(), "{tool}: {message}");
        message["result"].clone()
    }

    pub async fn ok(self, tool: &str, arguments: Value) -> Value {
        answered(tool, self.call(tool, arguments).await)
    }

    pub async fn refused(self, tool: &str, arguments: Value) -> Value {
        refusal(tool, &self.call(tool, arguments).await)
    }

    /// Any request at all.
    pub async fn send(self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        self.try_send(method, path, headers, body).await.unwrap()
    }

    /// The same, where the server may be gone meanwhile.
    pub async fn try_send(
        self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Response> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n", self.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(self.address).await?;
        let mut bytes = Vec::new();
        let exchange = async {
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(body).await?;
            stream.read_to_end(&mut bytes).await
        };
        tokio::time::timeout(PATIENCE, exchange).await.expect("an answer in time")?;
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let end = end.ok_or_else(|| std::io::Error::from(std::io::ErrorKind::UnexpectedEof))?;
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let body = bytes.split_off(end + 4);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut response = Response { status, head, body };
        if response.header("transfer-encoding") == Some("chunked") {
            response.body = unchunked(&response.body);
        }
        Ok(response)
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|window| window == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap().trim(), 16).unwrap();
        whole.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[(end + 4 + length).min(bytes.len())..];
    }
    whole
}

/// A server process at the other end of a pipe, in the initialize era.
pub struct Piped {
    /// Ends with this value.
    child: Child,
    /// What it said when it was greeted.
    pub greeting: Value,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
}

impl Piped {
    pub async fn start(data: &Path, settings: &[&str]) -> Self {
        let mut command = chancery(data, settings);
        command.args(["serve", "--stdio", "--capability", "neotoma"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut piped = Self { input: child.stdin.take().unwrap(), child, greeting: Value::Null, output, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = piped.ask("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        piped.greeting = answer["result"].clone();
        piped.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        piped
    }

    /// The most memory that it ever had, in bytes.
    pub fn peak_memory(&self) -> u64 {
        peak_memory(&self.child)
    }

    async fn send(&mut self, message: &Value) {
        self.write(&message.to_string()).await;
    }

    async fn write(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        self.input.flush().await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await.expect("a line in time").unwrap();
        serde_json::from_str(&line.expect("it goes on")).unwrap()
    }

    /// Writes a line, whatever it is, and returns the next message.
    pub async fn line(&mut self, line: &str) -> Value {
        self.write(line).await;
        self.next().await
    }
}

impl Client for Piped {
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let message = self.next().await;
            if message["id"] == id {
                return message;
            }
        }
    }
}

fn chancery(data: &Path, settings: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chancery"));
    command.arg("--data").arg(data).kill_on_drop(true);
    for setting in settings {
        command.args(["--set", setting]);
    }
    command
}
