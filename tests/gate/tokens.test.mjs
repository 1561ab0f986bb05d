// Tokens of an issuer: discovery, scopes, roles, tenants, agents, rotation, outage, introspection, hostile ones.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { forge, freshKeys, serviceToken, startIssuer, tokenOf } from './issuer.mjs';
import { call, command, guarded, list, post } from './server.mjs';

let issuer;
let server;

before(async () => {
    issuer = await startIssuer({ resources: () => [server.endpoint] });
    server = await guarded([`auth.issuers=${issuer.url}`]);
});

after(async () => {
    await server.stop();
    await issuer.stop();
    server.data.remove();
});

const now = () => Math.floor(Date.now() / 1000);
const element = name => call('createElement', { type: 'ApplicationComponent', name });
const token_for = (account, more = {}) => tokenOf(issuer, { resource: server.endpoint, account, ...more });

/** A good payload, with changes. */
function claims(more = {}) {
    const good = { iss: issuer.url, sub: 'ann', aud: server.endpoint, exp: now() + 300, iat: now(), tenantId: 'acme' };
    return { ...good, scope: 'mcp:tools', realm_access: { roles: ['viewer'] }, ...more };
}

/** A token signed by the issuer's own RSA key. */
function signed(payload, header = {}) {
    const { rsa } = issuer.keys();
    return forge({ alg: 'RS256', typ: 'at+jwt', kid: rsa.jwk.kid, ...header }, payload, rsa.privateKey);
}

//
test('metadata leads from an endpoint to the issuer', async () => {
    for (const path of ['/transformation/mcp', '/neotoma/mcp', '']) {
        const answer = await fetch(`${server.origin}/.well-known/oauth-protected-resource${path}`, {
            headers: { origin: 'https://anywhere.example', host: 'evil.example' },
        });
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('access-control-allow-origin'), '*');
        const metadata = await answer.json();
        assert.equal(metadata.resource, `${server.origin}${path || '/transformation/mcp'}`);
        assert.deepEqual(metadata.authorization_servers, [issuer.url]);
        assert.deepEqual(metadata.bearer_methods_supported, ['header']);
        const name = path.startsWith('/neotoma') ? 'neotoma' : 'transformation';
        assert.deepEqual(metadata.scopes_supported, ['mcp:tools', 'mcp:resources', `${name}:write`, `${name}:propose`]);
    }
});

//
test('the issuer is described here too, and clients are registered elsewhere', async () => {
    const answer = await fetch(`${server.origin}/.well-known/oauth-authorization-server`);
    const metadata = await answer.json();
    assert.equal(answer.status, 200);
    assert.equal(metadata.issuer, issuer.url);
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
        assert.ok(metadata[name].startsWith(issuer.url), name);
    }
    assert.equal((await fetch(`${server.origin}/register`, { method: 'POST' })).status, 404);
});

//
test('a call without its scope is told which ones it needs', async () => {
    const token = await token_for('ann@acme+viewer', { scope: 'mcp:resources' });
    const refused = await post(server.endpoint, token, call('listElements', { model_id: 'default' }));
    assert.equal(refused.status, 403);
    assert.equal(refused.body.error, 'insufficient_scope');
    assert.match(refused.body.error_description, /mcp:tools/);
    const metadata = `${server.origin}/.well-known/oauth-protected-resource/transformation/mcp`;
    assert.equal(refused.challenge, `Bearer error="insufficient_scope", scope="mcp:tools", resource_metadata="${metadata}"`);
    const other = await token_for('ann@acme+viewer', { scope: 'mcp:tools' });
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'transformation://models/default' } };
    const unread = await post(server.endpoint, other, read);
    assert.equal(unread.status, 403);
    assert.match(unread.challenge, /error="insufficient_scope", scope="mcp:resources", resource_metadata=/);
    assert.equal((await post(server.endpoint, other, call('listElements', { model_id: 'default' }))).status, 200);
    // A broader scope is as good.
    const broad = signed(claims({ scope: 'mcp' }));
    assert.equal((await post(server.endpoint, broad, call('listElements', { model_id: 'default' }))).status, 200);
});

test('a role that does not suffice is refused without a challenge', async () => {
    const viewer = await token_for('vic@acme+viewer', { scope: 'mcp:tools' });
    const refused = await post(server.endpoint, viewer, element('Nothing'));
    assert.deepEqual([refused.status, refused.challenge, refused.body.error], [403, null, 'forbidden']);
    const nobody = await token_for('nobody@acme', { scope: 'mcp:tools' });
    assert.equal((await post(server.endpoint, nobody)).status, 403);
});

//
test('a token without a tenant opens nothing and is told nothing', async () => {
    const refused = await post(server.endpoint, await token_for('stray@+architect'));
    assert.deepEqual([refused.status, refused.challenge, refused.body.error], [403, null, 'forbidden']);
    assert.doesNotMatch(refused.text, /stray|tenantId|acme/);
});

// R-329, R-331 (by name and by id)
test('tenants do not see each other', async () => {
    const [ours, theirs] = [await token_for('ann@acme+architect'), await token_for('eve@rival+architect')];
    const made = await post(server.endpoint, ours, element('OnlyAcmeKnowsThis'));
    const id = made.body.result.structuredContent.element.id;
    const other_id = id.replace(/.$/, last => (last === '0' ? '1' : '0'));
    const read = id => ({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: `transformation://element/${id}` } });
    const change = id => call('updateElement', { element_id: id, expected_version: 1, name: 'Taken' });
    assert.equal((await post(server.endpoint, ours, read(id))).body.error, undefined);
    const masked = answer => answer.text.replaceAll(id, 'ID').replaceAll(other_id, 'ID');
    for (const message of [read, change]) {
        const [seen, unknown] = [await post(server.endpoint, theirs, message(id)), await post(server.endpoint, theirs, message(other_id))];
        assert.match(seen.text, /"isError":true|"error":/);
        assert.equal(masked(seen), masked(unknown));
    }
    const listed = await post(server.endpoint, theirs, call('listElements', { model_id: 'default' }));
    assert.doesNotMatch(listed.text, /OnlyAcmeKnowsThis/);
    const own = await post(server.endpoint, ours, call('listElements', { model_id: 'default' }));
    assert.match(own.text, /OnlyAcmeKnowsThis/);
});

// R-334 (audit)
test('the audit names issuer, person and tenant, and no log holds a token', async () => {
    const token = await token_for('una@local+architect');
    await post(server.endpoint, token, element('Audited'));
    await post(server.endpoint, `${token.slice(0, -8)}AAAAAAAA`);
    const records = command(server, 'audit');
    assert.ok(records.includes(`${issuer.url}|una@local+architect`), records);
    const secret = token.split('.')[2].slice(0, 20);
    for (const text of [records, server.log()]) assert.ok(!text.includes(secret));
});

test('a service acts by client credentials and proposes', async () => {
    const token = await serviceToken(issuer, { resource: server.endpoint });
    const made = await post(server.endpoint, token, element('ByAService'));
    assert.equal(made.body.result.structuredContent?.outcome, 'proposed', made.text);
});

test('an agent of a person is an agent', async () => {
    const agent = signed(claims({ act: { sub: 'bot' }, scope: 'mcp:tools transformation:write', realm_access: { roles: ['architect'] } }));
    const made = await post(server.endpoint, agent, element('ByAnAgent'));
    assert.equal(made.body.result.structuredContent?.outcome, 'proposed', made.text);
});

// R-326 (rotation)
test('a new key is found, and a thousand made-up ones cause one question', async () => {
    const before_it = await token_for('ann@acme+viewer');
    assert.equal((await post(server.endpoint, before_it)).status, 200);
    issuer.rotate('second');
    const after_it = await token_for('ann@acme+viewer');
    assert.equal((await post(server.endpoint, after_it)).status, 200);
    const asked = issuer.served().length;
    const stranger = freshKeys('stranger').ec.privateKey;
    const made_up = Array.from({ length: 1000 }, (_, number) =>
        forge({ alg: 'ES256', typ: 'at+jwt', kid: `made-up-${number}` }, claims(), stranger),
    );
    for (const token of made_up) assert.equal((await post(server.endpoint, token)).status, 401);
    assert.equal(issuer.served().length, asked, 'the cool-down after the rotation holds');
    // What the old keys signed is no good to a server that knows only the new ones.
    const fresh = await guarded([`auth.issuers=${issuer.url}`, `auth.audiences=${server.endpoint}`]);
    try {
        assert.equal((await post(fresh.endpoint, before_it)).status, 401);
        assert.equal((await post(fresh.endpoint, after_it)).status, 200);
    } finally {
        await fresh.stop();
        fresh.data.remove();
    }
});

test('while the issuer is down, known keys serve and unknown callers wait', async () => {
    const token = await token_for('ann@acme+viewer');
    await post(server.endpoint, token);
    const another = signed(claims());
    await issuer.down();
    try {
        assert.equal((await post(server.endpoint, token)).status, 200);
        assert.equal((await post(server.endpoint, another)).status, 200);
        const fresh = await guarded([`auth.issuers=${issuer.url}`, `auth.audiences=${server.endpoint}`]);
        const refused = await post(fresh.endpoint, token);
        assert.equal(refused.status, 503);
        assert.equal(refused.headers.get('retry-after'), '30');
        assert.equal(refused.body.error, 'temporarily_unavailable');
        const health = await fetch(`${fresh.origin}/health`);
        assert.equal(health.status, 200);
        await fresh.stop();
        fresh.data.remove();
    } finally {
        await issuer.up();
    }
});

test('an issuer that redirects, floods or lies is not believed', async () => {
    const reached = [];
    const answers = {
        redirects: (_, response) => response.writeHead(302, { location: `${issuer.url}/real` }).end(),
        floods(request, response) {
            const jwks = request.url.includes('well-known')
                ? JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` })
                : JSON.stringify({ keys: [issuer.keys().rsa.jwk], padding: 'x'.repeat(10 << 20) });
            response.on('error', () => {});
            response.end(jwks);
        },
        lies: (_, response) => response.end(JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${issuer.url}/jwks` })),
        leads_away: (_, response) =>
            response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://169.254.169.254/keys' })),
    };
    for (const [name, answer] of Object.entries(answers)) {
        issuer.answer((request, response) => {
            reached.push(request.url);
            answer(request, response);
        });
        const fresh = await guarded([`auth.issuers=${issuer.url}`, `auth.audiences=${server.endpoint}`]);
        try {
            assert.equal((await post(fresh.endpoint, signed(claims()))).status, 503, name);
            assert.ok(!reached.includes('/real'));
        } finally {
            await fresh.stop();
            fresh.data.remove();
        }
    }
    issuer.restore();
});

// R-326 (hostile headers, algorithms, times), R-325, R-808 (tokens)
test('hostile tokens get one answer', async () => {
    const { rsa, ec } = issuer.keys();
    const stranger = freshKeys('stranger');
    const header = { alg: 'RS256', typ: 'at+jwt', kid: rsa.jwk.kid };
    const public_pem = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' });
    const { createHmac } = await import('node:crypto');
    const keyed = (() => {
        const message = [{ ...header, alg: 'HS256' }, claims()]
            .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
            .join('.');
        return `${message}.${createHmac('sha256', public_pem).update(message).digest('base64url')}`;
    })();
    const good = signed(claims());
    const hostile = {
        'alg none': forge({ ...header, alg: 'none' }, claims()),
        'alg NoNe': forge({ ...header, alg: 'NoNe' }, claims()),
        'key confusion': keyed,
        'crit': signed(claims(), { crit: ['x'], x: 1 }),
        'typ of an id token': signed(claims(), { typ: 'id+jwt' }),
        'typ JWT': signed(claims(), { typ: 'JWT' }),
        'typ JWT of kind ID': signed(claims({ typ: 'ID' }), { typ: 'JWT' }),
        'EC signature under the RSA kid': forge({ ...header, alg: 'ES256' }, claims(), ec.privateKey),
        'RSA signature under the EC kid': forge({ ...header, kid: ec.jwk.kid }, claims(), rsa.privateKey),
        'two families': forge({ ...header, alg: ['RS256', 'ES256'] }, claims(), rsa.privateKey),
        'a key that the token brings': forge(
            { ...header, jwk: stranger.rsa.jwk, jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x5u' },
            claims(),
            stranger.rsa.privateKey,
        ),
        'no kid': forge({ alg: 'RS256', typ: 'at+jwt' }, claims(), rsa.privateKey),
        'tenant twice': signed(JSON.stringify(claims()).replace('{', '{"tenantId":"rival",')),
        'sub with newlines': signed(claims({ sub: 'ann\nadmin' })),
        'iss as a list': signed(claims({ iss: [issuer.url] })),
        'iss with a slash': signed(claims({ iss: `${issuer.url}/` })),
        'another issuer': signed(claims({ iss: 'https://other.example' })),
        'a clock 10 minutes ahead': signed(claims({ iat: now() + 600, nbf: now() + 600, exp: now() + 900 })),
        'a clock 10 minutes behind': signed(claims({ iat: now() - 900, exp: now() - 600 })),
        'nbf ahead': signed(claims({ nbf: now() + 120 })),
        'for ever': signed(claims({ exp: now() + 10 * 365 * 86400 })),
        'bound to a key': signed(claims({ cnf: { jkt: 'x' } })),
        'no sub': signed(claims({ sub: undefined })),
        'padded': good.replace('.', '=.'),
        'four parts': `${good}.x`,
        'larger than is read': `${good}${'A'.repeat(16 * 1024)}`,
    };
    for (const [name, token] of Object.entries(hostile)) {
        const answer = await post(server.endpoint, token);
        // A header of 16 KiB may be refused by the listener already.
        assert.ok(answer.status === 401 || (answer.status === 431 && name.startsWith('larger')), `${name}: ${answer.status}`);
        if (answer.status === 401) {
            assert.deepEqual(answer.body, { error: 'invalid_token', error_description: 'invalid token' }, name);
        }
    }
    assert.equal((await post(server.endpoint, good)).status, 200);
    const keycloak = signed(claims({ typ: 'Bearer' }), { typ: 'JWT' });
    assert.equal((await post(server.endpoint, keycloak)).status, 200);
    assert.equal((await post(`${server.endpoint}?access_token=${good}`)).status, 400);
    assert.equal((await post(`${server.endpoint}/?access_token=${good}`, good)).status, 400);
});

test('an opaque token is asked about, and revoking it shows', async () => {
    const opaque = await startIssuer({ resources: () => [asking.endpoint], format: 'opaque' });
    const asking = await guarded([
        `auth.issuers=${opaque.url}`,
        'auth.introspection_client=service',
        'auth.introspection_secret=a secret of the service',
        'auth.role=viewer',
        'auth.tenant=acme',
    ]);
    try {
        const token = await tokenOf(opaque, { resource: asking.endpoint });
        assert.equal(token.split('.').length, 1);
        assert.equal((await post(asking.endpoint, token)).status, 200);
        const asked = opaque.served().filter(path => path.includes('introspection')).length;
        assert.equal((await post(asking.endpoint, token)).status, 200);
        assert.equal(opaque.served().filter(path => path.includes('introspection')).length, asked);
        const elsewhere = await tokenOf(opaque, { resource: 'https://other.example/mcp' });
        assert.equal((await post(asking.endpoint, elsewhere)).body.error_description, 'invalid audience');
        const other = await tokenOf(opaque, { resource: asking.endpoint });
        await fetch(`${opaque.url}/token/revocation`, {
            method: 'POST',
            body: new URLSearchParams({ token: other, client_id: 'native' }),
        });
        assert.equal((await post(asking.endpoint, other)).body.error_description, 'invalid token');
        assert.equal((await post(server.endpoint, token)).status, 401);
    } finally {
        await asking.stop();
        await opaque.stop();
        asking.data.remove();
    }
});

test('a stream ends with the token of whoever opened it', async () => {
    const open = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const token = signed(claims({ exp: now() - 28 }));
    const began = await post(server.endpoint, token, { jsonrpc: '2.0', id: 1, method: 'initialize', params: open });
    assert.equal(began.status, 200, began.text);
    const session = began.headers.get('mcp-session-id');
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'mcp-session-id': session };
    const stream = await fetch(server.endpoint, { headers });
    assert.equal(stream.status, 200);
    // It has ended already; within the leeway a call is still let in, but nothing stays open on it.
    await stream.text();
    const stranger = await token_for('eve@acme+viewer');
    const stolen = await post(server.endpoint, stranger, list, { 'mcp-session-id': session });
    assert.equal(stolen.status, 404);
});
