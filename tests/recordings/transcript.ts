import type { Entry, Part, ToolCallEntry } from "../../src/protocol/entry.ts";
import type { AgentTalk } from "../agents/agent-scene.ts";

/** Stands in recordings and transcripts where the project's own path was. */
export const PROJECT = "{{project}}";

/** Recordings keep only the first of the agent's many commands. */
export const COMMANDS_KEPT = 3;

/** All that a person would see at the end, as text for a person, without what is different in every run. */
export function transcriptOf(talk: AgentTalk): string {
  const { state, entries, directory } = talk;
  const { stopReason, error } = state.turn;
  const lines = [
    `# ${state.title}`,
    `turn: ${[state.turn.state, stopReason, error?.code].filter(Boolean).join(", ")}`,
    `choices: ${state.config.options.map(({ id, currentValue }) => `${id}=${currentValue}`).join(" ")}`,
    `commands: ${state.config.commands
      .slice(0, COMMANDS_KEPT)
      .map(({ name }) => `/${name}`)
      .join(" ")}`,
    `waiting: ${state.pending.length} questions, ${state.queue.length} messages`,
    ...entries.flatMap((entry) => ["", ...entryLines(entry)]),
  ];
  return `${lines.join("\n").replaceAll(directory, PROJECT)}\n`;
}

function entryLines(entry: Entry): string[] {
  switch (entry.type) {
    case "user":
      return [heading("user", entry), ...said(entry.content), ...parts(entry.attachments)];
    case "assistant":
      return [heading("assistant", entry, entry.messageId), ...said(entry.content), ...parts(entry.parts)];
    case "thinking":
      return [heading("thinking", entry, entry.messageId), ...said(entry.content)];
    case "notice":
      return [heading(`notice, ${entry.severity}`, entry, entry.turnEnd), ...said(entry.content)];
    case "tool-call":
      return [heading(`tool call, ${entry.status}`, entry, entry.toolCallId), ...toolLines(entry)];
    default:
      return [heading(entry.type, entry), ...said(entry.content)];
  }
}

function heading(words: string, { parentToolCallId }: Entry, id?: string): string {
  const parent = parentToolCallId === undefined ? "" : ` for ${parentToolCallId}`;
  return `── ${words}${id === undefined ? "" : ` (${id})`}${parent}`;
}

function toolLines(entry: ToolCallEntry): string[] {
  const { name, kind = "no kind", input, locations = [], result, error, output, permission, unfinished } = entry;
  return [
    `${kind}: ${name}`,
    ...(input === undefined ? [] : [`input: ${JSON.stringify(input)}`]),
    ...locations.map(({ path, line }) => `at: ${path}${line === undefined ? "" : `:${line}`}`),
    ...(permission ? [`permission: ${permission.answer} by ${permission.by}`] : []),
    ...(unfinished ? ["not finished when its turn ended"] : []),
    ...parts(entry.parts),
    ...(result === undefined ? [] : ["output:", ...said(result)]),
    ...(error === undefined ? [] : error === result ? ["error: its output"] : ["error:", ...said(error)]),
    ...(output === undefined ? [] : [`raw output: ${JSON.stringify(output)}`]),
  ];
}

function parts(all: readonly Part[] = []): string[] {
  return all.flatMap((part) => {
    if (part.type !== "diff") return [`part: ${JSON.stringify(part)}`];
    const { path, oldText, newText } = part;
    const signed = (sign: string, text: string) => text.split("\n").map((line) => `  ${sign} ${line}`.trimEnd());
    return [`diff: ${path}`, ...(oldText === null ? [] : signed("-", oldText)), ...signed("+", newText)];
  });
}

function said(text: string): string[] {
  return text.split("\n").map((line) => `  ${line}`.trimEnd());
}
