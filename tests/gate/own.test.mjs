// Tokens of our own: the owner's secret, issued ones, and the environment of a client over stdio.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { listen, stdioArguments } from '../clients/typescript/chancery.mjs';
import { call, chancery, command, guarded, list, post } from './server.mjs';

let server;

before(async () => {
    server = await guarded();
});

after(async () => {
    await server.stop();
    server.data.remove();
});

const element = name => call('createElement', { type: 'ApplicationComponent', name });
const owner = () => readFileSync(join(server.data.path, 'owner.token'), 'utf8').trim();

test('without the secret of the data directory nobody on this machine is the owner', async () => {
    const refused = await post(server.endpoint);
    assert.deepEqual([refused.status, refused.challenge], [401, 'Bearer scope="mcp:tools mcp:resources"']);
    const page = await post(server.endpoint, undefined, list, { origin: server.origin });
    assert.equal(page.status, 401);
    assert.equal((await post(server.endpoint, owner())).status, 200);
    assert.equal((await post(server.endpoint, `${owner().slice(0, -1)}x`)).status, 401);
    assert.equal(statSync(join(server.data.path, 'owner.token')).mode & 0o077, 0);
    const made = await post(server.endpoint, owner(), element('ByTheOwner'));
    assert.equal(made.body.result.structuredContent.outcome, 'committed');
    // No issuer, so no client is sent to look for one.
    assert.equal((await fetch(`${server.origin}/.well-known/oauth-protected-resource`)).status, 404);
});

test('what `chancery config` prints is all that a client needs', async () => {
    const printed = command(server, '--set', `listen=${new URL(server.origin).host}`, 'config', 'vscode');
    const { url, headers } = JSON.parse(printed).servers.chancery ?? Object.values(JSON.parse(printed).servers)[0];
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    assert.ok((await client.listTools()).tools.length > 5);
    await client.close();
});

test('an open server asks for nothing, and says so', async () => {
    const open = await guarded([], { flags: ['--open'] });
    try {
        assert.equal((await post(open.endpoint)).status, 200);
        assert.match(open.log(), /every program and user of this machine is the owner/);
        assert.equal((await post(open.endpoint, 'made-up')).status, 401);
    } finally {
        await open.stop();
        open.data.remove();
    }
});

test('a token is good for what it says, until it is revoked', async () => {
    const viewer = command(server, 'token', 'issue', 'reader').trim();
    const architect = command(server, 'token', 'issue', 'ann', '--role', 'architect').trim();
    const elsewhere = command(server, 'token', 'issue', 'bob', '--capability', 'neotoma').trim();
    assert.equal((await post(server.endpoint, viewer)).status, 200);
    assert.equal((await post(server.endpoint, viewer, element('Nothing'))).status, 403);
    const made = await post(server.endpoint, architect, element('ByAToken'));
    assert.equal(made.body.result.structuredContent.outcome, 'committed', made.text);
    const wrong = await post(server.endpoint, elsewhere);
    assert.deepEqual([wrong.status, wrong.body.error_description], [401, 'invalid audience']);
    assert.equal((await post(elsewhere && server.endpoint.replace('transformation', 'neotoma'), elsewhere)).status, 200);
    const listed = command(server, 'token', 'list');
    assert.match(listed, /reader {2}local {2}viewer {2}\[mcp:resources mcp:tools\] {2}ends 2/);
    assert.ok(!listed.includes(viewer.split('_')[2]));
    command(server, 'token', 'revoke', architect.split('_')[1]);
    const refused = await post(server.endpoint, architect);
    assert.deepEqual([refused.status, refused.body.error_description], [401, 'invalid token']);
    assert.equal((await post(server.endpoint, viewer)).status, 200);
    assert.match(command(server, 'audit'), /token\|ann/);
});

test('beyond loopback the server listens once somebody has a token', async () => {
    const everywhere = ['serve', '--listen', '0.0.0.0:0', '--data', server.data.path];
    const public_server = await listen(chancery, everywhere);
    try {
        const local = public_server.origin.replace('0.0.0.0', '127.0.0.1');
        assert.equal((await post(`${local}/transformation/mcp`)).status, 401);
        const token = command(server, 'token', 'issue', 'guest').trim();
        assert.equal((await post(`${local}/transformation/mcp`, token)).status, 200);
    } finally {
        await public_server.stop();
    }
});

/** The answer of a stdio server to one call. */
async function over_stdio(environment, message) {
    const child = spawn(chancery, stdioArguments(server.data.path), {
        env: { ...process.env, ...environment },
        stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [said, complaint] = ['', ''];
    child.stdout.on('data', text => (said += text));
    child.stderr.on('data', text => (complaint += text));
    const open = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const lines = [
        { jsonrpc: '2.0', id: 0, method: 'initialize', params: open },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        message,
    ];
    child.stdin.on('error', () => {});
    child.stdin.end(lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    const [code] = await once(child, 'close');
    const answers = said.split('\n').filter(Boolean).map(line => JSON.parse(line));
    return { code, complaint, answer: answers.find(answer => answer.id === message.id) };
}

//
test('over stdio the environment says who calls', async () => {
    const viewer = command(server, 'token', 'issue', 'reader').trim();
    const owned = await over_stdio({}, element('ByTheOwnerOverStdio'));
    assert.equal(owned.answer.result.structuredContent.outcome, 'committed');
    for (const name of ['CHANCERY_TOKEN', 'AMEIDE_TOKEN']) {
        const refused = await over_stdio({ [name]: viewer }, element('NotForViewers'));
        assert.match(refused.answer.error.message, /your role does not permit this/);
    }
    const bad = await over_stdio({ CHANCERY_TOKEN: `${viewer}0` }, list);
    assert.notEqual(bad.code, 0);
    assert.match(bad.complaint, /the token in CHANCERY_TOKEN is no good: invalid token/);
    assert.ok(!bad.complaint.includes(viewer));
});

//
test('over stdio in production a client must be let in on purpose, and is whom the environment names', async () => {
    const viewer = command(server, 'token', 'issue', 'producer').trim();
    const refused = await over_stdio({ PRODUCTION: 'true' }, list);
    assert.notEqual(refused.code, 0);
    assert.match(refused.complaint, /serve over HTTP, or set stdio_in_production/);
    const allowed = { PRODUCTION: 'true', CHANCERY_STDIO_IN_PRODUCTION: 'true', CHANCERY_TOKEN: viewer };
    const listed = await over_stdio(allowed, list);
    assert.ok(listed.answer.result.tools.length > 5, listed.complaint);
    assert.match((await over_stdio(allowed, element('NotForViewers'))).answer.error.message, /your role does not permit this/);
});
