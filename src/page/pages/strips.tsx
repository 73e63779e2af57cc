import { useEffect, useState } from "preact/hooks";
import { PROTOCOL_VERSION } from "../../protocol/version.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { askServer, followWithTicket } from "../own-server.ts";
import type { Shell } from "../state/shell.ts";
import { runsServer } from "../state/standing.ts";

const SECOND_MS = 1_000;

interface StripsProps {
  readonly shell: Shell;
  readonly now: () => number;
  readonly onRetry: () => void;
  readonly onReload: () => void;
}

/** Lines below the tabs: connection problems, and the last error. */
export function Strips({ shell, now, onRetry, onReload }: StripsProps) {
  const { protocol } = shell.server.value;
  const problem = shell.problem.value;
  return (
    <>
      <ConnectionStrip shell={shell} now={now} onRetry={onRetry} />
      <StorageStrip shell={shell} />
      <CrashStrip shell={shell} />
      <StartProblemsStrip shell={shell} />
      {protocol !== null && protocol !== PROTOCOL_VERSION && (
        <div class="strip" role="status">
          <Icon name="refresh" class="icon-sm" />
          <span>Liminal Builder was updated while this page was open</span>
          <button type="button" class="button small" onClick={onReload}>
            Reload
          </button>
        </div>
      )}
      {problem !== null && (
        <div class="strip error" role="alert">
          <Icon name="fail" class="icon-sm" />
          <span>{problem}</span>
          <button
            type="button"
            class="button small"
            onClick={() => {
              shell.problem.value = null;
            }}
          >
            Dismiss
          </button>
        </div>
      )}
    </>
  );
}

function ConnectionStrip({ shell, now, onRetry }: Omit<StripsProps, "onReload">) {
  const phase = shell.phase.value;
  const retryAt = phase.phase === "waiting-to-retry" ? phase.retryAt : null;
  const left = useSecondsLeft(retryAt, now);
  // The first retry is almost immediate: showing it would only flicker.
  if (phase.phase === "open" && shell.isServerSilent.value) return <SilentStrip />;
  if (phase.phase === "open" || phase.phase === "closed") return null;
  if (phase.phase === "connecting" && phase.failedTries === 0) return null;
  if (shell.signedOut.value) return <SignedOutStrip isOwner={runsServer(shell.server.value)} />;
  return (
    <div class="strip" role="status">
      <Icon name="unplug" class="icon-sm" />
      <span>
        Connection lost
        <span class="faint" aria-hidden="true">
          {left === null ? " · trying again" : ` · trying again in ${left} s`}
        </span>
        <span class="faint wide-only"> · agents keep working, drafts are kept</span>
      </span>
      <button type="button" class="button small" onClick={onRetry}>
        Retry now
      </button>
    </div>
  );
}

/** The socket is open, so there is nothing to retry: the server recovers by itself, or has to be restarted. */
function SilentStrip() {
  return (
    <div class="strip" role="status">
      <Icon name="clock" class="icon-sm" />
      <span>
        The server is not responding
        <span class="faint">
          {" "}
          · it may be busy. Your messages are sent when it responds. If this continues, restart Liminal Builder
        </span>
      </span>
    </div>
  );
}

/** Nothing can be stored: shown while it lasts, with advice. */
function StorageStrip({ shell }: Pick<StripsProps, "shell">) {
  const { writable, message } = shell.server.value.storage;
  if (writable) return null;
  return (
    <div class="strip error" role="alert">
      <Icon name="alert" class="icon-sm" />
      <span>
        <strong>Read-only.</strong> {message}
        <span class="faint wide-only"> You can still read everything. Agents are paused.</span>
      </span>
    </div>
  );
}

/** An earlier run ended unexpectedly: the user can read and delete the report. */
function CrashStrip({ shell }: Pick<StripsProps, "shell">) {
  const [deleted, setDeleted] = useState("");
  const name = shell.server.value.crashReport;
  if (name === null || name === deleted) return null;
  const address = `/api/crash?name=${encodeURIComponent(name)}`;
  const remove = async () => {
    const answer = await askServer(address, { method: "POST" }).catch(() => null);
    // Deleted elsewhere is deleted, too.
    if (answer?.ok || answer?.status === 404) setDeleted(name);
    else shell.notify("Could not delete the report. Try again when the server is back.");
  };
  return (
    <div class="strip" role="status">
      <Icon name="info" class="icon-sm" />
      <span>
        Liminal Builder ended unexpectedly
        <span class="faint wide-only"> · the crash report is stored on this machine only</span>
      </span>
      <a
        class="button small"
        href={address}
        target="_blank"
        rel="noreferrer"
        onClick={(event) => followWithTicket(event, (words) => shell.notify(words))}
      >
        Show
      </a>
      <button type="button" class="button small" onClick={() => void remove()}>
        Delete
      </button>
    </div>
  );
}

/** Unused settings and other problems found at the start: shown until dismissed, and again after the next start. */
function StartProblemsStrip({ shell }: Pick<StripsProps, "shell">) {
  const [dismissed, setDismissed] = useState("");
  const problems = shell.server.value.startProblems;
  const key = problems.join("\n");
  if (key === dismissed) return null;
  return (
    <div class="strip error start-problems" role="alert">
      <Icon name="alert" class="icon-sm" />
      <ul class="strip-list">
        {problems.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <button type="button" class="button small" onClick={() => setDismissed(key)}>
        Dismiss
      </button>
    </div>
  );
}

function SignedOutStrip({ isOwner }: { isOwner: boolean }) {
  const words = isOwner
    ? "open the link that the server printed at startup, or run liminal open"
    : "ask an owner of the server for a new link";
  return (
    <div class="strip" role="status">
      <Icon name="key" class="icon-sm" />
      <span>
        Signed out
        <span class="faint"> · {words}</span>
      </span>
    </div>
  );
}

function useSecondsLeft(until: number | null, now: () => number): number | null {
  const [atMs, setAtMs] = useState(now);
  useEffect(() => {
    if (until === null) return;
    setAtMs(now());
    const timer = setInterval(() => setAtMs(now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [until, now]);
  return until === null ? null : Math.max(1, Math.ceil((until - atMs) / SECOND_MS));
}
