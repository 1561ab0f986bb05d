// The official conformance suite, both frozen requirement sets, against two programs.
//
// The fixture has the names the suite asks for on the runtime of the product: every scored scenario must pass, and there is
// no file of expected failures. The product has none of those names: its total is printed, and what fails there must fail for
// want of the fixture or of a feature that the product does not advertise, never for the protocol.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chancery, dataDirectory, fixture, listen } from '../clients/typescript/chancery.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const suite = join(root, 'tests/clients/node_modules/@modelcontextprotocol/conformance');
const reports = join(process.env.TEST_LOGS ?? join(root, 'target/test-logs'), 'conformance');
const revisions = ['2026-07-28', '2025-11-25'];
const run_ms_max = 300_000;

// What the scenarios look up by a fixed name: a failed check that speaks of one of these missed the fixture.
const fixture_names = /test_[a-z_0-9]+|test:\/\/|json_schema_2020_12_tool|\b(greet|slow_compute|failing_job|protocol_error_job|confirm_delete|multi_input)\b/;

// Scenarios that begin with such a look-up, though their report does not always repeat the name.
const fixture_scenarios = [
    [/^(tools-call-|elicitation-sep|json-schema-2020-12$|server-sse-polling$)/, 'a tool of the fixture'],
    [/^resources-(read-|templates-read|subscribe|unsubscribe)/, 'a resource of the fixture'],
    [/^(prompts-get-|completion-complete$)/, 'a prompt of the fixture'],
    [/^input-required-result-(?!unsupported-methods|missing-input|ignore-extra|validate-input)/, 'a question of the fixture'],
];

// What a server need not have. The excuse holds only while the product does not advertise it.
const optional_scenarios = [
    [/^logging-set-level$/, 'logging', offers => !offers.logging],
    [/^tasks-/, 'tasks', offers => !offers.extensions?.['io.modelcontextprotocol/tasks']],
    [/^http-custom-header-server-validation$/, 'a tool with x-mcp-header', (offers, tools) => !JSON.stringify(tools).includes('x-mcp-header')],
];

let passed = 0;
let failed = 0;

function result(ok, text) {
    if (ok) passed += 1;
    else failed += 1;
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${text}`);
}

/** The scenarios that count for `revision`, as the suite's own frozen list names them. */
function scored(revision) {
    const list = readFileSync(join(suite, 'requirements', `${revision}.yaml`), 'utf8');
    const [, body] = /^server:\n((?: {2}- .*\n)+)/m.exec(list);
    return [...body.matchAll(/- (\S+)/g)].map(([, name]) => name);
}

/** Runs the suite and answers, for each scenario, what passed and which checks failed. */
async function run(url, revision, title) {
    const folder = join(reports, `${title}-${revision}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const program = join(suite, 'dist/index.js');
    const args = [program, 'server', '--url', url, '--requirements', revision, '-o', folder];
    const output = await new Promise(done => {
        // The exit code says whether any scenario failed, which the summary says better.
        execFile(process.execPath, args, { timeout: run_ms_max, maxBuffer: 64 << 20 }, (error, stdout, stderr) => done(stdout + stderr));
    });
    const scenarios = new Map();
    for (const [, mark, name, passes, failures] of output.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gm)) {
        scenarios.set(name, { ok: mark === '✓', passed: Number(passes), failed: Number(failures), faults: [] });
    }
    for (const entry of readdirSync(folder)) {
        const name = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1];
        const checks = JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8'));
        scenarios.get(name)?.faults.push(...checks.filter(check => check.status === 'FAILURE'));
    }
    if (scenarios.size === 0) console.log(output.split('\n').slice(-30).join('\n'));
    return scenarios;
}

function total(scenarios) {
    const sum = field => scenarios.reduce((all, [, scenario]) => all + scenario[field], 0);
    const good = scenarios.filter(([, scenario]) => scenario.ok).length;
    return `${good} of ${scenarios.length} scenarios (${sum('passed')} checks passed, ${sum('failed')} failed)`;
}

async function fixtureRun() {
    const server = await listen(fixture, ['--listen', '127.0.0.1:0']);
    try {
        for (const revision of revisions) {
            const scenarios = await run(`${server.origin}/mcp`, revision, 'fixture');
            const required = scored(revision);
            console.log(`fixture, ${revision}`);
            for (const name of required) {
                const scenario = scenarios.get(name);
                result(scenario?.ok === true, `${revision} ${name}${scenario ? '' : ': did not run'}`);
                for (const fault of scenario?.faults ?? []) console.log(`         ${fault.id}: ${fault.errorMessage}`);
            }
            const counted = [...scenarios].filter(([name]) => required.includes(name));
            const others = [...scenarios].filter(([name]) => !required.includes(name));
            console.log(`       scored: ${total(counted)}`);
            console.log(`       not scored: ${total(others)}`);
            for (const [name, scenario] of others) {
                for (const fault of scenario.faults) console.log(`         not scored, ${name}: ${fault.id}: ${fault.errorMessage}`);
            }
        }
    } finally {
        await server.stop();
    }
}

/** One stateless request to the product, for what it advertises. */
async function ask(url, method) {
    const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'chancery-test', version: '0' },
        'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
    };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta } }) });
    return (await response.json()).result;
}

/** Why a check fails on a product without the fixture, or nothing if that does not explain it. */
function excuse(scenario, fault, offers, tools) {
    if (fault.id === 'wire-schema-valid') return undefined;
    const optional = optional_scenarios.find(([names, , absent]) => names.test(scenario) && absent(offers, tools));
    if (optional) return `the product does not offer ${optional[1]}`;
    if (fixture_names.test(JSON.stringify(fault))) return 'a name of the fixture';
    return fixture_scenarios.find(([names]) => names.test(scenario))?.[1];
}

async function productRun() {
    const data = dataDirectory();
    const server = await listen(chancery, ['serve', '--open', '--listen', '127.0.0.1:0', '--data', data.path]);
    try {
        const url = `${server.origin}/transformation/mcp`;
        const { capabilities } = await ask(url, 'server/discover');
        const { tools } = await ask(url, 'tools/list');
        for (const revision of revisions) {
            const scenarios = [...(await run(url, revision, 'product'))];
            const required = scored(revision);
            console.log(`product without fixture, ${revision}`);
            console.log(`       scored: ${total(scenarios.filter(([name]) => required.includes(name)))}`);
            console.log(`       not scored: ${total(scenarios.filter(([name]) => !required.includes(name)))}`);
            const excuses = new Map();
            const real = [];
            for (const [name, { faults }] of scenarios) {
                for (const fault of faults) {
                    const why = excuse(name, fault, capabilities, tools);
                    if (why) excuses.set(why, (excuses.get(why) ?? 0) + 1);
                    else real.push(`${name}: ${fault.id}: ${fault.errorMessage}`);
                }
            }
            for (const [why, count] of excuses) console.log(`       ${count} checks failed for want of this: ${why}`);
            result(scenarios.length > 0 && real.length === 0, `${revision} fails on the product only for want of the fixture`);
            for (const fault of real) console.log(`         ${fault}`);
        }
    } finally {
        await server.stop();
        data.remove();
    }
}

for (const part of [fixtureRun, productRun]) {
    try {
        await part();
    } catch (error) {
        result(false, `${part.name}: ${error.message}`);
    }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
