// A real ACP agent for the torture: it does what prompts of the form "#<id> <verb> <count> <everyMs>" say, and writes
// down what it says, byte for byte, before it says it. What it is told to do it does even where that is wrong.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { AgentNote } from "../scene/agent-record.ts";
import { forkChildren } from "./fork-children.ts";
import { lies } from "./lies.ts";

const recordFile = z.string().parse(process.argv[2]);
/** More than one line may have. */
const HUGE_LINE_BYTES = 129 * 1024 * 1024;
const HUGE_PIECE_BYTES = 1024 * 1024;

const Message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  result: z.unknown().optional(),
});
type Message = z.infer<typeof Message>;
/** What to do; notes about restored files and what was said in another directory come as further parts. */
const Order = z.object({ text: z.string().regex(/^#\d+ [a-z]+ \d+ \d+$/) });

interface Turn {
  readonly requestId: string | number;
  readonly sessionId: string;
  /** The number that the prompt named. */
  readonly turn: string;
  readonly count: number;
  readonly everyMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const turns = new Map<string, Turn>();
/** Where each session works. */
const directories = new Map<string, string>();
const asked = new Map<string, (answer: unknown) => void>();

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function note(noted: AgentNote): void {
  appendFileSync(recordFile, `${JSON.stringify(noted)}\n`);
}

function update(turn: Turn, body: object): void {
  write({ method: "session/update", params: { sessionId: turn.sessionId, update: body } });
}

function say(turn: Turn, text: string): void {
  note({ turn: turn.turn, kind: "text", text });
  update(turn, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
}

function end(turn: Turn, stopReason: "end_turn" | "cancelled"): void {
  clearTimeout(turn.timer);
  if (turns.get(turn.sessionId) !== turn) return;
  turns.delete(turn.sessionId);
  note({ turn: turn.turn, kind: "end", stopReason });
  write({ id: turn.requestId, result: { stopReason } });
}

/** Does `step` as often as the prompt said, at its pace, then `last`. */
function repeat(turn: Turn, step: (index: number) => void, last: () => void): void {
  let index = 0;
  const next = () => {
    if (turns.get(turn.sessionId) !== turn) return;
    if (index === turn.count) return last();
    step(index);
    index += 1;
    turn.timer = setTimeout(next, turn.everyMs);
  };
  next();
}

function word(turn: Turn, index: number): string {
  return `${turn.turn}.${index} `;
}

function runTool(turn: Turn): void {
  const toolCallId = `call-${turn.turn}`;
  let output = "";
  update(turn, { sessionUpdate: "tool_call", toolCallId, title: "Count", kind: "execute", status: "in_progress" });
  const tell = (status: string) => {
    note({ turn: turn.turn, kind: "output", toolCallId, output });
    const content = [{ type: "content", content: { type: "text", text: output } }];
    update(turn, { sessionUpdate: "tool_call_update", toolCallId, status, content });
  };
  const step = (index: number) => {
    output += `line ${word(turn, index)}\n`;
    tell("in_progress");
  };
  repeat(turn, step, () => {
    tell("completed");
    say(turn, `counted ${turn.turn}`);
    end(turn, "end_turn");
  });
}

function askFirst(turn: Turn): void {
  const id = `may-${turn.turn}`;
  asked.set(id, (answer) => {
    note({ turn: turn.turn, kind: "answer", answer: JSON.stringify(answer) });
    repeat(
      turn,
      (index) => say(turn, word(turn, index)),
      () => end(turn, "end_turn"),
    );
  });
  note({ turn: turn.turn, kind: "ask" });
  const toolCall = { toolCallId: `call-${turn.turn}`, title: "Count", kind: "execute" };
  const options = [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  write({ id, method: "session/request_permission", params: { sessionId: turn.sessionId, toolCall, options } });
}

const VERBS: Readonly<Record<string, (turn: Turn) => void>> = {
  say: (turn) =>
    repeat(
      turn,
      (index) => say(turn, word(turn, index)),
      () => end(turn, "end_turn"),
    ),
  tool: runTool,
  ask: askFirst,
  burst: (turn) => {
    for (let index = 0; index < turn.count; index++) say(turn, word(turn, index));
    end(turn, "end_turn");
  },
  /** Silent until it is cancelled. */
  stall: (turn) => say(turn, word(turn, 0)),
  lie: (turn) => {
    for (const lie of lies(turn.sessionId, turn.requestId)) process.stdout.write(`${lie}\n`);
    repeat(
      turn,
      (index) => say(turn, word(turn, index)),
      () => {
        end(turn, "end_turn");
        // The answer once more, and with another end.
        write({ id: turn.requestId, result: { stopReason: "refusal" } });
      },
    );
  },
  /** Writes files where it works. */
  write: (turn) => {
    const directory = join(z.string().parse(directories.get(turn.sessionId)), `by-${turn.turn}`);
    mkdirSync(directory, { recursive: true });
    repeat(
      turn,
      (index) => writeFileSync(join(directory, `${index}.txt`), `${turn.turn}.${index}\n`),
      () => {
        say(turn, word(turn, 0));
        end(turn, "end_turn");
      },
    );
  },
  fork: (turn) => {
    forkChildren(turn.count);
    say(turn, word(turn, 0));
    end(turn, "end_turn");
  },
  huge: (turn) => {
    const piece = "x".repeat(HUGE_PIECE_BYTES);
    for (let bytes = 0; bytes < HUGE_LINE_BYTES; bytes += HUGE_PIECE_BYTES) process.stdout.write(piece);
    process.stdout.write("\n");
    say(turn, word(turn, 0));
    end(turn, "end_turn");
  },
};

function prompt(id: string | number, params: Message["params"]): void {
  const sessionId = z.string().parse(params["sessionId"]);
  const parts = z.array(z.unknown()).parse(params["prompt"]);
  const { text } = Order.parse(parts.find((part) => Order.safeParse(part).success));
  const [name = "", verb = "", count = "", everyMs = ""] = text.split(" ");
  const turn: Turn = {
    ...{ requestId: id, sessionId, turn: name.slice(1) },
    ...{ count: Number(count), everyMs: Number(everyMs), timer: undefined },
  };
  note({ turn: turn.turn, kind: "start" });
  turns.set(sessionId, turn);
  VERBS[verb]?.(turn);
}

function openSession({ cwd, sessionId = crypto.randomUUID() }: Message["params"]): object {
  directories.set(String(sessionId), String(cwd));
  return { sessionId };
}

const RESULTS: Readonly<Record<string, (params: Message["params"]) => object>> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } }),
  "session/new": openSession,
  "session/resume": openSession,
};

function receive({ id, method, params, result }: Message): void {
  if (method === undefined) {
    const told = asked.get(String(id));
    // A second answer to the same question is written down, too: that is what the record is for.
    if (told) told(result);
  } else if (method === "session/cancel") {
    const turn = turns.get(String(params["sessionId"]));
    if (turn) end(turn, "cancelled");
  } else if (id !== undefined) {
    if (method === "session/prompt") prompt(id, params);
    else write({ id, result: RESULTS[method]?.(params) ?? {} });
  }
}

for await (const line of createInterface({ input: process.stdin })) receive(Message.parse(JSON.parse(line)));
