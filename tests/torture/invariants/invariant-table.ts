import { agentWords, agentWordsOnce } from "./agent-words.ts";
import { commandsDone, commandsDoneOnce } from "./commands-done.ts";
import { entriesStored } from "./entries-stored.ts";
import { factsKept } from "./facts-kept.ts";
import type { Invariant } from "./invariant.ts";
import { noStrays } from "./no-strays.ts";
import { nothingLeft } from "./nothing-left.ts";
import { readersEqual } from "./readers-equal.ts";
import { serverSound } from "./server-sound.ts";
import { filesKept, nothingHalfDone, terminalsHeld } from "./workspace-whole.ts";

/** After every round, when nothing is under way. The first reads the log, which the others look at. */
export const AFTER_ROUND: readonly Invariant[] = [
  factsKept,
  commandsDone,
  commandsDoneOnce,
  readersEqual,
  entriesStored,
  agentWords,
  agentWordsOnce,
  serverSound,
  noStrays,
  filesKept,
  nothingHalfDone,
  terminalsHeld,
];

/** After the server has stopped cleanly. */
export const AFTER_STOP: readonly Invariant[] = [nothingLeft];
