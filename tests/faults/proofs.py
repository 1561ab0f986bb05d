"""The audit proves itself: whatever is changed by hand in a data directory is named, and proofs taken before still hold.

Everything is done to copies of one data directory, with SQLite's own tools, and checked with `chancery audit verify` and with
`docs/check_proof.py`, which needs neither the directory nor Chancery.
"""

import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from harness import CHANCERY, ROOT, Checks, Http, Refused, Server

CHECKER = ROOT / "docs/check_proof.py"


def run(*arguments, data):
    done = subprocess.run([CHANCERY, *arguments, "--data", str(data)], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def check(*arguments, given=None):
    done = subprocess.run(
        [sys.executable, "-I", str(CHECKER), *map(str, arguments)], input=given, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout


def filled(folder):
    """A data directory with facts, records of changes, reads and refusals, an approval, and everything sealed."""
    server = Server(folder)
    http = Http(server.port)
    for number in range(12):
        http.call("createElement", {"type": "Goal", "name": f"Goal {number}"})
        http.call("listElements", {"model_id": "default"})
    proposed = http.call("createElement", {"type": "Goal", "name": "Reviewed", "commit_mode": "propose"})
    try:
        http.call("getView", {"view_id": "ghost"})
    except Refused:
        pass
    Http(server.port, capability="neotoma").call("ingest", {"entities": [{"entity_type": "note", "title": "n"}]})
    server.stop()
    approve = ["proposals", "approve", proposed["proposal"]["id"], "--reason", "good", "--set", "user=carol"]
    code, _, said = run(*approve, data=folder)
    assert code == 0, said
    return folder


def changed(original, work, name, file, *statements):
    """A copy of a data directory, changed by hand."""
    copy = work / name
    shutil.copytree(original, copy)
    database = sqlite3.connect(copy / file, isolation_level=None)
    for trigger in ["facts_are_never_changed", "facts_are_never_removed", "audit_is_never_changed", "audit_is_never_removed"]:
        database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
    for statement in statements:
        assert database.execute(statement).rowcount != 0, statement
    database.close()
    return copy


def differs(checks, title, data, *words, options=()):
    code, said, error = run("audit", "verify", *options, data=data)
    lines = [line for line in said.splitlines() if line.startswith("differs: ")]
    named = any(all(word in line for word in words) for line in lines)
    checks.check(code == 1 and named, title, f"exit {code}\n{said}{error}")
    for line in lines:
        print(f"         {line}")


def tampered(checks, original, work):
    """Each change by hand is named: the tree, the leaf, and what it is."""
    def name(title):
        return title.replace(" ", "-")

    cases = [
        ("one byte of one fact", "chancery.db", ["UPDATE facts SET body = replace(body, 'Goal 3', 'Goal 4') WHERE body LIKE '%Goal 3%'"], ("facts of local: fact ", "is not the one that was sealed")),
        ("the moment of a fact", "chancery.db", ["UPDATE facts SET at = at - 1 WHERE seq = 5"], ("facts of local: fact 5 ",)),
        ("a fact that is removed", "chancery.db", ["DELETE FROM facts WHERE seq = 7"], ("facts of local: fact 7 is missing",)),
        ("two facts that are swapped", "chancery.db", ["UPDATE facts SET seq = -1 WHERE seq = 6", "UPDATE facts SET seq = 6 WHERE seq = 9", "UPDATE facts SET seq = 9 WHERE seq = -1"], ("facts of local: fact 6 ", "1 more")),
        ("one record of a change that is removed", "chancery.db", ["DELETE FROM audit WHERE number = 4"], ("audit of local: record ", "is missing")),
        ("two records of changes that are swapped", "chancery.db", ["UPDATE audit SET number = -1 WHERE number = 3", "UPDATE audit SET number = 3 WHERE number = 5", "UPDATE audit SET number = 5 WHERE number = -1"], ("audit of local: record ", "is not in its place")),
        ("who made a change", "chancery.db", ["UPDATE audit SET principal = 'local|mallory' WHERE number = 2"], ("audit of local: record ", "is not the one that was sealed", "mallory")),
        ("one record of a read that is removed", "audit.db", ["DELETE FROM audit WHERE number = 4"], ("audit of local: record ", "is missing")),
        ("two records of reads that are swapped", "audit.db", ["UPDATE audit SET number = -1 WHERE number = 3", "UPDATE audit SET number = 3 WHERE number = 5", "UPDATE audit SET number = 5 WHERE number = -1"], ("audit of local: record ", "is not in its place")),
        ("the outcome of a refusal", "audit.db", ["UPDATE audit SET outcome = 'ok' WHERE outcome = 'refused'"], ("audit of local: record ", "getView")),
        ("a hash of a leaf", "chancery.db", ["UPDATE tree_tiles SET hashes = CAST(zeroblob(32) || substr(hashes, 33) AS BLOB) WHERE tree = 'facts' AND level = 0"], ("facts of local: ", "are not what was signed at")),
        ("a checkpoint", "chancery.db", ["UPDATE tree_checkpoints SET note = replace(note, '2026', '2027') WHERE tree = 'facts'"], ("facts of local: the checkpoint over ", "no known key has signed it")),
        ("which record is which leaf", "chancery.db", ["DELETE FROM tree_spans WHERE first_leaf = 0"], ("audit of local: nothing says which audit record leaf 0 is",)),
    ]
    for title, file, statements, words in cases:
        differs(checks, f"{title} is named", changed(original, work, name(title), file, *statements), *words)
    shortened = changed(original, work, "shorter", "chancery.db", "DELETE FROM tree_checkpoints WHERE size > 3", "DELETE FROM facts WHERE seq > 3")
    published = work / "published"
    published.write_text(run("audit", "checkpoint", data=original)[1])
    differs(checks, "a history that was cut off is named by a checkpoint that was kept", shortened, "a published checkpoint is over", options=("--checkpoint", str(published)))


def proofs(checks, original, work):
    """Proofs check offline, also when the directory was changed after them; and only the right ones do."""
    key = run("audit", "key", data=original)[1].strip()
    code, proof, error = run("prove", "5", data=original)
    checks.check(code == 0, "a fact is proved", error)
    (work / "proof.json").write_text(proof)
    code, said = check(work / "proof.json", "--key", key)
    checks.check(code == 0 and said.startswith("right: leaf 4 of ") and '"sequence": "5"' in said, "the proof checks offline", said)
    after = changed(original, work, "after", "chancery.db", "UPDATE facts SET body = replace(body, 'Goal', 'Gaol')")
    code, said = check(work / "proof.json", "--key", key)
    checks.check(code == 0, "it checks after the directory was changed", said)
    code, forged, _ = run("prove", "5", data=after)
    code, said = check("-", "--key", key, given=forged)
    checks.check(code == 1 and "WRONG: the leaf is not in the tree that was signed" in said, "a proof of what was changed does not", said)
    good = json.loads(proof)
    other = run("audit", "key", data=filled_empty(work))[1].strip()
    code, said = check(work / "proof.json", "--key", other)
    checks.check(code == 1 and "WRONG" in said, "nor does it with another key", said)
    for field, value in [("index", 5), ("index", 999), ("index", -1), ("leaf", good["leaf"].replace("Goal", "Gaol")), ("path", good["path"][:-1]), ("path", good["path"] * 2), ("checkpoint", good["checkpoint"].replace("2026", "2027")), ("tree", "audit"), ("leaf", 7), ("checkpoint", "")]:
        code, said = check("-", "--key", key, given=json.dumps({**good, field: value}))
        checks.check(code == 1 and "WRONG" in said, f"nor does one with another {field}", said)
    code, _, said = run("prove", "999", data=original)
    checks.check(code == 1 and "has not happened yet; the last one is" in said, "what has not happened is not proved", said)


def approval(checks, original, work):
    """The leaf of an approval holds the hash of what was approved, and who did it."""
    key = run("audit", "key", data=original)[1].strip()
    facts = [json.loads(line) for line in run("facts", data=original)[1].splitlines()]
    decided = [fact for fact in facts if "ProposalAccepted" in fact["type"] or "ProposalApproved" in fact["type"]]
    checks.check(len(decided) == 1, "the approval is one fact", str([fact["type"] for fact in facts]))
    proof = run("prove", str(decided[0]["sequence"]), data=original)[1]
    code, said = check("-", "--key", key, given=proof)
    leaf = json.loads(json.loads(proof)["leaf"])
    body = json.loads(leaf["body"])
    approvals = [(approval["by"], approval["plan"]) for approval in body["approvals"]]
    checks.check(code == 0 and body["plan"] and approvals == [("local|carol", body["plan"])], "it proves who approved which plan", leaf["body"])
    export = [json.loads(line) for line in run("audit", "export", data=original)[1].splitlines()]
    by = [record for record in export if record.get("principal") == "local|carol"]
    checks.check(len(by) == 1 and "sequence" in by[0], "and the record of the call names the caller", str(by))


def exported(checks, original, work):
    """All records of a tenant check against a checkpoint, and a shorter or changed export does not."""
    key = run("audit", "key", data=original)[1].strip()
    lines = run("audit", "export", data=original)[1]
    notes = run("audit", "checkpoint", data=original)[1]
    audit = notes[notes.index(next(line for line in notes.splitlines() if line.endswith("/audit"))) :]
    (work / "note").write_text(audit.rstrip("\n") + "\n")
    (work / "lines").write_text(lines)
    code, said = check("--export", work / "lines", "--checkpoint", work / "note", "--key", key)
    checks.check(code == 0 and said.startswith("right: the first"), "an export checks against a checkpoint", said)
    (work / "changed").write_text(lines.replace('"outcome":"refused"', '"outcome":"ok"', 1))
    (work / "short").write_text("\n".join(lines.splitlines()[1:]))
    for name in ["changed", "short"]:
        code, said = check("--export", work / name, "--checkpoint", work / "note", "--key", key)
        checks.check(code == 1 and "WRONG" in said, f"one that is {name} does not", said)
    refused = [json.loads(line) for line in lines.splitlines() if '"outcome":"refused"' in line]
    checks.check(len(refused) == 1 and refused[0]["target"].endswith("getView"), "refusals are in it", str(refused))
    proof = run("prove", "--audit", "0", data=original)[1]
    code, said = check("-", "--key", key, given=proof)
    checks.check(code == 0, "a record is proved alone", said)


def retention(checks, original, work):
    """Young records stay; that old ones go and their leaves stay is tested with a clock of its own, in the server's tests."""
    copy = work / "retained"
    shutil.copytree(original, copy)
    code, said, error = run("audit", "remove", "--older-than-days", "1", data=copy)
    checks.check(code == 0 and said.startswith("0 records removed"), "young records stay", said + error)


def filled_empty(work):
    empty = work / "empty"
    run("audit", "key", data=empty)
    return empty


def main():
    checks, work = Checks(), pathlib.Path(tempfile.mkdtemp(prefix="chancery-proofs-"))
    original = filled(work / "original")
    code, said, error = run("audit", "verify", data=original)
    checks.check(code == 0 and "0 leaves not sealed yet" in said, "what was not touched fits", said + error)
    print(f"         {said.splitlines()[0] if said else error}")
    tampered(checks, original, work)
    proofs(checks, original, work)
    approval(checks, original, work)
    exported(checks, original, work)
    retention(checks, original, work)
    shutil.rmtree(work)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
