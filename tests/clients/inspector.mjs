// The inspector's command line against the server, over both transports: what a developer tries first.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';

import { chancery, dataDirectory, serve, stdioArguments } from './typescript/chancery.mjs';

const run = promisify(execFile);
const call_ms_max = 60_000;
const home = dataDirectory();
const program = launcher();

/** The package exports nothing, so its program is found beside its manifest. */
function launcher() {
    const folder = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'));
    return join(folder, 'clients/launcher/build/index.js');
}

async function inspect(target, ...options) {
    const args = [program, '--cli', ...target, ...options];
    // The inspector keeps a catalog in the home directory, which is not ours to touch.
    const env = { ...process.env, HOME: home.path, MCP_CATALOG_PATH: join(home.path, 'mcp.json') };
    const { stdout } = await run(process.execPath, args, { env, timeout: call_ms_max, maxBuffer: 16 << 20 });
    return JSON.parse(stdout);
}

//
function suite(title, start) {
    describe(`inspector, ${title}`, () => {
        const data = dataDirectory();
        let target, stop;
        before(async () => {
            ({ target, stop } = await start(data.path));
        });
        after(async () => {
            await stop?.();
            data.remove();
            home.remove();
        });

        it('lists the tools', async () => {
            const { tools } = await inspect(target, '--method', 'tools/list');
            const names = tools.map(tool => tool.name.replace('_', '.'));
            assert.ok(names.includes('transformation.createElement'), names.join());
            assert.ok(names.includes('transformation.listElements'), names.join());
        });

        it('finds no schema that some client would reject', async () => {
            // With --strict it exits 6 when a schema is not portable.
            await inspect(target, '--method', 'tools/list', '--strict');
        });

        it('calls a tool', async () => {
            const call = ['--method', 'tools/call', '--tool-name', 'transformation_createElement'];
            const result = await inspect(target, ...call, '--tool-arg', 'type=Goal', 'name=Inspected');
            assert.ok(!result.isError, JSON.stringify(result));
            assert.equal(result.structuredContent.element.name, 'Inspected');
        });

        it('reads a resource and lists the prompts', async () => {
            const { contents } = await inspect(target, '--method', 'resources/read', '--uri', 'transformation://model/default');
            assert.match(contents[0].text, /default/);
            const { prompts } = await inspect(target, '--method', 'prompts/list');
            assert.ok(Array.isArray(prompts));
        });
    });
}

suite('HTTP', async data => {
    const server = await serve(data);
    const target = [new URL('/transformation/mcp', server.origin).href, '--transport', 'http'];
    return { target, stop: () => server.stop() };
});
suite('stdio', async data => ({ target: [chancery, ...stdioArguments(data)], stop: async () => {} }));
