"""Two agents canonize one scene at the same moment, and kill -9 ends the server in the middle.

Every scene of a round has the same proposals: an entity, what rests on it, facts, changes of state, some too weak, some against
the canon. What becomes of them in a world that nobody disturbed is the measure: after each kill and start every scene must have
come to the same decisions, once, with everything that an accepted proposal names and nothing besides.
"""

import argparse
import random
import shutil
import sys
import tempfile
import threading
import time
import uuid

from harness import Checks, Http, Refused, Server, Unknown, verify

NAMED = ["canonical_fact_ids", "canonical_event_ids", "canonical_entity_ids"]
PAGE = 500


class Table:
    """The agents of a table at one server."""

    def __init__(self, port):
        self.port = port

    def agent(self, kind):
        return Http(self.port, capability="monitor", meta={"agent_type": kind})

    def ask(self, kind, tool, **arguments):
        client = self.agent(kind)
        try:
            return client.call(tool, arguments)
        finally:
            client.close()


class World:
    """A universe with its scenes, made by calls of agents."""

    def __init__(self, table, name, facts):
        keep = lambda tool, **arguments: table.ask("CanonKeeper", tool, **arguments)
        self.universe = keep("neo4j_create_universe", name=name, authority="source")["universe_id"]
        source = keep(
            "neo4j_create_source", universe_id=self.universe, doc_id="lore", title="Lore", source_type="lore", canon_level="authoritative"
        )["source_id"]
        claim = {"confidence": 1.0, "authority": "source", "evidence_refs": [f"source:{source}"]}
        self.hero = keep(
            "neo4j_create_entity",
            entity_class="EntityConcreta",
            universe_id=self.universe,
            name="Sam",
            entity_type="character",
            description="A gardener",
            properties={},
            **claim,
        )["entity_id"]
        keep("neo4j_create_fact", universe_id=self.universe, statement="Sam fears the dark", involved_entity_ids=[self.hero], **claim)
        self.story = table.ask(
            "Orchestrator", "neo4j_create_story", universe_id=self.universe, title="A walk", story_type="campaign", theme="t", premise="p"
        )["story_id"]
        self.facts = facts

    def scene(self, table, number):
        """A scene with everything that can become of a proposal."""
        scene = table.ask(
            "Orchestrator",
            "mongodb_create_scene",
            story_id=self.story,
            universe_id=self.universe,
            title=f"Scene {number}",
            purpose="p",
            participating_entities=[self.hero],
        )["scene_id"]
        turn = table.ask("Narrator", "mongodb_append_turn", scene_id=scene, speaker="user", text="Sam lights a lamp.")["turn_id"]
        ref = f"lamp{number}"
        changes = [
            ("entity", "gm", 0.9, {"name": f"Lamp {number}", "entity_type": "object", "local_ref": ref}),
            ("relationship", "player", 0.9, {"from": self.hero, "to": ref, "rel_type": "owns"}),
            ("event", "gm", 0.9, {"title": "Light", "description": "The lamp is lit", "involved_entity_ids": [ref, self.hero]}),
            ("state_change", "player", 0.9, {"entity_id": self.hero, "add": [f"lit{number}"]}),
            ("fact", "player", 1.0, {"statement": "Sam does not fear the dark", "involved_entity_ids": [self.hero]}),
            ("fact", "system", 0.3, {"statement": f"Sam may sing in scene {number}", "involved_entity_ids": [self.hero]}),
        ]
        changes += [
            ("fact", "player", 0.9, {"statement": f"Sam saw star {one} in scene {number}", "involved_entity_ids": [self.hero]})
            for one in range(self.facts)
        ]
        proposals = [
            table.ask(
                "Narrator",
                "mongodb_create_proposed_change",
                scene_id=scene,
                turn_id=turn,
                type=kind,
                content=content,
                confidence=confidence,
                authority=authority,
                evidence=[{"type": "turn", "ref_id": turn}],
            )["proposal_id"]
            for kind, authority, confidence, content in changes
        ]
        return scene, proposals

    def canon(self, table):
        """How much of the world there is, and what Sam is."""
        total = lambda tool, **more: table.ask("CanonKeeper", tool, universe_id=self.universe, limit=PAGE, **more)["total"]
        hero = table.ask("CanonKeeper", "neo4j_get_entity", entity_id=self.hero)["entity"]
        return total("neo4j_query_facts"), total("neo4j_query_entities"), hero["state_tags"]


def decisions(table, proposals):
    """What became of each proposal: its state, and whether it names what it made and why."""
    found = []
    for proposal in proposals:
        one = table.ask("CanonKeeper", "mongodb_get_proposed_change", proposal_id=proposal)["proposal"]
        found.append((one["status"], bool(one.get("canonical_id")), bool(one.get("rationale"))))
    return found


class Keeper(threading.Thread):
    """A CanonKeeper that canonizes a scene once."""

    def __init__(self, table, scene, start):
        super().__init__(daemon=True)
        self.client = table.agent("CanonKeeper")
        self.arguments = {"scene_id": scene, "evaluate_proposals": True, "client_request_id": str(uuid.uuid4())}
        self.start_line = start
        self.outcome = self.answer = None

    def run(self):
        self.start_line.wait()
        try:
            self.answer = self.client.call("composite_canonize_scene", self.arguments)
            self.outcome = "answered"
        except Refused as refused:
            self.outcome = refused.error.get("name") or str(refused)
        except Unknown:
            self.outcome = "unknown"
        finally:
            self.client.close()


def together(table, scene, between=lambda: None):
    """Two keepers at the same moment."""
    start = threading.Barrier(3)
    keepers = [Keeper(table, scene, start) for _ in range(2)]
    for keeper in keepers:
        keeper.start()
    start.wait()
    between()
    for keeper in keepers:
        keeper.join()
    return keepers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=8)
    parser.add_argument("--facts", type=int, default=24, help="facts that each scene proposes")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    checks = Checks()
    folder = tempfile.mkdtemp(prefix="chancery-canon-")
    server = Server(folder)
    try:
        table = Table(server.port)
        control = World(table, "Undisturbed", options.facts)
        started = time.monotonic()
        expected, growth = [], []
        for number in range(options.kills):
            scene, proposals = control.scene(table, number)
            before = time.monotonic()
            keepers = together(table, scene)
            took = time.monotonic() - before
            outcomes = sorted(keeper.outcome for keeper in keepers)
            if number == 0:
                print(f"canonizing takes {took * 1000:.0f} ms, two at once: {outcomes}")
                wins = [keeper.answer for keeper in keepers if keeper.outcome == "answered"]
                same = all({name: one[name] for name in NAMED} == {name: wins[0][name] for name in NAMED} for one in wins)
                known = all(outcome in ("answered", "ALREADY_CANONIZED", "TRANSACTION_FAILED") for outcome in outcomes)
                checks.check(wins and same and known, "two canonizations at once have one outcome", outcomes)
            expected.append(decisions(table, proposals))
            growth.append(control.canon(table))
        checks.check(
            all({state for state, *_ in one} == {"accepted", "rejected"} for one in expected), "a scene accepts some and rejects some", expected[0]
        )
        print(f"the undisturbed world took {time.monotonic() - started:.1f} s")

        world = World(table, "Disturbed", options.facts)
        in_the_middle, wrong, torn, late = 0, [], [], []
        for number in range(options.kills):
            scene, proposals = world.scene(table, number)
            wait = took * (number + chance.random()) / options.kills
            keepers = together(table, scene, lambda: (time.sleep(wait), server.kill()))
            server = Server(folder)
            table = Table(server.port)
            # The start recovers in the background; a caller who repeats does the same and may meet it at work.
            for _ in range(600):
                status = table.ask("CanonKeeper", "mongodb_get_scene", scene_id=scene)["scene"]["status"]
                if status != "finalizing":
                    break
                time.sleep(0.05)
            in_the_middle += any(keeper.outcome == "unknown" for keeper in keepers)
            for keeper in keepers:
                again = table.agent("CanonKeeper")
                try:
                    answer = again.call("composite_canonize_scene", keeper.arguments)
                    if keeper.answer and any(answer[name] != keeper.answer[name] for name in NAMED):
                        wrong.append(f"scene {number}: the repeated call answers something else")
                except Refused as refused:
                    if refused.error.get("name") != "ALREADY_CANONIZED":
                        wrong.append(f"scene {number}: {refused}")
                finally:
                    again.close()
            status = table.ask("CanonKeeper", "mongodb_get_scene", scene_id=scene)["scene"]["status"]
            if status != "completed":
                late.append(f"scene {number} is {status}")
            if (found := decisions(table, proposals)) != expected[number]:
                torn.append(f"scene {number}: {found} instead of {expected[number]}")
            if (canon := world.canon(table)) != growth[number]:
                torn.append(f"after scene {number}: {canon} instead of {growth[number]}")
        print(f"{in_the_middle} of {options.kills} kills left a keeper without an answer")
        checks.check(in_the_middle > 0, "kills came while a scene was canonized")
        checks.check(not late, "every scene is completed", "\n".join(late))
        checks.check(not wrong, "a repeated canonization gives the first answer or says that it is done", "\n".join(wrong))
        checks.check(not torn, "each proposal was decided once, as without a kill, and whole", "\n".join(torn))
        server.stop()
        checks.check(*verify(folder))
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return checks.close()


if __name__ == "__main__":
    sys.exit(main())
