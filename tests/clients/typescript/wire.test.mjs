// The wire itself, without a client library: what a library would forgive is seen here.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';

import { chancery, dataDirectory, serve, stdioArguments } from './chancery.mjs';

const exit_ms_max = 10_000;
const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'chancery-test', version: '0' } },
};
const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'chancery-test', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': {},
};

describe('stdio', () => {
    // newline-delimited JSON-RPC, nothing else on stdout, whatever is logged and whatever comes in.
    it('every line of stdout is one JSON-RPC message', async () => {
        const call = (id, name, args) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
        const said = await talk([
            hello,
            ready,
            { jsonrpc: '2.0', id: 2, method: 'tools/list' },
            call(3, 'transformation.createElement', { type: 'Goal', name: 'One line', description: 'of\nmany\r\n\u2028lines' }),
            call(4, 'transformation.createElement', { type: 'Nonsense', name: 'x' }),
            call(5, 'transformation.noSuchTool', {}),
            { jsonrpc: '2.0', id: 6, method: 'no/such/method' },
            'this is not JSON',
            { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'transformation://model/default' } },
        ], [1, 2, 3, 4, 5, 6, 7]);
        for (const line of said.lines) {
            const message = JSON.parse(line);
            assert.equal(message.jsonrpc, '2.0', line);
        }
        assert.equal(said.of(3).result.structuredContent.element.description, 'of\nmany\r\n\u2028lines');
        assert.equal(said.of(4).result.isError, true);
        assert.ok(said.of(5).error || said.of(5).result.isError);
        assert.equal(said.of(6).error.code, -32601);
        assert.equal(said.code, 0, 'the server ends with 0 when its input ends');
    });

    it('speaks 2026-07-28 without a handshake', async () => {
        const said = await talk([
            { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } },
            { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: envelope } },
        ], [1, 2]);
        assert.ok(said.of(1).result.supportedVersions.includes('2026-07-28'));
        assert.ok(said.of(2).result.tools.length > 0);
    });

    // Clients wait two seconds and then kill, and what is killed cannot say goodbye.
    it('ends soon after its input ends, even while someone listens', async () => {
        const listen = { resourceSubscriptions: ['transformation://model/default'] };
        const said = await talk([
            { jsonrpc: '2.0', id: 'listening', method: 'subscriptions/listen', params: { notifications: listen, _meta: envelope } },
            { jsonrpc: '2.0', id: 2, method: 'tools/list', params: { _meta: envelope } },
        ], [2]);
        assert.equal(said.code, 0);
        assert.ok(said.end_ms < 1500, `it took ${said.end_ms} ms`);
    });

    /** Sends the lines, waits for the answers to `ids`, closes stdin and waits for the end. */
    async function talk(messages, ids) {
        const data = dataDirectory();
        const child = spawn(chancery, stdioArguments(data.path), {
            stdio: ['pipe', 'pipe', 'pipe'],
            env: { ...process.env, RUST_LOG: 'debug', CHANCERY_LOG: 'debug' },
        });
        const late = setTimeout(() => child.kill('SIGKILL'), 3 * exit_ms_max);
        child.stderr.resume();
        let output = '';
        let closed_at;
        const open = new Set(ids);
        child.stdout.setEncoding('utf8').on('data', text => {
            output += text;
            for (const line of output.split('\n')) {
                try {
                    open.delete(JSON.parse(line).id);
                } catch {
                    // Half a line for now, or noise: the test looks at every whole line in the end.
                }
            }
            if (open.size === 0 && !closed_at) {
                child.stdin.end();
                closed_at = performance.now();
            }
        });
        for (const message of messages) child.stdin.write((typeof message === 'string' ? message : JSON.stringify(message)) + '\n');
        const [code] = await once(child, 'close');
        clearTimeout(late);
        data.remove();
        assert.deepEqual([...open], [], `no answer to these ids; stdout was ${output}`);
        assert.ok(output.endsWith('\n'), 'the last line is whole');
        const lines = output.slice(0, -1).split('\n');
        const end_ms = Math.round(performance.now() - closed_at);
        return { code, lines, end_ms, of: id => lines.map(line => JSON.parse(line)).find(message => message.id === id) };
    }
});

describe('HTTP', () => {
    const data = dataDirectory();
    let server;
    before(async () => {
        server = await serve(data.path);
    });
    after(async () => {
        await server?.stop();
        data.remove();
    });
    const post = (path, body, headers = {}) =>
        fetch(new URL(path, server.origin), {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
            body: typeof body === 'string' ? body : JSON.stringify(body),
        });
    const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };

    //
    it('answers a single POST of tools/list without a handshake', async () => {
        const response = await post('/transformation/mcp', list);
        assert.equal(response.status, 200);
        const body = await json(response);
        assert.equal(body.id, 'a');
        assert.ok(body.result.tools.length > 0);
    });

    // R-044 (transformation, neotoma): one endpoint for each capability: nothing older.
    it('serves the paths of the samples and no others', async () => {
        for (const path of ['/transformation/mcp', '/neotoma/mcp']) {
            assert.equal((await post(path, list)).status, 200, path);
        }
        for (const path of ['/mcp', '/sse', '/messages', '/message', '/ws', '/nowhere/mcp']) {
            assert.equal((await post(path, list)).status, 404, path);
        }
    });

    // R-044 (single): /mcp is there while there is only one.
    it('serves a single capability without its name', async () => {
        const alone = dataDirectory();
        const single = await serve(alone.path, '--set', 'capabilities=transformation');
        const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
        const body = JSON.stringify(list);
        try {
            for (const [path, status] of [['/mcp', 200], ['/transformation/mcp', 200], ['/neotoma/mcp', 404]]) {
                const response = await fetch(new URL(path, single.origin), { method: 'POST', headers, body });
                assert.equal(response.status, status, path);
            }
        } finally {
            await single.stop();
            alone.remove();
        }
    });

    //
    it('answers the sample call of the specification with the same id', async () => {
        const params = { name: 'transformation.listElements', arguments: { model_id: 'default', layer: 'application' } };
        const body = await json(await post('/transformation/mcp', { jsonrpc: '2.0', id: 7, method: 'tools/call', params }));
        assert.equal(body.id, 7);
        assert.deepEqual(body.result.structuredContent.elements, []);
    });

    //
    it('refuses what is not JSON-RPC 2.0', async () => {
        for (const [body, code] of [
            ['{', -32700],
            [{ id: 1, method: 'tools/list' }, -32600],
            [{ ...list, jsonrpc: '1.0' }, -32600],
        ]) {
            const response = await post('/transformation/mcp', body);
            assert.equal(response.status, 400, JSON.stringify(body));
            assert.equal((await json(response)).error.code, code, JSON.stringify(body));
        }
    });

    //
    it('refuses headers that contradict the body', async () => {
        const modern = { ...list, params: { _meta: envelope } };
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
        assert.equal((await post('/transformation/mcp', modern, headers)).status, 200);
        const wrong = await post('/transformation/mcp', modern, { ...headers, 'mcp-method': 'tools/call' });
        assert.equal(wrong.status, 400);
        assert.equal((await json(wrong)).error.code, -32020);
    });

    //
    it('names the supported revisions to a caller from the future', async () => {
        const _meta = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
        const headers = { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' };
        const response = await post('/transformation/mcp', { ...list, params: { _meta } }, headers);
        assert.equal(response.status, 400);
        const { error } = await json(response);
        assert.equal(error.code, -32022);
        assert.ok(error.data.supported.includes('2026-07-28'));
    });

    it('answers initialize of an unknown revision with 2025-11-25', async () => {
        const body = { ...hello, params: { ...hello.params, protocolVersion: '1999-01-01' } };
        assert.equal((await json(await post('/transformation/mcp', body))).result.protocolVersion, '2025-11-25');
    });

    // A page of another site cannot reach a local server through the visitor's browser.
    it('refuses a foreign origin', async () => {
        const response = await post('/transformation/mcp', list, { origin: 'https://evil.example' });
        assert.equal(response.status, 403);
    });

    // hosts that refuse dots get names they can use, and both forms can be called.
    it('lists names without dots to a host that refuses them', async () => {
        const _meta = { ...envelope, 'io.modelcontextprotocol/clientInfo': { name: 'claude-code', version: '2' } };
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
        const body = await json(await post('/transformation/mcp', { ...list, params: { _meta } }, headers));
        const names = body.result.tools.map(tool => tool.name);
        assert.ok(names.includes('transformation_listElements'), names.join());
        for (const name of ['transformation_listModels', 'transformation.listModels']) {
            const answer = await json(await post('/transformation/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }));
            assert.equal(answer.result.structuredContent.models[0].key, 'default', name);
        }
    });

    it('says that it is alive and ready, and counts', async () => {
        assert.equal((await fetch(new URL('/health', server.origin))).status, 200);
        assert.equal((await fetch(new URL('/ready', server.origin))).status, 200);
        const metrics = await fetch(new URL('/metrics', server.origin));
        assert.equal(metrics.status, 200);
        assert.match(await metrics.text(), /^# TYPE /m);
    });
});

/** The JSON-RPC message of an answer, sent plainly or as the one event of a stream. */
async function json(response) {
    const body = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return JSON.parse(body);
    const messages = [...body.matchAll(/^data: ?(.+)$/gm)].map(([, data]) => JSON.parse(data));
    return messages.find(message => 'id' in message);
}
