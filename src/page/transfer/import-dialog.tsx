import { useEffect, useState } from "preact/hooks";
import { writerWords } from "../../protocol/errors.ts";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { AgentInfo, PlainServerMessage } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { relativeAge } from "../../ui/words/time-words.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { ImportMessage } from "../state/session-imports.ts";
import type { Shell } from "../state/shell.ts";
import { FileImport } from "./file-import.tsx";

interface ImportDialogProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
}

/** Sessions made outside the app: choose an agent's sessions, follow the progress, see the result. */
export function ImportDialog({ shell, projectId }: ImportDialogProps) {
  const { agents, projects } = shell.server.value;
  const ready = agents.filter(({ availability }) => availability === "ready");
  const [cliType, setCliType] = useState<CliType | null>(
    () => runningImport(shell, projectId, null)?.cliType ?? ready[0]?.id ?? null,
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const control = useImport(shell, projectId, cliType);
  const { step } = control;
  const agentName = agents.find(({ id }) => id === cliType)?.name ?? "The agent";
  const projectName = projects.find(({ id }) => id === projectId)?.name ?? "this project";
  const choose = (id: CliType) => {
    setChosen(new Set());
    setCliType(id);
  };
  const act = () => {
    if (step.step === "choosing" && chosen.size > 0) void control.start([...chosen]);
    else if (step.step === "running") control.cancel();
    else if (step.step === "done" || step.step === "refused") {
      setChosen(new Set());
      control.again();
    }
  };
  return (
    <Dialog title="Import sessions" onClose={() => shell.closeDialog()}>
      <div class="dialog-body import">
        <AgentField agents={ready} cliType={cliType} isBusy={step.step === "running"} onChoose={choose} />
        {cliType === null ? (
          <p>No agent is ready. Install one from New session first. Importing a file works without an agent.</p>
        ) : (
          <Step step={step} words={{ agentName, projectName }} shell={shell} chosen={chosen} onChosen={setChosen} />
        )}
        <FileImport shell={shell} projectId={projectId} cliType={cliType} agentName={agentName} />
      </div>
      <footer class="dialog-foot">
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
          Close
        </button>
        {cliType !== null && (
          <button type="button" class="button primary" aria-disabled={isIdle(step, chosen.size)} onClick={act}>
            {actionOf(step, chosen.size)}
          </button>
        )}
      </footer>
    </Dialog>
  );
}

function isIdle({ step }: ImportStep, chosen: number): boolean {
  return step === "asking" || (step === "choosing" && chosen === 0);
}

/** One button through all steps, so that the focus stays in place. */
function actionOf({ step }: ImportStep, chosen: number): string {
  switch (step) {
    case "running":
      return "Stop importing";
    case "done":
      return "Refresh";
    case "refused":
      return "Try again";
    default:
      return chosen === 0 ? "Import" : `Import ${sessionsWord(chosen)}`;
  }
}

interface AgentFieldProps {
  readonly agents: readonly AgentInfo[];
  readonly cliType: CliType | null;
  readonly isBusy: boolean;
  readonly onChoose: (id: CliType) => void;
}

function AgentField({ agents, cliType, isBusy, onChoose }: AgentFieldProps) {
  if (agents.length === 0) return null;
  return (
    <label class="import-agent">
      <span>Agent</span>
      <select
        class="native-select"
        data-first-focus
        disabled={isBusy}
        value={cliType ?? ""}
        onChange={(event) => {
          const found = agents.find(({ id }) => id === event.currentTarget.value);
          if (found) onChoose(found.id);
        }}
      >
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface StepProps {
  readonly step: ImportStep;
  readonly shell: Shell;
  readonly words: { readonly agentName: string; readonly projectName: string };
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

function Step({ step, shell, words: { agentName, projectName }, chosen, onChosen }: StepProps) {
  switch (step.step) {
    case "asking":
      return (
        <p role="status">
          Listing sessions of {agentName} in {projectName}…
        </p>
      );
    case "refused":
      return (
        <p class="error-text" role="alert">
          <Icon name="fail" class="icon-sm" />
          <span>{step.words}</span>
        </p>
      );
    case "choosing":
      if (step.found.sessions.length === 0)
        return (
          <p role="status">
            {step.found.known === 0
              ? `${agentName} has no sessions in ${projectName}.`
              : `All sessions of ${agentName} in ${projectName} are already here.`}
          </p>
        );
      return <FoundList found={step.found} now={shell.nowMs.value} chosen={chosen} onChosen={onChosen} />;
    case "running": {
      const { done, total } = step.progress;
      return (
        <div class="import-progress">
          <progress max={total} value={done} aria-label="Import progress" />
          <p role="status">
            {done} of {sessionsWord(total)}. You can close this dialog; the import continues.
          </p>
        </div>
      );
    }
    case "done":
      return <ImportResult done={step.done} />;
    default:
      return step satisfies never;
  }
}

/** The result of an import: how many, and which failed and why. */
function ImportResult({ done }: { readonly done: Done }) {
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
  const here = known === 0 ? "" : ` ${sessionsWord(known)} ${known === 1 ? "was" : "were"} already here.`;
  if (cancelled) return `Stopped. ${sessionsWord(adopted)} imported and kept.${here}`;
  return `Imported ${sessionsWord(adopted)}.${here}`;
}

function sessionsWord(count: number): string {
  return count === 1 ? "1 session" : `${count.toLocaleString("en")} sessions`;
}

export type Found = Extract<PlainServerMessage, { type: "import:found" }>;
export type Done = Extract<ImportMessage, { type: "import:done" }>;
export type Progress = Pick<Extract<ImportMessage, { type: "import:progress" }>, "importId" | "done" | "total">;

/** The step of the dialog; each has only its own data. */
type ImportStep =
  | { readonly step: "asking" }
  | { readonly step: "refused"; readonly words: string }
  | { readonly step: "choosing"; readonly found: Found }
  | { readonly step: "running"; readonly progress: Progress }
  | { readonly step: "done"; readonly done: Done };

interface ImportControl {
  readonly step: ImportStep;
  readonly start: (agentSessionIds: readonly string[]) => Promise<void>;
  readonly cancel: () => void;
  /** Requests the list again. */
  readonly again: () => void;
}

/** Requests an agent's list, imports the chosen sessions, and follows an import that already runs. */
function useImport(shell: Shell, projectId: ProjectId, cliType: CliType | null): ImportControl {
  const [asked, setAsked] = useState<ImportStep>({ step: "asking" });
  const [started, setStarted] = useState<Progress | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const running = cliType === null ? null : runningImport(shell, projectId, cliType);
    setStarted(running);
    if (cliType === null || running) return;
    let isWanted = true;
    const show = (step: ImportStep) => isWanted && setAsked(step);
    setAsked({ step: "asking" });
    void shell
      .attempt({ type: "import:list", projectId, cliType }, (words) => show({ step: "refused", words }))
      .then((found) => found?.type === "import:found" && show({ step: "choosing", found }));
    return () => {
      isWanted = false;
    };
  }, [projectId, cliType, round]);
  const start = async (agentSessionIds: readonly string[]) => {
    if (cliType === null) return;
    const answer = await shell.attempt(
      { type: "import:start", projectId, cliType, agentSessionIds: [...agentSessionIds] },
      (words) => setAsked({ step: "refused", words }),
    );
    if (answer?.type === "import:started") setStarted({ importId: answer.importId, total: answer.total, done: 0 });
  };
  return {
    step: started === null ? asked : stepOf(started, shell.imports.all.value.get(started.importId)),
    start,
    cancel: () => {
      if (started) void shell.attempt({ type: "import:cancel", importId: started.importId });
    },
    again: () => {
      setStarted(null);
      setRound(round + 1);
    },
  };
}

/** One that was started before the dialog was opened, for this agent or any. */
function runningImport(shell: Shell, projectId: ProjectId, cliType: CliType | null) {
  const own = [...shell.imports.all.peek().values()].findLast(
    (one) => one.projectId === projectId && (cliType === null || one.cliType === cliType),
  );
  return own?.type === "import:progress" ? own : null;
}

function stepOf(progress: Progress, latest: ImportMessage | undefined): ImportStep {
  if (latest?.type === "import:done") return { step: "done", done: latest };
  return { step: "running", progress: latest ?? progress };
}

interface FoundListProps {
  readonly found: Found;
  readonly now: number;
  readonly chosen: ReadonlySet<string>;
  readonly onChosen: (chosen: ReadonlySet<string>) => void;
}

const OPEN_WORDS = {
  working: "at work in a terminal",
  asking: "asks in a terminal",
  idle: "open in a terminal",
  open: "open in a terminal",
} as const;

/** The agent's sessions that are not imported yet: those that are open in a terminal first, then newest first. */
function FoundList({ found, now, chosen, onChosen }: FoundListProps) {
  const { sessions, isCut, brings } = found;
  const fresh = sessions.filter(({ deletedHere }) => deletedHere !== true).map(({ agentSessionId }) => agentSessionId);
  const isAll = fresh.every((id) => chosen.has(id));
  return (
    <div class="import-found">
      {fresh.length > 0 && (
        <label class="import-all">
          <input
            type="checkbox"
            checked={isAll}
            ref={(box) => {
              if (box) box.indeterminate = chosen.size > 0 && !isAll;
            }}
            onChange={() => onChosen(isAll ? new Set() : new Set([...chosen, ...fresh]))}
          />
          <span>Select all {fresh.length.toLocaleString("en")}</span>
        </label>
      )}
      <ul class="import-list" aria-label="Sessions to import">
        {sessions.map(({ agentSessionId, title, updatedAt, deletedHere, writer }) => (
          <li key={agentSessionId}>
            <label>
              <input
                type="checkbox"
                checked={chosen.has(agentSessionId)}
                onChange={() => onChosen(toggled(chosen, agentSessionId))}
              />
              <span class="truncate" title={title ?? agentSessionId}>
                {title ?? <span class="mono faint">{agentSessionId}</span>}
              </span>
              {writer && (
                <span class="import-open" title={`${writerWords(writer)} has it open`}>
                  <Icon name="terminal" class="icon-sm" />
                  {OPEN_WORDS[writer.doing ?? "open"]}
                </span>
              )}
              {deletedHere && <span class="import-deleted faint">deleted here</span>}
              {updatedAt !== undefined && (
                <time class="faint" dateTime={updatedAt} title={new Date(updatedAt).toLocaleString()}>
                  {relativeAge(updatedAt, now)}
                </time>
              )}
            </label>
          </li>
        ))}
      </ul>
      {brings === "memory" && (
        <p class="hint">
          This agent cannot replay transcripts. Its sessions are imported empty and continue from its own memory.
        </p>
      )}
      {isCut && <p class="hint">There are more sessions. Import some, then refresh.</p>}
    </div>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}
