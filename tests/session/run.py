"""One change from draft to redo, over MCP: recorded step by step and compared with the record.

An agent drafts a fraud check with three mistakes, repairs it from the answer alone, proposes it, extends it, and reads the model
as it would be. A person reads the page, approves both together, takes all of it back and does it again.

`--record` writes the record anew; read its difference before you keep it.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "faults"))

from harness import CHANCERY, Checks, verify  # noqa: E402

RECORD = HERE / "recorded.md"


class Session:
    """A stdio client of its own role on the shared data directory, and what was said."""

    def __init__(self, data, record, who, *settings):
        self.who, self.record, self.number = who, record, 0
        self.process = subprocess.Popen(
            [CHANCERY, "serve", "--stdio", "--capability", "transformation", "--data", data, *settings],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "session", "version": "1"}})
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")

    def send(self, method, params):
        self.number += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message

    def call(self, step, tool, arguments, show):
        answer = self.answer(tool, arguments)
        if answer.get("error", {}).get("code") == "CONFIRMATION_REQUIRED":
            # Whoever cannot be asked confirms by a second call with the token of the refusal.
            answer = self.answer(tool, {**arguments, "confirmation": answer["error"]["details"]["confirmation"]})
        self.record.step(f"{self.who}: {step}", f"{tool} {json.dumps(arguments)}", json.dumps(show(answer), indent=1))
        return answer

    def answer(self, tool, arguments):
        result = self.send("tools/call", {"name": f"transformation.{tool}", "arguments": arguments})["result"]
        return json.loads(result["content"][0]["text"]) if result.get("isError") else result["structuredContent"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait(20)


class Record:
    """The steps, with names in the place of ids and moments, so that two runs read the same."""

    def __init__(self):
        self.steps, self.names = [], {}

    def plain(self, text):
        name = lambda found: self.names.setdefault(found[0], f"id-{len(self.names) + 1}")
        text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", name, text)
        text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "(moment)", text)
        return re.sub(r"\b[0-9a-f]{32}\b", "(hash)", text)

    def step(self, title, asked, answered):
        self.steps.append(self.plain(f"## {len(self.steps) + 1}. {title}\n\n    {asked}\n\n```\n{answered}\n```\n"))


def person(record, data, step, *words):
    done = subprocess.run([CHANCERY, *words, "--data", data], capture_output=True, text=True, timeout=60)
    record.step(f"person: {step}", "chancery " + " ".join(words), (done.stdout + done.stderr).strip())
    return done


def fraud_check():
    return [
        {"op": "create", "key": "check", "type": "ApplicationComponent", "name": "Fraud check", "description": "Scores payments"},
        {"op": "create", "key": "score", "type": "ApplicationService", "name": "Scoring", "description": "Risk of a payment"},
        {"op": "create", "key": "scores", "type": "DataObject", "name": "Score", "description": "Risk from 0 to 1"},
        {"op": "relate", "type": "Realization", "source_id": "$check", "target_id": "$score"},
        {"op": "relate", "type": "Access", "source_id": "$check", "target_id": "$scores", "access_type": "Write"},
        {"op": "relate", "type": "Serving", "source_id": "$score", "target_id": "Payment"},
        {"op": "relate", "type": "Flow", "source_id": "Checkout", "target_id": "$check"},
        {"op": "relate", "type": "Flow", "source_id": "$check", "target_id": "Payment"},
        {"op": "view", "name": "Fraud check", "shows": ["Checkout", "$check", "$score", "Payment"]},
    ]


def main():
    record, checks = Record(), Checks()
    data = tempfile.mkdtemp(prefix="chancery-session-")
    owner = Session(data, record, "person")
    names = lambda answer: sorted(element["name"] for element in answer["elements"])
    for name in ["Checkout", "Payment"]:
        owner.call(f"makes {name}", "createElement", {"type": "ApplicationComponent", "name": name, "description": "d"},
                   lambda answer: {"outcome": answer["outcome"], "name": answer["element"]["name"]})
    agent = Session(data, record, "agent", "--set", "role=agent")

    changes = fraud_check()
    changes[1]["type"], changes[4]["type"], changes[7]["target_id"] = "AppService", "Composition", "Paymnt"
    del changes[4]["access_type"]
    shown = lambda answer: [
        {"code": refusal["code"], "field": refusal["field"], "message": refusal["message"]}
        for refusal in answer["error"]["details"]["refusals"]
    ]
    refused = agent.call("drafts it with three mistakes", "applyChanges", {"changes": changes}, shown)["error"]["details"]["refusals"]
    checks.check(len(refused) == 3, "three mistakes are named at once", refused)
    # Repaired from the answer alone.
    for refusal in refused:
        place, field = re.fullmatch(r"changes\[(\d+)\]\.(\w+)", refusal["field"]).groups()
        fixes = refusal["suggestions"]
        first = (fixes.get("did_you_mean") or fixes.get("valid_relationships") or [item["name"] for item in fixes["similar_elements"]])[0]
        changes[int(place)][field] = first
    what = lambda answer: {key: answer.get(key) for key in ("message", "summary", "outcome")} | {"risk": answer["proposal"]["risk_level"]}
    filed = agent.call("proposes the repaired draft", "applyChanges", {"changes": changes, "reason": "Chargebacks doubled"}, what)
    first = filed["proposal"]["id"]
    link = {"type": "Association", "source_id": "Fraud check", "target_id": "Checkout"}
    extended = agent.call("extends it", "createRelationship", link,
                          lambda answer: {"outcome": answer["outcome"], "extends": answer["proposal"]["extends"]})
    second = extended["proposal"]["id"]
    checks.check(extended["proposal"]["extends"] == [first], "the second builds upon the first", extended)
    live = agent.call("reads the model", "listElements", {"model_id": "default"}, names)
    over = agent.call("reads it as it would be", "listElements", {"model_id": "default", "read_context": {"proposal_id": second}}, names)
    checks.check((len(live["elements"]), len(over["elements"])) == (2, 5), "nothing is in the model yet, the overlay shows it")

    page = person(record, data, "reads the page", "proposals", "show", first)
    checks.check(page.stdout.startswith("Nothing changed yet"), "the page begins with that nothing changed", page.stdout)
    person(record, data, "approves both together", "proposals", "approve", second, "--together", "--set", "user=judge")
    made = agent.call("reads the model", "listElements", {"model_id": "default"}, names)
    undone = person(record, data, "takes it back", "undo", second)
    gone = agent.call("reads the model", "listElements", {"model_id": "default"}, names)
    again = re.search(r"chancery undo (\S+)", undone.stdout)
    person(record, data, "does it again", "undo", again[1] if again else "nothing")
    back = agent.call("reads the model", "listElements", {"model_id": "default"}, names)
    checks.check([len(answer["elements"]) for answer in (made, gone, back)] == [5, 2, 5], "made, undone and redone", undone.stdout)
    same = lambda answer: sorted(element["id"] for element in answer["elements"])
    checks.check(same(made) == same(back), "what is redone has the same ids")
    for session in (owner, agent):
        session.stop()
    sound, said = verify(data)
    checks.check(sound, "chancery verify finds the data sound", said)

    text = "# The recorded session\n\n" + "\n".join(record.steps)
    if "--record" in sys.argv:
        RECORD.write_text(text)
    kept = RECORD.read_text() if RECORD.exists() else ""
    for new, old in zip(text.split("\n## "), kept.split("\n## ") + [""] * 99):
        checks.check(new == old, f"as recorded: {new.splitlines()[0][:70]}", new)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
