"""F02: the power goes at random moments; only what was synced is sure to come back.

A server is recorded while writers write, is killed and started again, and writes on until its log has been moved into the
database. Then the disk is made anew as a cut at some moment would leave it (disk.py), and a server opens it: every write that
was acknowledged by then is there once and whole, one that was on its way counts once when it is repeated, and `chancery verify`
agrees. Writes of several records are among them (F03), and every system call is a moment at which the cut may fall (F04).

R-825 (sqlite) together with kill.py, once with the log written in one piece and once by SQLite alone.
"""

import argparse
import base64
import collections
import hashlib
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

import disk
from harness import Checks, Http, Refused, Server, Unknown, everything, gather_log, verify
from kill import Site

LOG_BYTES = 12_000_000  # The server is killed when its log is this long.
DATABASE_BYTES = 1_000_000  # A database of this size has taken over its log.
ROUND_SECONDS_MAX = 240
FILES_MAX = 20  # ingest takes a hundred calls a minute.
NEVER = float("inf")


def now():
    return time.time_ns() // 1000


class Write:
    """One write: when it was first sent, when it was acknowledged, and what was answered."""

    def __init__(self, key, capability, tool, arguments, files=()):
        self.key, self.capability, self.tool, self.arguments = key, capability, tool, arguments
        self.files = files
        self.sent, self.acknowledged, self.made = now(), NEVER, None

    def names(self):
        """The elements that come of it, all or none."""
        if self.tool == "createElement":
            return [self.key]
        if self.tool == "createCapabilityStructure":
            return [self.key, *self.arguments["value_streams"], *self.arguments["sub_capabilities"]]
        return []

    def try_on(self, port):
        return Http(port, keep_alive=False, capability=self.capability).call(self.tool, self.arguments)


class Writer(threading.Thread):
    """Writes one thing after another, each until it is acknowledged."""

    def __init__(self, number, site, parent, seed):
        super().__init__(daemon=True)
        self.number, self.site, self.parent = number, site, parent
        self.random = random.Random(seed * 1000 + number)
        self.writes, self.elements, self.wrong, self.files = [], [], [], 0

    def run(self):
        try:
            while not self.site.ending:
                self.step(f"w{self.number}-{len(self.writes)}")
        except Exception as error:  # A writer that dies silently would hide a failure.
            self.wrong.append(f"writer {self.number}: {error!r}")

    def step(self, key):
        choice, text = self.random.random(), f"{key}, " * self.random.randint(1, 2000) + key
        if self.elements and choice < 0.3:
            arguments = {"id": self.random.choice(self.elements), "description": text}
            self.write(Write(key, "transformation", "updateElement", arguments))
        elif choice < 0.4:
            arguments = {"name": key, "value_streams": [f"{key}-a"], "sub_capabilities": [f"{key}-b", f"{key}-c"]}
            self.write(Write(key, "transformation", "createCapabilityStructure", arguments))
        elif choice < 0.5 and self.files < FILES_MAX:
            self.files += 1
            content = text.encode()
            arguments = {"file_content": base64.b64encode(content).decode(), "mime_type": "text/plain", "interpret": False}
            self.write(Write(key, "neotoma", "ingest", arguments, [hashlib.sha256(content).hexdigest()]))
        else:
            arguments = {"type": "ApplicationComponent", "name": key, "parent_id": self.parent, "description": text}
            self.elements.append(self.write(Write(key, "transformation", "createElement", arguments))["element"]["id"])

    def write(self, write):
        write.arguments["client_request_id"] = write.key
        self.writes.append(write)
        while write.made is None:
            port = self.site.wait()
            try:
                write.made = write.try_on(port)
                write.acknowledged = now()
            except Unknown:
                time.sleep(0.005)
            except Refused as refused:
                if refused.code != "SERVICE_UNAVAILABLE":
                    raise
                time.sleep(0.01)
        return write.made


def record(place, writers_count, seed):
    """A server's life with a kill in the middle: its system calls, its writes, and the element that all belong to."""
    data, traces = place / "disk" / "data", [place / "first.trace", place / "second.trace"]
    (place / "disk").mkdir()
    site, server = Site(), Server(data, disk.recorder(traces[0]))
    whole = Write("whole", "transformation", "createElement", {"type": "ApplicationComponent", "name": "whole", "client_request_id": "whole"})
    whole.made = whole.try_on(server.port)
    whole.acknowledged = now()
    parent = whole.made["element"]["id"]
    site.up(server.port)
    writers = [Writer(number, site, parent, seed) for number in range(writers_count)]
    for writer in writers:
        writer.start()
    grown(data / "chancery.db-wal", LOG_BYTES)
    site.down()
    server.kill()
    disk.ended(traces[0])
    server = Server(data, disk.recorder(traces[1]))
    site.up(server.port)
    grown(data / "chancery.db", DATABASE_BYTES)
    # The log starts over once it was moved; some of that belongs to the recording.
    written = sum(len(writer.writes) for writer in writers)
    wait_for(lambda: sum(len(writer.writes) for writer in writers) > written + 40)
    site.ending = True
    for writer in writers:
        writer.join(60)
    server.stop()
    disk.ended(traces[1])
    wrong = [text for writer in writers for text in writer.wrong]
    wrong += [f"writer {writer.number} still waits" for writer in writers if writer.is_alive()]
    recorded = disk.calls(traces[0]) + disk.calls(traces[1])
    return recorded, [whole, *(write for writer in writers for write in writer.writes)], wrong


def grown(file, size):
    wait_for(lambda: file.exists() and file.stat().st_size >= size)


def wait_for(condition):
    deadline = time.monotonic() + ROUND_SECONDS_MAX
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError("the writers did not get far enough")
        time.sleep(0.02)


def moments(chance, recorded, writes, count):
    """When to cut: right after an answer, or within the calls for the log, for the database and for everything else."""
    groups = collections.defaultdict(list)
    for call in recorded:
        path = disk.path_of(call.words[0]) or ""
        if call.name in ("write", "pwrite64", "fsync", "fdatasync", "mkdir", "linkat", "rename", "unlink"):
            ending = path.rsplit("/", 1)[-1]
            groups[ending if ending in ("chancery.db", "chancery.db-wal") else "other"].append(call)
    kinds = ["answer", "answer", "chancery.db-wal", "chancery.db-wal", "chancery.db", "other"]
    found = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind == "answer":
            found.append((chance.choice(writes).acknowledged, kind))
        else:
            call = chance.choice(groups[kind])
            found.append((chance.choice([call.start, (call.start + call.end) // 2, call.end]), kind))
    return sorted(found)


def judge(port, data, writes, moment):
    """What is wrong in a store that was cut at a moment."""
    sure = [write for write in writes if write.acknowledged <= moment]
    open_then = [write for write in writes if write.sent <= moment < write.acknowledged]
    wrong, held = [], []
    for write in open_then + sure[-3:]:
        try:
            made = write.try_on(port)
        except (Refused, Unknown) as problem:
            wrong.append(f"doubled: {write.key} is refused when it is repeated: {problem}")
            continue
        held.append(write)
        if write in sure and not made.get("idempotent_replay"):
            wrong.append(f"lost: {write.key} was acknowledged, and its repetition writes again")
        write_made = write.made if write in sure else made
        if write in open_then:
            write = Write(write.key, write.capability, write.tool, write.arguments, write.files)
            write.made = write_made
            sure.append(write)
    client = Http(port)
    elements = collections.defaultdict(list)
    for element in everything(client, "listElements", "elements"):
        elements[element["name"]].append(element)
    edges = {edge["id"] for edge in everything(client, "listRelationships", "relationships")}
    expected, states = set(), {}
    for write in sure:
        for name in write.names():
            expected.add(name)
            count = len(elements.get(name, []))
            if count != 1:
                wrong.append(f"{'doubled' if count else 'lost'}: {name} of {write.tool} is there {count} times")
        made = [write.made["relationship"]] if write.made.get("relationship") else write.made.get("created_relationships", [])
        wrong += [f"torn: {write.key} without a relationship" for edge in made if edge["id"] not in edges]
        if write.tool == "createElement":
            states[write.made["element"]["id"]] = (1, write.arguments.get("description"))
        if write.tool == "updateElement" and write.made["new_version"] > states.get(write.arguments["id"], (0,))[0]:
            states[write.arguments["id"]] = (write.made["new_version"], write.arguments["description"])
        wrong += [f"lost: the file of {write.key}" for digest in write.files if not whole_file(data, digest)]
    wrong += [f"phantom: {name}" for name in elements if name not in expected]
    by_id = {element["id"]: element for held in elements.values() for element in held}
    for id, (version, description) in states.items():
        found = by_id.get(id, {})
        if (found.get("version"), found.get("description")) != (version, description):
            wrong.append(f"lost: {id} is at version {found.get('version')}, not {version}, or its text is another")
    return wrong, len(sure) - len(open_then), len(open_then)


def whole_file(data, digest):
    return any(hashlib.sha256(path.read_bytes()).hexdigest() == digest for path in data.glob(f"blobs/**/{digest}"))


def cut(place, recorded, writes, chance, count):
    """Cuts at some moments and answers for each what was wrong."""
    machine, wanted = disk.Disk(place / "disk"), moments(chance, recorded, writes, count)
    for (moment, kind), _ in zip(wanted, disk.at_each(machine, recorded, [moment for moment, _ in wanted])):
        mode = chance.choice(disk.MODES)
        image = place / "image"
        sector = machine.image(image, chance, mode)
        wrong, counts = opened(image / "data", writes, moment, first=chance.random() < 0.5)
        yield f"{kind}, {mode}, sectors of {sector}: {counts}", wrong


def opened(data, writes, moment, first):
    """Opens what a cut left, and asks `verify` before or after a server had it."""
    wrong = []
    if first and data.exists():
        sound, said = verify(data)
        wrong += [] if sound else [f"verify before: {said}"]
    try:
        server = Server(data)
    except RuntimeError as problem:
        return [*wrong, f"not opened: {problem}"], "none"
    try:
        found, sure, under_way = judge(server.port, data, writes, moment)
    finally:
        server.stop()
    if not first:
        sound, said = verify(data)
        wrong += [] if sound else [f"verify after: {said}"]
    return wrong + found, f"{sure} acknowledged, {under_way} under way"


def same(place, image):
    """Whether what was recorded is what the real folder holds, apart from shared memory."""
    files = {path.relative_to(place / "disk") for path in (place / "disk").rglob("*") if path.is_file() and not path.name.endswith("-shm")}
    made = {path.relative_to(image) for path in image.rglob("*") if path.is_file()}
    differ = [str(path) for path in files & made if (place / "disk" / path).read_bytes() != (image / path).read_bytes()]
    return [*map(str, files ^ made), *differ]


def one_round(checks, seed, options, layer):
    gather_log(layer)
    words = "in one piece" if layer else "by SQLite alone"
    place, chance = pathlib.Path(tempfile.mkdtemp(prefix="chancery-powercut-")), random.Random(seed)
    recorded, writes, wrong = record(place, options.writers, seed)
    checks.check(not wrong, f"{len(writes)} writes are acknowledged, the log written {words}", "\n".join(wrong))
    log = [len(disk.plain(call.words[1])) for call in recorded if call.name == "pwrite64" and (disk.path_of(call.words[0]) or "").endswith("chancery.db-wal")]
    checks.check((max(log) > 4096) == layer, f"the log is written {words}: {len(log)} writes, the longest of {max(log)} bytes")

    end = max(call.end for call in recorded)
    machine = disk.Disk(place / "disk")
    list(disk.at_each(machine, recorded, [end]))
    machine.image(place / "image", chance, "all")
    differ = same(place, place / "image")
    checks.check(not differ, "the recording tells the whole folder", "\n".join(differ))

    # A store that does not sync must be caught, or the cuts below prove nothing.
    machine = disk.Disk(place / "disk")
    machine.syncs = False
    list(disk.at_each(machine, recorded, [end]))
    machine.image(place / "image", chance, "none")
    found, _ = opened(place / "image" / "data", writes, end, first=False)
    checks.check(any(text.startswith("lost") for text in found), "without its syncs everything would be lost")

    failed = 0
    for text, found in cut(place, recorded, writes, chance, options.cuts):
        failed += bool(found)
        print(f"  {text}{': ' + '; '.join(found[:5]) if found else ''}", flush=True)
    checks.check(not failed, f"{options.cuts} cuts: 0 lost, doubled or torn", f"{failed} cuts with faults, see above")
    if options.keep or checks.failed:
        print(f"kept in {place}")
    else:
        shutil.rmtree(place, ignore_errors=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cuts", type=int, default=100, help="for each way of writing the log")
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--keep", action="store_true", help="keep the recording")
    options = options.parse_args()
    checks = Checks()
    if reason := disk.unavailable():
        checks.skip("power cuts", reason)
        return checks.close()
    seed = options.seed if options.seed is not None else random.randrange(10**6)
    print(f"seed {seed}, {options.cuts} cuts for each way of writing the log, {options.writers} writers", flush=True)
    for layer in [True, False]:
        one_round(checks, seed, options, layer)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
