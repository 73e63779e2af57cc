import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";

const AgentNote = z.discriminatedUnion("kind", [
  z.object({ turn: z.string(), kind: z.literal("start") }),
  z.object({ turn: z.string(), kind: z.literal("text"), text: z.string() }),
  z.object({ turn: z.string(), kind: z.literal("output"), toolCallId: z.string(), output: z.string() }),
  z.object({ turn: z.string(), kind: z.literal("ask") }),
  z.object({ turn: z.string(), kind: z.literal("answer"), answer: z.string() }),
  z.object({ turn: z.string(), kind: z.literal("end"), stopReason: z.string() }),
]);
export type AgentNote = z.infer<typeof AgentNote>;

/** One turn by the agent's own word. */
export interface RecordedTurn {
  /** How often it was prompted with it. */
  starts: number;
  text: string;
  /** The last output by call. */
  readonly outputs: Map<string, string>;
  asks: number;
  readonly answers: string[];
  readonly ends: string[];
}

/** What the agents wrote down about all turns, by the number of the prompt. */
export function readAgentRecords(files: readonly string[]): ReadonlyMap<string, RecordedTurn> {
  const turns = new Map<string, RecordedTurn>();
  for (const file of files) {
    if (!existsSync(file)) continue;
    // An agent that was killed while it wrote leaves half a line, which it has not said either.
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const line of lines) add(turns, AgentNote.parse(JSON.parse(line)));
  }
  return turns;
}

function add(turns: Map<string, RecordedTurn>, note: AgentNote): void {
  const recorded = turns.get(note.turn) ?? newTurn();
  turns.set(note.turn, recorded);
  switch (note.kind) {
    case "start":
      recorded.starts += 1;
      break;
    case "text":
      recorded.text += note.text;
      break;
    case "output":
      recorded.outputs.set(note.toolCallId, note.output);
      break;
    case "ask":
      recorded.asks += 1;
      break;
    case "answer":
      recorded.answers.push(note.answer);
      break;
    case "end":
      recorded.ends.push(note.stopReason);
      break;
    default:
      note satisfies never;
  }
}

function newTurn(): RecordedTurn {
  return { starts: 0, text: "", outputs: new Map(), asks: 0, answers: [], ends: [] };
}
