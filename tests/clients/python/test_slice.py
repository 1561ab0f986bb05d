"""The first slice with the official Python SDK: both eras, both transports.

`Client(server, mode=...)` chooses the era: 'legacy' shakes hands by initialize, a version pins it, 'auto' asks server/discover.
"""

import asyncio
import datetime
import json
import shutil
import sys
import tempfile
import time
import unittest
import uuid

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ResourceTemplateReference

from chancery import CHANCERY, Server, stdio_arguments

NOTICE_SECONDS_MAX = 10


class Slice:
    """The slice, told once; the classes below say how to connect. Steps are one test, for each needs the one before."""

    mode = None
    version = None

    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="chancery-test-")
        self.addCleanup(shutil.rmtree, self.data, ignore_errors=True)
        self.key = str(uuid.uuid4())

    async def call(self, client, tool, **arguments):
        """The answer of a tool that must not be refused."""
        result = await client.call_tool(f"transformation.{tool}", arguments)
        self.assertFalse(result.is_error, f"{tool} was refused: {result.content}")
        self.assertTrue(result.content, "content is never empty")
        for block in result.content:
            if block.type == "resource":
                self.assertIn(json.loads(block.resource.text)["id"], json.dumps(result.structured_content))
        return result.structured_content

    async def refuse(self, client, tool, **arguments):
        """The error of a tool that must be refused."""
        result = await client.call_tool(f"transformation.{tool}", arguments)
        self.assertTrue(result.is_error, f"{tool} should be refused: {result}")
        self.assertIsNone(result.structured_content, "a refusal carries no structured content")
        self.assertEqual(len(result.content), 1)
        body = json.loads(result.content[0].text)
        self.assertIs(body["success"], False)
        return body["error"]

    #
    def test_lists_tools_in_the_era_asked_for(self):
        async def work():
            async with self.connect() as client:
                self.assertEqual(client.protocol_version, self.version)
                tools = (await client.list_tools()).tools
                self.assertIn("transformation_createElement", [tool.name for tool in tools])
                for prompt in (await client.list_prompts()).prompts:
                    wanted = {argument.name: "An order in one day" for argument in prompt.arguments or []}
                    self.assertTrue((await client.get_prompt(prompt.name, wanted)).messages)

        asyncio.run(work())

    #
    def test_writes_retries_restarts_and_reads_history(self):
        component, service = f"Orders {self.key}", f"Order handling {self.key}"
        create = dict(type="ApplicationComponent", name=component, client_request_id=f"c-{self.key}")

        async def write():
            async with self.connect() as client:
                made = await self.call(client, "createElement", **create)
                source = made["element"]
                self.assertEqual((source["layer"], source["version"]), ("application", 1))
                again = await self.call(client, "createElement", **create)
                self.assertIs(again["idempotent_replay"], True)
                self.assertEqual(again["element"], source)

                target = (await self.call(client, "createElement", type="ApplicationService", name=service))["element"]
                ends = dict(source_id=source["id"], target_id=target["id"])
                edge = (await self.call(client, "createRelationship", type="Realization", **ends))["relationship"]
                edges = await self.call(client, "listRelationships", model_id="default", element_id=component)
                self.assertEqual([item["id"] for item in edges["relationships"]], [edge["id"]])

                #
                read = await client.read_resource(f"transformation://element/{source['id']}")
                self.assertIn(component, read.contents[0].text)

                head = await self.call(client, "listElements", model_id="default")
                self.assertEqual(len(head["elements"]), 2)
                moment = after(source["updated_at"])
                after(moment)
                made = await self.call(client, "updateElement", id=source["id"], description="Takes orders")
                self.assertEqual((made["previous_version"], made["new_version"]), (1, 2))
                return source, edge, head["read_context"]["sequence"], moment

        async def look(source, edge, sequence, moment):
            async with self.connect() as client:
                found = await self.call(client, "listElements", model_id="default", name=component)
                self.assertEqual(found["elements"][0]["version"], 2)
                self.assertEqual(found["elements"][0]["description"], "Takes orders")
                again = await self.call(client, "createElement", **create)
                self.assertIs(again["idempotent_replay"], True, "the key outlives the process")

                where = dict(model_id="default", name=component)
                then = await self.call(client, "listElements", **where, read_context={"sequence": sequence})
                self.assertEqual(then["elements"], [source], "the same bytes as when it was written")
                then = await self.call(client, "listElements", **where, read_context={"as_of": moment})
                self.assertEqual([item["version"] for item in then["elements"]], [1])

                gone = await self.call(client, "deleteElement", id=source["id"])
                self.assertEqual(gone["deleted_relationships"], [edge["id"]])
                left = await self.call(client, "listElements", model_id="default")
                self.assertEqual([item["name"] for item in left["elements"]], [service])
                then = await self.call(client, "listElements", **where, read_context={"sequence": sequence})
                self.assertEqual(then["elements"], [source], "history keeps what was deleted")

        seen = asyncio.run(write())
        self.restart()
        asyncio.run(look(*seen))

    #
    def test_refusals_name_the_field_and_the_fix(self):
        async def work():
            async with self.connect() as client:
                error = await self.refuse(client, "createElement", type="AppComponent", name="Orders")
                self.assertEqual((error["code"], error["field"]), ("INVALID_ELEMENT_TYPE", "type"))
                self.assertEqual(error["suggestions"]["did_you_mean"][0], "ApplicationComponent")

                payload = {"type": "AppComponent", "name": "Orders"}
                checked = await self.call(client, "validateWrite", operation="createElement", payload=payload)
                self.assertIs(checked["valid"], False)
                self.assertEqual(checked["errors"][0]["code"], "INVALID_ELEMENT_TYPE", "the same error as the write itself")

                made = (await self.call(client, "createElement", type="ApplicationComponent", name="Orders"))["element"]
                error = await self.refuse(client, "createElement", type="ApplicationComponent", name="orders")
                self.assertEqual(error["code"], "DUPLICATE_NAME")
                self.assertEqual(error["suggestions"]["existing_element"]["id"], made["id"])
                with self.assertRaises(MCPError):
                    await client.read_resource(f"transformation://element/{uuid.uuid4()}")

        asyncio.run(work())

    # what capabilities are there, show Orders and its relationships, create Fulfillment.
    def test_holds_the_conversation_of_the_specification(self):
        async def work():
            async with self.connect() as client:
                for kind, name, key in [
                    ("Capability", "Order Management", None),
                    ("ApplicationComponent", "Orders", "orders-domain"),
                    ("ApplicationComponent", "Billing", None),
                ]:
                    await self.call(client, "createElement", type=kind, name=name, key=key)
                for source in ["orders-domain", "Billing"]:
                    ends = dict(source_id=source, target_id="Order Management")
                    await self.call(client, "createRelationship", type="Realization", **ends)

                found = await self.call(client, "searchCapabilities", query="*", layer="strategy")
                self.assertEqual(names(found), ["Order Management"])
                where = dict(model_id="default", element_type="ApplicationComponent", name="orders")
                self.assertEqual(names(await self.call(client, "listElements", **where)), ["Orders"])
                found = await self.call(client, "listRelationships", model_id="default", element_id="orders-domain")
                ends = [(edge["source_name"], edge["target_name"]) for edge in found["relationships"]]
                self.assertEqual(ends, [("Orders", "Order Management")])

                intent = dict(type="Capability", name="Fulfillment")
                await self.call(client, "submitArchitectureIntent", operation="createElement", create_element=intent)
                found = await self.call(client, "searchCapabilities", query="*", layer="strategy")
                self.assertEqual(names(found), ["Fulfillment", "Order Management"])

        asyncio.run(work())

    #
    def test_validates_then_creates(self):
        async def work():
            async with self.connect() as client:
                payload = dict(type="ApplicationComponent", name="OrderService")
                checked = await self.call(client, "validateWrite", operation="createElement", payload=payload)
                self.assertEqual((checked["valid"], checked["errors"]), (True, []))
                warning = dict(
                    code="MISSING_DESCRIPTION",
                    message="Element has no description",
                    suggestion="Add a description for better discoverability",
                )
                self.assertEqual(checked["warnings"], [warning])
                self.assertEqual(names(await self.call(client, "listElements", model_id="default")), [])

                described = payload | dict(description="Handles order processing and fulfillment")
                made = await self.call(client, "createElement", **described)
                self.assertEqual(made["warnings"], [])
                self.assertEqual((made["element"]["layer"], made["element"]["version"]), ("application", 1))
                self.assertTrue(made["element"]["id"] and made["element"]["version_id"] and made["element"]["created_at"])

        asyncio.run(work())

    def test_completes_the_argument_of_a_resource(self):
        async def work():
            async with self.connect() as client:
                patterns = [item.uri_template for item in (await client.list_resource_templates()).resource_templates]
                pattern = next(item for item in patterns if "model/" in item)
                name = pattern[pattern.index("{") + 1 : pattern.index("}")]
                reference = ResourceTemplateReference(type="ref/resource", uri=pattern)
                done = await client.complete(reference, {"name": name, "value": "def"})
                self.assertEqual(done.completion.values, ["default"])

        asyncio.run(work())

    #
    def test_tells_a_subscriber_that_an_element_changed(self):
        async def work():
            heard = asyncio.get_running_loop().create_future()

            async def on_message(message):
                uri = getattr(getattr(message, "params", None), "uri", None)
                if uri is not None and not heard.done():
                    heard.set_result(str(uri))

            async with self.connect(message_handler=on_message) as client:
                made = (await self.call(client, "createElement", type="Goal", name="Sell more"))["element"]
                uri = f"transformation://element/{made['id']}"
                change = dict(id=made["id"], description="By spring")
                if self.version == "2026-07-28":
                    async with client.listen(resource_subscriptions=[uri]) as events:
                        await self.call(client, "updateElement", **change)
                        event = await asyncio.wait_for(anext(aiter(events)), NOTICE_SECONDS_MAX)
                        self.assertEqual(str(event.uri), uri)
                else:
                    await client.subscribe_resource(uri)
                    await self.call(client, "updateElement", **change)
                    self.assertEqual(await asyncio.wait_for(heard, NOTICE_SECONDS_MAX), uri)

        asyncio.run(work())


class Http(Slice):
    """One server process; clients connect to its URL."""

    def setUp(self):
        super().setUp()
        self.server = Server(self.data)
        self.addCleanup(lambda: self.server.stop())

    def connect(self, **options):
        return Client(f"{self.server.origin}/transformation/mcp", mode=self.mode, **options)

    def restart(self):
        self.assertEqual(self.server.stop(), 0, self.server.log)
        self.server = Server(self.data)


class Stdio(Slice):
    """The client starts the server itself; a new client is a new process."""

    def connect(self, **options):
        parameters = StdioServerParameters(command=CHANCERY, args=stdio_arguments(self.data))
        return Client(parameters, mode=self.mode, **options)

    def restart(self):
        pass


class HttpModern(Http, unittest.TestCase):
    mode = version = "2026-07-28"


class HttpAuto(Http, unittest.TestCase):
    mode, version = "auto", "2026-07-28"


class HttpLegacy(Http, unittest.TestCase):
    mode, version = "legacy", "2025-11-25"


class StdioModern(Stdio, unittest.TestCase):
    mode = version = "2026-07-28"


class StdioLegacy(Stdio, unittest.TestCase):
    mode, version = "legacy", "2025-11-25"


def names(found):
    return sorted(element["name"] for element in found["elements"])


def after(moment):
    """Waits until the clock has left the millisecond of `moment` and answers what it says then."""
    then = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    while (now := datetime.datetime.now(datetime.timezone.utc)) <= then + datetime.timedelta(milliseconds=2):
        time.sleep(0.001)
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2, warnings="ignore").result
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(bool(failed))
