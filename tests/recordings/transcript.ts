import type { Entry } from "../../src/protocol/entry.ts";
import type { AgentTalk } from "../agents/agent-scene.ts";

/** Stands in recordings and transcripts where the project's own path was. */
export const PROJECT = "{{project}}";

/** Recordings keep only the first of the agent's many commands. */
export const COMMANDS_KEPT = 3;

/** Different in every run, and said nothing about. */
const OF_ONE_RUN = new Set(["entryId", "turnId", "timestamp", "startedAt", "endedAt", "commandId"]);

/** All that a person would see at the end, without what is different in every run. */
export function transcriptOf(talk: AgentTalk): unknown {
  const { state, entries, directory } = talk;
  const { stopReason, error } = state.turn;
  const seen = {
    title: state.title,
    turn: { state: state.turn.state, stopReason, error },
    pending: state.pending,
    queue: state.queue,
    options: Object.fromEntries(state.config.options.map(({ id, currentValue }) => [id, currentValue])),
    commands: state.config.commands.slice(0, COMMANDS_KEPT).map(({ name }) => name),
    entries: entries.map(lasting),
  };
  return JSON.parse(JSON.stringify(seen).replaceAll(directory, PROJECT));
}

function lasting(entry: Entry): object {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !OF_ONE_RUN.has(name)));
}
