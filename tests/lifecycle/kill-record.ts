import { expect } from "bun:test";
import type { Talk } from "../integration/talk.ts";
import { readRecord } from "./agent-record.ts";
import { WORK } from "./kill-work.ts";

const CONTEXT_CHARS = 80;

/** Byte for byte: what the transcript has is what the agent wrote down that it sent, in so many rounds. How many bytes. */
export function compareWithRecord(path: string, talks: readonly Talk[], rounds: number): number {
  const record = readRecord(path);
  let bytes = 0;
  for (const [index, talk] of talks.entries()) {
    const recorded = record[index];
    const kind = WORK[index]?.kind;
    if (!recorded) throw new Error("the agent has no record of this conversation");
    expect([kind, firstDifference(talk.answer, recorded.text)]).toEqual([kind, null]);
    expect(talk.tools.map(({ toolCallId, result = "" }) => [toolCallId, result])).toEqual([...recorded.outputs]);
    expect(new Set(talk.entries.map(({ entryId }) => entryId)).size).toBe(talk.entries.length);
    expect(recorded.permissions).toBe(kind === "tool" || kind === "permission" ? rounds : 0);
    expect(recorded.questions).toBe(kind === "question" ? rounds : 0);
    if (kind === "queue") expectHeardOnce(recorded.text, rounds);
    const turns = new Set(talk.entries.flatMap((entry) => (entry.type === "user" ? [String(entry.turnId)] : [])));
    // Prompted once: its id names the turn, and the agent has answered no turn twice. One that was stopped before it was
    // sent is never sent.
    const sentMin = kind === "cancel" ? 0 : 1;
    for (const turnId of turns) {
      const sent = recorded.answered.filter((id) => id.endsWith(turnId)).length;
      expect([kind, sent >= sentMin && sent <= 1]).toEqual([kind, true]);
    }
    bytes +=
      Buffer.byteLength(recorded.text) + [...recorded.outputs.values()].reduce((sum, text) => sum + text.length, 0);
  }
  return bytes;
}

/** Where they part, with what is around it: the texts themselves are too long to be read. */
function firstDifference(shown: string, recorded: string): object | null {
  if (shown === recorded) return null;
  let at = 0;
  while (shown[at] === recorded[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - CONTEXT_CHARS), at + CONTEXT_CHARS);
  return { at, chars: [shown.length, recorded.length], shown: around(shown), recorded: around(recorded) };
}

/** What was steered reached the agent in the turn, or, when that was over, as a message of its own: never twice. */
function expectHeardOnce(text: string, rounds: number): void {
  for (let round = 1; round <= rounds; round++)
    expect(text.split(`Received while working: left ${round}.`).length).toBeLessThanOrEqual(2);
}
