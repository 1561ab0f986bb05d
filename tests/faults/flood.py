"""Peers that hold what they have: slow headers, slow bodies, slow readers, idle connections, a flood of streams. Others are
answered as if nothing were there, and memory stays bounded.

Every phase runs beside one caller that asks without pause on connections of its own. The printed p99 is the caller's.
"""

import argparse
import http.client
import json
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import harness
from harness import CHANCERY, META, VERSION, Checks, Server, request
from hostile import Peak, memory_of

MB = 1_000_000


class Caller(threading.Thread):
    """Asks for a small thing all the time and keeps how long each answer took."""

    def __init__(self, port, token):
        super().__init__(daemon=True)
        self.port, self.token, self.ended = port, token, threading.Event()
        self.times, self.failures = [], []

    def run(self):
        body = json.dumps(request(1, "listElements", {"model_id": "default", "page_size": 1}))
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {self.token}",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "transformation.listElements",
        }
        connection = None
        while not self.ended.is_set():
            began = time.monotonic()
            try:
                if connection is None or len(self.times) % 10 == 0:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                connection.request("POST", "/transformation/mcp", body, headers)
                answer = connection.getresponse()
                text = answer.read()
                if answer.status != 200 or b'"isError":true' in text:
                    self.failures.append(f"{answer.status} {text[:200]}")
            except (OSError, http.client.HTTPException) as cause:
                self.failures.append(repr(cause))
                connection = None
            self.times.append(time.monotonic() - began)
            self.ended.wait(0.005)

    def p99_ms(self):
        times = sorted(self.times)
        return times[int(len(times) * 0.99)] * 1000 if times else 0.0


def token_of(data, name, *more):
    """A token of this server's own."""
    issued = subprocess.run(
        [CHANCERY, "--data", data, "token", "issue", name, *more], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True
    )
    return issued.stdout.decode().strip()


def connect(port, number):
    """A connection from one of many addresses of this machine, so that the bound of one address is not what holds."""
    peer = socket.socket()
    peer.settimeout(10)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.bind((f"127.0.{1 + number % 8}.{1 + number // 8 % 200}", 0))
    try:
        peer.connect(("127.0.0.1", port))
    except OSError:
        peer.close()
        return None
    peer.setblocking(False)
    return peer


def send(peer, data):
    try:
        peer.send(data)
        return True
    except BlockingIOError:
        return True
    except OSError:
        return False


def opened(port, count, first=b""):
    peers = []
    for number in range(count):
        peer = connect(port, number)
        if peer is not None:
            if first:
                send(peer, first)
            peers.append(peer)
    return peers


def post(token, method, params, length=None):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}).encode()
    head = f"POST /transformation/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}\r\n"
    head += f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: {method}\r\nAccept: application/json, text/event-stream\r\n"
    return f"{head}Content-Length: {length or len(body)}\r\n\r\n".encode(), body


def idle(port, count, seconds, token):
    """Connections that never say anything."""
    return hold(opened(port, count), seconds, None)


def slow_header(port, count, seconds, token):
    return hold(opened(port, count, b"POST /transformation/mcp HTTP/1.1\r\nHost: 127"), seconds, b"x")


def slow_body(port, count, seconds, token):
    head, _ = post(token, "tools/list", {}, length=100_000)
    return hold(opened(port, count, head), seconds, b" ")


def slow_reader(port, count, seconds, token):
    """Ask for much, many times, and read nothing."""
    head, body = post(token, "tools/list", {})
    return hold(opened(port, count // 5, (head + body) * 20), seconds, None)


def streams(port, count, seconds, token):
    """Streams that follow changes, as many as one caller can think of."""
    head, body = post(token, "subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    return hold(opened(port, count, head + body), seconds, None)


def hold(peers, seconds, drop):
    ended = time.monotonic() + seconds
    while time.monotonic() < ended:
        for peer in peers if drop else []:
            send(peer, drop)
        time.sleep(1)
    return peers


def phase(checks, server, options, name, attack, count, tokens, memory_mb_max):
    """One attack beside one caller."""
    caller = Caller(server.port, tokens["caller"])
    caller.start()
    time.sleep(0.5)
    calm = caller.p99_ms()
    caller.times.clear()
    peers = attack(server.port, count, options.seconds, tokens["attacker"])
    caller.ended.set()
    caller.join()
    memory = (memory_of(server.process) or 0) / MB
    figures = f"{len(peers)} peers, p99 {caller.p99_ms():.1f} ms (calm {calm:.1f} ms), {len(caller.times)} calls, {memory:.0f} MB"
    print(f"{name}: {figures}")
    checks.check(not caller.failures, f"{name}: every call of another caller is answered ({figures})", "\n".join(caller.failures[:5]))
    checks.check(caller.p99_ms() < options.p99_ms, f"{name}: p99 of another caller is under {options.p99_ms} ms")
    checks.check(memory < memory_mb_max, f"{name}: memory is under {memory_mb_max} MB ({memory:.0f} MB)")
    for peer in peers:
        peer.close()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--idle", type=int, default=10_000)
    options.add_argument("--peers", type=int, default=1000)
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--p99-ms", type=float, default=50)
    options.add_argument("--memory-mb", type=float, default=300)
    options.add_argument("--connections-max", type=int, default=0, help="of the server; its default when 0")
    options = options.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(options.idle + options.peers + 500, hard)), hard))
    checks, data = Checks(), tempfile.mkdtemp(prefix="chancery-flood-")
    tokens = {"caller": token_of(data, "caller"), "attacker": token_of(data, "attacker")}
    more = ["--set", f"limits.connections_max={options.connections_max}"] if options.connections_max else []
    server = Server(data, guarded=True, more=more)
    peak = Peak(server.process)
    peak.start()
    for name, attack, count in [
        ("idle connections", idle, options.idle),
        ("slow headers", slow_header, options.peers),
        ("slow bodies", slow_body, options.peers),
        ("slow readers", slow_reader, options.peers),
        ("a flood of streams", streams, options.peers),
    ]:
        phase(checks, server, options, name, attack, count, tokens, options.memory_mb)
    checks.check(peak.most < options.memory_mb * MB, f"memory never exceeded {options.memory_mb:.0f} MB ({peak.most / MB:.0f} MB at the most)")
    code = server.stop()
    checks.check(code == 0, "SIGTERM ends the server", f"exit {code}\n" + "".join(server.lines))
    shutil.rmtree(data, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
