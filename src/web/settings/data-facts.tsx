import { useAgentsStatus } from "../shell/agents/use-agents-status.ts";

const KILOBYTE = 1024;
const UNITS = ["B", "kB", "MB", "GB"] as const;

/** Where everything lies, and how to keep a copy or be rid of it; only what works. */
export function DataFacts() {
  const reading = useAgentsStatus(null);
  const data = reading.phase === "read" ? reading.status.data : null;
  return (
    <>
      <dl class="facts">
        <dt>Everything is in</dt>
        <dd class="mono">{data?.path ?? "…"}</dd>
        <dt>Sessions and settings take</dt>
        <dd>{data === null ? "…" : sizeWords(data.databaseBytes)}</dd>
      </dl>
      <p class="hint">
        Liminal Builder sends none of it anywhere; agents talk to their own services. For a backup, stop the server and
        copy that directory. Export at the top of a session gives it as Markdown, a web page or JSON. To delete a
        session for good, open its menu in the sidebar; your projects' files are never touched by that.
      </p>
      {reading.phase === "failed" && (
        <p class="hint" role="status">
          The server does not answer right now. Trying again.
        </p>
      )}
    </>
  );
}

/** "812 kB", "1.4 GB". */
export function sizeWords(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(KILOBYTE)));
  const value = bytes / KILOBYTE ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[step]}`;
}
