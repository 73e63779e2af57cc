import type { Entry } from "../../src/protocol/entry.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { EntryId, type SessionId, TurnId } from "../../src/protocol/ids.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { SEED_TIME } from "./next-commit.ts";
import type { SeedStore } from "./seed-store.ts";

const ENTRIES_PER_TURN = 4;
const CODE_EVERY_TURNS = 5;
const OUTPUT_LINES = 8;

export interface SeededSession {
  readonly id: SessionId;
  readonly title: string;
  readonly newestEntryId: EntryId;
}

/** A session whose turns look like real ones: a question, a thought, a tool call with output, an answer in Markdown. */
export function seedTranscript(store: SeedStore, title: string, cwd: string, entryCount: number): SeededSession {
  const id = store.createSession(title, cwd);
  let state = store.commit(id, EMPTY_SESSION, [{ type: "session:title-updated", title, source: "user" }]);
  let newest: Entry | undefined;
  for (let turn = 1; turn <= entryCount / ENTRIES_PER_TURN; turn++) {
    const turnId = TurnId.parse(`${title}-t${turn}`);
    const entries = entriesOfTurn(turnId, turn);
    newest = entries.at(-1);
    const updates = entries.map((entry): FactBody => ({ type: "session:update", entry }));
    state = store.commit(id, state, [
      { type: "session:turn", turn: { state: "running", turnId } },
      ...updates,
      { type: "session:turn", turn: { state: "idle", turnId, stopReason: "end_turn" } },
    ]);
  }
  if (!newest) throw new Error(`a transcript has at least ${ENTRIES_PER_TURN} entries`);
  return { id, title, newestEntryId: newest.entryId };
}

function entriesOfTurn(turnId: TurnId, turn: number): readonly Entry[] {
  // Random like those of real sessions: an index of ids in order would cost less to fill.
  const own = () => ({ entryId: EntryId.parse(crypto.randomUUID()), turnId });
  return [
    {
      ...own(),
      type: "user",
      content: `Question ${turn}: why does the build fail on the second run?`,
      timestamp: SEED_TIME,
    },
    {
      ...own(),
      type: "thinking",
      content: "The cache may hold a stale file. I look at the log first.",
      timestamp: SEED_TIME,
    },
    {
      ...own(),
      type: "tool-call",
      toolCallId: `${turnId}-call`,
      name: `Read build-${turn}.log`,
      kind: "read",
      status: "complete",
      content: "",
      result: Array.from(
        { length: OUTPUT_LINES },
        (_, line) => `step ${line}: compiled module ${turn}-${line} in 12 ms`,
      ).join("\n"),
    },
    { ...own(), type: "assistant", content: answer(turn), timestamp: SEED_TIME },
  ];
}

function answer(turn: number): string {
  const text = `## Finding ${turn}\n\nThe second run reads \`cache/index-${turn}.json\`, which the first run **did not** finish. Three things follow:\n\n- the write has to be atomic, so that a reader sees all of it or nothing\n- the reader has to check the version before it trusts a field\n- a test should kill the writer in between\n`;
  return turn % CODE_EVERY_TURNS === 0
    ? `${text}\n\`\`\`ts\nconst stage = \`\${path}.new\`;\nawait writeFile(stage, JSON.stringify(cache));\nawait rename(stage, path);\n\`\`\`\n`
    : text;
}
