// Starts the server for a test: a free port, a data directory of its own, and an end by process id.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const start_ms_max = 30_000;
const stop_ms_max = 30_000;

/** The program under test; `./test` says where it was built. */
export const chancery = process.env.TEST_BINARY ?? join(root, 'target/debug/chancery');

/** The conformance fixture: the same runtime with the names the suite asks for. */
export const fixture = process.env.TEST_FIXTURE ?? join(root, 'target/debug/conformance-fixture');

const children = new Set();
process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
});

/** An empty data directory, and the function that removes it. */
export function dataDirectory() {
    const path = mkdtempSync(join(tmpdir(), 'chancery-test-'));
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The arguments of a stdio server on `data`, as a client's configuration would name them. */
export function stdioArguments(data, capability = 'transformation') {
    return ['serve', '--stdio', '--capability', capability, '--data', data];
}

/** Serves `data` over HTTP and answers once the server says where it listens. */
export async function serve(data, ...more) {
    return listen(chancery, ['serve', '--open', '--listen', '127.0.0.1:0', '--data', data, ...more]);
}

/** Runs a server program until its stderr says `listening on`. */
export async function listen(program, args) {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    const ended = new Promise(done => {
        child.once('exit', (code, signal) => {
            children.delete(child);
            done({ code, signal });
        });
    });
    let log = '';
    const origin = await new Promise((done, fail) => {
        const late = setTimeout(() => fail(new Error(`${program} did not say it listens:\n${log}`)), start_ms_max);
        child.once('error', error => fail(new Error(`${program} could not be started: ${error.message}`)));
        child.once('exit', code => fail(new Error(`${program} ended with ${code} before it listened:\n${log}`)));
        child.stdout.resume();
        child.stderr.setEncoding('utf8').on('data', text => {
            log = (log + text).slice(-20_000);
            const found = /listening on (https?:\/\/[0-9.:[\]]+)/.exec(log);
            if (found) {
                clearTimeout(late);
                done(found[1]);
            }
        });
    });
    return {
        origin,
        pid: child.pid,
        log: () => log,
        /** Ends the server the polite way and answers how it ended. */
        async stop() {
            child.kill('SIGTERM');
            const late = setTimeout(() => child.kill('SIGKILL'), stop_ms_max);
            const how = await ended;
            clearTimeout(late);
            return how;
        },
        /** Ends the server as a power cut would. */
        async kill() {
            child.kill('SIGKILL');
            return ended;
        },
    };
}
