// The minimum between an agent and its readers: output of the agent is sent on as it arrives, input of a reader is
// written to the agent. Nothing is parsed, kept or merged. Usage: pipe-to-socket.ts <command> [args].
const agent = Bun.spawn(process.argv.slice(2), { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
const page = Bun.file(new URL("./bare-page.html", import.meta.url));

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  fetch: (request, self) => {
    if (new URL(request.url).pathname === "/ws" && self.upgrade(request)) return undefined;
    return new Response(page);
  },
  websocket: {
    open: (socket) => void socket.subscribe("readers"),
    message: async (_, data) => {
      agent.stdin.write(`${data}\n`);
      await agent.stdin.flush();
    },
  },
});
process.stdout.write(`${JSON.stringify({ port: server.port, pid: process.pid })}\n`);

const decoder = new TextDecoder();
for await (const bytes of agent.stdout) server.publish("readers", decoder.decode(bytes, { stream: true }));
