import { Icon } from "../../ui/icons/icon.tsx";
import { sessionsWord } from "./import-words.ts";
import type { Done } from "./use-import.ts";

/** What came of an import: how many, and which ones not and why. */
export function ImportResult({ done }: { readonly done: Done }) {
  const { failed, failedCount, problem } = done;
  return (
    <div class="import-result">
      <p role="status">{summaryOf(done)}</p>
      {problem !== undefined && (
        <p class="error-text" role="alert">
          <Icon name="fail" class="icon-sm" />
          <span>{problem}</span>
        </p>
      )}
      {failedCount > 0 && (
        <>
          <p>{sessionsWord(failedCount)} could not be imported:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <ul class="import-failed" tabIndex={0} aria-label="Could not be imported">
            {failed.map(({ agentSessionId, title, message }) => (
              <li key={agentSessionId}>
                <span class="truncate">{title ?? agentSessionId}</span>
                <span class="hint">{message}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function summaryOf({ adopted, known, cancelled }: Done): string {
  const here = known === 0 ? "" : ` ${sessionsWord(known)} ${known === 1 ? "was" : "were"} here already.`;
  if (cancelled) return `Stopped. ${sessionsWord(adopted)} came in and stay.${here}`;
  return `Imported ${sessionsWord(adopted)}.${here}`;
}
