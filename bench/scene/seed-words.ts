import type { Entry } from "../../src/protocol/entry.ts";
import type { FactBody } from "../../src/protocol/facts.ts";
import { EntryId, TurnId } from "../../src/protocol/ids.ts";
import { EMPTY_SESSION } from "../../src/protocol/session-schema.ts";
import { SeededRandom } from "../../tests/support/seeded-random.ts";
import { SEED_TIME } from "./next-commit.ts";
import { SeedStore } from "./seed-store.ts";

const VOCABULARY = 20_000;
const WORDS_PER_ENTRY = 100;
const ENTRIES_PER_TURN = 4;
const TURNS_PER_SESSION = 25;
const SYLLABLES = [
  "ka",
  "to",
  "mi",
  "re",
  "lu",
  "ban",
  "sor",
  "ex",
  "pil",
  "dra",
  "ven",
  "qu",
  "st",
  "ome",
  "ri",
  "fal",
];

/** The n-th most frequent word of a made-up language. */
export function wordAt(rank: number): string {
  const letters = rank.toString(SYLLABLES.length).split("");
  return (
    letters.map((digit) => SYLLABLES[Number.parseInt(digit, SYLLABLES.length)]).join("") + (rank % 7 === 0 ? "en" : "")
  );
}

/**
 * Fills the store of a server that is not running with this much text, common and rare words as in real conversations.
 */
export function seedWords(dataDir: string, wordCount: number): void {
  using store = SeedStore.of(dataDir);
  store.addProject(dataDir);
  const random = new SeededRandom("a million words");
  // A few words make up most of any text: the share of a word falls with its rank.
  const word = () => wordAt(Math.floor(VOCABULARY ** random.fraction()));
  const entryCount = wordCount / WORDS_PER_ENTRY;
  const sessionCount = Math.ceil(entryCount / (ENTRIES_PER_TURN * TURNS_PER_SESSION));
  store.db.exec("PRAGMA synchronous = OFF");
  for (let session = 0; session < sessionCount; session++) {
    const id = store.createSession(`talk ${session} about ${word()}`, dataDir);
    let state = EMPTY_SESSION;
    for (let turn = 0; turn < TURNS_PER_SESSION; turn++) {
      const turnId = TurnId.parse(`s${session}t${turn}`);
      const entries = Array.from({ length: ENTRIES_PER_TURN }, (_, place): Entry => {
        const content = Array.from({ length: WORDS_PER_ENTRY }, word).join(" ");
        const entryId = EntryId.parse(`${turnId}e${place}`);
        return { type: place === 0 ? "user" : "assistant", entryId, turnId, content, timestamp: SEED_TIME };
      });
      state = store.commit(id, state, [
        { type: "session:turn", turn: { state: "running", turnId } },
        ...entries.map((entry): FactBody => ({ type: "session:update", entry })),
        { type: "session:turn", turn: { state: "idle", turnId, stopReason: "end_turn" } },
      ]);
    }
  }
}
