import { useEffect, useState } from "preact/hooks";
import type { ListedModel, ModelKind, ShownModel } from "../../protocol/builtin-model.ts";
import { BUILTIN_AGENT } from "../../protocol/builtin-model.ts";
import type { ModelDraft, ModelKey } from "../../protocol/model-draft.ts";
import { ModelPicker } from "../../ui/models/model-picker.tsx";
import { useAgentOptions } from "../agents/use-agent-options.ts";
import { Choice } from "../controls/choice.tsx";
import type { Shell } from "../state/shell.ts";

const KIND_WORDS: Readonly<Record<ModelKind, string>> = {
  openai: "OpenAI-compatible (chat completions)",
  anthropic: "Anthropic (Messages)",
};

/** Addresses that many use; any other can be typed. */
const ADDRESSES: Readonly<Record<ModelKind, readonly (readonly [string, string])[]>> = {
  openai: [
    ["http://127.0.0.1:11434/v1", "Ollama on this machine"],
    ["http://127.0.0.1:1234/v1", "LM Studio on this machine"],
    ["https://api.openai.com/v1", "OpenAI"],
    ["https://openrouter.ai/api/v1", "OpenRouter"],
  ],
  anthropic: [["https://api.anthropic.com/v1", "Anthropic"]],
};

type KeyFrom = "none" | "stored" | "variable";
const KEY_WORDS: Readonly<Record<KeyFrom, string>> = {
  none: "No key",
  stored: "Stored by the server",
  variable: "Environment variable",
};

/** The last request to the endpoint, and its result. */
interface RequestStatus {
  readonly words: string;
  readonly isProblem: boolean;
}
const NO_STATUS: RequestStatus = { words: "", isProblem: false };

/** The model of the built-in agent: endpoint, key, test. It stands alone, so any page can show it. */
export function BuiltinAgentSection({ shell }: { shell: Shell }) {
  const [settings, setSettings] = useState<ShownModel | null>(null);
  const [problem, setProblem] = useState("");
  const [status, setStatus] = useState(NO_STATUS);
  useEffect(() => {
    // Answers, and changes from other windows and the command line.
    const stop = shell.listen((message) => {
      if (message.type === "model:settings") setSettings(message.settings);
    });
    void shell.attempt({ type: "model:get" }, setProblem);
    return stop;
  }, []);
  return (
    <>
      {settings !== null && <StandingWords settings={settings} />}
      {settings !== null &&
        (settings.source === "variables" ? (
          <VariablesModel shell={shell} status={status} onStatus={setStatus} />
        ) : (
          <ModelForm shell={shell} settings={settings} status={status} onStatus={setStatus} />
        ))}
      {problem !== "" && (
        <p class="error-text" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function StandingWords({ settings: { source, model, url } }: { settings: ShownModel }) {
  if (source === "none")
    return (
      <p class="hint">No model yet: it shows you around. With a model it works on its own and can run other agents.</p>
    );
  const host = URL.canParse(url) ? new URL(url).host : url;
  return (
    <p class="hint">
      Works with <strong>{model}</strong> at {host}.
    </p>
  );
}

interface ModelProps {
  readonly shell: Shell;
  readonly status: RequestStatus;
  readonly onStatus: (status: RequestStatus) => void;
}

/** The environment has priority, so only a test makes sense here. */
function VariablesModel({ shell, status, onStatus }: ModelProps) {
  return (
    <>
      <p class="hint">
        Set by <code>LIMINAL_MODEL_URL</code> and <code>LIMINAL_MODEL</code> in the environment or config.json. Remove
        them there to set the model here.
      </p>
      <div class="row">
        <button type="button" class="button" onClick={() => void testModel(shell, undefined, onStatus)}>
          Test
        </button>
      </div>
      <StatusLine status={status} />
    </>
  );
}

function StatusLine({ status: { words, isProblem } }: { status: RequestStatus }) {
  return (
    <p class={isProblem ? "error-text model-told" : "model-told"} role="status">
      {words}
    </p>
  );
}

async function testModel(
  shell: Shell,
  draft: ModelDraft | undefined,
  report: (status: RequestStatus) => void,
): Promise<void> {
  report({ words: "Asking the model…", isProblem: false });
  const answer = await shell.attempt({ type: "model:test", ...(draft && { draft }) }, (words) =>
    report({ words, isProblem: true }),
  );
  if (answer?.type !== "model:tested") return;
  const { ok, message, fix } = answer;
  report({ words: fix === undefined ? message : `${message} ${fix}`, isProblem: !ok });
}

interface Fields {
  readonly kind: ModelKind;
  readonly url: string;
  readonly model: string;
  readonly keyFrom: KeyFrom;
  readonly typedKey: string;
  readonly variable: string;
  readonly context: string;
  readonly inputPrice: string;
  readonly outputPrice: string;
  readonly currency: string;
}

function fieldsOf(settings: ShownModel): Fields {
  const { kind, url, model, key, contextTokens, inputPrice, outputPrice, currency } = settings;
  return {
    kind,
    url,
    model,
    keyFrom:
      key.from === "variable" ? "variable" : key.from === "kept" || settings.source === "none" ? "stored" : "none",
    typedKey: "",
    variable: key.name ?? "",
    context: contextTokens === undefined ? "" : String(contextTokens),
    inputPrice: inputPrice === undefined ? "" : String(inputPrice),
    outputPrice: outputPrice === undefined ? "" : String(outputPrice),
    currency: currency ?? "",
  };
}

function keyOf({ keyFrom, typedKey, variable }: Fields, isKept: boolean): ModelKey {
  if (keyFrom === "variable") return { from: "variable", name: variable.trim() };
  if (keyFrom === "none") return { from: "none" };
  if (typedKey.trim() !== "") return { from: "typed", value: typedKey.trim() };
  return { from: isKept ? "kept" : "none" };
}

function draftOf(fields: Fields, isKept: boolean): ModelDraft {
  const { kind, url, model, context, inputPrice, outputPrice, currency } = fields;
  const number = (text: string) => (text.trim() === "" ? undefined : Number(text));
  const [contextTokens, input, output] = [number(context), number(inputPrice), number(outputPrice)];
  return {
    kind,
    url: url.trim(),
    model: model.trim(),
    key: keyOf(fields, isKept),
    ...(contextTokens !== undefined && { contextTokens }),
    ...(input !== undefined && { inputPrice: input }),
    ...(output !== undefined && { outputPrice: output }),
    ...(currency.trim() !== "" && { currency: currency.trim().toUpperCase() }),
  };
}

/** The server checks the rest and reports errors. */
function problemOf(fields: Fields): string {
  if (!/^https?:\/\//.test(fields.url.trim())) return "Enter the address of the endpoint, with http:// or https://.";
  if (fields.model.trim() === "") return "Enter the name of a model.";
  if (fields.keyFrom === "variable" && fields.variable.trim() === "") return "Enter the name of the variable.";
  return "";
}

/** Takes over the settings of the server where a field still shows what it had from there; what was typed since stays. */
function followSettings(fields: Fields, known: Fields, now: Fields): Fields {
  const names = Object.keys(now) as (keyof Fields)[];
  return Object.assign({}, fields, ...names.map((name) => fields[name] === known[name] && { [name]: now[name] }));
}

function ModelForm({ shell, settings, status, onStatus: setStatus }: ModelProps & { settings: ShownModel }) {
  const [fields, setFields] = useState(() => fieldsOf(settings));
  const [known, setKnown] = useState(fields);
  const [source, setSource] = useState(settings);
  // Another window, or the command line, has saved; or this one, whose fields are then known.
  if (source !== settings) {
    setSource(settings);
    setFields(followSettings(fields, known, fieldsOf(settings)));
    setKnown(fieldsOf(settings));
  }
  const [models, setModels] = useState<readonly ListedModel[]>([]);
  const isKept = settings.key.from === "kept";
  const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }));
  const complain = (words: string) => setStatus({ words, isProblem: true });
  const ready = (): ModelDraft | null => {
    const words = problemOf(fields);
    setStatus({ words, isProblem: words !== "" });
    return words === "" ? draftOf(fields, isKept) : null;
  };
  const save = async () => {
    const draft = ready();
    if (draft === null) return;
    const answer = await shell.attempt({ type: "model:save", draft }, complain);
    if (answer?.type !== "model:settings") return;
    // Saved fields have the server's values; fields edited meanwhile keep theirs.
    setFields((now) => followSettings(now, fields, fieldsOf(answer.settings)));
    setStatus({ words: "Saved. It is used from the next message on.", isProblem: false });
  };
  const remove = async () => {
    const answer = await shell.attempt({ type: "model:remove" }, complain);
    if (answer?.type === "model:settings") setFields((now) => followSettings(now, fields, fieldsOf(answer.settings)));
  };
  const test = () => {
    const draft = ready();
    if (draft !== null) void testModel(shell, draft, setStatus);
  };
  const load = async () => {
    const { kind, url, key } = draftOf(fields, isKept);
    setStatus({ words: "Asking for the list…", isProblem: false });
    const answer = await shell.attempt({ type: "model:list", kind, url, key }, complain);
    if (answer?.type !== "model:listed") return;
    setModels(answer.models);
    const count = answer.models.length;
    if (answer.problem !== undefined) complain(answer.problem);
    else
      setStatus({ words: `${count} ${count === 1 ? "model" : "models"}. Choose one below Model.`, isProblem: false });
  };
  const chooseModel = (model: string) => {
    const { contextTokens, inputPrice, outputPrice } = models.find(({ name }) => name === model) ?? {};
    set({
      model,
      ...(contextTokens !== undefined && { context: String(contextTokens) }),
      ...(inputPrice !== undefined && { inputPrice: String(inputPrice) }),
      ...(outputPrice !== undefined && { outputPrice: String(outputPrice) }),
    });
  };
  return (
    <form
      class="model-form"
      aria-label="Model of the built-in agent"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="setting">
        <span>API</span>
        <Choice label="API" words={KIND_WORDS} value={fields.kind} onChoose={(kind) => set({ kind })} />
      </div>
      <TextField
        label="Address"
        keyboard="url"
        value={fields.url}
        placeholder={ADDRESSES[fields.kind][0]?.[0] ?? ""}
        options={ADDRESSES[fields.kind]}
        onInput={(url) => set({ url })}
      />
      <div class="setting">
        <span>Key</span>
        <Choice label="Key" words={KEY_WORDS} value={fields.keyFrom} onChoose={(keyFrom) => set({ keyFrom })} />
      </div>
      {fields.keyFrom === "stored" && (
        <TextField
          label="Key of the endpoint"
          isSecret
          value={fields.typedKey}
          placeholder={isKept ? "Stored. Enter another to replace it." : "Leave empty if it needs none"}
          onInput={(typedKey) => set({ typedKey })}
        />
      )}
      {fields.keyFrom === "variable" && (
        <TextField
          label="Name of the variable"
          value={fields.variable}
          placeholder={fields.kind === "anthropic" ? "ANTHROPIC_API_KEY" : "OPENAI_API_KEY"}
          onInput={(variable) => set({ variable })}
        />
      )}
      <TextField label="Model" value={fields.model} placeholder="Name of the model" onInput={chooseModel} />
      {models.length > 0 && <ListedModels shell={shell} models={models} value={fields.model} onChoose={chooseModel} />}
      <div class="model-numbers">
        <TextField
          label="Context (tokens)"
          keyboard="decimal"
          value={fields.context}
          placeholder="128000"
          onInput={(context) => set({ context })}
        />
        <TextField
          label="Price of input"
          keyboard="decimal"
          value={fields.inputPrice}
          placeholder="Unknown"
          onInput={(inputPrice) => set({ inputPrice })}
        />
        <TextField
          label="Price of output"
          keyboard="decimal"
          value={fields.outputPrice}
          placeholder="Unknown"
          onInput={(outputPrice) => set({ outputPrice })}
        />
        <TextField
          label="Currency"
          value={fields.currency}
          placeholder="USD"
          onInput={(currency) => set({ currency })}
        />
      </div>
      <StatusLine status={status} />
      <div class="row">
        <button type="submit" class="button primary">
          Save
        </button>
        <button type="button" class="button" onClick={test}>
          Test
        </button>
        <button type="button" class="button" onClick={() => void load()}>
          List models
        </button>
        {settings.source === "page" && (
          <button type="button" class="button" onClick={() => void remove()}>
            Remove model and key
          </button>
        )}
      </div>
      <p class="hint">
        Prices are for a million tokens and show what a session costs. The key is stored in a file that only you can
        read; it is never shown again and goes to no other host.
      </p>
    </form>
  );
}

interface ListedModelsProps {
  readonly shell: Shell;
  readonly models: readonly ListedModel[];
  readonly value: string;
  readonly onChoose: (name: string) => void;
}

/** What the endpoint offers, to search in; favourites are those of the built-in agent. */
function ListedModels({ shell, models, value, onChoose }: ListedModelsProps) {
  const { favourites, read, favour } = useAgentOptions(shell, BUILTIN_AGENT);
  const known = models.map(({ name, contextTokens }) => ({
    value: name,
    name,
    ...(contextTokens !== undefined && { description: `${contextTokens.toLocaleString("en")} tokens` }),
  }));
  return (
    <ModelPicker
      class="boxed"
      label="Models of the endpoint"
      models={known}
      value={known.some((model) => model.value === value) ? value : ""}
      otherwise={`Choose one of ${models.length}`}
      favourites={favourites}
      onOpen={read}
      onChoose={(name) => name !== "" && onChoose(name)}
      onFavour={favour}
    />
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly onInput: (text: string) => void;
  readonly isSecret?: boolean;
  readonly keyboard?: "text" | "url" | "decimal";
  /** Suggestions, each with a note. */
  readonly options?: readonly (readonly [string, string])[];
}

function TextField(props: TextFieldProps) {
  const { label, value, placeholder, onInput, isSecret = false, keyboard = "text", options = [] } = props;
  const id = `model-${label.toLowerCase().replace(/\W+/g, "-")}`;
  const shared = {
    id,
    value,
    placeholder,
    spellcheck: false,
    inputMode: keyboard,
    onInput: (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  };
  return (
    <label for={id}>
      {label}
      <div class="field">
        {isSecret ? (
          <input type="password" autocomplete="new-password" {...shared} />
        ) : options.length > 0 ? (
          <input type="text" autocomplete="off" list={`${id}-list`} {...shared} />
        ) : (
          <input type="text" autocomplete="off" {...shared} />
        )}
      </div>
      {options.length > 0 && (
        <datalist id={`${id}-list`}>
          {options.map(([one, note]) => (
            <option key={one} value={one}>
              {note}
            </option>
          ))}
        </datalist>
      )}
    </label>
  );
}
