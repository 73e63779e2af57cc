import { useEffect, useId, useState } from "preact/hooks";
import type { CliType, ProjectId } from "../../protocol/ids.ts";
import {
  CreatedHook,
  HOOK_BODY_MARK,
  HOOK_NAME_CHARS_MAX,
  HOOK_TEMPLATE_CHARS_MAX,
  HookList,
  HookName,
  type HookRun,
  type NewHook,
  type ShownHook,
  StartedHook,
} from "../../protocol/incoming-hooks.ts";
import { ageWords } from "../../ui/words/time-words.ts";
import { askJson } from "../ask-json.ts";
import { Choice } from "../controls/choice.tsx";
import type { Shell } from "../state/shell.ts";
import { agentOf, rowOf } from "../state/shell-state.ts";
import { ListWithForm, SettingsForm } from "./list-with-form.tsx";
import { ShownSecret } from "./shown-secret.tsx";
import { useAttempt } from "./use-attempt.ts";

/** Addresses that start a prompt when a program calls them. */
export function HooksSection({ shell }: { shell: Shell }) {
  const { hooks, problem, save, change, test, remove } = useHooks();
  const [made, setMade] = useState<CreatedHook | null>(null);
  const [isRevoking, setRevoking] = useState("");
  const { projects } = shell.server.value;
  return (
    <ListWithForm
      headingId="settings-hooks"
      items={hooks}
      keyOf={({ name }) => name}
      addWords="New hook"
      row={(hook, list) => (
        <HookRow
          key={hook.name}
          shell={shell}
          hook={hook}
          project={projects.find(({ id }) => id === hook.projectId)?.name}
          isRevoking={isRevoking === hook.name}
          onTest={() => void test(hook.name)}
          onEdit={list.edit}
          onRenew={async () => {
            setMade(await save(hook));
          }}
          onRevoke={() => {
            if (isRevoking !== hook.name) {
              setRevoking(hook.name);
              return;
            }
            setRevoking("");
            if (made?.hook.name === hook.name) setMade(null);
            void remove(hook.name);
            list.leave();
          }}
        />
      )}
      between={(done) =>
        made && (
          <ShownSecret
            key={made.secret}
            label="Secret"
            secret={made.secret}
            onClose={() => {
              setMade(null);
              done();
            }}
          >
            This is the secret of <code>{`${location.origin}${made.path}`}</code>; callers send it as{" "}
            <code>Authorization: Bearer</code> or <code>?token=</code>.
          </ShownSecret>
        )
      }
      form={(hook, form) => (
        <HookForm
          shell={shell}
          hook={hook}
          taken={(hooks ?? []).map(({ name }) => name)}
          onCancel={form.cancel}
          onSave={(wanted) =>
            form.save(async () => {
              if (hook !== null) return change(wanted);
              const created = await save(wanted);
              if (created) setMade(created);
              return created !== null;
            })
          }
        />
      )}
      problem={problem}
      hint="A call of the address starts a session with the text, and with what was sent as data. It may still mislead the
        agent: leave its permissions at Ask for texts of strangers. Each hook has a secret of its own, which opens
        nothing else."
    />
  );
}

interface HookRowProps {
  readonly shell: Shell;
  readonly hook: ShownHook;
  readonly project: string | undefined;
  /** Asked once more before it is gone. */
  readonly isRevoking: boolean;
  readonly onTest: () => void;
  readonly onEdit: () => void;
  readonly onRenew: () => Promise<void>;
  readonly onRevoke: () => void;
}

function HookRow({ shell, hook, project, isRevoking, onTest, onEdit, onRenew, onRevoke }: HookRowProps) {
  const { name, cliType, template, runs = [], last } = hook;
  const agent = agentOf(shell.server.value, cliType)?.name ?? cliType;
  const shown = runs.length > 0 ? runs : last ? [last] : [];
  const action = (words: string, act: () => void) => (
    <button type="button" class="button small" aria-label={`${words} ${name}`} onClick={act}>
      {words}
    </button>
  );
  return (
    <li class="hook-row" aria-label={name}>
      <span class="notice-words">
        <span class="notice-address">/hooks/{name}</span>
        <span class="muted">
          {agent} · {project ?? "a removed project"}
        </span>
        <span class="muted truncate" title={template}>
          {template}
        </span>
        {shown.length === 0 ? (
          <span class="muted">Never called</span>
        ) : (
          <ul class="hook-runs" aria-label={`Calls of ${name}`}>
            {shown.map((run) => (
              <HookCall key={run.at} shell={shell} run={run} />
            ))}
          </ul>
        )}
      </span>
      <span class="notice-actions">
        {action("Test", onTest)}
        {action("Edit", onEdit)}
        {action("New secret", () => void onRenew())}
        <button
          type="button"
          class={isRevoking ? "button small danger" : "button small"}
          aria-label={isRevoking ? `Revoke ${name} now` : `Revoke ${name}`}
          onClick={onRevoke}
        >
          {isRevoking ? "Revoke now" : "Revoke"}
        </button>
      </span>
    </li>
  );
}

/** When a call was, and the session that it started or why it started none. */
function HookCall({ shell, run: { at, sessionId, problem } }: { shell: Shell; run: HookRun }) {
  const row = sessionId === undefined ? undefined : rowOf(shell.server.value, sessionId);
  return (
    <li>
      <span class="muted">{ageWords(at, shell.nowMs.value)}</span>
      {row !== undefined && (
        <button
          type="button"
          class="hook-session"
          onClick={() => {
            shell.closeDialog();
            shell.open(row.id, { focus: true });
          }}
        >
          {row.title}
        </button>
      )}
      {row === undefined && problem === undefined && <span class="muted">its session is gone</span>}
      {problem !== undefined && <span class="error-text">{problem}</span>}
    </li>
  );
}

interface HookFormProps {
  readonly shell: Shell;
  /** Null: a new one. */
  readonly hook: ShownHook | null;
  readonly taken: readonly string[];
  readonly onSave: (wanted: NewHook) => void;
  readonly onCancel: () => void;
}

function HookForm({ shell, hook, taken, onSave, onCancel }: HookFormProps) {
  const { projects, agents } = shell.server.value;
  const ready = agents.filter(({ id, availability }) => availability === "ready" || id === hook?.cliType);
  const [name, setName] = useState(hook?.name ?? "");
  const [project, setProject] = useState<string>(hook?.projectId ?? projects[0]?.id ?? "");
  const [agent, setAgent] = useState<string>(hook?.cliType ?? ready[0]?.id ?? "");
  const [template, setTemplate] = useState(hook?.template ?? "");
  const [problem, setProblem] = useState("");
  const id = useId();
  const projectId = projects.find((one) => one.id === project)?.id;
  const cliType = agents.find((one) => one.id === agent)?.id;
  const submit = () => {
    const words = hookProblem({ name, template, projectId, cliType, isTaken: hook === null && taken.includes(name) });
    setProblem(words);
    if (words !== "" || projectId === undefined || cliType === undefined) return;
    onSave({ name, projectId, cliType, template: template.trim() });
  };
  return (
    <SettingsForm
      label={hook === null ? "New hook" : `Edit ${hook.name}`}
      problemId={`${id}-problem`}
      problem={problem}
      saveWords={hook === null ? "Create" : "Save"}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {hook === null && (
        <label for={`${id}-name`}>
          Name in the address
          <div class="field">
            <span class="muted mono">/hooks/</span>
            <input
              id={`${id}-name`}
              value={name}
              maxLength={HOOK_NAME_CHARS_MAX}
              placeholder="failed-build"
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              aria-describedby={`${id}-problem`}
              onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
            />
          </div>
        </label>
      )}
      <div class="setting">
        <span>Project</span>
        <Choice
          label="Project"
          words={Object.fromEntries(projects.map((one) => [one.id, one.name]))}
          value={project}
          onChoose={setProject}
        />
      </div>
      <div class="setting">
        <span>Agent</span>
        <Choice
          label="Agent"
          words={Object.fromEntries(ready.map((one) => [one.id, one.name]))}
          value={agent}
          onChoose={setAgent}
        />
      </div>
      <label for={`${id}-text`}>
        Text
        <textarea
          id={`${id}-text`}
          class="field"
          rows={4}
          value={template}
          maxLength={HOOK_TEMPLATE_CHARS_MAX}
          placeholder={`Find out why this build failed: ${HOOK_BODY_MARK}`}
          aria-describedby={`${id}-problem`}
          onInput={({ currentTarget }) => setTemplate(currentTarget.value)}
        />
      </label>
      <p class="hint">
        <code>{HOOK_BODY_MARK}</code> is where the text of the call goes; without it, it stands at the end.
      </p>
    </SettingsForm>
  );
}

interface Wanted {
  readonly name: string;
  readonly template: string;
  readonly projectId: ProjectId | undefined;
  readonly cliType: CliType | undefined;
  readonly isTaken: boolean;
}

function hookProblem({ name, template, projectId, cliType, isTaken }: Wanted): string {
  if (!HookName.safeParse(name).success) return "Enter a name of small letters, digits and hyphens.";
  if (isTaken) return "There is a hook of this name. Choose another name.";
  if (projectId === undefined) return "Choose a project. Add one in the sidebar first if there is none.";
  if (cliType === undefined) return "Choose an agent. Install one or sign in to one first if there is none.";
  return template.trim() === "" ? "Enter the text that the agent gets." : "";
}

function useHooks() {
  const [hooks, setHooks] = useState<readonly ShownHook[] | null>(null);
  const { problem, setProblem, attempt } = useAttempt();
  const read = async () => {
    const list = HookList.safeParse(await askJson("/api/v1/hooks").catch(() => null)).data;
    if (list) setHooks(list.hooks);
    else setProblem("Could not load the hooks. Close and open the settings to try again.");
  };
  const ask = async <Answer,>(path: string, method: string, body: object | null, parse: (data: unknown) => Answer) => {
    const options = { method, ...(body !== null && { body: JSON.stringify(body) }) };
    const answer = await attempt(async () => parse(await askJson(`/api/v1/hooks${path}`, options)));
    // Also after a refusal: the list tells how a call ended.
    await read();
    return answer;
  };
  useEffect(() => void read(), []);
  return {
    hooks,
    problem,
    save: ({ name, projectId, cliType, template }: NewHook) =>
      ask("", "POST", { name, projectId, cliType, template }, (data) => CreatedHook.parse(data)),
    change: async ({ name, ...changed }: NewHook) => (await ask(`/${name}`, "PATCH", changed, () => true)) === true,
    test: (name: string) =>
      ask(`/${name}/test`, "POST", { body: "This is a test of the hook." }, (data) => StartedHook.parse(data)),
    remove: (name: string) => ask(`/${name}`, "DELETE", null, () => true),
  };
}
