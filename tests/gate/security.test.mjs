// The twelve security tests of the specification, by their ids and names, against the running binary and a real
// authorization server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { chancery, listen } from '../clients/typescript/chancery.mjs';
import { forge, startIssuer, tokenOf } from './issuer.mjs';
import { call, guarded, list, post } from './server.mjs';

let issuer;
let server;
let token;

before(async () => {
    issuer = await startIssuer({ resources: () => [server.endpoint] });
    server = await guarded([`auth.issuers=${issuer.url}`, 'origins=https://portal.ameide.io']);
    token = await tokenOf(issuer, { resource: server.endpoint });
});

after(async () => {
    await server.stop();
    await issuer.stop();
    server.data.remove();
});

const now = () => Math.floor(Date.now() / 1000);

/** A token that only differs from a good one in what is given. */
function token_with(claims, header = {}) {
    const { rsa } = issuer.keys();
    const good = { iss: issuer.url, sub: 'ann', aud: server.endpoint, exp: now() + 300, iat: now(), tenantId: 'acme' };
    const payload = { ...good, scope: 'mcp:tools', realm_access: { roles: ['viewer'] }, ...claims };
    for (const name of Object.keys(payload)) if (payload[name] === undefined) delete payload[name];
    return forge({ alg: 'RS256', typ: 'at+jwt', kid: rsa.jwk.kid, ...header }, payload, rsa.privateKey);
}

//
test('SEC-01 TestOriginValidation_RejectsUnknownOrigin', async () => {
    const answer = await post(server.endpoint, token, list, { origin: 'https://evil.com' });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /origin not allowed/);
});

//
test('SEC-02 TestOriginValidation_AcceptsAllowedOrigin', async () => {
    const answer = await post(server.endpoint, token, list, { origin: 'https://portal.ameide.io' });
    assert.equal(answer.status, 200, answer.text);
});

//
test('SEC-03 TestOriginValidation_AcceptsNoOrigin', async () => {
    assert.equal((await post(server.endpoint, token)).status, 200);
});

//
test('SEC-04 TestHTTPS_RejectsHTTPInProduction', async () => {
    process.env.PRODUCTION = 'true';
    const production = await guarded([
        `auth.issuers=${issuer.url}`,
        'public_url=https://mcp.example.org',
        'proxies=127.0.0.1',
    ]).finally(() => delete process.env.PRODUCTION);
    const direct = await guarded([`auth.issuers=${issuer.url}`, 'public_url=https://mcp.example.org', 'production=true']);
    try {
        const plain = await post(production.endpoint, token);
        assert.equal(plain.status, 301);
        assert.equal(plain.headers.get('location'), 'https://mcp.example.org/transformation/mcp');
        // What a proxy that is known says counts: then a token is asked for.
        const over_tls = { 'x-forwarded-proto': 'https' };
        assert.equal((await post(production.endpoint, undefined, list, over_tls)).status, 401);
        assert.equal((await post(production.endpoint, undefined, list, { 'x-forwarded-proto': 'http' })).status, 301);
        // From anybody else it does not.
        assert.equal((await post(direct.endpoint, token, list, over_tls)).status, 301);
    } finally {
        for (const other of [production, direct]) {
            await other.stop();
            other.data.remove();
        }
    }
});

//
test('SEC-05 TestAuth_RejectsMissingToken', async () => {
    const answer = await post(server.endpoint);
    assert.equal(answer.status, 401);
    assert.equal(answer.body.error, 'unauthorized');
    assert.match(answer.body.error_description, /authentication required/);
    const metadata = `${server.origin}/.well-known/oauth-protected-resource/transformation/mcp`;
    assert.equal(answer.challenge, `Bearer scope="mcp:tools mcp:resources", resource_metadata="${metadata}"`);
});

//
test('SEC-06 TestAuth_RejectsInvalidToken', async () => {
    const expired = token_with({ exp: now() - 60, iat: now() - 600 });
    for (const bad of ['malformed', 'a.b.c', `${token.slice(0, -6)}AAAAAA`, expired]) {
        const answer = await post(server.endpoint, bad);
        assert.equal(answer.status, 401);
        assert.equal(answer.body.error, 'invalid_token');
        assert.match(answer.body.error_description, /invalid token/);
        assert.match(answer.challenge, /^Bearer error="invalid_token", scope="mcp:tools mcp:resources", resource_metadata="/);
    }
});

//
test('SEC-07 TestAuth_RejectsWrongAudience', async () => {
    const elsewhere = { aud: 'wrong-audience' };
    const bare = { ...elsewhere, exp: undefined, iss: undefined };
    const sibling = { aud: server.endpoint.replace('transformation', 'neotoma') };
    for (const claims of [elsewhere, bare, sibling, { aud: undefined }]) {
        const answer = await post(server.endpoint, token_with(claims));
        assert.equal(answer.status, 401);
        assert.equal(answer.body.error, 'invalid_token');
        assert.match(answer.body.error_description, /invalid audience/);
        assert.match(answer.challenge, /error="invalid_token"/);
    }
    assert.equal((await post(server.endpoint, token_with({ exp: undefined }))).body.error_description, 'invalid token');
    assert.equal((await post(server.endpoint, token_with({ aud: ['x', server.endpoint] }))).status, 200);
});

//
test('SEC-08 TestAuth_AcceptsValidToken', async () => {
    const answer = await post(server.endpoint, token);
    assert.equal(answer.status, 200);
    assert.ok(answer.body.result.tools.length > 5);
    const written = await post(server.endpoint, token, call('createElement', { type: 'ApplicationComponent', name: 'Orders' }));
    assert.equal(written.body.result.structuredContent?.outcome, 'committed', written.text);
});

//
test('SEC-09 TestRateLimit_RejectsExcessiveRequests', async () => {
    const limited = await guarded([`auth.issuers=${issuer.url}`, 'limits.calls_per_minute=5']);
    try {
        const own = await tokenOf(issuer, { resource: limited.endpoint });
        const answers = await Promise.all(Array.from({ length: 12 }, () => post(limited.endpoint, own)));
        const refused = answers.filter(answer => answer.status === 429);
        assert.ok(refused.length >= 5 && refused.length < 12, `${refused.length}`);
        for (const answer of refused) {
            assert.ok(Number(answer.headers.get('retry-after')) > 0);
            assert.match(answer.text, /RATE_LIMIT_EXCEEDED/);
        }
        // Somebody else is not affected.
        const other = await tokenOf(issuer, { resource: limited.endpoint, account: 'bob@acme+viewer' });
        assert.equal((await post(limited.endpoint, other)).status, 200);
    } finally {
        await limited.stop();
        limited.data.remove();
    }
});

//
test('SEC-10 TestRateLimit_AllowsNormalTraffic', async () => {
    for (let request = 0; request < 10; request++) assert.equal((await post(server.endpoint, token)).status, 200);
});

//
test('SEC-11 TestLocalhost_BindsTo127Only', async () => {
    assert.match(server.origin, /^http:\/\/127\.0\.0\.1:[1-9][0-9]*$/);
    const everywhere = ['serve', '--listen', '0.0.0.0:0', '--data', `${server.data.path}/none`];
    await assert.rejects(listen(chancery, everywhere), /0\.0\.0\.0:0 can be reached from other machines/);
});

//
test('SEC-12 TestLocalhost_RejectsNonLocalhostOrigin', async () => {
    const local = await guarded();
    try {
        for (const origin of ['https://evil.com', 'https://portal.ameide.io', 'http://localhost.evil.com', 'null']) {
            assert.equal((await post(local.endpoint, undefined, list, { origin })).status, 403);
        }
    } finally {
        await local.stop();
        local.data.remove();
    }
});
