// The official conformance suite, both frozen requirement sets, against two programs.
//
// The fixture has the names the suite asks for on the runtime of the product: every scored scenario must pass, and there is
// no file of expected failures. The product has none of those names: its total is printed, and what fails there must be
// exactly the missing of a fixture name, never the protocol.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { chancery, dataDirectory, fixture, listen } from '../clients/typescript/chancery.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const suite = join(root, 'tests/clients/node_modules/@modelcontextprotocol/conformance');
const reports = join(process.env.CHANCERY_LOGS ?? join(root, 'target/test-logs'), 'conformance');
const revisions = ['2026-07-28', '2025-11-25'];
const run_ms_max = 300_000;

// What the scenarios look up by a fixed name. A failure on the product that speaks of none of these is a real one.
const fixture_names = /test_[a-z_0-9]+|test:\/\/|json_schema_2020_12_tool|\b(greet|slow_compute|failing_job|protocol_error_job|confirm_delete|multi_input)\b/;

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

async function productRun() {
    const data = dataDirectory();
    const server = await listen(chancery, ['serve', '--listen', '127.0.0.1:0', '--data', data.path]);
    try {
        for (const revision of revisions) {
            const scenarios = [...(await run(`${server.origin}/transformation/mcp`, revision, 'product'))];
            const required = scored(revision);
            console.log(`product without fixture, ${revision}`);
            console.log(`       scored: ${total(scenarios.filter(([name]) => required.includes(name)))}`);
            console.log(`       not scored: ${total(scenarios.filter(([name]) => !required.includes(name)))}`);
            const real = scenarios.flatMap(([name, scenario]) =>
                scenario.faults
                    .filter(fault => fault.id === 'wire-schema-valid' || !fixture_names.test(JSON.stringify(fault)))
                    .map(fault => `${name}: ${fault.id}: ${fault.errorMessage}`),
            );
            result(scenarios.length > 0 && real.length === 0, `${revision} fails on the product only where a fixture name is missing`);
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
