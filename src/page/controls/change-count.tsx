import { filesWords, lineSides } from "../../presentation/changes-words.ts";
import type { ChangeCounts } from "../../protocol/changes.ts";

/**
 * How much of a session's work is neither reviewed nor committed: "+97 −14", or "5 files". Hidden from screen readers.
 */
export function ChangeCount({ counts }: { counts: ChangeCounts }) {
  const sides = lineSides(counts);
  return (
    <span class="change-count" aria-hidden="true">
      {sides.length === 0
        ? filesWords(counts.files)
        : sides.map(({ kind, words }) => (
            <span key={kind} class={`stat-${kind}`}>
              {words}
            </span>
          ))}
    </span>
  );
}
