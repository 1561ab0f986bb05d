// A real authorization server (oidc-provider) for tests: two keys, people who log in by being named, one service.
//
// A person is `name@tenant+role`; whoever is named in `login_hint` is logged in and consents to everything. Run as a program,
// it prints `ready URL` and lives until its input ends.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import Provider from 'oidc-provider';

const scopes = ['mcp:tools', 'mcp:resources', 'transformation:write', 'transformation:propose'];

/** A fresh pair of keys: RSA and EC. */
export function freshKeys(name) {
    const jwk = (kind, options, more) => {
        const { privateKey } = generateKeyPairSync(kind, options);
        return { privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), use: 'sig', ...more } };
    };
    return {
        rsa: jwk('rsa', { modulusLength: 2048 }, { alg: 'RS256', kid: `${name}-rsa` }),
        ec: jwk('ec', { namedCurve: 'P-256' }, { alg: 'ES256', kid: `${name}-ec` }),
    };
}

const encoded = value => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A token with any header and payload (an object, or text as it is), signed by a key of ours. */
export function forge(header, payload, key, hash = 'sha256') {
    const message = `${encoded(header)}.${encoded(payload)}`;
    const options = key?.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key;
    const signature = key ? sign(hash, Buffer.from(message), options).toString('base64url') : '';
    return `${message}.${signature}`;
}

/** Starts an issuer that gives tokens for `resources()`, on a port that it keeps while it is down. */
export async function startIssuer({ resources, format = 'jwt', ttl = 300, algorithm = 'RS256' }) {
    let keys = freshKeys('first');
    let handler = (_, response) => response.end();
    let served = [];
    let server;
    let port = 0;
    const listen = () =>
        new Promise(done => {
            server = createServer((request, response) => {
                served.push(request.url);
                handler(request, response);
            });
            server.listen(port, '127.0.0.1', () => {
                port = server.address().port;
                done();
            });
        });
    const close = () =>
        new Promise(done => {
            server.close(done);
            server.closeAllConnections();
        });
    await listen();
    const url = `http://127.0.0.1:${port}`;
    const build = () => {
        const provider = new Provider(url, configuration({ keys, resources, format, ttl, algorithm }));
        const callback = provider.callback();
        handler = (request, response) =>
            request.url.startsWith('/interaction/') ? interact(provider, request, response) : callback(request, response);
    };
    build();
    return {
        url,
        keys: () => keys,
        served: () => served,
        /** New keys under new names, as after a rotation. */
        rotate(name) {
            keys = freshKeys(name);
            build();
        },
        /** Answers everything with this instead. */
        answer(other) {
            handler = other;
        },
        restore: build,
        down: close,
        up: listen,
        stop: close,
    };
}

function configuration({ keys, resources, format, ttl, algorithm }) {
    const who = token => {
        const id = token.accountId ?? token.clientId;
        const [, tenant, role] = /@([^+]*)(?:\+(.*))?$/.exec(id) ?? [null, 'acme', undefined];
        return { ...(tenant && { tenantId: tenant }), ...(role && { realm_access: { roles: [role] } }) };
    };
    return {
        jwks: { keys: [keys.rsa.jwk, keys.ec.jwk] },
        scopes: [...scopes, 'openid', 'offline_access'],
        cookies: { keys: ['test'] },
        pkce: { required: () => true },
        clients: [
            {
                client_id: 'native',
                application_type: 'native',
                token_endpoint_auth_method: 'none',
                redirect_uris: ['http://127.0.0.1/callback'],
                grant_types: ['authorization_code', 'refresh_token'],
                response_types: ['code'],
            },
            {
                client_id: 'ameide-mcp-cli',
                application_type: 'native',
                token_endpoint_auth_method: 'none',
                redirect_uris: [],
                grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
                response_types: [],
            },
            {
                client_id: 'service',
                client_secret: 'a secret of the service',
                redirect_uris: [],
                grant_types: ['client_credentials'],
                response_types: [],
            },
        ],
        features: {
            devInteractions: { enabled: false },
            clientCredentials: { enabled: true },
            deviceFlow: { enabled: true },
            registration: { enabled: true },
            introspection: { enabled: true, allowedPolicy: () => true },
            revocation: { enabled: true },
            resourceIndicators: {
                enabled: true,
                defaultResource: () => resources()[0],
                useGrantedResource: () => true,
                getResourceServerInfo: (_, resource) => ({
                    scope: scopes.join(' '),
                    audience: resource,
                    accessTokenTTL: ttl,
                    accessTokenFormat: format,
                    ...(format === 'jwt' && { jwt: { sign: { alg: algorithm } } }),
                }),
            },
        },
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        extraTokenClaims: (_, token) => who(token),
        findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
        ttl: { AccessToken: ttl, ClientCredentials: ttl, Grant: 600, Session: 600, Interaction: 600 },
    };
}

async function interact(provider, request, response) {
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
        const login = { accountId: params.login_hint ?? 'ann@acme+architect' };
        return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
    }
    const grant =
        (grantId && (await provider.Grant.find(grantId))) ||
        new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    if (prompt.details.missingOIDCScope) grant.addOIDCScope(prompt.details.missingOIDCScope.join(' '));
    for (const [resource, missing] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
        grant.addResourceScope(resource, missing.join(' '));
    }
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** Does what a browser would: follows redirects with cookies, until one leads to the client. */
export async function browse(address) {
    const jar = new Map();
    let place = new URL(address);
    for (let step = 0; step < 12; step++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(place, { redirect: 'manual', headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
            const [pair] = line.split(';');
            const at = pair.indexOf('=');
            jar.set(pair.slice(0, at), pair.slice(at + 1));
        }
        const location = answer.headers.get('location');
        if (!location) throw new Error(`${place} answered ${answer.status}: ${await answer.text()}`);
        place = new URL(location, place);
        if (place.pathname === '/callback') return place;
    }
    throw new Error(`the way to the client is endless, it was last at ${place}`);
}

/** Confirms the code of a device, as a person in a browser would. */
export async function confirm(address) {
    const jar = new Map();
    const visit = async (place, body) => {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
        const answer = await fetch(place, { method: body ? 'POST' : 'GET', body, redirect: 'manual', headers: { cookie } });
        for (const line of answer.headers.getSetCookie()) {
            const [pair] = line.split(';');
            const at = pair.indexOf('=');
            jar.set(pair.slice(0, at), pair.slice(at + 1));
        }
        return answer;
    };
    const form = await (await visit(address)).text();
    const [, xsrf] = /name="xsrf" value="([^"]+)"/.exec(form);
    const user_code = new URL(address).searchParams.get('user_code');
    const place = new URL(address);
    place.search = '';
    let answer = await visit(place, new URLSearchParams({ xsrf, user_code, confirm: 'yes' }));
    for (let step = 0; step < 12 && answer.headers.get('location'); step++) {
        answer = await visit(new URL(answer.headers.get('location'), place));
    }
    if (answer.status !== 200) throw new Error(`the code was not confirmed: ${answer.status} ${await answer.text()}`);
}

/** A token by authorization code with PKCE. */
export async function tokenOf(issuer, { account = 'ann@acme+architect', resource, scope = scopes.join(' ') }) {
    const verifier = randomBytes(32).toString('base64url');
    const redirect = 'http://127.0.0.1:4711/callback';
    const query = new URLSearchParams({
        client_id: 'native',
        response_type: 'code',
        redirect_uri: redirect,
        scope,
        resource,
        login_hint: account,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
    });
    const back = await browse(`${issuer.url}/auth?${query}`);
    const code = back.searchParams.get('code');
    if (!code) throw new Error(`no code: ${back}`);
    return grant(issuer, {
        grant_type: 'authorization_code',
        client_id: 'native',
        redirect_uri: redirect,
        code,
        code_verifier: verifier,
        resource,
    });
}

/** A token for a service, by client credentials. */
export async function serviceToken(issuer, { resource, scope = 'mcp:tools' }) {
    const credential = ['service', 'a secret of the service'].map(encodeURIComponent).join(':');
    return grant(issuer, { grant_type: 'client_credentials', scope, resource }, credential);
}

async function grant(issuer, form, credential) {
    const headers = credential && { authorization: `Basic ${Buffer.from(credential).toString('base64')}` };
    const answer = await fetch(`${issuer.url}/token`, { method: 'POST', body: new URLSearchParams(form), headers });
    const body = await answer.json();
    if (!body.access_token) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.access_token;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const issuer = await startIssuer({ resources: () => [process.argv[2] ?? 'http://127.0.0.1:1/mcp'] });
    console.log(`ready ${issuer.url}`);
    process.stdin.resume().on('end', () => process.exit(0));
}
