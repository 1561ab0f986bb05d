// The server as a stranger meets it: one request at a time, by hand.
import { execFileSync } from 'node:child_process';

import { chancery, dataDirectory, listen } from '../clients/typescript/chancery.mjs';

export { chancery };

/** Starts a server whose callers need tokens; `settings` are `name=value`. */
export async function guarded(settings = [], { data = dataDirectory(), flags = [] } = {}) {
    const set = settings.flatMap(setting => ['--set', setting]);
    const server = await listen(chancery, ['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...set, ...flags]);
    return { ...server, data, endpoint: `${server.origin}/transformation/mcp` };
}

/** Runs a command of the terminal on the server's data and answers what it printed. */
export function command(server, ...args) {
    return execFileSync(chancery, ['--data', server.data.path, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

export const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

export const call = (name, args = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: `transformation.${name}`, arguments: args },
});

/** Posts a message and answers status, headers and body. */
export async function post(endpoint, token, message = list, headers = {}) {
    const answer = await fetch(endpoint, {
        method: 'POST',
        redirect: 'manual',
        headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(token && { authorization: `Bearer ${token}` }),
            ...headers,
        },
        body: JSON.stringify(message),
    });
    const text = await answer.text();
    let body;
    try {
        body = JSON.parse(text);
    } catch {
        body = undefined;
    }
    return { status: answer.status, challenge: answer.headers.get('www-authenticate'), headers: answer.headers, text, body };
}
