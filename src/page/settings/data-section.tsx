import { useState } from "preact/hooks";
import { z } from "zod/mini";
import { CONFIRM_WORDS } from "../../protocol/limits.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { useAgentsStatus } from "../agents/agents-status.ts";
import { askServer, followWithTicket } from "../own-server.ts";

/** The data folder: where it is, backup, export and deletion. */
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
        Liminal Builder sends this data nowhere, except notices that you set up; agents use their own services. Use
        Export at the top of a session to save it as Markdown, a web page or JSON. Deleting never touches your project
        files.
      </p>
      {reading.phase === "failed" && (
        <p class="hint" role="status">
          The server is not responding. Trying again.
        </p>
      )}
    </>
  );
}

type Step = "idle" | "working" | "choosing";

/** Backup, export, and deletion. */
function DataActions() {
  const [step, setStep] = useState<Step>("idle");
  const [told, setTold] = useState<Asked | null>(null);
  const run = async (work: () => Promise<Asked>) => {
    setTold(null);
    setStep("working");
    setTold(await work());
    setStep("idle");
  };
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="button"
          disabled={step === "working"}
          onClick={() => void run(() => backUp(sizeWords))}
        >
          <Icon name="archive" class="icon-sm" />
          Back up now
        </button>
        <a
          class="button"
          href="/api/export-all"
          download=""
          onClick={(event) => followWithTicket(event, (words) => setTold({ ok: false, words }))}
        >
          <Icon name="download" class="icon-sm" />
          Export all sessions
        </a>
        <button
          type="button"
          class="button"
          aria-expanded={step === "choosing"}
          disabled={step === "working"}
          onClick={() => setStep(step === "choosing" ? "idle" : "choosing")}
        >
          <Icon name="trash" class="icon-sm" />
          Delete…
        </button>
      </div>
      {step === "choosing" && <DeleteChoice run={(which) => void run(() => deleteSessions(which, sizeWords))} />}
      <p class={told?.ok === false ? "error-text" : "hint"} role="status">
        {step === "working" ? "Working…" : (told?.words ?? "")}
      </p>
    </>
  );
}

function DeleteChoice({ run }: { run: (which: "archived" | "everything") => void }) {
  const [typed, setTyped] = useState("");
  return (
    <fieldset class="delete-choice">
      <legend>Danger zone</legend>
      <div class="setting">
        <span>Delete archived sessions permanently</span>
        <button type="button" class="button danger" onClick={() => run("archived")}>
          Delete archived sessions
        </button>
      </div>
      <form
        class="setting"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === CONFIRM_WORDS) run("everything");
        }}
      >
        <label for="confirm-delete">
          <span>
            Delete all sessions and the project list. To confirm, type <strong>{CONFIRM_WORDS}</strong>
          </span>
          <div class="field">
            <input
              id="confirm-delete"
              value={typed}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => setTyped(event.currentTarget.value)}
            />
          </div>
        </label>
        <button type="submit" class="button danger" disabled={typed !== CONFIRM_WORDS}>
          Delete everything
        </button>
      </form>
    </fieldset>
  );
}

const Failed = z.object({ error: z.string() });
const Written = z.object({ path: z.string(), bytes: z.number(), sessions: z.int() });
const Deleted = z.object({ sessions: z.int(), freedBytes: z.number() });

type Asked = { readonly ok: true; readonly words: string } | { readonly ok: false; readonly words: string };

/** Makes a backup; returns its path or the error. */
function backUp(size: (bytes: number) => string): Promise<Asked> {
  return ask("/api/backup", {}, (answer) => {
    const { path, bytes, sessions } = Written.parse(answer);
    return `${count(sessions)} in ${path} (${size(bytes)})`;
  });
}

function deleteSessions(which: "archived" | "everything", size: (bytes: number) => string): Promise<Asked> {
  const body = which === "archived" ? { which } : { which, confirm: CONFIRM_WORDS };
  return ask("/api/delete", body, (answer) => {
    const { sessions, freedBytes } = Deleted.parse(answer);
    return `${count(sessions)} deleted, ${size(freedBytes)} freed`;
  });
}

async function ask(path: string, body: object, words: (answer: unknown) => string): Promise<Asked> {
  try {
    const response = await askServer(path, { method: "POST", body: JSON.stringify(body) });
    const answer: unknown = await response.json();
    if (response.ok) return { ok: true, words: words(answer) };
    return { ok: false, words: Failed.safeParse(answer).data?.error ?? `The server returned ${response.status}.` };
  } catch {
    return { ok: false, words: "The server is not responding. Try again when it is back." };
  }
}

function count(sessions: number): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}

const KILOBYTE = 1024;
const UNITS = ["B", "kB", "MB", "GB"] as const;

/** "812 kB", "1.4 GB". */
function sizeWords(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(KILOBYTE)));
  const value = bytes / KILOBYTE ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[step]}`;
}
