"""A data directory of an earlier build, opened by this one: `verify` agrees and every read answers as it did then.

`before.tar.gz` holds such a directory and the answers of the build that made it. To make one anew, with TEST_BINARY naming the
earlier build: `python3 tests/faults/migrate.py --make FILE [--scale 50]`; to look at another: `--fixture FILE`.
"""

import argparse
import base64
import http.client
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.parse

from harness import CHANCERY, Checks, Http, Refused, Server, everything, verify

FIXTURE = pathlib.Path(__file__).with_name("before.tar.gz")
INGEST_PAUSE_SECONDS = 0.65  # A hundred calls a minute.
FILES_MAX = 80  # Earlier builds interpreted a hundred files in thirty days.
BANK = "Date,Description,Reference,Amount\n2026-03-02,Rent,R-1,-900\n2026-03-05,Salary,S-9,2500\n"
NOTE = "Meeting on 2026-04-01 with Ada and Ben.\nDecision: the bridge is built.\n"


def fill(port, data, scale):
    """Something of every kind, the more the larger the scale."""
    model, memory = Http(port), Http(port, capability="neotoma")
    elements = []
    for number in range(12 * scale):
        kind = ["ApplicationComponent", "Goal", "BusinessProcess"][number % 3]
        made = model.call("createElement", {"type": kind, "name": f"{kind} {number}", "client_request_id": f"e{number}"})
        elements.append(made["element"]["id"])
    for number in range(len(elements) - 1):
        ends = {"source_id": elements[number], "target_id": elements[number + 1]}
        model.call("createRelationship", {"type": "Association", "name": f"to {number}", **ends})
    for number in range(0, len(elements), 3):
        model.call("updateElement", {"id": elements[number], "description": f"Changed {number}", "properties": {"cost": number}})
    model.call("createCapabilityStructure", {"name": "Fulfilment", "value_streams": ["Order"], "sub_capabilities": ["Pick", "Ship"]})
    for name in ["First", "Second"]:
        model.call("createBaseline", {"name": name})
        model.call("createElement", {"type": "Goal", "name": f"After {name}"})
    model.call("promoteBaseline", {"baseline_id": "First"})
    proposed = []
    for number in range(4 * scale):
        arguments = {"type": "Goal", "name": f"Proposed {number}", "commit_mode": "propose"}
        proposed.append(model.call("createElement", arguments)["proposal"]["id"])
    for word, id in [("approve", proposed[0]), ("reject", proposed[1])]:
        command = [CHANCERY, "proposals", word, id, "--data", str(data), "--set", "governance.self_approval=true"]
        subprocess.run([*command, "--reason", "as agreed"] if word == "reject" else command, check=True, capture_output=True)
    model.call("deleteElement", {"id": model.call("createElement", {"type": "Goal", "name": "Gone"})["element"]["id"]})

    people = []
    for start in range(0, 10 * scale, 100):
        batch = [person(number) for number in range(start, min(start + 100, 10 * scale))]
        stored = memory.call("ingest", {"entities": batch, "client_request_id": f"people {start}"})
        people += [entity["id"] for entity in stored["entities"]]
    for number in range(2 * scale):
        pair = {"from_entity_id": people[2 * number], "to_entity_id": people[2 * number + 1]}
        memory.call("merge_entities", {**pair, "merge_reason": "the same"})
    memory.call("unmerge_entities", {"from_entity_id": people[0]})
    for number in range(4 * scale, 6 * scale):
        correction = {"entity_id": people[number], "entity_type": "contact", "field": "city", "value": "Turin"}
        memory.call("correct", correction)
        ends = {"source_entity_id": people[number], "target_entity_id": people[number + 1]}
        memory.call("create_relationship", {"relationship_type": "REFERS_TO", **ends})
    memory.call("delete", {"id": people[-1]})
    memory.call("delete", {"id": people[-2]})
    memory.call("restore", {"id": people[-2]})
    files = []
    for number in range(min(2 * scale, FILES_MAX)):
        kind, text = [("text/csv", BANK), ("text/plain", NOTE)][number % 2]
        content = (text + (f"\n2026-05-0{number % 9 + 1},Fee {number},F-{number},-{number}\n" if kind == "text/csv" else f"{number}\n")).encode()
        arguments = {"file_content": base64.b64encode(content).decode(), "mime_type": kind, "original_filename": f"file-{number}"}
        files.append((memory.call("ingest", arguments)["file_path"], content.decode()))
        time.sleep(INGEST_PAUSE_SECONDS if scale > 10 else 0)
    return {"elements": elements, "proposals": proposed, "people": people, "files": files}


def person(number):
    return {"entity_type": "contact", "name": f"Person {number}", "email": f"p{number}@example.org", "city": "Rome", "age": number}


def reads(port, made):
    """What is asked before and after, by name."""
    model, memory = Http(port), Http(port, capability="neotoma")
    sampled = lambda items, count: items[:: max(1, len(items) // count)][:count]
    answers = {
        "elements": everything(model, "listElements", "elements"),
        "relationships": everything(model, "listRelationships", "relationships"),
        "published": model.call("listElements", {"model_id": "default", "page_size": 200, "read_context": {"selector": "published"}})["elements"],
        "past": model.call("listElements", {"model_id": "default", "page_size": 200, "read_context": {"sequence": 9}})["elements"],
        "model": model.call("getArchimateModel", {"model_id": "default"}),
        "proposals": model.call("listProposals", {"page_size": 200})["proposals"],
        "baseline": model.call("getBaseline", {"baseline_id": "First", "page_size": 200}),
        "changes": model.call("compareStates", {"from": {"selector": "published"}, "page_size": 200}),
        "people": memory.call("retrieve_entities", {"entity_type": "contact", "limit": 1000, "include_merged": True}),
        "of all types": memory.call("retrieve_entities", {"limit": 1000}),
        "in Turin": memory.call("retrieve_entities", {"entity_type": "contact", "filters": [{"field": "city", "value": "Turin"}], "limit": 1000}),
        "links": memory.call("list_relationships", {"entity_id": made["people"][4 * len(made["people"]) // 10 + 1]}),
        "timeline": memory.call("list_timeline_events", {}),
        "by identifier": memory.call("get_entity_by_identifier", {"identifier": "p5@example.org"}),
    }
    for id in sampled(made["proposals"], 8):
        answers[f"proposal {id}"] = model.call("getProposal", {"proposal_id": id})
    for id in sampled(made["people"], 12):
        for tool, arguments in [("get_entity_snapshot", {}), ("list_observations", {}), ("get_field_provenance", {"field": "city"})]:
            try:
                answers[f"{tool} {id}"] = memory.call(tool, {"entity_id": id, **arguments})
            except Refused as refused:
                answers[f"{tool} {id}"] = refused.code
    for path, _ in sampled(made["files"], 4):
        address = urllib.parse.urlsplit(memory.call("get_file_url", {"file_path": path})["signed_url"])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", f"{address.path}?{address.query}")
        answers[f"file {path}"] = connection.getresponse().read().decode()
        connection.close()
    return answers


def differences(before, after, where=""):
    """Where something that was answered before is not answered any more. More may be said now, and tokens are of their build."""
    if where.endswith("token") or before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        return [text for key in before for text in differences(before[key], after.get(key), f"{where}.{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [text for number, pair in enumerate(zip(before, after)) for text in differences(*pair, f"{where}[{number}]")]
    return [f"{where}: {json.dumps(before)[:200]} became {json.dumps(after)[:200]}"]


def make(file, scale):
    place = pathlib.Path(tempfile.mkdtemp(prefix="chancery-migrate-"))
    data = place / "data"
    server = Server(data)
    made = fill(server.port, data, scale)
    answers = reads(server.port, made)
    server.stop()
    # One file without a log, and the audit is nobody's business.
    database = sqlite3.connect(data / "chancery.db")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.execute("VACUUM")
    database.close()
    for rest in [*data.glob("audit.db*"), *data.glob("*-wal"), *data.glob("*-shm")]:
        rest.unlink()
    (place / "answers.json").write_text(json.dumps({"made": made, "answers": answers}))
    with tarfile.open(file, "w:gz") as archive:
        for name in ["data", "answers.json"]:
            archive.add(place / name, name)
    print(f"{file}: {pathlib.Path(file).stat().st_size} bytes, {len(answers)} answers")
    shutil.rmtree(place)
    return 0


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--make", metavar="FILE")
    options.add_argument("--fixture", default=FIXTURE)
    options.add_argument("--scale", type=int, default=1)
    options = options.parse_args()
    if options.make:
        return make(options.make, options.scale)
    checks, place = Checks(), pathlib.Path(tempfile.mkdtemp(prefix="chancery-migrate-"))
    with tarfile.open(options.fixture) as archive:
        archive.extractall(place, filter="data")
    stored = json.loads((place / "answers.json").read_text())
    began = time.monotonic()
    sound, said = verify(place / "data")
    checks.check(sound, f"verify finds an earlier store sound once it is opened ({time.monotonic() - began:.1f} s)", said)
    server = Server(place / "data")
    differ = differences(stored["answers"], reads(server.port, stored["made"]))
    checks.check(not differ, f"{len(stored['answers'])} reads answer as before", "\n".join(differ))
    made = Http(server.port).call("updateElement", {"id": stored["made"]["elements"][1], "description": "goes on"})
    checks.check("new_version" in made, "what was stored can be changed", made)
    checks.check(server.stop() == 0, "the server ends with 0 on SIGTERM", "".join(server.lines))
    sound, said = verify(place / "data")
    checks.check(sound, "verify finds it sound after that", said)
    shutil.rmtree(place, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
