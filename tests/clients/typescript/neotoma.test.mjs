// Neotoma with the official clients: store, read, trace, correct, read again; over HTTP and stdio, in both eras.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { chancery, dataDirectory, serve, stdioArguments } from './chancery.mjs';

/** Tells the conversation once; `connect` answers a client, and what ends its server. */
function converse(title, connect) {
    describe(title, () => {
        const data = dataDirectory();
        let client, end, invoice;
        const known = { invoice_number: 'INV-001', invoice_date: '2026-03-01', vendor_name: 'Acme' };
        before(async () => {
            ({ client, end } = await connect(data.path));
            // From here on the client checks every answer against the tool's output schema.
            await client.listTools();
        });
        after(async () => {
            await client?.close();
            await end?.();
            data.remove();
        });
        const call = async (name, args) => {
            const result = await client.callTool({ name, arguments: args });
            assert.ok(!result.isError, `${name} was refused: ${JSON.stringify(result.content)}`);
            return result.structuredContent;
        };

        // N-253
        it('lists the actions and their version', async () => {
            const names = (await client.listTools()).tools.map(tool => tool.name);
            for (const name of ['ingest', 'get_entity_snapshot', 'get_field_provenance', 'correct']) assert.ok(names.includes(name), name);
            assert.match(client.getInstructions(), /version 1\.1\.0/);
        });

        // N-268, N-269
        it('stores an invoice and finds it at once', async () => {
            const entity = { entity_type: 'invoice', ...known, amount: 100 };
            const stored = await call('ingest', { entities: [entity], client_request_id: 'first' });
            invoice = stored.entities[0].id;
            const found = await call('retrieve_entities', { entity_type: 'invoice' });
            assert.deepEqual(found.entities.map(({ id, snapshot }) => [id, snapshot]), [[invoice, { ...known, amount: 100 }]]);
            const again = await call('ingest', { entities: [entity], client_request_id: 'first' });
            assert.equal(again.idempotent_replay, true);
        });

        // N-108
        it('traces a value to its source', async () => {
            const snapshot = await call('get_entity_snapshot', { entity_id: invoice });
            const origin = await call('get_field_provenance', { entity_id: 'INV-001', field: 'amount' });
            assert.equal(origin.value, 100);
            assert.equal(origin.source_observation.id, snapshot.provenance.amount);
            assert.equal(origin.source_material.kind, 'structured');
        });

        it('corrects a value for good', async () => {
            const change = { entity_id: invoice, entity_type: 'invoice', field: 'amount', value: 120 };
            const { observation_id } = await call('correct', change);
            await call('ingest', { entities: [{ entity_type: 'invoice', ...known, amount: 130 }] });
            const snapshot = await call('get_entity_snapshot', { entity_id: invoice });
            assert.equal(snapshot.snapshot.amount, 120);
            assert.equal(snapshot.provenance.amount, observation_id);
            assert.equal(snapshot.observation_count, 3);
        });

        // N-021, N-022
        it('refuses in its envelope', async () => {
            const result = await client.callTool({ name: 'get_entity_snapshot', arguments: { entity_id: 'nobody' } });
            assert.equal(result.isError, true);
            assert.equal(result.structuredContent, undefined);
            const { error } = JSON.parse(result.content[0].text);
            assert.deepEqual(Object.keys(error), ['code', 'message', 'details', 'trace_id']);
            assert.equal(error.code, 'ENTITY_NOT_FOUND');
        });
    });
}

converse('neotoma over HTTP, client 2', async data => {
    const server = await serve(data);
    const client = new ModernClient({ name: 'chancery-test', version: '2' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/neotoma/mcp', server.origin)));
    return { client, end: () => server.stop() };
});

converse('neotoma over stdio, SDK 1', async data => {
    const client = new Client({ name: 'chancery-test', version: '1' });
    await client.connect(new StdioClientTransport({ command: chancery, args: stdioArguments(data, 'neotoma'), stderr: 'ignore' }));
    return { client };
});
