import { entriesOf } from "../../../src/protocol/fold-message.ts";
import type { SessionState } from "../../../src/protocol/session-schema.ts";

const SHOWN_CHARS = 500;
const PARTS = ["seq", "title", "turn", "pending", "queue", "queuePaused"] as const;

/**
 * Where two folds of the same session differ, or null. What was said between two turns is open in a fold from the
 * beginning and settled at once in the store: only all entries together mean the same. One that came late has only the
 * newest of them.
 */
export function differenceOf(found: SessionState, expected: SessionState): string | null {
  const [ours, all] = [entriesOf(found), entriesOf(expected)];
  const theirs = found.hasMore ? all.slice(-ours.length) : all;
  if (ours.length !== theirs.length) return `${ours.length} entries, not ${theirs.length}`;
  const at = ours.findIndex((entry, index) => !Bun.deepEquals(entry, theirs[index]));
  if (at !== -1) return `entry ${at}: ${shown(ours[at])}, not ${shown(theirs[at])}`;
  for (const part of PARTS)
    if (!Bun.deepEquals(found[part], expected[part]))
      return `${part}: ${shown(found[part])}, not ${shown(expected[part])}`;
  return null;
}

function shown(value: unknown): string {
  return Bun.inspect(value).slice(0, SHOWN_CHARS);
}
