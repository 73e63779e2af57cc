import type { SessionRow } from "../../protocol/session-schema.ts";
import { agentIconName } from "../../ui/icons/agent-icon-name.ts";
import { relativeAge } from "../../ui/words/relative-age.ts";
import { MARK_WORDS, sessionMark } from "../state/session-mark.ts";
import { agentOf, type ShellState } from "../state/shell-state.ts";
import type { PaletteEntry } from "./palette-entry.ts";

/** Every session, those that wait for the user first, then the newest; the one in view is no place to go to. */
export function sessionEntries(state: ShellState, nowMs: number, shown: string | null): readonly PaletteEntry[] {
  const waits = ({ turn }: SessionRow) => Number(turn.state === "waiting");
  return [...state.sessions.values()]
    .filter(({ id }) => id !== shown)
    .sort((a, b) => waits(b) - waits(a) || (a.lastActiveAt < b.lastActiveAt ? 1 : -1))
    .map((session) => sessionEntry(state, session, nowMs));
}

function sessionEntry(state: ShellState, session: SessionRow, nowMs: number): PaletteEntry {
  const { id, cliType, projectId, lastActiveAt, title } = session;
  const project = state.projects.find((one) => one.id === projectId)?.name ?? "";
  const agent = agentOf(state, cliType)?.name ?? cliType;
  const mark = sessionMark(session);
  const detail = [project, agent, MARK_WORDS[mark]].filter((words) => words !== "").join(" · ");
  return {
    id: `session ${id}`,
    group: "Sessions",
    words: title,
    detail,
    icon: agentIconName(cliType),
    mark,
    note: relativeAge(lastActiveAt, nowMs),
    act: (shell) => shell.open(id, { focus: true }),
  };
}
