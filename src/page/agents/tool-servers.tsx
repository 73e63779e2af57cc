import { useId, useState } from "preact/hooks";
import type { AgentSettings, Tested, ToolServerSetting } from "../../protocol/agent-settings.ts";
import { Icon } from "../../ui/icons/icon.tsx";
import { Choice } from "../controls/choice.tsx";
import { TroubleNotice } from "../controls/trouble-notice.tsx";
import type { Shell } from "../state/shell.ts";
import type { Trouble } from "../state/trouble.ts";
import { usePlaces } from "../state/use-places.ts";
import { ArgumentsField, FormFoot, missingInValues, TestResult, TextField, ValuesField } from "./setting-fields.tsx";

interface ToolServersProps {
  readonly shell: Shell;
  /** Null until they have loaded. */
  readonly settings: AgentSettings | null;
  readonly onSaved: (settings: AgentSettings) => void;
}

const NEW_SERVER: ToolServerSetting = { kind: "program", enabled: true, command: "", args: [], env: [] };

/** The user's tool servers (MCP). Each is edited and tested in its place. */
export function ToolServers({ shell, settings, onSaved }: ToolServersProps) {
  const headingId = useId();
  /** The name of the one that is edited; empty for a new one. */
  const [edited, setEdited] = useState<string | null>(null);
  const servers = settings?.servers ?? [];
  // Without them the form still has the places that a server names.
  const [listed] = usePlaces(shell, () => undefined);
  const places = listed?.places.map((place) => place.name) ?? [];
  const form = (name: string, setting: ToolServerSetting) => (
    <ToolServerForm
      key={name}
      shell={shell}
      name={name}
      setting={setting}
      places={places}
      onSaved={onSaved}
      onClose={() => setEdited(null)}
    />
  );
  return (
    <section class="settings-group" aria-labelledby={headingId}>
      <header>
        <h2 id={headingId}>Tool servers</h2>
        <span class="count">{servers.length}</span>
        <span class="spacer" />
        <button type="button" class="button ghost" onClick={() => setEdited("")}>
          <Icon name="plus" class="icon-sm" />
          New tool server
        </button>
      </header>
      <div class="setting-card">
        {edited === "" && form("", NEW_SERVER)}
        {servers.length === 0 && edited !== "" && (
          <p class="hint">
            Programs or addresses that give every agent more tools (MCP).{settings !== null && " There are none yet."}
          </p>
        )}
        <ul>
          {servers.map(({ name, setting }) =>
            edited === name ? (
              <li key={name}>{form(name, setting)}</li>
            ) : (
              <li key={name} class="agent-line">
                <Icon name="plug" class="icon-sm" />
                <span class="who">
                  <span class="agent-name">{name}</span>
                  <span class="agent-note mono">
                    {setting.kind === "program" ? [setting.command, ...setting.args].join(" ") : setting.url}
                  </span>
                </span>
                {!setting.enabled && <span class="tag">Off by default</span>}
                <button type="button" class="button small" aria-label={`Edit ${name}`} onClick={() => setEdited(name)}>
                  Edit
                </button>
              </li>
            ),
          )}
        </ul>
      </div>
    </section>
  );
}

interface PlacesFieldProps {
  readonly places: readonly string[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: string[]) => void;
}

/** Also one that is gone and still named: otherwise it could not be removed here. */
function PlacesField({ places, chosen, onChoose }: PlacesFieldProps) {
  const all = [...new Set([...places, ...chosen])];
  if (all.length === 0) return null;
  return (
    <fieldset class="values-field">
      <legend class="label">Also for sessions at</legend>
      {all.map((place) => (
        <label key={place} class="place-tick">
          <input
            type="checkbox"
            checked={chosen.includes(place)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(checked ? [...chosen, place] : chosen.filter((one) => one !== place))
            }
          />
          <span>{place}</span>
        </label>
      ))}
      <p class="hint">
        The command is run there, or the address reached from there, with these values. Sessions at other places do not
        get it.
      </p>
    </fieldset>
  );
}

const KINDS: Readonly<Record<ToolServerSetting["kind"], string>> = { program: "Command", address: "URL" };

interface ToolServerFormProps {
  readonly shell: Shell;
  readonly name: string;
  readonly setting: ToolServerSetting;
  /** The names of all places. */
  readonly places: readonly string[];
  readonly onSaved: (settings: AgentSettings) => void;
  readonly onClose: () => void;
}

function ToolServerForm({ shell, name: was, setting, places, onSaved, onClose }: ToolServerFormProps) {
  const [name, setName] = useState(was);
  const [draft, setDraft] = useState(setting);
  const [result, setResult] = useState<Tested | "running" | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const change = (next: ToolServerSetting) => {
    setDraft(next);
    setResult(null);
    setTrouble(null);
  };
  const refuse = (_words: string, refused: Trouble) => setTrouble(refused);
  const of = { name: name.trim(), ...(was !== "" && { was }), setting: draft };
  const isComplete = () => {
    const why =
      of.name === ""
        ? "Enter a name."
        : draft.kind === "program" && draft.command.trim() === ""
          ? "Enter the command that starts it."
          : draft.kind === "address" && !/^https?:\/\/\S+$/.test(draft.url)
            ? "Enter an address that starts with http:// or https://."
            : draft.kind === "program"
              ? missingInValues(draft.env, "variable")
              : missingInValues(draft.headers, "header");
    if (why !== null) setTrouble({ code: null, message: why });
    return why === null;
  };
  const test = async () => {
    if (!isComplete()) return;
    setTrouble(null);
    setResult("running");
    const answer = await shell.attempt({ type: "settings:test-server", ...of }, refuse);
    setResult(answer?.type === "settings:tested" ? answer : null);
  };
  const send = async (request: Parameters<Shell["attempt"]>[0]) => {
    const answer = await shell.attempt(request, refuse);
    if (answer?.type !== "settings:agents") return;
    onSaved(answer);
    onClose();
  };
  return (
    <form
      class="setting-form"
      aria-label={was === "" ? "New tool server" : `Tool server ${was}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete()) void send({ type: "settings:save-server", ...of });
      }}
    >
      <TextField
        label="Name"
        value={name}
        onInput={(next) => {
          setName(next);
          setTrouble(null);
        }}
      />
      <div class="setting-line">
        <span class="label">Reached by</span>
        <Choice
          label="Kind of tool server"
          words={KINDS}
          value={draft.kind}
          onChoose={(kind) =>
            change(
              kind === "program"
                ? { ...NEW_SERVER, enabled: draft.enabled, places: draft.places }
                : { kind, enabled: draft.enabled, places: draft.places, url: "", headers: [] },
            )
          }
        />
      </div>
      {draft.kind === "program" ? (
        <>
          <TextField
            label="Command"
            value={draft.command}
            placeholder="npx"
            onInput={(command) => change({ ...draft, command })}
          />
          <ArgumentsField args={draft.args} onChange={(args) => change({ ...draft, args })} />
          <ValuesField
            label="Environment"
            one="variable"
            values={draft.env}
            onChange={(env) => change({ ...draft, env })}
          />
        </>
      ) : (
        <>
          <TextField
            label="Address"
            value={draft.url}
            placeholder="https://tools.example/mcp"
            onInput={(url) => change({ ...draft, url })}
          />
          <ValuesField
            label="Headers"
            one="header"
            values={draft.headers}
            onChange={(headers) => change({ ...draft, headers })}
          />
        </>
      )}
      <label class="place-tick">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={({ currentTarget }) => setDraft({ ...draft, enabled: currentTarget.checked })}
        />
        <span>Offered in every project that has not chosen otherwise (Settings › Tool servers)</span>
      </label>
      <PlacesField
        places={places}
        chosen={draft.places ?? []}
        onChoose={(chosen) => {
          setDraft({ ...draft, places: chosen });
          setTrouble(null);
        }}
      />
      <TestResult result={result} />
      {trouble !== null && <TroubleNotice trouble={trouble} />}
      <FormFoot
        onTest={() => void test()}
        onRemove={was === "" ? undefined : () => void send({ type: "settings:remove-server", name: was })}
        onCancel={onClose}
      />
    </form>
  );
}
