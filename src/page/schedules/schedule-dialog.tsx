import { useEffect, useMemo, useState } from "preact/hooks";
import type { ProjectId, SessionId } from "../../protocol/ids.ts";
import { PermissionMode } from "../../protocol/permission-policy.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import type { Schedule, ScheduleBudget, ScheduleId, ScheduleTarget } from "../../protocol/schedules.ts";
import type { AgentInfo } from "../../protocol/server-messages.ts";
import { newCommandId } from "../../ui/new-command-id.ts";
import { Choice } from "../controls/choice.tsx";
import { Dialog } from "../controls/dialog.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import { canIn } from "../state/shell-state.ts";
import type { Trouble } from "../state/trouble.ts";
import { cadenceOf, DAY_WORDS, dueTime, formOf, newForm, REPEAT_WORDS, type RepeatForm } from "./repeat.ts";

interface ScheduleDialogProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  /** Absent: a new one. */
  readonly scheduleId?: ScheduleId | undefined;
}

const PREVIEW_AFTER_MS = 250;
const MINUTE_MS = 60_000;

/** Adds or edits a schedule. */
export function ScheduleDialog({ shell, projectId, scheduleId }: ScheduleDialogProps) {
  const known = shell.server.value.schedules.get(projectId)?.find(({ id }) => id === scheduleId);
  // Another window has removed it.
  if (scheduleId !== undefined && known === undefined) return null;
  return <ScheduleForm shell={shell} projectId={projectId} known={known} />;
}

interface FormProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly known: Schedule | undefined;
}

/** Numbers as they are typed; empty is no limit. */
interface BudgetForm {
  readonly tokens: string;
  readonly cost: string;
  readonly minutes: string;
}

function ScheduleForm({ shell, projectId, known }: FormProps) {
  const fresh = useMemo(() => newForm(Intl.DateTimeFormat().resolvedOptions().timeZone, Date.now()), []);
  const [name, setName] = useState(known?.name ?? "");
  const [prompt, setPrompt] = useState(known?.prompt ?? "");
  const [repeat, setRepeat] = useState<RepeatForm>(known ? formOf(known.cadence, fresh) : fresh);
  const [target, setTarget] = useState<ScheduleTarget | null>(known?.target ?? firstTarget(shell));
  const [missed, setMissed] = useState<Schedule["missed"]>(known?.missed ?? "latest");
  const [budget, setBudget] = useState<BudgetForm>(budgetForm(known?.budget));
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [isSaving, setSaving] = useState(false);
  const cadence = cadenceOf(repeat);
  const canSave = !isSaving && name.trim() !== "" && prompt.trim() !== "" && cadence !== null && target !== null;
  const save = async () => {
    if (!canSave || cadence === null || target === null) return;
    setSaving(true);
    setTrouble(null);
    const limits = budgetOf(budget);
    const answer = await shell.attempt(
      {
        type: "schedule:save",
        commandId: newCommandId(),
        projectId,
        ...(known && { scheduleId: known.id }),
        name: name.trim(),
        prompt: prompt.trim(),
        cadence,
        target,
        missed,
        ...(limits && { budget: limits }),
      },
      (_, why) => setTrouble(why),
    );
    setSaving(false);
    if (answer !== null) shell.closeDialog();
  };
  return (
    <Dialog title={known ? `Edit “${known.name}”` : "New schedule"} wide onClose={() => shell.closeDialog()}>
      <form
        aria-busy={isSaving}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div class="dialog-body schedule-form">
          <label>
            <span class="label">Name</span>
            <div class="field">
              <input
                value={name}
                maxLength={200}
                autocomplete="off"
                data-first-focus
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </div>
          </label>
          <label>
            <span class="label">Prompt</span>
            <div class="field">
              <textarea rows={4} value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
            </div>
          </label>
          <RepeatFields shell={shell} form={repeat} onChange={setRepeat} />
          <TargetFields shell={shell} projectId={projectId} target={target} onChange={setTarget} />
          <fieldset>
            <legend class="label">Stop a run after</legend>
            <div class="schedule-line">
              <NumberField
                label="Minutes"
                value={budget.minutes}
                onInput={(minutes) => setBudget({ ...budget, minutes })}
              />
              <NumberField
                label="Tokens"
                value={budget.tokens}
                onInput={(tokens) => setBudget({ ...budget, tokens })}
              />
              <NumberField label="Cost" value={budget.cost} onInput={(cost) => setBudget({ ...budget, cost })} />
            </div>
            <p class="hint">Empty: no limit.</p>
          </fieldset>
          <div class="setting">
            <span>If Liminal Builder was not running</span>
            <Choice
              label="If Liminal Builder was not running"
              words={{ latest: "Start the newest missed run", skip: "Skip what was missed" }}
              value={missed}
              onChoose={setMissed}
            />
          </div>
          {trouble !== null && <TroubleNotice trouble={trouble} />}
        </div>
        <footer class="dialog-foot">
          <span class="spacer" />
          <button type="button" class="button" onClick={() => shell.closeDialog()}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!canSave}>
            {known ? "Save" : "Add schedule"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

interface RepeatFieldsProps {
  readonly shell: Shell;
  readonly form: RepeatForm;
  readonly onChange: (form: RepeatForm) => void;
}

function RepeatFields({ shell, form, onChange }: RepeatFieldsProps) {
  const { repeat, time, day, cron, zone, at } = form;
  const hasTime = repeat !== "custom" && repeat !== "once";
  const zones = useMemo(() => Intl.supportedValuesOf("timeZone"), []);
  return (
    <fieldset>
      <legend class="label">When</legend>
      <div class="schedule-line">
        <Choice
          label="Repeat"
          words={REPEAT_WORDS}
          value={repeat}
          onChoose={(chosen) => onChange({ ...form, repeat: chosen })}
        />
        {repeat === "weekly" && (
          <Choice label="Day" words={DAY_WORDS} value={day} onChoose={(chosen) => onChange({ ...form, day: chosen })} />
        )}
        {hasTime && (
          <div class="field">
            <input
              type="time"
              aria-label={repeat === "hourly" ? "Time; the minutes count" : "Time"}
              value={time}
              onInput={(event) => onChange({ ...form, time: event.currentTarget.value })}
            />
          </div>
        )}
        {repeat === "custom" && (
          <div class="field">
            <input
              class="mono"
              aria-label="Cron expression: minute, hour, day, month, weekday"
              value={cron}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => onChange({ ...form, cron: event.currentTarget.value })}
            />
          </div>
        )}
        {repeat === "once" ? (
          <div class="field">
            <input
              type="datetime-local"
              aria-label="Date and time"
              value={at}
              onInput={(event) => onChange({ ...form, at: event.currentTarget.value })}
            />
          </div>
        ) : (
          <div class="field">
            <input
              aria-label="Time zone"
              list="schedule-zones"
              value={zone}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => onChange({ ...form, zone: event.currentTarget.value })}
            />
          </div>
        )}
        <datalist id="schedule-zones">
          {zones.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      <Preview shell={shell} form={form} />
    </fieldset>
  );
}

/** The next times it is due, as the server reads the form. */
function Preview({ shell, form }: { shell: Shell; form: RepeatForm }) {
  const cadence = cadenceOf(form);
  const key = JSON.stringify(cadence);
  const [shown, setShown] = useState<{ readonly words: string; readonly isProblem: boolean } | null>(null);
  useEffect(() => {
    let isShown = true;
    const timer = setTimeout(() => {
      if (cadence === null) return setShown(null);
      const refused = (_: string, { details, message }: Trouble) => {
        const words = (details ?? message).replace(/^[\w.]+: /, "");
        if (isShown) setShown({ words: words.charAt(0).toUpperCase() + words.slice(1), isProblem: true });
      };
      void shell.attempt({ type: "schedule:preview", cadence }, refused).then((answer) => {
        if (!isShown || answer?.type !== "schedule:preview") return;
        setShown({ words: `Next: ${answer.times.map(dueTime).join(" · ")}`, isProblem: false });
      });
    }, PREVIEW_AFTER_MS);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [key]);
  return (
    <p class={shown?.isProblem ? "error-text" : "hint"} role="status">
      {shown?.words ?? ""}
    </p>
  );
}

interface TargetFieldsProps {
  readonly shell: Shell;
  readonly projectId: ProjectId;
  readonly target: ScheduleTarget | null;
  readonly onChange: (target: ScheduleTarget) => void;
}

function TargetFields({ shell, projectId, target, onChange }: TargetFieldsProps) {
  const sessions = (shell.rowsByProject.value.get(projectId) ?? []).filter(({ parentId }) => parentId === undefined);
  const agents = usableAgents(shell);
  const agentWords = Object.fromEntries(agents.map(({ id, name }) => [id, name]));
  const sessionWords = Object.fromEntries(sessions.map(({ id, title }) => [id, title]));
  const modes = { inherit: "The project's permissions", ...MODE_WORDS };
  const kinds: Readonly<Record<string, string>> = {
    new: "A new session",
    ...(sessions.length > 0 && { session: "An existing session" }),
  };
  const chooseKind = (kind: string) => {
    const [first] = sessions;
    const fresh = firstTarget(shell);
    if (kind === "session" && first) onChange({ kind: "session", sessionId: first.id });
    else if (kind === "new" && fresh) onChange(fresh);
  };
  return (
    <fieldset>
      <legend class="label">Where</legend>
      <div class="schedule-line">
        <Choice label="Send to" words={kinds} value={target?.kind ?? "new"} onChoose={chooseKind} />
        {target?.kind === "session" && (
          <Choice
            label="Session"
            words={sessionWords}
            value={target.sessionId}
            onChoose={(id) => {
              const sessionId: SessionId | undefined = sessions.find((row) => row.id === id)?.id;
              if (sessionId !== undefined) onChange({ kind: "session", sessionId });
            }}
          />
        )}
        {target?.kind === "new" && (
          <>
            <Choice
              label="Agent"
              words={agentWords}
              value={target.cliType}
              onChoose={(id) => {
                const cliType = agents.find((agent) => agent.id === id)?.id;
                if (cliType !== undefined) onChange({ ...target, cliType });
              }}
            />
            <Choice
              label="Permissions"
              words={modes}
              value={target.policy ?? "inherit"}
              onChoose={(mode) => {
                const { policy: _, ...rest } = target;
                const policy = PermissionMode.safeParse(mode).data;
                onChange({ ...rest, ...(policy && { policy }) });
              }}
            />
            {canIn(shell.server.value, projectId, "worktrees") && (
              <label class="check-line">
                <input
                  type="checkbox"
                  checked={target.worktree === true}
                  onChange={({ currentTarget }) => onChange({ ...target, worktree: currentTarget.checked })}
                />
                In a new worktree
              </label>
            )}
          </>
        )}
      </div>
      {target === null && <p class="hint">No agent is ready. Install one under Agents first.</p>}
      {target?.kind === "new" && target.policy === undefined && (
        <p class="hint">A run that asks for permission waits until you answer, and the next ones are skipped.</p>
      )}
    </fieldset>
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function NumberField({ label, value, onInput }: NumberFieldProps) {
  return (
    <label class="number-field">
      {label}
      <div class="field">
        <input
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </div>
    </label>
  );
}

function usableAgents(shell: Shell): readonly AgentInfo[] {
  return shell.server.value.agents.filter(({ availability }) => availability === "ready");
}

/** The agent of the newest session that can be started, else any. */
function firstTarget(shell: Shell): ScheduleTarget | null {
  const agents = usableAgents(shell);
  const newest = [...shell.server.value.sessions.values()].sort((a, b) => (a.lastActiveAt < b.lastActiveAt ? 1 : -1));
  const used = newest.find(({ cliType }) => agents.some(({ id }) => id === cliType))?.cliType;
  const cliType = used ?? agents[0]?.id;
  return cliType === undefined ? null : { kind: "new", cliType };
}

function budgetForm(budget: ScheduleBudget | undefined): BudgetForm {
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  const minutes = budget?.workMs === undefined ? undefined : budget.workMs / MINUTE_MS;
  return { tokens: text(budget?.tokens), cost: text(budget?.cost), minutes: text(minutes) };
}

function budgetOf({ tokens, cost, minutes }: BudgetForm): ScheduleBudget | null {
  const number = (text: string) => (Number(text) > 0 ? Number(text) : undefined);
  const [t, c, m] = [number(tokens), number(cost), number(minutes)];
  const budget: ScheduleBudget = {
    ...(t !== undefined && { tokens: Math.ceil(t) }),
    ...(c !== undefined && { cost: c }),
    ...(m !== undefined && { workMs: Math.ceil(m * MINUTE_MS) }),
  };
  return Object.keys(budget).length === 0 ? null : budget;
}
