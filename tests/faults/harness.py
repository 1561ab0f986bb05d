"""What the fault runs share: servers ended by process id, calls over HTTP and stdio, and a count of checks.

Only the standard library is used, so a fault run needs nothing but Python and the program.
"""

import atexit
import http.client
import itertools
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import socket
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHANCERY = os.environ.get("TEST_BINARY", str(ROOT / "target/debug/chancery"))
START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 30
CALL_SECONDS_MAX = 30

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "chancery-faults", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Refused(Exception):
    """The server answered, and the answer is a refusal."""

    def __init__(self, error):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code")
        self.error = error


class Unknown(Exception):
    """No answer came: whether the call had an effect is not known."""


class Turned(Unknown):
    """The server turned the call away before it began: it had no effect."""


def full_name(capability, tool):
    """A tool's name as its endpoint knows it."""
    return f"transformation.{tool}" if capability == "transformation" else tool


def request(number, tool, arguments, capability="transformation", meta=None):
    """The body of one stateless tool call."""
    params = {"name": full_name(capability, tool), "arguments": arguments, "_meta": META | (meta or {})}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def answer(message):
    """The structured answer in a JSON-RPC response; raises what it refuses."""
    if "error" in message:
        raise Refused(message["error"])
    result = message["result"]
    if result.get("isError"):
        raise Refused(json.loads(result["content"][0]["text"])["error"])
    return result["structuredContent"]


class Server:
    """One HTTP server process on a data directory."""

    def __init__(self, data, prefix=(), guarded=False, more=()):
        self.lines = []
        self.port = None
        self._ready = threading.Event()
        self.process = subprocess.Popen(
            [*prefix, CHANCERY, "serve", *([] if guarded else ["--open"]), "--listen", "127.0.0.1:0", "--data", str(data), *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.kill)
        threading.Thread(target=self._read, daemon=True).start()
        self._ready.wait(START_SECONDS_MAX)
        if self.port is None:
            self.kill()
            raise RuntimeError("the server did not say that it listens:\n" + "".join(self.lines))

    def _read(self):
        for line in self.process.stderr:
            self.lines = self.lines[-200:] + [line]
            if self.port is None and (found := re.search(r"listening on http://127\.0\.0\.1:(\d+)", line)):
                self.port = int(found[1])
                self._ready.set()
        self._ready.set()

    def kill(self):
        """Ends the process as a power cut would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Ends the process the polite way and answers its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        finally:
            self.kill()


class Http:
    """Calls over one keep-alive connection, opened again when it breaks. One thread uses one."""

    def __init__(self, port, keep_alive=True, capability="transformation", meta=None):
        self.port = port
        self.capability = capability
        self.meta = meta
        self.keep_alive = keep_alive
        self.connection = None
        self.numbers = itertools.count(1)
        # When the last request had left; a call that never left cannot have been cut.
        self.sent = None

    def call(self, tool, arguments, clock=None):
        body = json.dumps(request(next(self.numbers), tool, arguments, self.capability, self.meta))
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": full_name(self.capability, tool),
        }
        if not self.keep_alive:
            headers["Connection"] = "close"
        self.sent = None
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_SECONDS_MAX)
                try:
                    self.connection.connect()
                except OSError as cause:
                    raise Turned(f"not connected: {cause!r}") from cause
                self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.request("POST", f"/{self.capability}/mcp", body, headers)
            self.sent = clock() if clock else True
            response = self.connection.getresponse()
            text = response.read().decode()
            kind = response.getheader("Content-Type", "")
        except Turned:
            self.close()
            raise
        except (OSError, http.client.HTTPException) as cause:
            self.close()
            raise Unknown(repr(cause)) from cause
        if not self.keep_alive:
            self.close()
        if response.status == 503:
            self.close()
            raise Turned("503")
        if response.status != 200:
            raise Refused({"code": f"HTTP {response.status}", "message": text[:500]})
        if kind.startswith("text/event-stream"):
            events = [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:") and line[5:].strip()]
            done = [event for event in events if "id" in event]
            if not done:
                raise Unknown("the stream ended without an answer")
            return answer(done[-1])
        return answer(json.loads(text))

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


class Stdio:
    """One stdio server process; calls of any number of threads share its pipe."""

    def __init__(self, data):
        self.process = subprocess.Popen(
            [CHANCERY, "serve", "--stdio", "--capability", "transformation", "--data", str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        atexit.register(self.kill)
        self.numbers = itertools.count(1)
        self.waiting = {}
        self.lock = threading.Lock()
        self.ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.lock:
                box = self.waiting.pop(message.get("id"), None)
            if box:
                box.put(message)
        with self.lock:
            self.ended = True
            left, self.waiting = self.waiting, {}
        for box in left.values():
            box.put(None)

    def call(self, tool, arguments):
        box = queue.Queue(1)
        number = next(self.numbers)
        with self.lock:
            if self.ended:
                raise Unknown("the process has ended")
            self.waiting[number] = box
            try:
                self.process.stdin.write(json.dumps(request(number, tool, arguments)) + "\n")
                self.process.stdin.flush()
            except (OSError, ValueError) as cause:
                self.waiting.pop(number, None)
                raise Unknown(repr(cause)) from cause
        try:
            message = box.get(timeout=CALL_SECONDS_MAX)
        except queue.Empty:
            raise Unknown("no answer in time") from None
        if message is None:
            raise Unknown("the process has ended")
        return answer(message)

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Closes its input, which ends a stdio server, and answers its exit code."""
        with self.lock:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        finally:
            self.kill()


def everything(client, tool, field, **arguments):
    """All items of a listing, page by page, at one point in history."""
    items, token = [], None
    while True:
        page = client.call(tool, {"model_id": "default", "page_size": 200, **arguments, **({"page_token": token} if token else {})})
        items += page.get(field, [])
        token = page.get("next_page_token")
        if not token:
            return items


def mountable():
    """Whether this user may mount a volume in a mount namespace of its own, which ends with the process."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    return subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode == 0


def mounted(script):
    """The words before a command that run it with the mounts that `script` makes."""
    return ["unshare", "-m", "sh", "-c", f'{script} && exec "$@"', "sh"]


def gather_log(on):
    """Whether the servers and commands that follow write SQLite's log in one piece or leave it to SQLite."""
    os.environ["CHANCERY_GATHER_LOG"] = "true" if on else "false"


def verify(data):
    """Whether `chancery verify` finds the data directory sound, and what it said."""
    done = subprocess.run([CHANCERY, "verify", "--data", str(data)], capture_output=True, text=True, timeout=300)
    return done.returncode == 0, (done.stdout + done.stderr).strip()


class Checks:
    """Counts what held and what did not; the last line says both."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def check(self, holds, text, detail=""):
        if holds:
            self.passed += 1
            print(f"ok     {text}")
        else:
            self.failed += 1
            print(f"FAILED {text}")
            for line in str(detail).splitlines()[:40]:
                print(f"         {line}")

    def skip(self, text, reason):
        self.skipped += 1
        print(f"SKIPPED {text}: {reason}")

    def close(self):
        """Prints the closing line and answers the exit code."""
        tail = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{tail}")
        return 1 if self.failed or not self.passed + self.skipped else 0
