import { useState } from "preact/hooks";
import type { AgentSetting, AgentSettings, Tested } from "../../protocol/agent-settings.ts";
import { CliType } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/permission-policy.ts";
import { MODE_WORDS } from "../../protocol/rule-words.ts";
import { Choice } from "../controls/choice.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { ArgumentsField, FormFoot, missingInValues, TestResult, TextField, ValuesField } from "./setting-fields.tsx";

interface AgentFormProps {
  readonly shell: Shell;
  /** Null: a new one of the user. */
  readonly cliType: CliType | null;
  /** Of the catalog: it has its own command. */
  readonly isCatalog: boolean;
  readonly agentName: string;
  readonly setting: AgentSetting;
  readonly onSaved: (settings: AgentSettings) => void;
  readonly onClose: () => void;
}

const MODES: Readonly<Record<PermissionMode | "default", string>> = {
  default: `Not set: ${MODE_WORDS.ask.toLowerCase()}`,
  ...MODE_WORDS,
};

/** An agent in config.json: tested with the new settings, then saved. */
export function AgentForm({ shell, cliType, isCatalog, agentName, setting, onSaved, onClose }: AgentFormProps) {
  const [draft, setDraft] = useState(setting);
  const [result, setResult] = useState<Tested | "running" | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const id = cliType ?? idOf(draft.name ?? "");
  const change = (part: Partial<AgentSetting>) => {
    setDraft({ ...draft, ...part });
    setResult(null);
    setTrouble(null);
  };
  const isTaken = cliType === null && shell.server.value.agents.some((agent) => agent.id === id);
  const wish = (): AgentSetting | null => {
    const why =
      id === null
        ? "Enter a name with at least one letter or digit."
        : isTaken
          ? `There is an agent with the id “${id}” already. Choose another name.`
          : !isCatalog && (draft.command ?? "").trim() === ""
            ? "Enter the command that starts the agent."
            : missingInValues(draft.env, "variable");
    if (why !== null) setTrouble({ code: null, message: why });
    return why === null ? draft : null;
  };
  const test = async () => {
    const asked = wish();
    if (asked === null || id === null) return;
    setResult("running");
    const answer = await shell.attempt(
      { type: "settings:test-agent", cliType: id, setting: asked },
      (_words, refused) => setTrouble(refused),
    );
    setResult(answer?.type === "settings:tested" ? answer : null);
  };
  const send = async (request: Parameters<Shell["attempt"]>[0]) => {
    const answer = await shell.attempt(request, (_words, refused) => setTrouble(refused));
    if (answer?.type !== "settings:agents") return;
    onSaved(answer);
    onClose();
  };
  return (
    <form
      class="setting-form"
      aria-label={cliType === null ? "Own agent" : `Settings of ${agentName}`}
      onSubmit={(event) => {
        event.preventDefault();
        const asked = wish();
        if (asked !== null && id !== null) void send({ type: "settings:save-agent", cliType: id, setting: asked });
      }}
    >
      {!isCatalog && (
        <>
          <TextField
            label="Name"
            value={draft.name ?? ""}
            hint={cliType === null && id !== null ? `Its id is ${id}.` : undefined}
            onInput={(name) => change({ name })}
          />
          <TextField
            label="Command"
            value={draft.command ?? ""}
            placeholder="my-agent"
            hint="A program that speaks the Agent Client Protocol (ACP) on stdin and stdout."
            onInput={(command) => change({ command })}
          />
        </>
      )}
      <ArgumentsField args={draft.args} onChange={(args) => change({ args })} />
      <ValuesField label="Environment" one="variable" values={draft.env} onChange={(env) => change({ env })} />
      <div class="setting-line">
        <span class="label">Permissions of new sessions</span>
        <Choice
          label={`Permissions of ${agentName}`}
          words={MODES}
          value={draft.permissions ?? "default"}
          onChoose={(mode) => {
            const { permissions: _before, ...others } = draft;
            setDraft(mode === "default" ? others : { ...others, permissions: mode });
          }}
        />
      </div>
      <TestResult result={result} />
      {trouble !== null && <TroubleNotice trouble={trouble} />}
      <FormFoot
        onTest={() => void test()}
        onRemove={
          cliType === null || isCatalog ? undefined : () => void send({ type: "settings:remove-agent", cliType })
        }
        onCancel={onClose}
      />
    </form>
  );
}

/** Lowercase letters, digits and dashes; null if nothing of that is left. */
function idOf(name: string): CliType | null {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
  return CliType.safeParse(id).data ?? null;
}
