import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

/** What one prompt makes the agent do, in order; steps after `end` come after the turn. */
const Step = z.union([
  z.object({ update: z.record(z.string(), z.unknown()) }),
  /** Says a text of this many characters. */
  z.object({ fill: z.int() }),
  /** Without an end the turn lasts until it is cancelled. */
  z.object({ end: z.string() }),
  /** Answers the prompt before this one once more. */
  z.object({ endEarlier: z.string() }),
  z.object({ fail: z.object({ code: z.int(), message: z.string() }) }),
  z.object({ exit: z.int() }),
]);
type Step = z.infer<typeof Step>;

const Request = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});
type Request = z.infer<typeof Request>;
const Prompt = z.tuple([z.object({ text: z.string() })]);

const DIE_ON = "--die-on";
const REFUSE = "--refuse";

/** A real agent process for what the built-in one never does; with `dieOn` or `refuse` a method ends it or fails. */
export function scriptedAgent(quirk: { dieOn?: string; refuse?: string } = {}): AgentSetting {
  const flags = [
    ...(quirk.dieOn === undefined ? [] : [DIE_ON, quirk.dieOn]),
    ...(quirk.refuse === undefined ? [] : [REFUSE, quirk.refuse]),
  ];
  return { name: "Scripted", command: process.execPath, args: [import.meta.path, ...flags] };
}

/** The prompt that makes it act. */
export function script(...steps: Step[]): string {
  return JSON.stringify(steps);
}

/** A step that says something. */
export function chunk(text: string, messageId?: string): { update: Record<string, unknown> } {
  const content = { type: "text", text };
  return { update: { sessionUpdate: "agent_message_chunk", content, ...(messageId !== undefined && { messageId }) } };
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function answer({ id, method, params }: Request): void {
  if (method === "session/cancel") end("cancelled");
  if (id === undefined) return;
  if (valueAfter(DIE_ON) === method) process.exit(3);
  if (valueAfter(REFUSE) === method) write({ id, error: { code: -32603, message: `${method} is refused` } });
  else if (method === "session/prompt") play(id, String(params["sessionId"]), Prompt.parse(params["prompt"])[0].text);
  else write({ id, result: RESULTS[method]?.() ?? {} });
}

const RESULTS: Readonly<Record<string, () => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": () => ({ sessionId: crypto.randomUUID(), configOptions: CONFIG_OPTIONS }),
  "session/resume": () => ({ configOptions: CONFIG_OPTIONS }),
};
const CONFIG_OPTIONS = [
  { id: "pace", name: "Pace", type: "select", currentValue: "slow", options: [{ value: "slow", name: "Slow" }] },
];

let currentId: unknown;
let earlierId: unknown;

function end(stopReason: string): void {
  if (currentId !== undefined) write({ id: currentId, result: { stopReason } });
  earlierId = currentId ?? earlierId;
  currentId = undefined;
}

function play(id: unknown, sessionId: string, text: string): void {
  currentId = id;
  for (const step of z.array(Step).parse(JSON.parse(text))) {
    if ("update" in step) write({ method: "session/update", params: { sessionId, update: step.update } });
    else if ("fill" in step)
      write({ method: "session/update", params: { sessionId, ...chunk("x".repeat(step.fill)) } });
    else if ("end" in step) end(step.end);
    else if ("endEarlier" in step) write({ id: earlierId, result: { stopReason: step.endEarlier } });
    else if ("fail" in step) write({ id, error: step.fail });
    else process.exit(step.exit);
  }
}

function valueAfter(flag: string): string | undefined {
  const index = process.argv.indexOf(flag);
  return index === -1 ? undefined : process.argv[index + 1];
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) answer(Request.parse(JSON.parse(line)));
}
