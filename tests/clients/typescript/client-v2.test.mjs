// The TypeScript client 2.x speaks both eras. What its source says about choosing one:
// `versionNegotiation.mode` is 'legacy' unless told otherwise (the plain initialize handshake); 'auto' asks server/discover
// and takes 2026-07-28 when the server offers it; `{ pin: '2026-07-28' }` takes that revision or fails. On stdio 'auto'
// asks a second, short-lived process. `supportedProtocolVersions` narrows the handshake, which reaches the older revisions.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { chancery, dataDirectory, serve, stdioArguments } from './chancery.mjs';
import { overHttp, overStdio, slice } from './slice.mjs';

const modern = { versionNegotiation: { mode: { pin: '2026-07-28' } } };
const legacy = { versionNegotiation: { mode: 'legacy' } };

async function session(transport, options) {
    const client = new Client({ name: 'chancery-test', version: '2' }, options);
    await client.connect(transport);
    return {
        version: client.getNegotiatedProtocolVersion(),
        tools: async () => (await client.listTools()).tools,
        call: (tool, args) => client.callTool({ name: tool, arguments: args }),
        read: async uri => (await client.readResource({ uri })).contents,
        templates: async () => (await client.listResourceTemplates()).resourceTemplates,
        prompts: async () => (await client.listPrompts()).prompts,
        prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
        complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
        async watch(uri, onUpdate) {
            client.setNotificationHandler('notifications/resources/updated', note => onUpdate(note.params.uri));
            if (client.getProtocolEra() === 'modern') {
                const listening = await client.listen({ resourceSubscriptions: [uri] });
                assert.deepEqual(listening.honoredFilter.resourceSubscriptions, [uri]);
                return () => listening.close();
            }
            await client.subscribeResource({ uri });
            return () => client.unsubscribeResource({ uri });
        },
        close: () => client.close(),
    };
}

const http = options => overHttp(url => session(new StreamableHTTPClientTransport(url), options));
const stdio = options => overStdio(how => session(new StdioClientTransport({ ...how, stderr: 'ignore' }), options));

//
slice('client 2.4, HTTP, 2026-07-28', '2026-07-28', http(modern));
slice('client 2.4, HTTP, initialize', '2025-11-25', http(legacy));
//
slice('client 2.4, stdio, 2026-07-28', '2026-07-28', stdio(modern));
slice('client 2.4, stdio, initialize', '2025-11-25', stdio(legacy));

//
describe('negotiation', () => {
    for (const version of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
        it(`shakes hands at ${version} on HTTP`, () =>
            withHttp(async transport => negotiates(transport(), { supportedProtocolVersions: [version] }, version)));
    }
    it('finds 2026-07-28 by itself on HTTP', () =>
        withHttp(async transport => negotiates(transport(), { versionNegotiation: { mode: 'auto' } }, '2026-07-28')));
    it('finds 2026-07-28 by itself on stdio', async () => {
        const data = dataDirectory();
        const transport = new StdioClientTransport({ command: chancery, args: stdioArguments(data.path), stderr: 'ignore' });
        await negotiates(transport, { versionNegotiation: { mode: 'auto' } }, '2026-07-28');
        data.remove();
    });
});

// destructive work asks first where the client can be asked.
describe('confirmation of a deletion', () => {
    for (const [era, options] of [['2026-07-28', modern], ['initialize', legacy]]) {
        it(`${era}: deletes when the person accepts`, () => asks(options, 'accept', 0));
        it(`${era}: keeps the element when the person declines`, () => asks(options, 'decline', 1));
    }
});

async function asks(options, action, left) {
    await withHttp(async transport => {
        const client = new Client({ name: 'chancery-test', version: '2' }, { ...options, capabilities: { elicitation: {} } });
        let asked = 0;
        client.setRequestHandler('elicitation/create', async request => {
            asked += 1;
            const fields = Object.entries(request.params.requestedSchema?.properties ?? {});
            const content = Object.fromEntries(fields.map(([name, field]) => [name, field.type === 'boolean' ? true : 'yes']));
            return action === 'accept' ? { action, content } : { action };
        });
        await client.connect(transport());
        const call = (name, args) => client.callTool({ name: `transformation.${name}`, arguments: args });
        const made = await call('createElement', { type: 'Goal', name: 'Sell more' });
        await call('deleteElement', { id: made.structuredContent.element.id });
        assert.equal(asked, 1, 'the person is asked once');
        const found = await call('listElements', { model_id: 'default' });
        assert.equal(found.structuredContent.elements.length, left);
        await client.close();
    });
}

async function withHttp(work) {
    const data = dataDirectory();
    const server = await serve(data.path);
    try {
        await work(() => new StreamableHTTPClientTransport(new URL('/transformation/mcp', server.origin)));
    } finally {
        await server.stop();
        data.remove();
    }
}

async function negotiates(transport, options, version) {
    const client = new Client({ name: 'chancery-test', version: '2' }, options);
    await client.connect(transport);
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
}
