// Tenants, people, agents with definitions, and a login from the terminal, against the running binary and a real issuer.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { confirm, forge, startIssuer, tokenOf } from './issuer.mjs';
import { call, chancery, command, guarded, list, post } from './server.mjs';

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
const set = setting => ['--set', `auth.issuers=${issuer.url}`, ...(setting ? ['--set', setting] : [])];
const element = name => call('createElement', { type: 'ApplicationComponent', name });

/** A token of the issuer's making, with these claims. */
function token_with(claims) {
    const { rsa } = issuer.keys();
    const good = { iss: issuer.url, sub: 'ann', aud: server.endpoint, exp: now() + 300, iat: now(), tenantId: 'acme' };
    const payload = { ...good, scope: 'mcp:tools mcp:resources transformation:write', realm_access: { roles: ['architect'] }, ...claims };
    return forge({ alg: 'RS256', typ: 'at+jwt', kid: rsa.jwk.kid }, payload, rsa.privateKey);
}

test('whoever comes with a token is known, and can be sent away at once', async () => {
    const [ann, bob] = [token_with({}), token_with({ sub: 'bob' })];
    assert.equal((await post(server.endpoint, ann)).status, 200);
    assert.equal((await post(server.endpoint, bob)).status, 200);
    assert.match(command(server, 'users', 'list', '--tenant', 'acme'), /acme {2}http:\/\/127\.0\.0\.1:\d+\|ann {2}as their tokens say {2}active/);
    command(server, 'users', 'suspend', 'ann', '--tenant', 'acme', ...set());
    const refused = await post(server.endpoint, ann);
    assert.deepEqual([refused.status, refused.body.error, refused.challenge], [403, 'forbidden', null]);
    assert.equal((await post(server.endpoint, bob)).status, 200);
    command(server, 'users', 'resume', 'ann', '--tenant', 'acme', ...set());
    assert.equal((await post(server.endpoint, ann)).status, 200);
});

test('roles are those of the tenant', async () => {
    const [here, there] = [token_with({ sub: 'cleo', scope: 'mcp:tools' }), token_with({ sub: 'cleo', tenantId: 'other' })];
    command(server, 'users', 'add', 'cleo', '--tenant', 'acme', '--role', 'viewer', ...set());
    assert.equal((await post(server.endpoint, here, element('NotHere'))).status, 403);
    const made = await post(server.endpoint, there, element('There'));
    assert.equal(made.body.result.structuredContent.outcome, 'committed', made.text);
    // Its agent has no more than the person.
    const agent = token_with({ sub: 'cleo', act: { sub: 'bot' }, scope: 'mcp:tools', realm_access: { roles: ['admin'] } });
    assert.equal((await post(server.endpoint, agent, element('NotByAgents'))).status, 403);
});

test('a tenant that is suspended has nobody, and loses nothing', async () => {
    const dan = token_with({ sub: 'dan', tenantId: 'third' });
    assert.equal((await post(server.endpoint, dan, element('Kept'))).status, 200);
    command(server, 'tenants', 'suspend', 'third');
    assert.equal((await post(server.endpoint, dan)).status, 403);
    assert.match(command(server, 'tenants', 'list'), /third {2}suspended {2}\d+ facts/);
    command(server, 'tenants', 'resume', 'third');
    const found = await post(server.endpoint, dan, call('listElements', { model_id: 'default' }));
    assert.equal(found.body.result.structuredContent.elements[0].name, 'Kept');
});

test('where only those who are listed come in, a token is not enough', async () => {
    const closed = await guarded([`auth.issuers=${issuer.url}`, 'auth.provisioning=listed', `auth.audiences=${server.endpoint}`]);
    try {
        const eve = token_with({ sub: 'eve' });
        assert.equal((await post(closed.endpoint, eve)).status, 403);
        command(closed, 'users', 'add', 'eve', '--tenant', 'acme', ...set());
        assert.equal((await post(closed.endpoint, eve)).status, 200);
    } finally {
        await closed.stop();
        closed.data.remove();
    }
});

const reviewer = `apiVersion: ameide.io/v1
kind: AgentDefinition
metadata:
  name: architecture-reviewer
spec:
  runtime:
    image: ameide/architecture-reviewer:v1
  tools:
    allow:
      - transformation.listElements
      - transformation.getView
      - transformation.searchCapabilities
      - transformation.submit*
    deny:
      - transformation.submit*
`;

//
test('a service sees and calls what its definition leaves, a person what the role permits', async () => {
    const file = `${server.data.path}/reviewer.yaml`;
    writeFileSync(file, reviewer);
    command(server, 'definitions', 'import', file);
    const service = token_with({ sub: 'bot', client_id: 'bot', tenantId: 'local', agent_definition: 'architecture-reviewer', realm_access: { roles: ['service'] } });
    const names = async token => (await post(server.endpoint, token)).body.result.tools.map(tool => tool.name.replace('transformation_', 'transformation.')).sort();
    // A draft leaves nothing.
    assert.deepEqual(await names(service), []);
    command(server, 'definitions', 'promote', 'architecture-reviewer');
    const left = ['transformation.getView', 'transformation.listElements', 'transformation.searchCapabilities'];
    assert.deepEqual(await names(service), left);
    const shown = command(server, 'agents', 'architecture-reviewer');
    for (const name of left) assert.match(shown, new RegExp(`  ${name} `));
    assert.doesNotMatch(shown, /submit/);
    const read = await post(server.endpoint, service, call('listElements', { model_id: 'default' }));
    assert.equal(read.body.result.isError ?? false, false, read.text);
    for (const tool of ['submitArchitectureIntent', 'submitScrumIntent', 'createElement', 'noSuchTool']) {
        const refused = await post(server.endpoint, service, call(tool));
        assert.equal(refused.body.error.code, -32602, refused.text);
        assert.match(refused.body.error.message, /there is no tool/);
        assert.doesNotMatch(JSON.stringify(refused.body.error.data.did_you_mean), /submit|create/);
    }
    const search = await post(server.endpoint, service, call('searchCapabilities', { query: 'orders' }));
    assert.equal(search.body.result?.isError ?? false, false, search.text);
    // There is no view yet; that the tool says so shows that it was called.
    const view = await post(server.endpoint, service, call('getView', { view_id: 'none' }));
    assert.match(view.body.result.content[0].text, /NOT_FOUND/, view.text);
    // Nobody without a definition is narrowed by one.
    const person = token_with({ tenantId: 'local', agent_definition: 'architecture-reviewer' });
    assert.ok((await names(person)).length > 20);
    const unknown = token_with({ sub: 'bot', client_id: 'bot', tenantId: 'local', agent_definition: 'no-such', realm_access: { roles: ['service'] } });
    assert.deepEqual(await names(unknown), []);
});

//
test('scopes of identity permit nothing', async () => {
    const refused = await post(server.endpoint, token_with({ scope: 'openid profile' }), call('listElements', { model_id: 'default' }));
    assert.deepEqual([refused.status, refused.body.error], [403, 'insufficient_scope']);
    const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'transformation://model/default' } };
    assert.equal((await post(server.endpoint, token_with({ scope: 'openid profile' }), read)).status, 403);
});

//
test('writes need the right to write, reads the right to read, and both the scope of tools', async () => {
    const intent = call('submitArchitectureIntent', { operation: 'create_element', create_element: { type: 'Goal', name: 'Growth' } });
    const reading = call('listElements', { model_id: 'default' });
    const as = (role, scope = 'mcp:tools') => token_with({ sub: 'fay', realm_access: { roles: [role] }, scope });
    const status = async (token, message) => (await post(server.endpoint, token, message)).status;
    assert.equal(await status(as('architect'), intent), 200);
    assert.equal(await status(as('viewer'), intent), 403);
    assert.equal(await status(as('architect', 'transformation:write'), intent), 403);
    assert.equal(await status(as('viewer'), reading), 200);
    assert.equal(await status(as('guest'), reading), 403);
    assert.equal(await status(as('viewer', 'mcp:resources'), reading), 403);
});

//
test('a login from the terminal prints a token that is good', async () => {
    for (const args of [['login', server.endpoint, '--quiet'], ['auth', 'token', server.endpoint, '--quiet']]) {
        const child = spawn(chancery, ['--data', server.data.path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
        let [token, said] = ['', ''];
        child.stdout.on('data', text => (token += text));
        const asked = new Promise(done => child.stderr.on('data', text => {
            said += text;
            const found = /open (\S+user_code=\S+) /.exec(said);
            if (found) done(found[1]);
        }));
        const ended = once(child, 'close');
        await confirm(await asked);
        const [code] = await ended;
        assert.equal(code, 0, said);
        assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
        assert.equal((await post(server.endpoint, token.trim())).status, 200);
    }
});
