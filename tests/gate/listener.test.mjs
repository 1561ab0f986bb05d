// What callers from elsewhere may see and do: addresses are told apart by what a proxy would write.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { after, before, test } from 'node:test';

import { chancery, listen } from '../clients/typescript/chancery.mjs';
import { command, guarded, list, post } from './server.mjs';

let server;

before(async () => {
    server = await guarded(['limits.address_failures_per_minute=20', 'proxies=127.0.0.1']);
});

after(async () => {
    await server.stop();
    server.data.remove();
});

const issue = (...args) => command(server, 'token', 'issue', ...args).trim();

async function page(path, token, headers = {}) {
    const authorization = token && { authorization: `Bearer ${token}` };
    const answer = await fetch(`${server.origin}${path}`, { headers: { ...authorization, 'x-forwarded-for': '192.0.2.1', ...headers } });
    return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

test('metrics and catalog are closed to strangers, probes are open', async () => {
    for (const path of ['/metrics', '/.well-known/mcp-tools.json', '/.well-known/mcp-tools.v1.json']) {
        const refused = await page(path);
        assert.equal(refused.status, 401, path);
        assert.match(refused.headers.get('www-authenticate'), /^Bearer /);
        assert.equal((await page(path, 'nonsense')).status, 401);
    }
    for (const path of ['/health', '/ready']) assert.equal((await page(path)).status, 200);
});

test('a token opens the catalog, and metrics only with their scope', async () => {
    const viewer = issue('ann');
    assert.equal((await page('/.well-known/mcp-tools.json', viewer)).status, 200);
    const refused = await page('/metrics', viewer);
    assert.equal(refused.status, 403);
    assert.match(refused.headers.get('www-authenticate'), /error="insufficient_scope", scope="server:metrics"/);
    const operator = issue('prometheus', '--scope', 'server:metrics');
    assert.match((await page('/metrics', operator)).text, /chancery_call_seconds/);
});

test('an address that shows bad tokens waits, and its neighbours do not', async () => {
    const known = issue('bob');
    const from = address => ({ 'x-forwarded-for': address });
    assert.equal((await post(server.endpoint, known, list, from('192.0.2.7'))).status, 200);
    const answers = [];
    for (let number = 0; number < 25; number++) answers.push(await post(server.endpoint, `chancery_${number}`, list, from('192.0.2.7')));
    const statuses = answers.map(answer => answer.status);
    assert.equal(statuses[0], 401);
    const late = answers.at(-1);
    assert.equal(late.status, 429);
    assert.ok(Number(late.headers.get('retry-after')) > 0);
    assert.match(late.text, /RATE_LIMIT_EXCEEDED/);
    assert.equal((await post(server.endpoint, known, list, from('192.0.2.7'))).status, 200);
    assert.equal((await post(server.endpoint, 'chancery_1', list, from('192.0.2.8'))).status, 401);
});

test('with a certificate callers come over TLS, and the others are sent there', async t => {
    const folder = `${server.data.path}/tls`;
    const openssl = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const files = ['-keyout', `${folder}.key`, '-out', `${folder}.pem`, '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    if (spawnSync('openssl', ['version']).status !== 0) return t.skip('SKIPPED openssl is not installed');
    execFileSync('openssl', [...openssl, ...files], { stdio: 'ignore' });
    const set = [`tls.certificate=${folder}.pem`, `tls.key=${folder}.key`].flatMap(setting => ['--set', setting]);
    const secure = await listen(chancery, ['serve', '--listen', '127.0.0.1:0', '--data', server.data.path, ...set]);
    try {
        const plain = await fetch(secure.origin.replace('https:', 'http:') + '/transformation/mcp', { method: 'POST', redirect: 'manual' });
        assert.equal(plain.status, 301);
        assert.equal(plain.headers.get('location'), `${secure.origin}/transformation/mcp`);
        assert.equal((await fetch(secure.origin.replace('https:', 'http:') + '/health')).status, 200);
    } finally {
        await secure.stop();
    }
});

test('what is reached from other machines asks for a token everywhere', async t => {
    const own = Object.values(networkInterfaces()).flat().find(found => !found.internal && found.family === 'IPv4');
    if (!own) return t.skip('SKIPPED this machine has no address besides loopback');
    const everywhere = ['serve', '--listen', '0.0.0.0:0', '--data', server.data.path, '--set', `hosts=${own.address}`];
    const open = await listen(chancery, everywhere);
    try {
        const away = open.origin.replace('0.0.0.0', own.address);
        assert.equal((await fetch(`${away}/metrics`)).status, 401);
        assert.equal((await fetch(`${away}/.well-known/mcp-tools.json`)).status, 401);
        assert.equal((await fetch(`${away}/health`)).status, 200);
        assert.equal((await fetch(`${open.origin.replace('0.0.0.0', '127.0.0.1')}/metrics`)).status, 200);
    } finally {
        await open.stop();
    }
});
