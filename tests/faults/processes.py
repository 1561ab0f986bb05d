"""Several processes on one data directory, as several stdio clients and a server give: one is killed, nothing is lost.

One HTTP server and three stdio servers each have 50 creates in flight; one is killed in the middle; what it had not acknowledged
is repeated with the same keys by a new process. Another hangs for two seconds meanwhile and comes back. Then every process
must see at once what any other wrote, and none of them writes once a newer program has brought the data to its own format.

R-303, R-463.
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import signal
import sqlite3
import sys
import tempfile
import threading
import time

from harness import Checks, Http, Refused, Server, Stdio, Unknown, everything, verify

ROUNDS = 5
KEYS, EQUAL_CALLS = 10, 50
HANG_SECONDS = 2


class Pool:
    """Calls to one HTTP server from any thread, a connection for each thread."""

    def __init__(self, port):
        self.port = port
        self.own = threading.local()

    def call(self, tool, arguments):
        if not hasattr(self.own, "client"):
            self.own.client = Http(self.port)
        return self.own.client.call(tool, arguments)


def create(client, name):
    arguments = {"type": "Requirement", "name": name, "client_request_id": f"create {name}"}
    return client.call("createElement", arguments)["element"]["id"]


def equal_calls(callers, title):
    """Sends each of some calls many times at once; answers what went wrong."""
    wrong = []

    def once(number, turn):
        arguments = {"type": "Goal", "name": f"equal {title} {number}", "client_request_id": f"equal {title} {number}"}
        try:
            return callers[turn % len(callers)].call("createElement", arguments)
        except (Refused, Unknown) as problem:
            wrong.append(f"{number}: {problem!r}")

    with concurrent.futures.ThreadPoolExecutor(EQUAL_CALLS) as pool:
        for number in range(KEYS):
            made = [answer for answer in pool.map(lambda turn: once(number, turn), range(EQUAL_CALLS)) if answer]
            ids = {answer["element"]["id"] for answer in made}
            first = sum(1 for answer in made if not answer.get("idempotent_replay"))
            if len(ids) != 1 or first != 1:
                wrong.append(f"{number}: {len(ids)} elements, {first} answers that are no replay")
    return wrong


def older_beside_newer(checks, clients, data):
    """A newer program has brought the data to its format: processes of the older one refuse to write and go on reading."""
    newer = sqlite3.connect(pathlib.Path(data) / "chancery.db")
    (known,) = newer.execute("PRAGMA user_version").fetchone()
    newer.execute(f"PRAGMA user_version = {known + 1}")
    refusals, reads = [], []
    for client in clients.values():
        try:
            create(client, "too late")
            refusals.append("it was written")
        except Refused as refused:
            refusals.append(f"{refused.code} {refused.error['message']}")
        reads.append(len(client.call("listElements", {"model_id": "default", "name": "too late"})["elements"]))
    clear = all(text.startswith("SERVICE_UNAVAILABLE") for text in refusals)
    checks.check(clear, "beside a newer process the older ones refuse to write", "\n".join(refusals))
    checks.check(not any(reads), "they go on reading, and wrote nothing", reads)
    newer.execute(f"PRAGMA user_version = {known}")
    newer.close()
    ids = {create(client, "too late") for client in clients.values()}
    checks.check(len(ids) == 1, "with their own format back the same key counts once", ids)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--writes", type=int, default=200, help="creates of each process")
    options.add_argument("--in-flight", type=int, default=50, help="creates of one process at once")
    options = options.parse_args()
    checks, data = Checks(), tempfile.mkdtemp(prefix="chancery-processes-")

    server = Server(data)
    servers = {"http": Pool(server.port), "stdio 1": Stdio(data), "stdio 2": Stdio(data), "stdio 3": Stdio(data)}
    victim = "stdio 2"
    acknowledged, unknown, refused = {}, [], []
    lock, half = threading.Lock(), threading.Event()

    def write(process, name):
        try:
            made = create(servers[process], name)
        except Unknown:
            with lock:
                unknown.append((process, name))
            return
        except Refused as refusal:
            with lock:
                refused.append(f"{process} {name}: {refusal}")
            return
        with lock:
            acknowledged[name] = made
            # The blow falls when the victim has written a third of its share.
            if process == victim and sum(1 for other in acknowledged if other.startswith(victim)) >= options.writes // 3:
                half.set()

    with concurrent.futures.ThreadPoolExecutor(len(servers) * options.in_flight) as pool:
        jobs = [
            pool.submit(write, process, f"{process} {number}") for number in range(options.writes) for process in servers
        ]
        half.wait(120)
        servers[victim].kill()
        # Should it hang with the lock of the database, the others wait for it, no longer.
        servers["stdio 3"].process.send_signal(signal.SIGSTOP)
        time.sleep(HANG_SECONDS)
        servers["stdio 3"].process.send_signal(signal.SIGCONT)
        concurrent.futures.wait(jobs)
    checks.check(not refused, "no create is refused", "\n".join(refused))
    checks.check(all(process == victim for process, _ in unknown), "only calls of the killed process stay open", unknown[:20])
    in_flight = len(unknown)
    checks.check(in_flight > 0, f"the kill fell in the middle ({len(acknowledged)} acknowledged, {in_flight} open)")

    # The same keys once more, by a new process of the same caller.
    servers[victim] = Stdio(data)
    for _, name in unknown:
        try:
            acknowledged[name] = create(servers[victim], name)
        except (Refused, Unknown) as problem:
            refused.append(f"repeat of {name}: {problem!r}")
    checks.check(not refused, "what was open is settled by the same key", "\n".join(refused))

    total = options.writes * len(servers)
    for process, client in servers.items():
        held = [(item["name"], item["id"]) for item in everything(client, "listElements", "elements")]
        exact = sorted(held) == sorted(acknowledged.items())
        checks.check(exact and len(held) == total, f"{process} holds each of the {total} writes once", f"{len(held)} held")

    # A write is an answer of one process; every other must see it in its very next read.
    blind = []
    for round_number in range(ROUNDS):
        for writer, client in servers.items():
            name = f"seen {round_number} {writer}"
            made = create(client, name)
            for reader, other in servers.items():
                items = other.call("listElements", {"model_id": "default", "name": name})["elements"]
                if [item["id"] for item in items] != [made]:
                    blind.append(f"{reader} did not see what {writer} wrote in round {round_number}")
                other.call("updateElement", {"id": made, "description": f"{reader} {round_number}"})
                version = client.call("listElements", {"model_id": "default", "name": name})["elements"][0]["version"]
                expected = 2 + list(servers).index(reader)
                if version != expected:
                    blind.append(f"{writer} reads version {version} after {reader} wrote version {expected}")
    checks.check(not blind, f"each process sees the writes of the others at once ({ROUNDS} rounds)", "\n".join(blind))

    # F09: the same call many times at once, in one process and in several, happens once.
    for title, callers in {"http": [servers["http"]], "stdio": [servers[name] for name in servers if name != "http"]}.items():
        wrong = equal_calls(callers, title)
        checks.check(not wrong, f"{KEYS} x {EQUAL_CALLS} equal calls over {title} have one effect each", "\n".join(wrong))

    older_beside_newer(checks, servers, data)
    for name, client in servers.items():
        if isinstance(client, Stdio):
            checks.check(client.stop() == 0, f"{name} ends with 0 when its input ends")
    checks.check(server.stop() == 0, "http ends with 0 on SIGTERM", "".join(server.lines))
    sound, said = verify(data)
    checks.check(sound, "chancery verify finds the data sound", said)
    shutil.rmtree(data, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
