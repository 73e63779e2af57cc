import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

const Pairs = z.array(z.object({ name: z.string(), value: z.string() }));
const Offered = z.array(
  z.union([
    z.object({ type: z.literal("http"), name: z.string(), url: z.string(), headers: Pairs }),
    z.object({ name: z.string(), command: z.string(), args: z.array(z.string()), env: Pairs }),
  ]),
);
const LOOK_MS = 10;
type Offer = z.infer<typeof Offered>[number];

/**
 * An agent that uses what it is offered before it answers `session/new`, as real ones do, and then tells what it found.
 * `look again` makes it look where it was told then, `after <file>` too, once that file is there.
 */
export function eagerAgent(canHttp: boolean, more: Partial<AgentSetting> = {}): AgentSetting {
  return { name: "Eager", command: process.execPath, args: [import.meta.path, String(canHttp)], ...more };
}

async function look(offered: readonly Offer[]): Promise<string> {
  const reports = offered.map(async (offer) => {
    const client = new Client({ name: "eager", version: "1" });
    try {
      await client.connect(transportTo(offer));
      const { tools } = await client.listTools();
      return `${offer.name} over ${"url" in offer ? "http" : "stdio"}: ${tools.length} tools`;
    } catch (error) {
      return `${offer.name}: ${String(error)}`;
    } finally {
      await client.close();
    }
  });
  return (await Promise.all(reports)).join("\n") || "nothing";
}

function transportTo(offer: Offer) {
  const pairs = ("url" in offer ? offer.headers : offer.env).map(({ name, value }) => [name, value]);
  const given: Record<string, string> = Object.fromEntries(pairs);
  if ("url" in offer) return new StreamableHTTPClientTransport(new URL(offer.url), { requestInit: { headers: given } });
  const inherited = { PATH: process.env["PATH"] ?? "", LIMINAL_TEST_CASE: process.env["LIMINAL_TEST_CASE"] ?? "" };
  return new StdioClientTransport({ command: offer.command, args: offer.args, env: { ...inherited, ...given } });
}

if (import.meta.main) {
  const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let offered: readonly Offer[] = [];
  let found = "";
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      const agentCapabilities = { mcpCapabilities: { http: process.argv[2] === "true" } };
      write({ id, result: { protocolVersion: 1, agentCapabilities } });
    } else if (method === "session/new") {
      offered = Offered.parse(params.mcpServers);
      found = await look(offered);
      write({ id, result: { sessionId: "eager" } });
    } else if (method === "session/prompt") {
      const [, file] = /^after (.*)/.exec(params.prompt[0].text) ?? [];
      while (file !== undefined && !existsSync(file)) await Bun.sleep(LOOK_MS);
      if (file !== undefined || params.prompt[0].text === "look again") found = await look(offered);
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: found } };
      write({ method: "session/update", params: { sessionId: "eager", update } });
      write({ id, result: { stopReason: "end_turn" } });
    }
  }
}
