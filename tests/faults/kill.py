"""F01: kill -9 at random moments under writers, and count what was lost, doubled or torn.

Every writer gives each write a client_request_id and repeats it with the same key until it is acknowledged, as a client must.
A create names a parent, so element and relationship are one commit; a change set makes two such elements and joins them, all or none;
updates count versions; associations have no unique name that could hide a second one. After each restart a sample is read back, at the end everything.

R-303, R-819, R-454.
"""

import argparse
import collections
import random
import shutil
import statistics
import sys
import tempfile
import threading
import time

from harness import Checks, Http, Refused, Server, Unknown, everything, gather_log, verify

DOWN_SECONDS_MAX = 60
SAMPLE = 20


class Site:
    """The server of the moment; writers wait here while there is none."""

    def __init__(self):
        self.changed = threading.Condition()
        self.port = None
        self.ending = False

    def up(self, port):
        with self.changed:
            self.port = port
            self.changed.notify_all()

    def down(self):
        with self.changed:
            self.port = None

    def wait(self):
        with self.changed:
            if not self.changed.wait_for(lambda: self.port is not None, DOWN_SECONDS_MAX):
                raise RuntimeError("the server did not come back")
            return self.port


class Writer(threading.Thread):
    """Writes one thing after another and remembers what was acknowledged."""

    def __init__(self, number, site, parent, seed):
        super().__init__(daemon=True)
        self.number, self.site, self.parent = number, site, parent
        self.random = random.Random(seed * 1000 + number)
        self.elements = {}  # name -> what its last acknowledged write said
        self.edges = {}  # id -> (source, target)
        self.writes = collections.Counter()
        self.wrong = []
        self.replays = self.retries = 0
        self.client = None

    def run(self):
        try:
            for number in range(10**9):
                if self.site.ending:
                    return
                self.step(f"w{self.number}-{number}")
        except Exception as error:  # A writer that dies silently would hide a failure.
            self.wrong.append(f"ended: writer {self.number}: {error!r}")

    def step(self, key):
        choice = self.random.random()
        names = list(self.elements)
        if len(names) >= 2 and choice < 0.2:
            source, target = (self.elements[name]["id"] for name in self.random.sample(names[-50:], 2))
            made = self.write(key, "createRelationship", type="Association", source_id=source, target_id=target)
            if made:
                self.edges[made["relationship"]["id"]] = (source, target)
        elif choice < 0.35:
            self.change_set(key)
        elif names and choice < 0.6:
            element = self.elements[self.random.choice(names[-50:])]
            made = self.write(key, "updateElement", id=element["id"], description=key)
            if made:
                step = (made["previous_version"], made["new_version"])
                if step != (element["version"], element["version"] + 1):
                    self.wrong.append(f"gap: {key} went {step}, expected {element['version']} -> +1")
                element.update(version=made["new_version"], description=key)
        else:
            made = self.write(key, "createElement", type="ApplicationComponent", name=key, parent_id=self.parent)
            if made:
                edge = made.get("relationship")
                if not edge:
                    self.wrong.append(f"torn: {key} was acknowledged without its relationship")
                    return
                self.elements[key] = {"id": made["element"]["id"], "edge": edge["id"], "version": 1, "description": None}

    def change_set(self, key):
        """Two elements with their parent and what joins them, as one change."""
        create = {"op": "create", "type": "ApplicationComponent", "parent_id": self.parent}
        changes = [
            {**create, "key": "a", "name": f"{key}a"},
            {**create, "key": "b", "name": f"{key}b"},
            {"op": "relate", "key": "ab", "type": "Association", "source_id": "$a", "target_id": "$b"},
        ]
        made = self.write(key, "applyChanges", changes=changes)
        if not made:
            return
        edges = {change["index"]: change["id"] for change in made["changes"] if change["kind"] == "relationship"}
        if sorted(edges) != [0, 1, 2] or len(made["ids"]) != 3:
            self.wrong.append(f"torn: {key} was acknowledged as {made['summary']} with {made['ids']}")
            return
        ids = made["ids"]
        for place, name in enumerate("ab"):
            self.elements[f"{key}{name}"] = {"id": ids[name], "edge": edges[place], "version": 1, "description": None}
        self.edges[ids["ab"]] = (ids["a"], ids["b"])

    def write(self, key, tool, **arguments):
        """One write, repeated with the same key until it is acknowledged."""
        arguments["client_request_id"] = key
        tries = 0
        while True:
            port = self.site.wait()
            if self.client is None or self.client.port != port:
                # Half of the writers keep their connection, the others open one for each call.
                self.client = Http(port, keep_alive=self.number % 2 == 0)
            tries += 1
            try:
                made = self.client.call(tool, arguments)
            except Unknown:
                self.client = None
                time.sleep(0.002)
                continue
            except Refused as refused:
                if refused.code == "SERVICE_UNAVAILABLE":
                    time.sleep(0.01)
                    continue
                # On a retry this refusal means that the first try counted and its key did not.
                kind = "doubled" if tries > 1 and refused.code.startswith("DUPLICATE") else "refused"
                self.wrong.append(f"{kind}: {key} {tool} on try {tries}: {refused}")
                return None
            self.writes[tool] += 1
            self.retries += tries - 1
            if made.get("idempotent_replay"):
                self.replays += 1
                if tries == 1:
                    self.wrong.append(f"doubled: {key} was answered as a replay on its first try")
            return made


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--writers", type=int, default=16)
    options.add_argument("--seed", type=int, default=None)
    options.add_argument("--load-ms-max", type=int, default=800, help="longest time between a start and its kill")
    options.add_argument("--sqlite-log", action="store_true", help="leave the log to SQLite alone (gather_log = false)")
    options.add_argument("--keep", action="store_true", help="keep the data directory")
    options = options.parse_args()
    gather_log(not options.sqlite_log)
    seed = options.seed if options.seed is not None else random.randrange(10**6)
    print(f"seed {seed}, {options.kills} kills, {options.writers} writers", flush=True)
    chance, data = random.Random(seed), tempfile.mkdtemp(prefix="chancery-kill-")

    site, server = Site(), Server(data)
    first = Http(server.port)
    parent = first.call("createElement", {"type": "ApplicationComponent", "name": "whole"})["element"]["id"]
    site.up(server.port)
    writers = [Writer(number, site, parent, seed) for number in range(options.writers)]
    for writer in writers:
        writer.start()

    checks, restarts, wrong, sequence = Checks(), [], [], 0
    for kill in range(options.kills):
        # Now and then the blow falls right at the start, while the server still recovers.
        time.sleep(chance.uniform(0, 0.02) if chance.random() < 0.2 else chance.uniform(0.05, options.load_ms_max / 1000))
        site.down()
        server.kill()
        seen = sample(writers, chance)
        began = time.monotonic()
        server = Server(data)
        client = Http(server.port)
        head = client.call("listElements", {"model_id": "default", "page_size": 1})["read_context"]["sequence"]
        restarts.append((time.monotonic() - began) * 1000)
        if int(head) < sequence:
            wrong.append(f"lost: after kill {kill + 1} the sequence went back from {sequence} to {head}")
        sequence = int(head)
        wrong += [f"lost: {name} after kill {kill + 1}" for name in seen if not found(client, name, seen[name])]
        client.close()
        site.up(server.port)
    time.sleep(0.2)
    site.ending = True
    for writer in writers:
        writer.join(DOWN_SECONDS_MAX)
        if writer.is_alive():
            wrong.append(f"waiting: writer {writer.number} never got its last answer")

    for writer in writers:
        wrong += writer.wrong
    judge(checks, Http(server.port), writers, wrong, parent)
    checks.check(server.stop() == 0, "the server ends with 0 on SIGTERM", "".join(server.lines))
    sound, said = verify(data)
    checks.check(sound, "chancery verify finds the data sound", said)
    report(writers, options.kills, restarts)
    if options.keep or checks.failed:
        print(f"data kept in {data}")
    else:
        shutil.rmtree(data, ignore_errors=True)
    return checks.close()


def sample(writers, chance):
    """Some acknowledged elements and the versions they must at least be at."""
    known = [(name, dict(writer.elements[name])) for writer in writers for name in list(writer.elements)[-5:]]
    return dict(chance.sample(known, min(SAMPLE, len(known))))


def found(client, name, expected):
    items = client.call("listElements", {"model_id": "default", "name": name})["elements"]
    return any(item["id"] == expected["id"] and item["version"] >= expected["version"] for item in items)


def judge(checks, client, writers, wrong, parent):
    """Compares everything the server holds with everything that was acknowledged."""
    elements = everything(client, "listElements", "elements")
    edges = everything(client, "listRelationships", "relationships")
    by_name = collections.defaultdict(list)
    for element in elements:
        by_name[element["name"]].append(element)
    parts = collections.defaultdict(list)
    for edge in edges:
        if edge["source_id"] == parent and edge["type"] == "Composition":
            parts[edge["target_id"]].append(edge["id"])
    associations = {edge["id"]: (edge["source_id"], edge["target_id"]) for edge in edges if edge["type"] == "Association"}

    acknowledged = {}
    for writer in writers:
        acknowledged.update(writer.elements)
        for edge, ends in writer.edges.items():
            if associations.pop(edge, None) != ends:
                wrong.append(f"lost: relationship {edge}")
    wrong += [f"doubled: relationship {edge} was never acknowledged" for edge in associations]
    for name, element in acknowledged.items():
        held = by_name.pop(name, [])
        if not any(item["id"] == element["id"] for item in held):
            wrong.append(f"lost: element {name}")
            continue
        if len(held) > 1:
            wrong.append(f"doubled: element {name} is there {len(held)} times")
        if parts.get(element["id"]) != [element["edge"]]:
            wrong.append(f"torn: element {name} has the parts {parts.get(element['id'])}, not {element['edge']}")
        if held[0]["version"] != element["version"]:
            wrong.append(f"gap: {name} is at version {held[0]['version']}, acknowledged was {element['version']}")
        if held[0].get("description") != element["description"]:
            wrong.append(f"lost: description of {name} is {held[0].get('description')!r}, not {element['description']!r}")
    by_name.pop("whole", None)
    for name, held in by_name.items():
        kind = "phantom" if all(parts.get(item["id"]) for item in held) else "torn"
        wrong.append(f"{kind}: element {name} was never acknowledged")

    for kind in ["lost", "doubled", "torn", "phantom", "gap"]:
        of_kind = [text for text in wrong if text.startswith(kind)]
        checks.check(not of_kind, f"{kind} {len(of_kind)}", "\n".join(of_kind))
    rest = [text for text in wrong if text.split(":")[0] not in ("lost", "doubled", "torn", "phantom", "gap")]
    checks.check(not rest, "every write is acknowledged in the end", "\n".join(rest))


def report(writers, kills, restarts):
    writes = sum((writer.writes for writer in writers), collections.Counter())
    replays, retries = sum(writer.replays for writer in writers), sum(writer.retries for writer in writers)
    print(f"kills {kills}, acknowledged writes {writes.total()} ({', '.join(f'{name} {count}' for name, count in sorted(writes.items()))})")
    print(f"retries {retries}, of which replays of a write that had already happened {replays}")
    if restarts:
        print(f"restart to first answer: median {statistics.median(restarts):.0f} ms, worst {max(restarts):.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
