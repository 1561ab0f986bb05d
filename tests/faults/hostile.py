"""Bad input from outside: whatever a peer sends, leaves unsent or leaves unread, it gets a clear refusal or waits for a bounded
time, `/health` answers throughout, memory stays bounded, and a SIGTERM ends the server.

Numbers of any length, 100 MB of zeros, 2 MB of blanks, 100,000 unknown argument names from two callers, 2,048 peers that do not
read, a stdio client that never reads, peers that send a byte a second.
"""

import argparse
import base64
import http.client
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import CHANCERY, META, VERSION, Checks, Http, Refused, Server, Unknown, request

# Generous: the machine may be busy. What hangs takes longer, and what is refused at once takes much less.
HEALTH_SECONDS_MAX = 5
ANSWER_SECONDS_MAX = 120
harness.CALL_SECONDS_MAX = ANSWER_SECONDS_MAX
harness.STOP_SECONDS_MAX = ANSWER_SECONDS_MAX
MEMORY_BYTES_MAX = 1_500_000_000


class Health(threading.Thread):
    """Asks for /health all the time and keeps the longest wait."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.ended = port, threading.Event()
        self.longest, self.failures, self.asked = 0.0, [], 0

    def run(self):
        while not self.ended.is_set():
            began = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("GET", "/health")
                status = connection.getresponse().status
                if status != 200:
                    self.failures.append(str(status))
            except (OSError, http.client.HTTPException) as cause:
                self.failures.append(repr(cause))
            finally:
                connection.close()
            self.asked += 1
            self.longest = max(self.longest, time.monotonic() - began)
            self.ended.wait(0.05)


def memory_of(process):
    """Resident bytes of a process, or nothing where that is not to be had."""
    try:
        pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


class Peak(threading.Thread):
    """Keeps the most memory that a process had."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.most = process, 0

    def run(self):
        while self.process.poll() is None:
            self.most = max(self.most, memory_of(self.process) or 0)
            time.sleep(0.05)


def post(port, chunks, length, path="/transformation/mcp"):
    """Sends a body in chunks and answers status and text; a connection that is closed early counts as status 0."""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX) as peer:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        head += f"Accept: application/json\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        peer.sendall(head.encode())
        try:
            for chunk in chunks:
                peer.sendall(chunk)
        except OSError:
            pass
        try:
            answer = b"".join(iter(lambda: peer.recv(65536), b""))
        except OSError:
            return 0, ""
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]) if head else 0, body.decode(errors="replace")


def call_text(arguments, tool="createElement"):
    params = f'{{"name":"transformation.{tool}","arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'.encode()


def zeros(checks, server):
    """JSON of small values grows many times over when it is read."""
    text = b"[" + b"0," * 524_288
    size = 100_000_000
    started = time.monotonic()
    outcomes = []

    def send(path):
        chunks = (text if number == 0 else b"0," * 524_288 for number in range(size // len(text) + 1))
        outcomes.append(post(server.port, chunks, size, path)[0])

    peers = [threading.Thread(target=send, args=(path,)) for path in ["/transformation/mcp", "/neotoma/mcp"] * 4]
    for peer in peers:
        peer.start()
    for peer in peers:
        peer.join()
    took = time.monotonic() - started
    checks.check(set(outcomes) <= {413, 503}, f"100 MB of zeros from 8 peers are refused ({took:.1f} s)", outcomes)
    small = call_text('{"type":"Goal","name":"g","profile":[' + "0," * 1_900_000 + "0]}")
    status, body = post(server.port, [small], len(small))
    checks.check(status == 413 and "values" in body, "4 MB of zeros are refused with the reason", f"{status} {body[:300]}")


def blanks(checks, server):
    status, body = post(server.port, [b" " * 2_000_000], 2_000_000)
    checks.check(status == 400 and "-32700" in body, "2 MB of blanks are no message", f"{status} {body[:300]}")
    text = call_text(json.dumps({"type": "Goal", "name": "g", "description": " " * 2_000_000 + "\t"}))
    status, body = post(server.port, [text], len(text))
    checks.check(status == 200, "2 MB of blanks in a text are answered", f"{status} {body[:300]}")
    for kind in ["text/plain", "text/csv", "text/markdown", "application/json"]:
        began = time.monotonic()
        content = base64.b64encode(b" " * 2_000_000).decode()
        try:
            stored = Http(server.port, capability="neotoma").call("ingest", {"file_content": content, "mime_type": kind})
            outcome = stored["file_size"] == 2_000_000
        except Refused as refused:
            outcome = refused.code in ("VALIDATION_ERROR", "SERVICE_UNAVAILABLE")
        except Unknown as unknown:
            outcome = repr(unknown)
        took = time.monotonic() - began
        checks.check(outcome is True, f"2 MB of blanks as {kind} are stored or refused ({took:.1f} s)", outcome)


def numbers(checks, server):
    for number in ["18446744073709551616", "7" * 1_000_000, "0." + "1" * 1_000_000, "1e-400", "-9223372036854775809"]:
        text = call_text(f'{{"type":"Goal","name":"g","profile":{{"cost":{number}}}}}')
        status, body = post(server.port, [text], len(text))
        refused = status == 200 and "would be rounded" in body and "cost" in body and len(body) < 5_000
        checks.check(refused, f"the number {number[:24]} is refused with its field", f"{status} {body[:300]}")


def names(checks, server):
    """Two callers, each with 100,000 arguments that the tool does not have."""
    arguments = {f"nonsense_{number}": 0 for number in range(100_000)}
    outcomes = []

    def send():
        began = time.monotonic()
        try:
            outcomes.append((Http(server.port).call("createElement", arguments), began))
        except Refused as refused:
            outcomes.append((refused.code, time.monotonic() - began, len(json.dumps(refused.error))))
        except Unknown as unknown:
            outcomes.append((repr(unknown), time.monotonic() - began, 0))

    callers = [threading.Thread(target=send) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    held = all(outcome[0] == "VALIDATION_ERROR" and outcome[2] < 100_000 for outcome in outcomes)
    checks.check(held, f"100,000 unknown names are refused in a few words {outcomes}", outcomes)


def unread(checks, server, count):
    """Peers that ask for much and read nothing."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}).encode()
    head = f"POST /neotoma/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMCP-Protocol-Version: {VERSION}\r\n"
    head += f"Mcp-Method: tools/list\r\nAccept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    peers = []
    for _ in range(count):
        peer = socket.socket()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        peer.settimeout(10)
        try:
            peer.connect(("127.0.0.1", server.port))
            peer.setblocking(False)
            peer.send((head.encode() + body) * 20)
        except OSError:
            pass
        peers.append(peer)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HEALTH_SECONDS_MAX)
    try:
        for path in ["/health", "/ready"]:
            connection.request("GET", path)
            answer = connection.getresponse()
            answer.read()
            checks.check(answer.status == 200, f"{path} answers beside {count} peers that do not read", answer.status)
            connection.close()
    except (OSError, http.client.HTTPException) as cause:
        checks.check(False, f"probes are answered beside {count} peers that do not read", repr(cause))
    # Their places are free again after the deadline, though none of them has gone.
    deadline, made = time.monotonic() + ANSWER_SECONDS_MAX, None
    while made is None and time.monotonic() < deadline:
        try:
            made = Http(server.port, keep_alive=False).call("listElements", {"model_id": "default"})
        except (Refused, Unknown):
            time.sleep(0.5)
    checks.check(made is not None, f"calls are answered again while {count} peers still do not read")
    for peer in peers:
        peer.close()


def trickle(checks, server, count):
    """Peers that send their head, or their body, a byte a second."""
    head = b"POST /transformation/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    peers = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(count)]
    for number, peer in enumerate(peers):
        peer.setblocking(False)
        if number % 2:
            peer.send(head)
    closed, began = set(), time.monotonic()
    while len(closed) < count and time.monotonic() - began < ANSWER_SECONDS_MAX:
        for number, peer in enumerate(peers):
            try:
                peer.send(b"P" if number % 2 == 0 else b" ")
                if not peer.recv(65536):
                    closed.add(number)
            except BlockingIOError:
                pass
            except OSError:
                closed.add(number)
        time.sleep(1)
    for peer in peers:
        peer.close()
    checks.check(len(closed) == count, f"{count} peers with a byte a second are dropped ({time.monotonic() - began:.0f} s)", f"{len(closed)} dropped")


def over_http(checks, options):
    data = tempfile.mkdtemp(prefix="chancery-hostile-")
    server = Server(data)
    health, peak = Health(server.port), Peak(server.process)
    health.start()
    peak.start()
    numbers(checks, server)
    blanks(checks, server)
    names(checks, server)
    zeros(checks, server)
    trickle(checks, server, 50)
    unread(checks, server, options.peers)
    health.ended.set()
    health.join()
    detail = "\n".join(health.failures[:20])
    checks.check(not health.failures, f"/health answered throughout, {health.asked} times", detail)
    checks.check(health.longest < HEALTH_SECONDS_MAX, f"/health waited {health.longest * 1000:.0f} ms at the longest")
    checks.check(peak.most < MEMORY_BYTES_MAX, f"memory stayed bounded ({peak.most / 1e6:.0f} MB at the most)")
    code = server.stop()
    checks.check(code == 0, "SIGTERM ends the server", f"exit {code}\n" + "".join(server.lines))
    shutil.rmtree(data, ignore_errors=True)


def stdio(data):
    return subprocess.Popen(
        [CHANCERY, "serve", "--stdio", "--capability", "transformation", "--data", data],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def over_stdio(checks):
    data = tempfile.mkdtemp(prefix="chancery-hostile-")
    process, sent = stdio(data), 0
    peak = Peak(process)
    peak.start()
    os.set_blocking(process.stdin.fileno(), False)
    began, idle = time.monotonic(), time.monotonic()
    line = b""
    while time.monotonic() - began < ANSWER_SECONDS_MAX and time.monotonic() - idle < 5:
        if not line:
            sent += 1
            line = json.dumps(request(sent, "listElements", {"model_id": "default"})).encode() + b"\n"
        try:
            line = line[os.write(process.stdin.fileno(), line) :]
            idle = time.monotonic()
        except BlockingIOError:
            time.sleep(0.01)
        except BrokenPipeError:
            break
    checks.check(time.monotonic() - idle >= 5, f"a stdio client that never reads is not read from ({sent} requests taken)")
    checks.check(peak.most < 500_000_000, f"memory stayed bounded ({peak.most / 1e6:.0f} MB at the most)")
    process.terminate()
    try:
        code = process.wait(60)
    except subprocess.TimeoutExpired:
        code = None
    checks.check(code is not None, f"SIGTERM ends it all the same (exit {code})")
    process.kill()
    process.wait()

    process = stdio(data)
    process.stdout.close()
    ended = False
    for number in range(1, 200):
        try:
            process.stdin.write(json.dumps(request(number, "listElements", {"model_id": "default"})).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            break
        if process.poll() is not None:
            break
        time.sleep(0.02)
    try:
        process.wait(ANSWER_SECONDS_MAX)
        ended = True
    except subprocess.TimeoutExpired:
        pass
    checks.check(ended, "the end of its output ends a stdio server")
    process.kill()
    process.wait()
    shutil.rmtree(data, ignore_errors=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--peers", type=int, default=2048)
    options = options.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = options.peers * 2 + 500
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(wanted, hard)), hard))
    checks = Checks()
    over_http(checks, options)
    over_stdio(checks)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
