// A minimal web server on Bun: the baseline of a cold start. Prints its port.
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: () => new Response("ok") });
process.stdout.write(`${JSON.stringify({ port: server.port })}\n`);
