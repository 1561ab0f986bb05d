// The TypeScript SDK 1.x, which most hosts of today embed. It speaks the initialize era only (2025-11-25 and before).
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

import { overHttp, overStdio, slice } from './slice.mjs';

async function session(transport) {
    const client = new Client({ name: 'chancery-test', version: '1' });
    // The client tells the transport the negotiated version by this call; the library offers no other way to ask.
    let version;
    const told = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = value => {
        version = value;
        told?.(value);
    };
    await client.connect(transport);
    return {
        version,
        // Also compiles the output schemas: from here on the client checks every answer against them.
        tools: async () => (await client.listTools()).tools,
        call: (tool, args) => client.callTool({ name: tool, arguments: args }),
        read: async uri => (await client.readResource({ uri })).contents,
        templates: async () => (await client.listResourceTemplates()).resourceTemplates,
        prompts: async () => (await client.listPrompts()).prompts,
        prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages,
        complete: async (ref, argument) => (await client.complete({ ref, argument })).completion.values,
        async watch(uri, onUpdate) {
            client.setNotificationHandler(ResourceUpdatedNotificationSchema, note => onUpdate(note.params.uri));
            await client.subscribeResource({ uri });
            return () => client.unsubscribeResource({ uri });
        },
        close: () => client.close(),
    };
}

//
slice('sdk 1.32, HTTP', '2025-11-25', overHttp(url => session(new StreamableHTTPClientTransport(url))));
//
slice('sdk 1.32, stdio', '2025-11-25', overStdio(how => session(new StdioClientTransport({ ...how, stderr: 'ignore' }))));
