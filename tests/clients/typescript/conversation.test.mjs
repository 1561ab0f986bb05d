// The conversations that the specifications tell, held with the official client: a person asks, the agent calls.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

import { chancery, dataDirectory, serve } from './chancery.mjs';

const run_ms_max = 30_000;

/** Declares conversations with one server and one client; `settings` are given to the server as `--set`. */
function talk(title, settings, tell) {
    describe(title, () => {
        const data = dataDirectory();
        const client = new Client({ name: 'chancery-test', version: '2' });
        let server;
        before(async () => {
            server = await serve(data.path, ...settings.flatMap(setting => ['--set', setting]));
            await client.connect(new StreamableHTTPClientTransport(new URL('/transformation/mcp', server.origin)));
            // From here on the client checks every answer against the tool's output schema.
            await client.listTools();
        });
        after(async () => {
            await client.close();
            await server?.stop();
            data.remove();
        });
        const call = async (tool, args) => {
            const result = await client.callTool({ name: `transformation.${tool}`, arguments: args });
            assert.ok(!result.isError, `${tool} was refused: ${JSON.stringify(result.content)}`);
            return result.structuredContent;
        };
        tell(call, data.path);
    });
}

const names = items => items.map(item => item.name).sort();
const ends = items => items.map(item => `${item.source_name} ${item.type} ${item.target_name}`).sort();

//
talk('what capabilities are there, show Orders, create Fulfillment', [], call => {
    before(async () => {
        await call('createElement', { type: 'Capability', name: 'Order Management' });
        await call('createElement', { type: 'ApplicationComponent', name: 'Orders', key: 'orders-domain' });
        await call('createElement', { type: 'ApplicationComponent', name: 'Billing' });
        await call('createElement', { type: 'ApplicationService', name: 'Order handling' });
        await call('createRelationship', { type: 'Realization', source_id: 'orders-domain', target_id: 'Order Management' });
        await call('createRelationship', { type: 'Realization', source_id: 'orders-domain', target_id: 'Order handling' });
        await call('createRelationship', { type: 'Realization', source_id: 'Billing', target_id: 'Order Management' });
    });
    const capabilities = async () => names((await call('searchCapabilities', { query: '*', layer: 'strategy' })).elements);

    it('answers what capabilities the platform has', async () => {
        assert.deepEqual(await capabilities(), ['Order Management']);
    });

    it('shows the Orders domain and its relationships', async () => {
        const filter = { model_id: 'default', element_type: 'ApplicationComponent', name: 'orders' };
        const [orders, ...others] = (await call('listElements', filter)).elements;
        assert.deepEqual([orders.key, orders.layer, others], ['orders-domain', 'application', []]);
        const found = await call('listRelationships', { model_id: 'default', element_id: 'orders-domain' });
        assert.deepEqual(ends(found.relationships), [
            'Orders Realization Order Management',
            'Orders Realization Order handling',
        ]);
        assert.ok(found.relationships.every(edge => edge.source_id === orders.id));
    });

    it('creates a capability called Fulfillment', async () => {
        const intent = { operation: 'createElement', create_element: { type: 'Capability', name: 'Fulfillment' } };
        const made = await call('submitArchitectureIntent', intent);
        assert.deepEqual([made.outcome, made.element.layer], ['committed', 'strategy']);
        assert.deepEqual(await capabilities(), ['Fulfillment', 'Order Management']);
    });

    //
    it('finds the sample by every query', async () => {
        const drawing = { operation: 'createView', create_view: { name: 'Landscape', nodes: [{ element_id: 'Orders' }] } };
        await call('submitArchitectureIntent', drawing);
        const model_id = 'default';
        for (const [tool, args, part] of [
            ['listModels', {}, '"key":"default"'],
            ['getArchimateModel', { model_id }, '"name":"Landscape"'],
            ['listElements', { model_id, layer: 'application' }, '"name":"Billing"'],
            ['listRelationships', { model_id }, '"source_name":"Billing"'],
            ['getView', { view_id: 'Landscape' }, '"name":"Orders"'],
            ['searchCapabilities', { query: 'order' }, '"name":"Order Management"'],
            ['semanticSearch', { query: 'orders' }, '"element_name":"Orders"'],
            ['getContext', { query: 'orders' }, 'Order handling'],
        ]) {
            const answer = JSON.stringify(await call(tool, args));
            assert.ok(answer.includes(part), `${tool}: ${answer}`);
        }
    });
});

//
talk('validate OrderService, then create it', [], call => {
    const payload = { type: 'ApplicationComponent', name: 'OrderService' };
    const validate = payload => call('validateWrite', { operation: 'createElement', payload });

    it('is told about the missing description before the write', async () => {
        const { valid, errors, warnings } = await validate(payload);
        const code = 'MISSING_DESCRIPTION';
        const suggestion = 'Add a description for better discoverability';
        assert.deepEqual({ valid, errors }, { valid: true, errors: [] });
        assert.deepEqual(warnings, [{ code, message: 'Element has no description', suggestion }]);
    });

    it('adds one and creates the element', async () => {
        const described = { ...payload, description: 'Handles order processing and fulfillment' };
        assert.deepEqual((await validate(described)).warnings, []);
        const made = await call('createElement', described);
        assert.deepEqual(made.warnings, []);
        assert.deepEqual([made.element.layer, made.element.version], ['application', 1]);
        assert.ok(made.element.id && made.element.version_id && made.element.created_at);
        const [found] = (await call('listElements', { model_id: 'default', name: 'OrderService' })).elements;
        assert.equal(found.description, described.description);
    });
});

//
talk('high-level operations', [], call => {
    it('creates a capability with its decomposition', async () => {
        const made = await call('createCapabilityStructure', {
            name: 'Fulfillment',
            value_streams: ['Order to Cash'],
            sub_capabilities: ['Picking', 'Shipping'],
        });
        assert.equal(made.success, true);
        assert.equal(made.capability.name, 'Fulfillment');
        assert.deepEqual(names(made.created_elements), ['Fulfillment', 'Order to Cash', 'Picking', 'Shipping']);
        assert.deepEqual(ends(made.created_relationships), [
            'Fulfillment Composition Picking',
            'Fulfillment Composition Shipping',
            'Fulfillment Realization Order to Cash',
        ]);
    });

    it('adds a component that realizes it', async () => {
        const args = { capability_id: 'Fulfillment', component_name: 'WarehouseApp', services: ['Stock enquiry'] };
        const made = await call('addComponentToCapability', args);
        assert.equal(made.component.type, 'ApplicationComponent');
        assert.deepEqual(names(made.created_elements), ['Stock enquiry', 'WarehouseApp']);
        assert.deepEqual(ends(made.created_relationships), [
            'WarehouseApp Realization Fulfillment',
            'WarehouseApp Realization Stock enquiry',
        ]);
        const found = await call('listRelationships', { model_id: 'default', element_id: 'Fulfillment' });
        assert.equal(found.relationships.length, 4);
    });
});

//
talk('an agent proposes, the owner approves', ['role=agent'], (call, data) => {
    const goals = async () => names((await call('listElements', { model_id: 'default', element_type: 'Goal' })).elements);
    const status = async read_context => (await call('getProposal', { proposal_id: proposal.id, read_context })).proposal.status;
    let proposal, before_approval;

    it('makes a proposal of a write', async () => {
        const made = await call('createElement', { type: 'Goal', name: 'Sell more' });
        assert.equal(made.outcome, 'proposed');
        proposal = made.proposal;
        const listed = await call('listProposals', { status: 'PROPOSED' });
        assert.deepEqual(listed.proposals.map(({ id, operation }) => ({ id, operation })), [
            { id: proposal.id, operation: 'createElement' },
        ]);
        before_approval = { sequence: listed.read_context.sequence };
        assert.deepEqual(await goals(), [], 'the model is as it was');
    });

    it('finds the element once another process has approved it', async () => {
        const done = spawnSync(chancery, ['proposals', 'approve', proposal.id, '--data', data], {
            encoding: 'utf8',
            timeout: run_ms_max,
        });
        assert.equal(done.status, 0, done.stderr);
        assert.deepEqual(await goals(), ['Sell more']);
        assert.equal(await status(), 'ACCEPTED');
        assert.equal(await status(before_approval), 'PROPOSED', 'each step is on record');
        assert.deepEqual((await call('listProposals', { status: 'PROPOSED' })).proposals, []);
    });
});

//
talk('a view', [], call => {
    it('is drawn by an intent and read with what it shows', async () => {
        const { element } = await call('createElement', { type: 'ApplicationComponent', name: 'OrderService' });
        const nodes = [{ element_id: 'OrderService', x: 20, y: 20 }];
        const drawn = await call('submitArchitectureIntent', {
            operation: 'createView',
            create_view: { name: 'Order landscape', nodes },
        });
        const shown = await call('getView', { view_id: 'Order landscape' });
        assert.equal(shown.view.id, drawn.view.id);
        assert.deepEqual(names(shown.elements), ['OrderService']);
        const [{ element_id, x, y, width }] = shown.nodes;
        assert.deepEqual({ element_id, x, y, width }, { element_id: element.id, x: 20, y: 20, width: 120 });
    });
});
