// The command line as a person uses it: one call, a backup, and the lines that `config` prints for each client.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { chancery, dataDirectory } from './chancery.mjs';

const call_ms_max = 30_000;
const data = dataDirectory();
after(() => data.remove());

/** Runs the program to its end. */
function run(...args) {
    const done = spawnSync(chancery, args, { encoding: 'utf8', timeout: call_ms_max });
    return { code: done.status, out: done.stdout, err: done.stderr };
}

/** One call, and its answer as JSON. */
function call(folder, tool, args) {
    const done = run('call', `transformation.${tool}`, JSON.stringify(args), '--data', folder);
    return { ...done, answer: JSON.parse(done.out) };
}

const names = folder => call(folder, 'listElements', { model_id: 'default' }).answer.elements.map(element => element.name).sort();

describe('command line', () => {
    it('lists the tools', () => {
        const done = run('tools', '--data', data.path);
        assert.equal(done.code, 0, done.err);
        assert.match(done.out, /transformation\.createElement/);
    });

    it('makes one call and prints the answer', () => {
        const made = call(data.path, 'createElement', { type: 'Goal', name: 'Sell more' });
        assert.equal(made.code, 0, made.err);
        assert.equal(made.answer.element.layer, 'motivation');
        assert.deepEqual(names(data.path), ['Sell more']);
    });

    it('prints a refusal and ends with an error', () => {
        const refused = call(data.path, 'createElement', { type: 'Gaol', name: 'Sell less' });
        assert.notEqual(refused.code, 0);
        assert.equal(refused.answer.error.code, 'INVALID_ELEMENT_TYPE');
        assert.equal(refused.answer.error.suggestions.did_you_mean[0], 'Goal');
    });

    it('says in one line what is wrong with a command', () => {
        for (const args of [
            ['call', 'transformation.noSuchTool', '{}'],
            ['call', 'transformation.listModels', '{'],
            ['call', 'transformation.listModels', '[]'],
        ]) {
            const done = run(...args, '--data', data.path);
            assert.notEqual(done.code, 0, args.join(' '));
            assert.equal(done.err.trim().split('\n').length, 1, done.err);
            assert.equal(done.out, '', args.join(' '));
        }
    });
});

describe('backup', () => {
    const other = dataDirectory();
    after(() => other.remove());
    const file = join(other.path, 'copy');
    const restored = join(other.path, 'restored');

    it('copies the data as it is, and restores it elsewhere', () => {
        const before = names(data.path);
        const copied = run('backup', file, '--data', data.path);
        assert.equal(copied.code, 0, copied.err);
        assert.equal(call(data.path, 'createElement', { type: 'Goal', name: 'After the backup' }).code, 0);

        const back = run('restore', file, '--data', restored);
        assert.equal(back.code, 0, back.err);
        assert.deepEqual(names(restored), before);
        for (const folder of [data.path, restored]) {
            const checked = run('verify', '--data', folder);
            assert.equal(checked.code, 0, checked.out + checked.err);
        }
    });

    it('restores nothing over data that is there', () => {
        const kept = names(data.path);
        const refused = run('restore', file, '--data', data.path);
        assert.notEqual(refused.code, 0);
        assert.equal(refused.err.trim().split('\n').length, 1, refused.err);
        assert.deepEqual(names(data.path), kept);
    });
});

describe('config', () => {
    for (const client of ['claude-desktop', 'cursor']) {
        it(`prints what starts the server in ${client}`, async () => {
            const done = run('config', client, '--data', data.path);
            assert.equal(done.code, 0, done.err);
            const [server] = Object.values(JSON.parse(done.out).mcpServers);
            await starts(server.command, server.args);
        });
    }

    it('prints a command for claude-code that starts the server', async () => {
        const done = run('config', 'claude-code', '--data', data.path);
        assert.equal(done.code, 0, done.err);
        const [, command] = /^claude mcp add .+? -- (.+)$/m.exec(done.out);
        await starts('sh', ['-c', command]);
    });

    it('prints an address for vscode', () => {
        const done = run('config', 'vscode', '--data', data.path);
        assert.equal(done.code, 0, done.err);
        const [server] = Object.values(JSON.parse(done.out).servers);
        assert.match(server.url, /^http:\/\/.+\/transformation\/mcp$/);
    });

    /** A client started by these words finds tools under names it can use. */
    async function starts(command, args) {
        const client = new Client({ name: 'claude-ai', version: '1' });
        await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
        const { tools } = await client.listTools();
        await client.close();
        assert.ok(tools.length > 0);
        for (const tool of tools) assert.match(tool.name, /^[a-zA-Z0-9_-]{1,64}$/);
    }
});
