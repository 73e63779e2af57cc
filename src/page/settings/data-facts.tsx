import { useAgentsStatus } from "../agents/agents-status.ts";
import { DataActions } from "./data-actions.tsx";
import { sizeWords } from "./size-words.ts";

/** Where everything lies, and how to keep a copy or be rid of it; only what works. */
export function DataFacts() {
  const reading = useAgentsStatus(null);
  const data = reading.phase === "read" ? reading.status.data : null;
  return (
    <>
      <dl class="facts">
        <dt>Data folder</dt>
        <dd class="mono">{data?.path ?? "…"}</dd>
        <dt>Size</dt>
        <dd>{data === null ? "…" : sizeWords(data.databaseBytes)}</dd>
      </dl>
      <DataActions />
      <p class="hint">
        Liminal Builder sends none of it anywhere; agents talk to their own services. Export at the top of a session
        gives it as Markdown, a web page or JSON. Files of your projects are never touched by deleting.
      </p>
      {reading.phase === "failed" && (
        <p class="hint" role="status">
          The server does not answer right now. Trying again.
        </p>
      )}
    </>
  );
}
