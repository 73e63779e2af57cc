import { useId, useState } from "preact/hooks";
import { isModelOption, modelsOf } from "../../presentation/model-list.ts";
import { ATTEMPTS_MAX } from "../../protocol/attempts.ts";
import { COMMIT_MESSAGE_CHARS_MAX } from "../../protocol/changes.ts";
import type { CliType, ProjectId, SessionId } from "../../protocol/ids.ts";
import { PROMPT_CHARS_MAX } from "../../protocol/limits.ts";
import type { PermissionMode } from "../../protocol/permission-policy.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { agentIconName } from "../../ui/icons/icon-shapes.ts";
import { ModelPicker } from "../../ui/models/model-picker.tsx";
import { newCommandId } from "../../ui/new-command-id.ts";
import { useAgentOptions } from "../agents/use-agent-options.ts";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import { keepPromptDraft, promptDraft } from "../new-session/prompt-draft.ts";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { attemptRows } from "./attempts-page.tsx";

const MODES: readonly { readonly mode: PermissionMode | ""; readonly words: string }[] = [
  { mode: "", words: "As in the project's settings" },
  { mode: "ask", words: "Ask before edits and commands" },
  { mode: "edits", words: "Allow edits in its worktree" },
  { mode: "all", words: "Allow everything" },
];
const ATTEMPTS_MIN = 2;

/** One task for several agents at once. */
export function StartAttemptsDialog({ shell, projectId }: { shell: Shell; projectId: ProjectId }) {
  const { agents } = shell.server.value;
  const ready = agents.filter(({ availability }) => availability === "ready");
  const [task, setTask] = useState(promptDraft);
  const [mode, setMode] = useState<PermissionMode | "">("");
  const [counts, setCounts] = useState<ReadonlyMap<CliType, number>>(
    () => new Map(ready.slice(0, ATTEMPTS_MIN).map(({ id }) => [id, ready.length === 1 ? ATTEMPTS_MIN : 1])),
  );
  /** The model of each attempt of an agent; empty or absent: the one that its new sessions start with. */
  const [models, setModels] = useState<ReadonlyMap<CliType, readonly string[]>>(new Map());
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isBusy, setBusy] = useState(false);
  const taskId = useId();
  const modeId = useId();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const canStart = task.trim() !== "" && total >= ATTEMPTS_MIN && !isBusy;
  const write = (text: string) => {
    setTask(text);
    keepPromptDraft(text);
  };
  const set = (id: CliType, count: number) => setCounts((before) => new Map(before).set(id, count));
  const start = async () => {
    if (!canStart) return;
    setBusy(true);
    setTrouble(null);
    const chosen = ready.flatMap(({ id }) =>
      Array.from({ length: counts.get(id) ?? 0 }, (_one, index) => {
        const model = models.get(id)?.[index] ?? "";
        return { cliType: id, ...(model !== "" && { model }) };
      }),
    );
    const answer = await shell.attempt(
      {
        type: "attempts:start",
        projectId,
        content: task,
        agents: chosen,
        ...(mode !== "" && { policy: mode }),
        commandId: newCommandId(),
      },
      (_, why) => setTrouble(why),
    );
    setBusy(false);
    if (answer?.type !== "attempts:started") return;
    keepPromptDraft("");
    shell.closeDialog();
    shell.showAttempts(projectId, answer.groupId);
  };
  return (
    <Dialog title="Best of N" onClose={() => shell.closeDialog()}>
      <form
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <div class="dialog-body attempts-form">
          <label for={taskId}>Task</label>
          <textarea
            id={taskId}
            class="field"
            rows={4}
            data-first-focus=""
            placeholder="What every agent gets to do"
            maxLength={PROMPT_CHARS_MAX}
            value={task}
            readOnly={isBusy}
            onInput={({ currentTarget }) => write(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <fieldset>
            <legend>Agents</legend>
            {ready.length === 0 && <p class="hint">No agent is ready. Install one or sign in to one first.</p>}
            <ul class="attempters">
              {ready.map(({ id, name }) => (
                <li key={id}>
                  <Icon name={agentIconName(id)} />
                  <span class="truncate">{name}</span>
                  <Stepper
                    name={name}
                    count={counts.get(id) ?? 0}
                    canAdd={total < ATTEMPTS_MAX}
                    onChange={(count) => set(id, count)}
                  />
                  {(counts.get(id) ?? 0) > 0 && (
                    <AttemptModels
                      shell={shell}
                      cliType={id}
                      name={name}
                      count={counts.get(id) ?? 0}
                      models={models.get(id) ?? []}
                      onChange={(next) => setModels((before) => new Map(before).set(id, next))}
                    />
                  )}
                </li>
              ))}
            </ul>
          </fieldset>
          <label for={modeId}>Permissions</label>
          <select
            id={modeId}
            class="native-select"
            value={mode}
            onChange={({ currentTarget }) => setMode(MODES.find((one) => one.mode === currentTarget.value)?.mode ?? "")}
          >
            {MODES.map(({ mode: one, words }) => (
              <option key={one} value={one}>
                {words}
              </option>
            ))}
          </select>
          <p class="hint">Each attempt works in its own worktree, from the commit that is checked out now.</p>
          {trouble !== null && <TroubleNotice trouble={trouble} />}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-disabled={canStart ? undefined : "true"}>
            {isBusy ? "Making worktrees…" : total < ATTEMPTS_MIN ? "Start" : `Start ${total} attempts`}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface AttemptModelsProps {
  readonly shell: Shell;
  readonly cliType: CliType;
  readonly name: string;
  readonly count: number;
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}

/** One model for each attempt of an agent, if the agent has reported its models in a session. */
function AttemptModels({ shell, cliType, name, count, models, onChange }: AttemptModelsProps) {
  const agent = useAgentOptions(shell, cliType);
  const option = agent.options?.find(isModelOption);
  if (option === undefined) return null;
  const known = modelsOf(option);
  const usual = known.find(({ value }) => value === option.currentValue)?.name ?? option.currentValue;
  return (
    <span class="attempt-models">
      {Array.from({ length: count }, (_one, index) => (
        <ModelPicker
          key={index}
          class="boxed"
          label={count === 1 ? `Model of ${name}` : `Model of ${name}, attempt ${index + 1}`}
          models={known}
          value={models[index] ?? ""}
          otherwise={usual === "" ? "Its usual model" : `${usual} (as usual)`}
          favourites={agent.favourites}
          lastModel={agent.lastModel}
          onOpen={agent.read}
          onChoose={(value) =>
            onChange(Array.from({ length: count }, (_, at) => (at === index ? value : (models[at] ?? ""))))
          }
          onFavour={agent.favour}
        />
      ))}
    </span>
  );
}

interface StepperProps {
  readonly name: string;
  readonly count: number;
  readonly canAdd: boolean;
  readonly onChange: (count: number) => void;
}

function Stepper({ name, count, canAdd, onChange }: StepperProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons and a figure that belong together
    <span class="stepper" role="group" aria-label={`Attempts of ${name}`}>
      <button
        type="button"
        class="icon-button small"
        aria-label={`One less of ${name}`}
        aria-disabled={count === 0 ? "true" : undefined}
        onClick={() => count > 0 && onChange(count - 1)}
      >
        <Icon name="minus" class="icon-sm" />
      </button>
      <output>{count}</output>
      <button
        type="button"
        class="icon-button small"
        aria-label={`One more of ${name}`}
        aria-disabled={canAdd ? undefined : "true"}
        onClick={() => canAdd && onChange(count + 1)}
      >
        <Icon name="plus" class="icon-sm" />
      </button>
    </span>
  );
}

interface KeepDialogProps {
  readonly shell: Shell;
  readonly sessionId: SessionId;
  readonly into: string | null;
}

/** Explains the effect on this attempt and on the others before anything happens. */
export function KeepAttemptDialog({ shell, sessionId, into }: KeepDialogProps) {
  const state = shell.server.value;
  const row = rowOf(state, sessionId);
  const [message, setMessage] = useState(row?.title ?? "");
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isBusy, setBusy] = useState(false);
  const fieldId = useId();
  const others = row?.attempt === undefined ? 0 : attemptRows(shell, row.attempt.groupId).length - 1;
  const agent = (row && agentOf(state, row.cliType)?.name) ?? "this agent";
  const target = into ?? "the branch it was made from";
  const keep = async () => {
    if (isBusy || message.trim() === "") return;
    setBusy(true);
    setTrouble(null);
    const answer = await shell.attempt(
      {
        type: "attempts:keep",
        sessionId,
        message: message.trim(),
        ...(into !== null && { into }),
        commandId: newCommandId(),
      },
      (_, why) => setTrouble(why),
    );
    setBusy(false);
    if (answer?.type !== "attempts:kept") return;
    shell.closeDialog();
    shell.open(sessionId);
    if (answer.left.length > 0)
      shell.notify(`Merged. ${answer.left.length} of the other attempts could not be put away and stay as they are.`);
  };
  return (
    <Dialog title={`Keep the attempt of ${agent}?`} onClose={() => shell.closeDialog()}>
      <form
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        <div class="dialog-body attempts-form">
          <p>
            Its uncommitted files are committed on its branch, and the branch is merged into{" "}
            <span class="mono">{target}</span>.{" "}
            {others > 0 &&
              `${others === 1 ? "The other attempt is" : `The ${others} other attempts are`} archived; ${others === 1 ? "its worktree goes" : "their worktrees go"} to quarantine, where you can return ${others === 1 ? "it" : "them"}.`}
          </p>
          <label for={fieldId}>Commit message</label>
          <textarea
            id={fieldId}
            class="field mono"
            rows={3}
            maxLength={COMMIT_MESSAGE_CHARS_MAX}
            value={message}
            readOnly={isBusy}
            onInput={({ currentTarget }) => setMessage(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          {trouble !== null && (
            <TroubleNotice trouble={trouble}>
              {trouble.code === "GIT_REFUSED" && row?.worktree && (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    const { worktree, projectId } = row;
                    if (worktree)
                      shell.dialog.value = {
                        kind: "worktree",
                        task: "merge",
                        projectId,
                        worktreeId: worktree.worktreeId,
                      };
                  }}
                >
                  Open merge
                </button>
              )}
            </TroubleNotice>
          )}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button ghost" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            data-first-focus=""
            aria-disabled={isBusy || message.trim() === "" ? "true" : undefined}
          >
            {isBusy ? "Merging…" : "Keep this"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
