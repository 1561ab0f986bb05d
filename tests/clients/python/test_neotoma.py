"""Neotoma with the official Python SDK: store, read, trace, correct, read again; both eras, both transports."""

import asyncio
import json
import shutil
import sys
import tempfile
import unittest

from mcp import Client, StdioServerParameters

from chancery import CHANCERY, Server, stdio_arguments


class Conversation:
    """The conversation, told once; the classes below say how to connect."""

    mode = None

    def setUp(self):
        self.data = tempfile.mkdtemp(prefix="chancery-test-")
        self.addCleanup(shutil.rmtree, self.data, ignore_errors=True)

    async def call(self, client, tool, **arguments):
        """The answer of a tool that must not be refused."""
        result = await client.call_tool(tool, arguments)
        self.assertFalse(result.is_error, f"{tool} was refused: {result.content}")
        return result.structured_content

    # N-268, N-269
    def test_stores_reads_traces_and_corrects(self):
        entity = dict(entity_type="invoice", invoice_number="INV-001", amount=100)

        async def work():
            async with self.connect() as client:
                stored = await self.call(client, "ingest", entities=[entity], client_request_id="first")
                invoice = stored["entities"][0]["id"]
                again = await self.call(client, "ingest", entities=[entity], client_request_id="first")
                self.assertIs(again["idempotent_replay"], True)
                found = await self.call(client, "retrieve_entities", entity_type="invoice")
                self.assertEqual([item["snapshot"] for item in found["entities"]], [dict(invoice_number="INV-001", amount=100)])

                snapshot = await self.call(client, "get_entity_snapshot", entity_id=invoice)
                origin = await self.call(client, "get_field_provenance", entity_id=invoice, field="amount")
                self.assertEqual(origin["source_observation"]["id"], snapshot["provenance"]["amount"])
                self.assertEqual(origin["source_material"]["id"], stored["source_id"])

                change = dict(entity_id=invoice, entity_type="invoice", field="amount", value=120)
                corrected = await self.call(client, "correct", **change)
                snapshot = await self.call(client, "get_entity_snapshot", entity_id=invoice)
                self.assertEqual(snapshot["snapshot"]["amount"], 120)
                self.assertEqual(snapshot["provenance"]["amount"], corrected["observation_id"])

        asyncio.run(work())

    # N-021, N-022
    def test_refuses_in_its_envelope(self):
        async def work():
            async with self.connect() as client:
                result = await client.call_tool("get_entity_snapshot", dict(entity_id="nobody"))
                self.assertTrue(result.is_error)
                self.assertIsNone(result.structured_content)
                error = json.loads(result.content[0].text)["error"]
                self.assertEqual(list(error), ["code", "message", "details", "trace_id"])
                self.assertEqual(error["code"], "ENTITY_NOT_FOUND")

        asyncio.run(work())


class Http(Conversation):
    def setUp(self):
        super().setUp()
        self.server = Server(self.data)
        self.addCleanup(self.server.stop)

    def connect(self):
        return Client(f"{self.server.origin}/neotoma/mcp", mode=self.mode)


class Stdio(Conversation):
    def connect(self):
        parameters = StdioServerParameters(command=CHANCERY, args=stdio_arguments(self.data, "neotoma"))
        return Client(parameters, mode=self.mode)


class HttpModern(Http, unittest.TestCase):
    mode = "2026-07-28"


class HttpLegacy(Http, unittest.TestCase):
    mode = "legacy"


class StdioModern(Stdio, unittest.TestCase):
    mode = "2026-07-28"


class StdioLegacy(Stdio, unittest.TestCase):
    mode = "legacy"


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2, warnings="ignore").result
    failed = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(bool(failed))
