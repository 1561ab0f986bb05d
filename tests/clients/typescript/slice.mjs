// The first slice as an agent lives it, told once and run by every official client, in every era, on both transports.
//
// A `Session` is what a client library is reduced to here; each test file writes one for its library:
//   tools(), call(tool, args), read(uri), templates(), prompts(), prompt(name, args), complete(ref, argument),
//   watch(uri, onUpdate) -> stop(), close(), and the protocol version it negotiated.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it, before, after } from 'node:test';

import { dataDirectory, serve, stdioArguments, chancery } from './chancery.mjs';

const notice_ms_max = 10_000;

/** The tools as published: the name of these clients says that they take dots. */
const catalog = JSON.parse(readFileSync(new URL('../../../gen/mcp/mcp-tool-catalog.json', import.meta.url)));
const tools_expected = catalog.capabilities
    .find(capability => capability.name === 'transformation')
    .tools.map(tool => tool.name)
    .sort();

/** HTTP: one server process, restarted in place; clients connect to its URL. */
export function overHttp(connect) {
    return data => {
        let server;
        return {
            async open() {
                server ??= await serve(data);
                return connect(new URL('/transformation/mcp', server.origin));
            },
            async restart() {
                const { code } = await server.stop();
                assert.equal(code, 0, `the server ends with 0 on SIGTERM:\n${server.log()}`);
                server = undefined;
            },
            async end() {
                await server?.stop();
            },
        };
    };
}

/** stdio: the client starts the server itself; a new client is a new process. */
export function overStdio(connect) {
    return data => ({
        open: () => connect({ command: chancery, args: stdioArguments(data) }),
        restart: async () => {},
        end: async () => {},
    });
}

/** Declares the slice for one client library, one era and one transport. */
export function slice(title, version, transport) {
    describe(title, () => {
        const data = dataDirectory();
        const server = transport(data.path);
        const key = randomUUID();
        const names = { component: `Orders ${key}`, service: `Order handling ${key}` };
        let session, component, service, relationship, sequence, before_update;

        before(async () => {
            session = await server.open();
        });
        after(async () => {
            await session?.close();
            await server.end();
            data.remove();
        });

        const answer = async (tool, args) => {
            const result = await session.call(tool, args);
            assert.ok(!result.isError, `${tool} was refused: ${text(result)}`);
            assert.ok(result.structuredContent, `${tool} answers structured content`);
            agrees(tool, result);
            return result.structuredContent;
        };
        const refusal = async (tool, args) => {
            const result = await session.call(tool, args);
            assert.equal(result.isError, true, `${tool} should be refused, but said ${text(result)}`);
            assert.equal(result.structuredContent, undefined, 'a refusal carries no structured content');
            assert.equal(result.content.length, 1, 'a refusal is one text block');
            const body = JSON.parse(text(result));
            assert.equal(body.success, false);
            return body.error;
        };
        const elements = async args => (await answer('transformation.listElements', { model_id: 'default', ...args })).elements;

        // one endpoint, every era.
        it(`speaks ${version}`, () => {
            assert.equal(session.version, version);
        });

        //
        it('lists the tools of the catalog', async () => {
            const tools = await session.tools();
            assert.deepEqual(tools.map(tool => tool.name).sort(), tools_expected);
            for (const tool of tools) {
                assert.equal(tool.inputSchema.type, 'object', tool.name);
                assert.equal(tool.outputSchema.type, 'object', tool.name);
                assert.ok(tool.description, tool.name);
                assert.equal(typeof tool.annotations.readOnlyHint, 'boolean', tool.name);
            }
        });

        //
        it('validates a write before it is made', async () => {
            const payload = { type: 'ApplicationComponent', name: names.component };
            const checked = await answer('transformation.validateWrite', { operation: 'createElement', payload });
            assert.equal(checked.valid, true);
            assert.deepEqual(await elements({ name: names.component }), [], 'a dry run writes nothing');
        });

        //
        it('creates elements from what an agent knows', async () => {
            const args = { type: 'ApplicationComponent', name: names.component, client_request_id: `component-${key}` };
            const made = await answer('transformation.createElement', args);
            component = made.element;
            assert.equal(made.success, true);
            assert.equal(made.outcome, 'committed');
            assert.equal(made.idempotent_replay ?? false, false);
            assert.equal(component.name, names.component);
            assert.equal(component.type, 'ApplicationComponent');
            assert.equal(component.layer, 'application');
            assert.equal(component.version, 1);
            assert.ok(component.id && component.version_id && component.model_id);

            const other = { type: 'ApplicationService', name: names.service, client_request_id: `service-${key}` };
            service = (await answer('transformation.createElement', other)).element;
            assert.notEqual(service.id, component.id);
        });

        //
        it('answers a retry with the first answer', async () => {
            const args = { type: 'ApplicationComponent', name: names.component, client_request_id: `component-${key}` };
            const again = await answer('transformation.createElement', args);
            assert.equal(again.idempotent_replay, true);
            assert.ok(again.original_request_time);
            assert.deepEqual(again.element, component);
            assert.equal((await elements({ name: names.component })).length, 1);
        });

        // The same key with other arguments is a mistake, not a retry.
        it('refuses the same key for other arguments', async () => {
            const args = { type: 'ApplicationComponent', name: `${names.component} again`, client_request_id: `component-${key}` };
            assert.equal((await refusal('transformation.createElement', args)).code, 'IDEMPOTENCY_KEY_REUSED');
        });

        it('joins them by a relationship', async () => {
            const args = { type: 'Realization', source_id: component.id, target_id: service.id, client_request_id: `edge-${key}` };
            const made = await answer('transformation.createRelationship', args);
            relationship = made.relationship;
            assert.equal(made.success, true);
            assert.equal(relationship.source_id, component.id);
            assert.equal(relationship.target_id, service.id);
            const again = await answer('transformation.createRelationship', args);
            assert.equal(again.idempotent_replay, true);
            assert.equal(again.relationship.id, relationship.id);
        });

        //
        it('reads them back by list and by name', async () => {
            const found = await elements({ layer: 'application' });
            assert.deepEqual(found.map(element => element.id).sort(), [component.id, service.id].sort());
            const edges = await answer('transformation.listRelationships', { model_id: 'default', element_id: component.id });
            assert.deepEqual(edges.relationships.map(edge => edge.id), [relationship.id]);
            assert.equal(edges.relationships[0].target_name, names.service);
            assert.equal(edges.read_context.selector, 'head');
        });

        it('pages through a list', async () => {
            const first = await answer('transformation.listElements', { model_id: 'default', page_size: 1 });
            assert.equal(first.elements.length, 1);
            assert.ok(first.next_page_token);
            const second = await answer('transformation.listElements', {
                model_id: 'default',
                page_size: 1,
                page_token: first.next_page_token,
            });
            assert.equal(second.elements.length, 1);
            const ids = [first.elements[0].id, second.elements[0].id].sort();
            assert.deepEqual(ids, [component.id, service.id].sort());
        });

        //
        it('reads a model and an element as resources', async () => {
            const patterns = (await session.templates()).map(template => template.uriTemplate);
            assert.ok(patterns.some(pattern => pattern.startsWith('transformation://element/')), patterns.join());
            assert.ok(patterns.some(pattern => pattern.startsWith('transformation://model/')), patterns.join());

            const uri = `transformation://element/${component.id}`;
            const [content] = await session.read(uri);
            assert.equal(content.uri, uri);
            assert.equal(content.mimeType, 'application/json');
            assert.equal(within(JSON.parse(content.text), 'element').name, names.component);

            const [model] = await session.read('transformation://model/default');
            assert.equal(within(JSON.parse(model.text), 'model').key, 'default');
        });

        it('refuses a resource that does not exist', async () => {
            await assert.rejects(session.read(`transformation://element/${randomUUID()}`));
        });

        // the refusal names the field and the fix.
        it('refuses a misspelt type and names the right one', async () => {
            const error = await refusal('transformation.createElement', { type: 'AppComponent', name: `Misspelt ${key}` });
            assert.equal(error.code, 'INVALID_ELEMENT_TYPE');
            assert.equal(error.field, 'type');
            assert.equal(error.suggestions.did_you_mean[0], 'ApplicationComponent');
            assert.deepEqual(await elements({ name: `Misspelt ${key}` }), []);
        });

        //
        it('refuses a relationship that the metamodel forbids', async () => {
            const args = { type: 'Realization', source_id: service.id, target_id: component.id };
            const error = await refusal('transformation.createRelationship', args);
            assert.equal(error.code, 'INVALID_RELATIONSHIP');
            assert.ok(error.suggestions.valid_relationships.length > 0);
            assert.ok(error.suggestions.valid_if_reversed.includes('Realization'));
        });

        //
        it('refuses an unknown element and shows similar ones', async () => {
            const args = { type: 'Realization', source_id: `Order ${key}`, target_id: service.id };
            const error = await refusal('transformation.createRelationship', args);
            assert.equal(error.code, 'ELEMENT_NOT_FOUND');
            assert.equal(error.field, 'source_id');
            assert.ok(error.suggestions.similar_elements.some(element => element.id === component.id));
        });

        //
        it('refuses a second element of the same name', async () => {
            const error = await refusal('transformation.createElement', { type: 'ApplicationComponent', name: names.component });
            assert.equal(error.code, 'DUPLICATE_NAME');
            assert.equal(error.suggestions.existing_element.id, component.id);
        });

        it('refuses an unknown field and names the nearest', async () => {
            const error = await refusal('transformation.createElement', {
                type: 'ApplicationComponent',
                name: `Typo ${key}`,
                descripton: 'misspelt',
            });
            assert.equal(error.code, 'VALIDATION_ERROR');
            assert.match(JSON.stringify(error), /"description"|'description'|`description`|description/);
        });

        it('updates an element', async () => {
            const head = await answer('transformation.listElements', { model_id: 'default' });
            sequence = head.read_context.sequence;
            assert.ok(sequence !== undefined, 'every answer echoes its point in history');
            await passed(component.updated_at);
            before_update = new Date().toISOString();
            await passed(before_update);
            const made = await answer('transformation.updateElement', { id: component.id, description: 'Takes orders' });
            assert.equal(made.previous_version, 1);
            assert.equal(made.new_version, 2);
            assert.equal(made.element.description, 'Takes orders');
        });

        it('refuses a stale version and says the current one', async () => {
            const args = { id: component.id, description: 'Stale', expected_version: 1 };
            const error = await refusal('transformation.updateElement', args);
            assert.equal(error.code, 'VERSION_CONFLICT');
            assert.equal(error.details.current_version, 2);
        });

        // subscriptions follow the facts.
        it('tells a subscriber that an element changed', async () => {
            const uri = `transformation://element/${component.id}`;
            let heard;
            const notice = new Promise(done => (heard = done));
            const stop = await session.watch(uri, heard);
            await answer('transformation.updateElement', { id: component.id, properties: { owner: 'sales' } });
            const late = new Promise((_, fail) => setTimeout(fail, notice_ms_max, new Error('no notice of the change')).unref());
            assert.equal(await Promise.race([notice, late]), uri);
            await stop();
        });

        //
        it('lists prompts, gets each, and refuses an unknown one', async () => {
            for (const { name, arguments: wanted = [] } of await session.prompts()) {
                const args = Object.fromEntries(wanted.map(argument => [argument.name, 'An order in one day']));
                const messages = await session.prompt(name, args);
                assert.ok(messages.length > 0, name);
            }
            await assert.rejects(session.prompt('no-such-prompt', {}));
        });

        it('completes the arguments of a resource', async () => {
            const patterns = (await session.templates()).map(template => template.uriTemplate);
            const complete = (kind, value) => {
                const uri = patterns.find(pattern => pattern.startsWith(`transformation://${kind}/`));
                const [, name] = /\{(\w+)\}/.exec(uri);
                return session.complete({ type: 'ref/resource', uri }, { name, value });
            };
            assert.deepEqual(await complete('model', 'def'), ['default']);
            assert.deepEqual(await complete('element', 'Orders'), [names.component]);
        });

        // what was acknowledged outlives the process.
        it('keeps everything over a restart', async () => {
            await session.close();
            await server.restart();
            session = await server.open();
            const [found] = await elements({ name: names.component });
            assert.equal(found.id, component.id);
            assert.equal(found.version, 3);
            assert.equal(found.description, 'Takes orders');
            assert.deepEqual(found.properties, { owner: 'sales' });
            const again = await answer('transformation.createElement', {
                type: 'ApplicationComponent',
                name: names.component,
                client_request_id: `component-${key}`,
            });
            assert.equal(again.idempotent_replay, true);
        });

        it('reads as it was, by sequence', async () => {
            const args = { model_id: 'default', name: names.component, read_context: { sequence } };
            const then = await answer('transformation.listElements', args);
            assert.deepEqual(then.elements, [component], 'the same bytes as when it was written');
            assert.deepEqual(then.read_context.sequence, sequence);
        });

        it('reads as it was, by time', async () => {
            const [then] = await elements({ name: names.component, read_context: { as_of: before_update } });
            assert.equal(then.version, 1);
            assert.equal(then.description, undefined);
        });

        it('deletes an element with its relationships and keeps its history', async () => {
            const made = await answer('transformation.deleteElement', { id: component.id });
            assert.deepEqual(made.deleted_relationships, [relationship.id]);
            assert.deepEqual((await elements({})).map(element => element.id), [service.id]);
            const [then] = await elements({ name: names.component, read_context: { sequence } });
            assert.equal(then.id, component.id);
            const error = await refusal('transformation.updateElement', { id: component.id, description: 'Gone' });
            assert.equal(error.code, 'ELEMENT_NOT_FOUND');
        });
    });
}

/** Clients differ in which part they show the model, so content and structured content say the same. */
function agrees(tool, { content, structuredContent }) {
    assert.ok(content.length > 0, `${tool}: content is never empty`);
    const entities = JSON.stringify(structuredContent);
    for (const block of content) {
        // one block of type resource for each entity: text says only what is not an entity.
        if (block.type === 'resource') {
            const { uri, mimeType, text } = block.resource;
            assert.equal(mimeType, 'application/json', tool);
            assert.equal(uri.split('/').at(-1), JSON.parse(text).id, tool);
            assert.ok(entities.includes(text), `${tool}: ${text} is part of the structured content`);
        } else {
            for (const [name, value] of Object.entries(JSON.parse(block.text))) {
                assert.deepEqual(value, structuredContent[name], `${tool}: ${name}`);
            }
        }
    }
}

function text(result) {
    return result.content?.map(block => block.text).join('') ?? '';
}

/** The body of a resource is the answer of a query, or the object itself. */
function within(body, field) {
    return body[field] ?? body;
}

/** Waits until the clock has left the millisecond of `moment`. */
async function passed(moment) {
    while (Date.now() <= Date.parse(moment) + 1) await new Promise(done => setTimeout(done, 1));
}
