import { expect } from "bun:test";
import type { Entry } from "../../src/protocol/entry.ts";
import type { AgentTalk } from "./agent-scene.ts";

/** An entry in short: its kind and its text. */
export type Line = readonly [type: Entry["type"], text: string, status?: string];

/** The transcript in short, without the notices that only say how a turn ended: the turn itself says that. */
export function outline(entries: readonly Entry[]): Line[] {
  return entries
    .filter((entry) => entry.type !== "notice" || entry.turnEnd === undefined)
    .map(
      (entry): Line =>
        entry.type === "tool-call" ? [entry.type, entry.name, entry.status] : [entry.type, entry.content],
    );
}

/** What is true after any turn: nothing runs, nothing asks, nothing is there twice, every text is whole. */
export function expectSettled(talk: AgentTalk): void {
  const { state, entries, scene, sessionId } = talk;
  expect(state.turn.state).toBe("idle");
  expect(state.pending).toEqual([]);
  expect(entries.filter((entry) => entry.type === "tool-call" && entry.status === "running")).toEqual([]);
  expectOnce(entries.map(({ entryId }) => entryId));
  expectOnce(entries.flatMap((entry) => (entry.type === "tool-call" ? [entry.toolCallId] : [])));
  const closed = [...scene.client.all("session:complete"), ...scene.client.all("session:cancelled")]
    .filter((message) => message.sessionId === sessionId)
    .map(({ entryId }) => entryId);
  expectOnce(closed);
  const streamed = scene.client
    .all("session:update")
    .filter(({ entry }) => entry.type === "assistant" || entry.type === "thinking");
  const own = streamed.filter((message) => message.sessionId === sessionId);
  expect(own.filter(({ entry }) => !closed.includes(entry.entryId))).toEqual([]);
}

function expectOnce(ids: readonly string[]): void {
  expect([...ids].sort()).toEqual([...new Set(ids)].sort());
}
