// The realm files of deploy/keycloak, field by field. A Keycloak itself is not started here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = name => JSON.parse(readFileSync(new URL(`../../deploy/keycloak/${name}`, import.meta.url), 'utf8'));
const realm = read('realm.json');
const indicated = read('realm-resource-indicators.json');
const endpoints = ['transformation', 'monitor', 'neotoma'];
const address = endpoint => `https://mcp.example.org/${endpoint}/mcp`;
const client = (id, of = realm) => of.clients.find(known => known.clientId === id);
const scope = (name, of = realm) => of.clientScopes.find(known => known.name === name);
const audiences = (name, field, of = realm) =>
    scope(name, of)
        .protocolMappers.filter(mapper => mapper.protocolMapper === 'oidc-audience-mapper')
        .map(mapper => {
            assert.equal(mapper.config['access.token.claim'], 'true');
            assert.equal(mapper.config['id.token.claim'], 'false');
            return mapper.config[field];
        });

//
test('the scopes are there and go into tokens', () => {
    for (const name of ['mcp:tools', 'mcp:resources', ...endpoints.flatMap(e => [`${e}:write`, `${e}:propose`])]) {
        const found = scope(name);
        assert.equal(found.protocol, 'openid-connect');
        assert.equal(found.attributes['include.in.token.scope'], 'true', name);
    }
});

//
test('every scope of ours puts the endpoints into access tokens, and not into id tokens', () => {
    for (const name of ['mcp:tools', 'mcp:resources']) {
        assert.deepEqual(audiences(name, 'included.custom.audience'), endpoints.map(address));
        assert.deepEqual(audiences(name, 'included.client.audience', indicated), endpoints.map(e => `chancery-${e}`));
    }
    for (const endpoint of endpoints) {
        assert.equal(client(`chancery-${endpoint}`, indicated).attributes.resource_url, address(endpoint));
        assert.equal(client(`chancery-${endpoint}`, indicated).bearerOnly, true);
    }
});

const defaults = ['openid', 'profile', 'mcp:tools', 'mcp:resources'];

function is_public(found) {
    assert.equal(found.publicClient, true);
    assert.equal(found.directAccessGrantsEnabled, false);
    assert.equal(found.implicitFlowEnabled, false);
    assert.equal(found.fullScopeAllowed, false);
    assert.equal(found.attributes['pkce.code.challenge.method'], 'S256');
    assert.equal(found.attributes['access.token.header.type.rfc9068'], 'true');
    for (const name of [...defaults, 'basic', 'tenant', 'roles']) assert.ok(found.defaultClientScopes.includes(name), name);
}

//
test('Visual Studio Code', () => {
    for (const of of [realm, indicated]) {
        const found = client('ameide-mcp-vscode', of);
        is_public(found);
        assert.equal(found.standardFlowEnabled, true);
        for (const place of ['http://127.0.0.1:33418', 'https://vscode.dev/redirect']) assert.ok(found.redirectUris.includes(place));
        assert.deepEqual(found.webOrigins, ['vscode-webview://*']);
    }
});

//
test('Claude Code', () => {
    for (const of of [realm, indicated]) {
        const found = client('ameide-mcp-claude', of);
        is_public(found);
        assert.equal(found.standardFlowEnabled, true);
        assert.ok(found.redirectUris.includes('http://127.0.0.1:*'));
        assert.ok(found.redirectUris.every(place => /^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(place)));
    }
});

//
test('the terminal', () => {
    for (const of of [realm, indicated]) {
        const found = client('ameide-mcp-cli', of);
        is_public(found);
        assert.equal(found.standardFlowEnabled, false);
        assert.equal(found.attributes['oauth2.device.authorization.grant.enabled'], 'true');
        assert.deepEqual(found.redirectUris, []);
    }
});

test('the tenant is an attribute that only admins set, and a claim of access tokens', () => {
    const [profile] = realm.components['org.keycloak.userprofile.UserProfileProvider'];
    const { attributes } = JSON.parse(profile.config['kc.user.profile.config'][0]);
    const tenant = attributes.find(attribute => attribute.name === 'tenantId');
    assert.deepEqual(tenant.permissions, { view: ['admin'], edit: ['admin'] });
    const [mapper] = scope('tenant').protocolMappers;
    assert.equal(mapper.protocolMapper, 'oidc-usermodel-attribute-mapper');
    assert.equal(mapper.config['claim.name'], 'tenantId');
    assert.equal(mapper.config['user.attribute'], 'tenantId');
    assert.equal(mapper.config['access.token.claim'], 'true');
    assert.equal(mapper.config['jsonType.label'], 'String');
    const agent = client('chancery-agent').protocolMappers.find(found => found.name === 'tenantId');
    assert.equal(agent.protocolMapper, 'oidc-hardcoded-claim-mapper');
});

test('tokens are short, strangers cannot register, and every client names scopes that exist', () => {
    for (const of of [realm, indicated]) {
        assert.equal(of.accessTokenLifespan, 300);
        assert.equal(of.registrationAllowed, false);
        const known = new Set(of.clientScopes.map(found => found.name));
        for (const found of of.clients) {
            for (const name of [...(found.defaultClientScopes ?? []), ...(found.optionalClientScopes ?? [])]) {
                assert.ok(known.has(name), `${found.clientId} names ${name}`);
            }
        }
        const roles = new Set(of.roles.realm.map(role => role.name));
        for (const mapping of of.scopeMappings) {
            assert.ok(client(mapping.client, of));
            for (const role of mapping.roles) assert.ok(roles.has(role));
        }
    }
});
