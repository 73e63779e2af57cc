import { useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { adoptStyles } from "../../ui/styles/adopt-styles.ts";
import { Dialog } from "../controls/dialog.tsx";
import type { Shell } from "../state/shell.ts";
import { FileImport } from "./file-import.tsx";
import { FoundList } from "./found-list.tsx";
import { ImportResult } from "./import-result.tsx";
import { sessionsWord } from "./import-words.ts";
import styles from "./transfer.css" with { type: "text" };
import { type ImportStep, runningImport, useImport } from "./use-import.ts";

export interface ImportDialogProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
}

/** Sessions made outside the app: which of an agent's to take in, how far it is, and what came of it. */
export function ImportDialog({ shell, projectId }: ImportDialogProps) {
  adoptStyles(styles);
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
          <p>No agent is ready. Install one from New session first; a file can be imported without.</p>
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

/** One button through all steps, so that the focus stays where the hand is. */
function actionOf({ step }: ImportStep, chosen: number): string {
  switch (step) {
    case "running":
      return "Stop importing";
    case "done":
      return "Look again";
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
          Asking {agentName} what it has in {projectName}…
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
              : `All ${agentName} has in ${projectName} is here already.`}
          </p>
        );
      return <FoundList found={step.found} now={shell.nowMs.value} chosen={chosen} onChosen={onChosen} />;
    case "running": {
      const { done, total } = step.progress;
      return (
        <div class="import-progress">
          <progress max={total} value={done} aria-label="Import progress" />
          <p role="status">
            {done} of {sessionsWord(total)}. You can close this: it goes on.
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
