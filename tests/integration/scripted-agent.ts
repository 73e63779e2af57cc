import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentSetting } from "../support/test-server.ts";

const AnyMessage = z.looseObject({ method: z.string(), params: z.record(z.string(), z.unknown()).default({}) });

/** What one prompt makes the agent do, in order; steps after `end` come after the turn. */
const Step = z.union([
  z.object({ update: z.record(z.string(), z.unknown()) }),
  /** Sends a text of this many characters. */
  z.object({ fill: z.int() }),
  /** Without an end the turn lasts until it is cancelled. */
  z.object({ end: z.string() }),
  /** Answers the prompt before this one once more. */
  z.object({ endEarlier: z.string() }),
  z.object({ fail: z.object({ code: z.int(), message: z.string(), data: z.json().optional() }) }),
  z.object({ exit: z.int() }),
  /** Answers the prompt with exactly this. */
  z.object({ answer: z.json() }),
  /** Writes a line as it is. */
  z.object({ line: z.string() }),
  /** Sends any message; the session's id is added where its params name none. */
  z.object({ send: AnyMessage }),
  /** Sends a request, waits for its answer, prints it as text and continues. */
  z.object({ ask: AnyMessage.extend({ id: z.string() }) }),
  /** Waits for a file to be there: the test's word to go on, which needs no server. */
  z.object({ untilFile: z.string() }),
  /** Runs a command in the session's directory, as a shell tool would. */
  z.object({ shell: z.string() }),
  /** Prints the whole prompt it got, as JSON. */
  z.object({ echoPrompt: z.literal(true) }),
  /** What a cancel makes it do instead of ending the turn as cancelled. */
  z.object({ onCancel: z.array(z.unknown()) }),
]);
type Step = z.infer<typeof Step>;

/** `method` is absent in answers to what the agent asked. */
const Request = z.object({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
type Request = z.infer<typeof Request>;
const Prompt = z.tuple([z.object({ text: z.string() })]).rest(z.unknown());

/** As a `requestId`, the id of the prompt that is being played. */
export const OUR_PROMPT = "$prompt";

const LOOK_AGAIN_MS = 5;
const DIE_ON = "--die-on";
const REFUSE = "--refuse";
const REFUSE_CODE = "--refuse-code";
const REFUSE_WORDS = "--refuse-words";
const REFUSE_WHILE = "--refuse-while";
const ANSWERS = "--answers";
const SCRIPTS = "--scripts";
const MODELS = "--models";

interface Quirk {
  /** A method that ends the process. */
  readonly dieOn?: string;
  /** A method that fails, with -32603 or this code, in these words. */
  readonly refuse?: string;
  readonly refuseCode?: number;
  readonly refuseWords?: string;
  /** It fails only while this file is there. */
  readonly refuseWhile?: string;
  /** Results by method, in place of the ordinary ones. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** What prompts in plain words make it do; any other prompt is a script itself. */
  readonly scripts?: Readonly<Record<string, readonly z.input<typeof Step>[]>>;
  /** Models to choose from. Commands of a session find the chosen one in `$MODEL`. */
  readonly models?: readonly string[];
}

/** A real agent process for what the built-in one never does. */
export function scriptedAgent(quirk: Quirk = {}): AgentSetting {
  const flags = [
    ...(quirk.dieOn === undefined ? [] : [DIE_ON, quirk.dieOn]),
    ...(quirk.refuse === undefined ? [] : [REFUSE, quirk.refuse]),
    ...(quirk.refuseCode === undefined ? [] : [REFUSE_CODE, String(quirk.refuseCode)]),
    ...(quirk.refuseWords === undefined ? [] : [REFUSE_WORDS, quirk.refuseWords]),
    ...(quirk.refuseWhile === undefined ? [] : [REFUSE_WHILE, quirk.refuseWhile]),
    ...(quirk.answers === undefined ? [] : [ANSWERS, JSON.stringify(quirk.answers)]),
    ...(quirk.scripts === undefined ? [] : [SCRIPTS, JSON.stringify(quirk.scripts)]),
    ...(quirk.models === undefined ? [] : [MODELS, quirk.models.join(",")]),
  ];
  return { name: "Scripted", command: process.execPath, args: [import.meta.path, ...flags] };
}

/** The prompt that makes it act. */
export function script(...steps: z.input<typeof Step>[]): string {
  return JSON.stringify(steps);
}

/** A step that sends text. */
export function chunk(text: string, messageId?: string): { update: Record<string, unknown> } {
  const content = { type: "text", text };
  return { update: { sessionUpdate: "agent_message_chunk", content, ...(messageId !== undefined && { messageId }) } };
}

/** Steps that send `w1 w2 …` from one number to another, a word each. */
export function countFromTo(first: number, last: number): { update: Record<string, unknown> }[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const word = `w${first + index}`;
    return chunk(first + index === 1 ? word : ` ${word}`);
  });
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function answer({ id, method, params, result, error }: Request): void {
  if (method === undefined) heard(String(id), result ?? error);
  if (method === "session/cancel") cancel();
  if (id === undefined || method === undefined) return;
  if (valueAfter(DIE_ON) === method) process.exit(3);
  if (valueAfter(REFUSE) === method && existsSync(valueAfter(REFUSE_WHILE) ?? "/")) {
    const message = valueAfter(REFUSE_WORDS) ?? `${method} is refused`;
    write({ id, error: { code: Number(valueAfter(REFUSE_CODE) ?? -32603), message } });
  } else if (method === "session/prompt") {
    lastPrompt = params["prompt"];
    play(id, String(params["sessionId"]), Prompt.parse(params["prompt"])[0].text);
  } else if (method === "session/set_config_option" && offeredModels.length > 0) {
    const sessionId = String(params["sessionId"]);
    models.set(sessionId, String(params["value"]));
    write({ id, result: { configOptions: configOptions(sessionId) } });
  } else {
    const result = method in ODD_ANSWERS ? ODD_ANSWERS[method] : (RESULTS[method]?.() ?? {});
    const { sessionId = params["sessionId"] } = Object(result);
    if (params["cwd"] !== undefined) directories.set(String(sessionId), String(params["cwd"]));
    write({ id, result });
  }
}

const RESULTS: Readonly<Record<string, () => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": () => ({ sessionId: crypto.randomUUID(), configOptions: configOptions() }),
  "session/resume": () => ({ configOptions: configOptions() }),
};
const PACE = {
  ...{ id: "pace", name: "Pace", type: "select", currentValue: "slow" },
  options: [{ value: "slow", name: "Slow" }],
};
const offeredModels = (valueAfter(MODELS) ?? "").split(",").filter((model) => model !== "");
const models = new Map<string, string>();

function modelOf(sessionId = ""): string {
  return models.get(sessionId) ?? offeredModels[0] ?? "";
}

function configOptions(sessionId?: string): object[] {
  if (offeredModels.length === 0) return [PACE];
  const options = offeredModels.map((value) => ({ value, name: value.toUpperCase() }));
  const choice = { id: "model", name: "Model", category: "model", type: "select" };
  return [{ ...choice, currentValue: modelOf(sessionId), options }, PACE];
}

const ODD_ANSWERS = z.record(z.string(), z.unknown()).parse(JSON.parse(valueAfter(ANSWERS) ?? "{}"));
const KNOWN_SCRIPTS = z.record(z.string(), z.array(Step)).parse(JSON.parse(valueAfter(SCRIPTS) ?? "{}"));

const directories = new Map<string, string>();
let lastPrompt: unknown;
let currentId: unknown;
let earlierId: unknown;
let onCancel: (() => void) | null = null;
const waiting = new Map<string, (answer: unknown) => void>();

function cancel(): void {
  const act = onCancel ?? (() => end("cancelled"));
  onCancel = null;
  act();
}

function heard(id: string, told: unknown): void {
  const goOn = waiting.get(id);
  waiting.delete(id);
  goOn?.(told);
}

function end(stopReason: string): void {
  if (currentId !== undefined) write({ id: currentId, result: { stopReason } });
  earlierId = currentId ?? earlierId;
  currentId = undefined;
}

function play(id: unknown, sessionId: string, text: string): void {
  currentId = id;
  perform(id, sessionId, KNOWN_SCRIPTS[text] ?? z.array(Step).parse(JSON.parse(text)));
}

function perform(id: unknown, sessionId: string, steps: readonly Step[]): void {
  const update = (body: object) => write({ method: "session/update", params: { sessionId, ...body } });
  const send = ({ params, ...message }: z.infer<typeof AnyMessage>) => {
    const requestId = params["requestId"] === OUR_PROMPT ? { requestId: id } : {};
    write({ ...message, params: { sessionId, ...params, ...requestId } });
  };
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if ("ask" in step) {
    waiting.set(step.ask.id, (told) => {
      update(chunk(JSON.stringify(told)));
      perform(id, sessionId, rest);
    });
    send(step.ask);
    return;
  }
  if ("untilFile" in step) {
    const { untilFile } = step;
    const look = setInterval(() => {
      if (!existsSync(untilFile)) return;
      clearInterval(look);
      perform(id, sessionId, rest);
    }, LOOK_AGAIN_MS);
    return;
  }
  if ("update" in step) update(step);
  else if ("fill" in step) update(chunk("x".repeat(step.fill)));
  else if ("end" in step) end(step.end);
  else if ("endEarlier" in step) write({ id: earlierId, result: { stopReason: step.endEarlier } });
  else if ("fail" in step) write({ id, error: step.fail });
  else if ("answer" in step) write({ id, result: step.answer });
  else if ("line" in step) process.stdout.write(`${step.line}\n`);
  else if ("send" in step) send(step.send);
  else if ("shell" in step) runShell(sessionId, step.shell);
  else if ("echoPrompt" in step) update(chunk(JSON.stringify(lastPrompt)));
  else if ("onCancel" in step) onCancel = () => perform(id, sessionId, z.array(Step).parse(step.onCancel));
  else process.exit(step.exit);
  perform(id, sessionId, rest);
}

function runShell(sessionId: string, command: string): void {
  const env = { ...process.env, MODEL: modelOf(sessionId) };
  Bun.spawnSync(["/bin/sh", "-c", command], { cwd: directories.get(sessionId) ?? "/", env });
}

function valueAfter(flag: string): string | undefined {
  const index = process.argv.indexOf(flag);
  return index === -1 ? undefined : process.argv[index + 1];
}

if (import.meta.main) {
  for await (const line of createInterface({ input: process.stdin })) answer(Request.parse(JSON.parse(line)));
}
