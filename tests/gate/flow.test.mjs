// The official TypeScript clients find their way in by themselves, from the bare address of an endpoint.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import * as v2 from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { browse, startIssuer } from './issuer.mjs';
import { guarded } from './server.mjs';

let issuer;
let server;

before(async () => {
    issuer = await startIssuer({ resources: () => [server.endpoint], algorithm: 'ES256' });
    server = await guarded([`auth.issuers=${issuer.url}`]);
});

after(async () => {
    await server.stop();
    await issuer.stop();
    server.data.remove();
});

/** What an application keeps for its client: nothing but what the flow gives it. */
class Application {
    redirectUrl = 'http://127.0.0.1:4711/callback';
    constructor(registered) {
        this.information = registered;
    }
    get clientMetadata() {
        return {
            client_name: 'test',
            redirect_uris: [this.redirectUrl],
            application_type: 'native',
            token_endpoint_auth_method: 'none',
            grant_types: ['authorization_code', 'refresh_token'],
            response_types: ['code'],
        };
    }
    state = () => 'a state';
    clientInformation = () => this.information;
    saveClientInformation = information => void (this.information = information);
    tokens = () => this.kept;
    saveTokens = tokens => void (this.kept = tokens);
    redirectToAuthorization = address => void (this.address = address);
    saveCodeVerifier = verifier => void (this.verifier = verifier);
    codeVerifier = () => this.verifier;
    saveDiscoveryState = state => void (this.discovered = state);
    discoveryState = () => this.discovered;
}

async function flow(Client, Transport, Unauthorized, application) {
    const transport = () => new Transport(new URL(server.endpoint), { authProvider: application });
    const first = transport();
    await assert.rejects(new Client({ name: 'test', version: '1' }).connect(first), Unauthorized);
    assert.equal(new URL(application.address).searchParams.get('resource'), server.endpoint);
    // Some clients add offline_access on their own where the issuer offers it.
    assert.match(new URL(application.address).searchParams.get('scope'), /^mcp:tools mcp:resources( offline_access)?$/);
    const back = await browse(application.address);
    await first.finishAuth(Transport === TransportV1 ? back.searchParams.get('code') : back.searchParams);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport());
    const { tools } = await client.listTools();
    assert.ok(tools.length > 5);
    const listed = await client.callTool({ name: 'transformation_listElements', arguments: { model_id: 'default' } });
    assert.ok(!listed.isError, JSON.stringify(listed));
    await client.close();
}

//
test('the client of SDK 1 with a client that is registered', async () => {
    await flow(ClientV1, TransportV1, UnauthorizedV1, new Application({ client_id: 'native' }));
});

//
test('the client of SDK 2 with a client that is registered', async () => {
    await flow(v2.Client, v2.StreamableHTTPClientTransport, v2.UnauthorizedError, new Application({ client_id: 'native', issuer: issuer.url }));
});

test('the client of SDK 2 that registers itself at the issuer', async () => {
    await flow(v2.Client, v2.StreamableHTTPClientTransport, v2.UnauthorizedError, new Application());
});
