import { readFileSync } from "node:fs";
import { z } from "zod";

const Line = z.looseObject({
  id: z.unknown().optional(),
  method: z.string().optional(),
  params: z
    .looseObject({ sessionId: z.string().optional(), update: z.looseObject({ sessionUpdate: z.string() }).optional() })
    .optional(),
  result: z.looseObject({ sessionId: z.string().optional(), stopReason: z.string().optional() }).optional(),
});
type Line = z.infer<typeof Line>;

const Chunk = z.looseObject({ content: z.looseObject({ text: z.string() }) });
const Tool = z.looseObject({
  toolCallId: z.string(),
  content: z.array(z.looseObject({ content: z.looseObject({ text: z.string() }).optional() })).optional(),
});

/** What one conversation was, by the word of the agent alone. */
export interface RecordedTalk {
  /** All its text, joined. */
  readonly text: string;
  /** The last output of every call, by the call's id. */
  readonly outputs: ReadonlyMap<string, string>;
  /** How often it asked for a permission. */
  readonly permissions: number;
  /** How often it asked with a form. */
  readonly questions: number;
  /** The ids of the prompts it has answered, in order. */
  readonly answered: readonly string[];
}

/** The agent's own record of what it sent, read without any of our code; conversations in the order they were made. */
export function readRecord(path: string): readonly RecordedTalk[] {
  // What follows the last end of a line is nothing, or a line that is being written.
  const whole = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const lines = whole.map((line) => Line.parse(JSON.parse(line)));
  const made = lines.flatMap(({ result }) => (result?.sessionId === undefined ? [] : [result.sessionId]));
  // An answer does not name its session: it ends the turn of the one that asked, which the caller knows by its id.
  const answered = lines.flatMap(({ id, result }) => (result?.stopReason === undefined ? [] : [String(id)]));
  return made.map((sessionId) => ({ ...talkOf(lines, sessionId), answered }));
}

function talkOf(lines: readonly Line[], sessionId: string): Omit<RecordedTalk, "answered"> {
  const own = lines.filter(({ params }) => params?.sessionId === sessionId);
  const updates = own.flatMap(({ params }) => params?.update ?? []);
  const outputs = new Map<string, string>();
  for (const update of updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"))) {
    const { toolCallId, content } = Tool.parse(update);
    if (!outputs.has(toolCallId)) outputs.set(toolCallId, "");
    if (content) outputs.set(toolCallId, content.map((part) => part.content?.text ?? "").join(""));
  }
  return {
    text: updates
      .filter(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk")
      .map((update) => Chunk.parse(update).content.text)
      .join(""),
    outputs,
    permissions: own.filter(({ method }) => method === "session/request_permission").length,
    questions: own.filter(({ method }) => method === "elicitation/create").length,
  };
}
