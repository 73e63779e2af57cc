import { expect, test } from "bun:test";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import { temporaryDirectory } from "./temporary-directory.ts";

const MAIN = join(import.meta.dir, "../../builtin-agent/main.ts");

test("the official SDK's strict client accepts every update and answer of a whole session", async () => {
  using directory = temporaryDirectory();
  const child = Bun.spawn([process.execPath, MAIN], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: directory.path,
      LIMINAL_GUIDE_RECORD: join(directory.path, "record"),
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const toAgent = new WritableStream<Uint8Array>({
    write: (chunk) => {
      child.stdin.write(chunk);
      child.stdin.flush();
    },
  });
  const updates: acp.SessionUpdate[] = [];
  const connection = acp
    .client({ name: "strict" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      updates.push(params.update);
    })
    .onRequest(acp.methods.client.session.requestPermission, () => ({
      outcome: { outcome: "selected", optionId: "allow-once" },
    }))
    .connect(acp.ndJsonStream(toAgent, child.stdout));
  const { agent } = connection;
  const clientCapabilities = { session: { notices: {}, compaction: {}, configOptions: { boolean: {} } } };
  await agent.request(acp.methods.agent.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities });
  const { sessionId } = await agent.request(acp.methods.agent.session.new, { cwd: directory.path, mcpServers: [] });
  for (const text of [
    "help",
    "all",
    "image",
    "plan",
    'edit a.txt "" "x"',
    "run echo hi",
    "read a.txt",
    "list",
    "search x",
  ]) {
    const prompt = [{ type: "text" as const, text }];
    expect(await agent.request(acp.methods.agent.session.prompt, { sessionId, prompt })).toEqual({
      stopReason: "end_turn",
    });
  }
  await agent.request(acp.methods.agent.session.load, { sessionId, cwd: directory.path, mcpServers: [] });
  await agent.request(acp.methods.agent.session.list, {});
  await agent.request(acp.methods.agent.session.delete, { sessionId });
  child.stdin.end();
  expect(await child.exited).toBe(0);
  await connection.closed;
  const record = await Bun.file(join(directory.path, "record")).text();
  const sent = record.split("\n").filter((line) => line.includes('"session/update"'));
  expect(updates).toHaveLength(sent.length);
  expect(updates).toEqual(sent.map((line) => JSON.parse(line).params.update));
});
