import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

/** The prompt that it never stops working on. */
export const DIG = "dig";
/** Each of the two appends a byte this often at most. */
export const DIG_EVERY_MS = 10;

const Request = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z
    .looseObject({
      sessionId: z.string().optional(),
      cwd: z.string().optional(),
      prompt: z.array(z.looseObject({ text: z.string().optional() })).optional(),
    })
    .default({}),
});

/**
 * A real agent that ignores `session/cancel`, the end of its input and SIGTERM. `dig` makes it and a child of it append
 * to `<agent>-dug` and `<agent>-dug-by-child` in the session's directory until they are killed; any other prompt is
 * answered at once.
 */
export function deafAgent(topology: "shared" | "per-session", ...flags: ("--close" | "--delete")[]): AgentSetting {
  return { name: "Deaf", command: process.execPath, args: [import.meta.path, ...flags], process: topology };
}

const cwds = new Map<string, string>();

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function dig(cwd: string): void {
  const path = join(cwd, process.env["LIMINAL_AGENT"] ?? "");
  writeFileSync(`${path}-digger`, String(process.pid));
  setInterval(() => appendFileSync(`${path}-dug`, "x"), DIG_EVERY_MS);
  const child = `trap "" TERM; while :; do printf x >> "$1"; sleep ${DIG_EVERY_MS / 1_000}; done`;
  const command = ["/bin/sh", "-c", child, "digger", `${path}-dug-by-child`];
  Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
}

function answer(line: string): void {
  const { id, method, params } = Request.parse(JSON.parse(line));
  if (id === undefined || method === undefined) return;
  const { sessionId = crypto.randomUUID(), cwd, prompt } = params;
  if (cwd !== undefined) cwds.set(sessionId, cwd);
  if (method === "session/prompt" && prompt?.[0]?.text === DIG) dig(cwds.get(sessionId) ?? "");
  else write({ id, result: resultOf(method, sessionId) });
}

function resultOf(method: string, sessionId: string): object {
  if (method === "session/new") return { sessionId };
  if (method === "initialize") {
    const offers = (flag: string, name: string) => (process.argv.includes(flag) ? { [name]: {} } : {});
    const sessionCapabilities = { resume: {}, ...offers("--close", "close"), ...offers("--delete", "delete") };
    const agentInfo = { name: "deaf", version: "1.2.3" };
    return { protocolVersion: 1, agentInfo, agentCapabilities: { sessionCapabilities } };
  }
  if (method !== "session/prompt") return {};
  const content = { type: "text", text: `done by ${process.pid}` };
  write({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } } });
  return { stopReason: "end_turn" };
}

if (import.meta.main) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
  for await (const line of createInterface({ input: process.stdin })) answer(line);
}
