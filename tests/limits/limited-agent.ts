import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

/** What the account refuses with: the error, the text before it, and what is told about its windows. */
const Shape = z.object({
  /** The prompt after it is accepted, however soon it comes. */
  once: z.boolean().optional(),
  /** Tool calls that were made before the account refused. */
  works: z.boolean().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  said: z.string().optional(),
  /** Null ends the turn as if nothing was wrong. */
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullable(),
  /** Codex reports a failed thread beside an ordinary end. */
  threadStatus: z.string().optional(),
});
export type Shape = z.input<typeof Shape>;

const Message = z.object({
  id: z.unknown(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
});
const Prompt = z.tuple([z.object({ text: z.string() })], z.unknown());

const PLACE = "TEST_LIMIT_PLACE";
const NAME = "TEST_LIMIT_NAME";
const SHAPE = "TEST_LIMIT_SHAPE";

/**
 * A real agent process whose account is used up while the test says so. Every prompt is written down before it is
 * answered, also over the death of the process.
 */
export class LimitedAccount {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** `name`: as the agent calls itself on the wire. */
  agent(name = "liminal-limited", more: Partial<AgentSetting> = {}): AgentSetting {
    const env = { [PLACE]: this.#dir, [NAME]: name };
    return { name: "Limited", command: process.execPath, args: [import.meta.path], env, ...more };
  }

  refuse(shape: Shape): void {
    writeFileSync(join(this.#dir, "refuses.json"), JSON.stringify(shape));
  }

  accept(): void {
    writeFileSync(join(this.#dir, "refuses.json"), "null");
  }

  /** What the model was asked, in order, whether it answered or not. */
  get asked(): readonly { readonly sessionId: string; readonly text: string; readonly refused: boolean }[] {
    const path = join(this.#dir, "asked.jsonl");
    if (!existsSync(path)) return [];
    // The agent's process makes the file, and then writes the first line.
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  }
}

/** An agent whose account refuses every prompt in the same way. */
export function refusingAgent(shape: Shape, more: Partial<AgentSetting> = {}): AgentSetting {
  const env = { [SHAPE]: JSON.stringify(shape), [NAME]: "liminal-limited" };
  return { name: "Limited", command: process.execPath, args: [import.meta.path], env, ...more };
}

/** The account of Claude Code: its 5-hour window is used up, and it tells when that ends. */
export function claudeLimit(resetsAtMs: number): Shape {
  const said = "You've hit your 5-hour limit · resets 11:50pm (UTC)";
  const rate = { status: "rejected", resetsAt: Math.floor(resetsAtMs / 1_000), rateLimitType: "five_hour" };
  return {
    meta: { "_claude/rateLimit": rate },
    said,
    error: { code: -32603, message: `Internal error: ${said}`, data: { errorKind: "rate_limit" } },
  };
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function update(sessionId: unknown, body: object): void {
  write({ method: "session/update", params: { sessionId, update: body } });
}

/** Writes the prompt down; how the account refuses it, if it does. */
function ask(dir: string | undefined, sessionId: unknown, text: string): z.infer<typeof Shape> | null {
  if (dir === undefined) return Shape.parse(JSON.parse(process.env[SHAPE] ?? ""));
  const path = join(dir, "refuses.json");
  const shape = existsSync(path) ? Shape.nullable().parse(JSON.parse(readFileSync(path, "utf8"))) : null;
  appendFileSync(join(dir, "asked.jsonl"), `${JSON.stringify({ sessionId, text, refused: shape !== null })}\n`);
  if (shape?.once) writeFileSync(path, "null");
  return shape;
}

function answerPrompt(dir: string | undefined, id: unknown, params: Record<string, unknown>): void {
  const { sessionId } = params;
  const [{ text }] = Prompt.parse(params["prompt"]);
  const shape = ask(dir, sessionId, text);
  const say = (words: string) =>
    update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });
  if (shape === null) {
    say(`Done: ${text}`);
    write({ id, result: { stopReason: "end_turn" } });
    return;
  }
  if (shape.works) {
    const call = { toolCallId: crypto.randomUUID(), title: "Run tests", kind: "execute", status: "completed" };
    update(sessionId, { sessionUpdate: "tool_call", ...call });
  }
  if (shape.meta) update(sessionId, { sessionUpdate: "usage_update", used: 10, size: 100, _meta: shape.meta });
  if (shape.said !== undefined) say(shape.said);
  if (shape.threadStatus !== undefined)
    update(sessionId, {
      sessionUpdate: "session_info_update",
      _meta: { codex: { threadStatus: { type: shape.threadStatus } } },
    });
  write(shape.error === null ? { id, result: { stopReason: "end_turn" } } : { id, error: shape.error });
}

async function serve(dir: string | undefined, name: string): Promise<void> {
  const answers: Readonly<Record<string, (params: Record<string, unknown>) => object>> = {
    initialize: () => ({
      protocolVersion: 1,
      agentInfo: { name, version: "1.0.0" },
      agentCapabilities: { sessionCapabilities: { resume: {} } },
    }),
    "session/new": () => ({ sessionId: crypto.randomUUID() }),
    "session/resume": () => ({}),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method = "", params } = Message.parse(JSON.parse(line));
    if (method === "session/prompt") answerPrompt(dir, id, params);
    else if (id !== undefined)
      write({
        id,
        ...(answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: "no" } }),
      });
    if (method === "initialize")
      write({
        method: "_auth/status_update",
        params: { authStatus: { kind: "account", label: "Work", account: { email: "ada@example.org" } } },
      });
  }
}

if (import.meta.main) await serve(process.env[PLACE], process.env[NAME] ?? "");
