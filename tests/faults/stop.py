"""F17: SIGTERM under load. No call is cut, new ones are turned away, readiness goes off first, the exit is 0.

A call counts as cut when its request had left before the signal and no whole answer came. A call begun later may be turned
away (503, or no connection), but an answer that began must end.

R-431 (shutdown).
"""

import argparse
import collections
import http.client
import shutil
import sys
import tempfile
import threading
import time

from harness import Checks, Http, Refused, Server, Turned, Unknown, everything, verify

LOAD_SECONDS = 1.0
STOP_SECONDS_MAX = 30


class Writer(threading.Thread):
    """Creates elements until the server turns it away."""

    def __init__(self, number, port, stopping):
        super().__init__(daemon=True)
        self.number, self.stopping = number, stopping
        self.client = Http(port, keep_alive=number % 2 == 0)
        self.acknowledged, self.cut, self.other = {}, [], []
        self.late = collections.Counter()

    def run(self):
        for number in range(10**6):
            name = f"w{self.number}-{number}"
            late = self.stopping.is_set()
            try:
                made = self.client.call("createElement", {"type": "Goal", "name": name}, clock=time.monotonic)
                self.acknowledged[name] = made["element"]["id"]
                if late:
                    self.late["answered"] += 1
                continue
            except Turned as turned:
                self.late[str(turned).split(":")[0]] += 1
            except Unknown as unknown:
                # Without a signal yet, or with the request gone before it, the call was cut.
                if self.client.sent is not None and not (self.stopping.is_set() and self.client.sent > self.stopping.at):
                    self.cut.append(f"{name}: {unknown}")
                self.late["closed"] += 1
            except Refused as refused:
                # 503 and a refusal of the tool are answers; any other status leaves the caller in doubt.
                if str(refused.code).startswith("HTTP"):
                    self.cut.append(f"{name}: {refused}")
                elif not self.stopping.is_set():
                    self.other.append(f"{name}: {refused}")
                self.late[refused.code] += 1
            if self.stopping.is_set():
                return


def ready(port):
    """The status of /ready, or nothing when there is no connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--writers", type=int, default=16)
    options.add_argument("--rounds", type=int, default=3)
    options = options.parse_args()
    checks = Checks()
    for round_number in range(1, options.rounds + 1):
        once(checks, options.writers, f"round {round_number}: ")
    return checks.close()


def once(checks, count, title):
    data = tempfile.mkdtemp(prefix="chancery-stop-")
    server, stopping = Server(data), threading.Event()
    stopping.at = 0.0
    checks.check(ready(server.port) == 200, f"{title}ready before the signal")
    writers = [Writer(number, server.port, stopping) for number in range(count)]
    for writer in writers:
        writer.start()
    time.sleep(LOAD_SECONDS)

    stopping.at = time.monotonic()
    server.process.terminate()
    stopping.set()
    # Readiness goes off at once, while calls in flight still end: a balancer must look away before the door closes.
    seen = []
    while server.process.poll() is None and time.monotonic() - stopping.at < STOP_SECONDS_MAX:
        asked = time.monotonic()
        seen.append((asked - stopping.at, ready(server.port)))
        time.sleep(0.005)
    took = time.monotonic() - stopping.at
    code = server.process.poll()
    server.kill()
    for writer in writers:
        writer.join(STOP_SECONDS_MAX)

    cut = [text for writer in writers for text in writer.cut]
    other = [text for writer in writers for text in writer.other]
    acknowledged = {name: made for writer in writers for name, made in writer.acknowledged.items()}
    late = sum((writer.late for writer in writers), collections.Counter())
    checks.check(not cut, f"{title}no call is cut ({len(acknowledged)} answered, after the signal {dict(late)})", "\n".join(cut))
    checks.check(not other, f"{title}no call fails before the signal", "\n".join(other))
    checks.check(code == 0, f"{title}exit 0 after {took * 1000:.0f} ms", f"exit {code}\n" + "".join(server.lines))
    # The signal needs a moment to be taken; what is asked later must not hear 200.
    still = [f"{after * 1000:.0f} ms: {status}" for after, status in seen if status == 200 and after > 0.1]
    checks.check(not still, f"{title}readiness is off after the signal", "\n".join(still))
    off = [status for _, status in seen if status == 503]
    checks.check(bool(off), f"{title}readiness says 503 before the door closes", seen[:10])

    server = Server(data)
    held = {item["name"]: item["id"] for item in everything(Http(server.port), "listElements", "elements")}
    lost = [name for name, made in acknowledged.items() if held.get(name) != made]
    checks.check(not lost, f"{title}every answered write is there", "\n".join(lost))
    server.stop()
    sound, said = verify(data)
    checks.check(sound, f"{title}chancery verify finds the data sound", said)
    shutil.rmtree(data, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
