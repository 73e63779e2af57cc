import type { AgentCatalog } from "../agents/catalog/agent-definition.ts";
import type { AgentPool } from "../agents/pool/agent-pool.ts";
import type { AboutSettings } from "../bridge/answer-message.ts";
import { redactSecrets } from "../lib/redact-secrets.ts";
import type * as SettingsOfProtocol from "../protocol/agent-settings.ts";
import type {
  AgentSetting,
  AgentSettings as AgentSettingsState,
  NamedValue,
  Tested,
  ToolServerSetting,
} from "../protocol/agent-settings.ts";
import { REFUSE, RefusalError } from "../protocol/errors.ts";
import type { CliType } from "../protocol/ids.ts";
import { OWN_TOOL_SERVER } from "../protocol/tool-server.ts";
import type { Answer } from "../sessions/answer.ts";
import { type ConfigChange, changeConfigFile } from "./change-config-file.ts";
import {
  type ConfiguredToolServer,
  type LoadedConfigFile,
  loadConfigFile,
  type StoredAgent,
  toolServerNow,
} from "./config-file.ts";
import type { TestAgent } from "./test-agent.ts";
import { resolveValues, type StoredValue, type StoredValues } from "./value-sources.ts";

/** Loaded with the first setting that is shown or changed, in that step (decision 149). */
const LATER = {
  settings: (): typeof SettingsOfProtocol => require("../protocol/agent-settings.ts"),
};

interface AgentSettingsParts {
  /** config.json. */
  readonly path: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As read at the start. */
  readonly file: LoadedConfigFile;
}

interface Runtime {
  readonly catalog: AgentCatalog;
  readonly pool: Pick<AgentPool, "release">;
  readonly testAgent: TestAgent;
  /** For processes of a tool server that is tested. */
  readonly toolEnv: () => Promise<Readonly<Record<string, string>>>;
  readonly timeoutMs: number;
  /** The list of agents has changed. */
  readonly onChanged: () => void;
}

/** The agents and tool servers of config.json, which the user edits by hand or on the page. Changes apply at once. */
export class AgentSettings {
  readonly #parts: AgentSettingsParts;
  #file: LoadedConfigFile;

  constructor(parts: AgentSettingsParts) {
    this.#parts = parts;
    this.#file = parts.file;
  }

  /** The file as it was last read: at the start, and whenever the settings are shown or changed. */
  get file(): LoadedConfigFile {
    return this.#file;
  }

  async answer(message: AboutSettings, runtime: Runtime): Promise<Answer> {
    try {
      switch (message.type) {
        case "settings:agents":
          this.#read(runtime);
          break;
        case "settings:save-agent":
          this.#saveAgent(message.cliType, message.setting, runtime);
          break;
        case "settings:remove-agent":
          this.#change([{ path: ["agents", message.cliType], value: undefined }], runtime, message.cliType);
          break;
        case "settings:save-server":
          this.#saveServer(message, runtime);
          break;
        case "settings:remove-server":
          this.#change([{ path: ["mcpServers", message.name], value: undefined }], runtime);
          break;
        case "settings:test-agent":
          return tested(await this.#testAgent(message.cliType, message.setting, runtime));
        case "settings:test-server":
          return tested(await this.#testServer(message, runtime));
        default:
          return message satisfies never;
      }
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return { kind: "refused", refusal: error.refusal };
    }
    return { kind: "message", message: { type: "settings:agents", ...this.#tell() }, published: false };
  }

  #tell(): AgentSettingsState {
    const { storedAgents, mcpServers, problems } = this.#file;
    return {
      path: this.#parts.path,
      agents: storedAgents.map(({ id, isOwn, ...agent }) => ({ cliType: id, isOwn, setting: shownAgent(agent) })),
      servers: mcpServers.map((server) => ({ name: server.name, setting: shownServer(server) })),
      problems: [...problems],
    };
  }

  /** The user may have edited the file. */
  #read({ onChanged }: Runtime): void {
    this.#file = loadConfigFile(this.#parts.path, this.#parts.env);
    onChanged();
  }

  #change(changes: readonly ConfigChange[], runtime: Runtime, cliType?: CliType): void {
    changeConfigFile(this.#parts.path, changes);
    this.#read(runtime);
    // Idle processes end, so that the next one has the new settings.
    if (cliType !== undefined) runtime.pool.release(cliType);
  }

  #saveAgent(cliType: CliType, setting: AgentSetting, runtime: Runtime): void {
    const before = this.#file.storedAgents.find(({ id }) => id === cliType);
    const stored = storedAgent(setting, before);
    const isKnown = runtime.catalog.definitions().some(({ id }) => id === cliType) && before?.isOwn !== true;
    if (!isKnown && (stored.name === undefined || stored.command === undefined))
      throw new RefusalError(REFUSE.invalidMessage("setting: an agent of your own needs a name and a command"));
    const path = ["agents", cliType];
    this.#change(
      [
        ...(before ? [] : [{ path, value: {} }]),
        { path: [...path, "name"], value: stored.name },
        { path: [...path, "command"], value: stored.command },
        { path: [...path, "args"], value: stored.args.length === 0 ? undefined : stored.args },
        ...changesOf([...path, "env"], before?.env ?? {}, stored.env),
        { path: [...path, "permissions"], value: stored.permissions },
      ],
      runtime,
      cliType,
    );
  }

  #saveServer({ name, was, setting }: Extract<AboutSettings, { type: "settings:save-server" }>, runtime: Runtime) {
    if (name === OWN_TOOL_SERVER)
      throw new RefusalError(REFUSE.invalidMessage(`name: "${name}" is the name of our own tools; choose another`));
    const before = this.#server(was ?? name);
    if (name !== before?.name && this.#server(name))
      throw new RefusalError(REFUSE.invalidMessage(`name: there is a tool server "${name}" already`));
    const { enabled, places, ...stored } = storedServer(name, setting, before);
    const isSame = before?.name === name && "command" in before === "command" in stored;
    const path = ["mcpServers", name];
    const fields: readonly ConfigChange[] =
      "command" in stored
        ? [
            { path: [...path, "command"], value: stored.command },
            { path: [...path, "args"], value: stored.args.length === 0 ? undefined : stored.args },
            ...changesOf([...path, "env"], isSame && "env" in before ? before.env : {}, stored.env),
          ]
        : [
            { path: [...path, "url"], value: stored.url },
            ...changesOf([...path, "headers"], isSame && "headers" in before ? before.headers : {}, stored.headers),
          ];
    this.#change(
      [
        ...(before && !isSame ? [{ path: ["mcpServers", before.name], value: undefined }] : []),
        ...(isSame ? [] : [{ path, value: {} }]),
        ...fields,
        { path: [...path, "enabled"], value: enabled ? undefined : false },
        ...(isSame && Bun.deepEquals([...places], [...before.places])
          ? []
          : [{ path: [...path, "places"], value: places.length === 0 ? undefined : places }]),
      ],
      runtime,
    );
  }

  #server(name: string): ConfiguredToolServer | undefined {
    return this.#file.mcpServers.find((server) => server.name === name);
  }

  async #testAgent(cliType: CliType, setting: AgentSetting | undefined, runtime: Runtime): Promise<Tested> {
    const definition = runtime.catalog.definitions().find(({ id }) => id === cliType);
    if (setting === undefined) {
      if (!definition) throw new RefusalError(REFUSE.agentUnknown(cliType));
      if (definition.command === null)
        return failed(definition.installHint ?? `${definition.name} is not installed. Install it first.`);
      return runtime.testAgent({ name: definition.name, command: definition.command, env: definition.env });
    }
    const before = this.#file.storedAgents.find(({ id }) => id === cliType);
    const stored = storedAgent(setting, before);
    const { values, missing } = resolveValues(stored.env, this.#parts.env);
    if (missing.length > 0) return failed(missing.join(" "));
    // What is added to an agent of the catalog is added to its command without the settings so far.
    const base = definition?.command?.slice(0, definition.command.length - (before?.args.length ?? 0)) ?? null;
    const command = stored.command !== undefined ? [stored.command] : base;
    if (command === null) return failed(`${definition?.name ?? cliType} is not installed. Install it first.`);
    const env = stored.command === undefined ? { ...definition?.env, ...values } : values;
    return runtime.testAgent({ name: stored.name ?? cliType, command: [...command, ...stored.args], env });
  }

  async #testServer(
    { name, was, setting }: Extract<AboutSettings, { type: "settings:test-server" }>,
    { toolEnv, timeoutMs }: Runtime,
  ): Promise<Tested> {
    const server = toolServerNow(storedServer(name, setting, this.#server(was ?? name)), this.#parts.env);
    if (typeof server === "string") return failed(server);
    // The client of MCP is loaded with the first check.
    const { testToolServer } = await import("./test-tool-server.ts");
    return testToolServer(server, await toolEnv(), timeoutMs);
  }
}

function tested(result: Tested): Answer {
  return { kind: "message", message: { type: "settings:tested", ...result }, published: false };
}

function failed(message: string): Tested {
  return { ok: false, message, details: [] };
}

/** Each value by itself, so that comments between them stay. */
function changesOf(path: readonly string[], before: StoredValues, after: StoredValues): readonly ConfigChange[] {
  if (Object.keys(after).length === 0) return [{ path, value: undefined }];
  if (Object.keys(before).length === 0) return [{ path, value: after }];
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(([name, value]) => !Bun.deepEquals(before[name], value));
  return [
    ...gone.map((name) => ({ path: [...path, name], value: undefined })),
    ...changed.map(([name, value]) => ({ path: [...path, name], value })),
  ];
}

function shownAgent({ name, command, args, env, permissions }: Omit<StoredAgent, "id" | "isOwn">): AgentSetting {
  return {
    ...(name !== undefined && { name }),
    ...(command !== undefined && { command }),
    args: shownWords(args),
    env: shownValues(env),
    ...(permissions !== undefined && { permissions }),
  };
}

function shownServer(server: ConfiguredToolServer): ToolServerSetting {
  const { enabled } = server;
  const places = [...server.places];
  if ("command" in server) {
    const { command, args, env } = server;
    return { kind: "program", enabled, places, command, args: shownWords(args), env: shownValues(env) };
  }
  return { kind: "address", enabled, places, url: shownUrl(server.url), headers: shownValues(server.headers) };
}

function shownValues(stored: StoredValues): NamedValue[] {
  return Object.entries(stored).map(([name, value]) => ({
    name,
    from:
      typeof value === "string"
        ? { kind: "text" }
        : "fromEnv" in value
          ? { kind: "variable", name: value.fromEnv }
          : { kind: "file", path: value.fromFile },
  }));
}

const SECRET_OPTION = /key|token|secret|passw|auth|credential/i;

/** Arguments are shown to be edited, except those that look like secrets. */
export function shownWords(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    const isValue = before.startsWith("-") && !before.includes("=") && SECRET_OPTION.test(before);
    if (isValue && !word.startsWith("-")) return LATER.settings().HIDDEN;
    const [name = "", ...rest] = word.split("=");
    if (rest.length > 0 && SECRET_OPTION.test(name)) return `${name}=${LATER.settings().HIDDEN}`;
    return redactSecrets(word) === word && shownUrl(word) === word ? word : LATER.settings().HIDDEN;
  });
}

/** Without a password and without the values of its query. */
function shownUrl(address: string): string {
  if (!/^[a-z][a-z+.-]*:\/\//i.test(address) || !URL.canParse(address)) return address;
  const { username, password, search } = new URL(address);
  if (username === "" && password === "" && search === "") return address;
  const plain = address.replace(/\/\/[^/@]*@/, `//${LATER.settings().HIDDEN}@`);
  return plain.replace(/\?[^#]*/, `?${LATER.settings().HIDDEN}`);
}

function storedAgent(setting: AgentSetting, before: StoredAgent | undefined): Omit<StoredAgent, "id" | "isOwn"> {
  const { name, command, permissions } = setting;
  return {
    ...(name !== undefined && { name }),
    ...(command !== undefined && { command }),
    args: storedWords(setting.args, before?.args ?? []),
    env: storedValues(setting.env, before?.env ?? {}),
    ...(permissions !== undefined && { permissions }),
  };
}

function storedServer(
  name: string,
  setting: ToolServerSetting,
  before: ConfiguredToolServer | undefined,
): ConfiguredToolServer {
  const { enabled } = setting;
  const places = setting.places ?? before?.places ?? [];
  if (setting.kind === "program") {
    const { command } = setting;
    const known = before && "command" in before ? before : { args: [], env: {} };
    const [args, env] = [storedWords(setting.args, known.args), storedValues(setting.env, known.env)];
    return { name, enabled, places, command, args, env };
  }
  const known = before && "url" in before ? before : { url: "", headers: {} };
  const isKept = known.url !== "" && setting.url === shownUrl(known.url);
  if (!isKept && setting.url.includes(LATER.settings().HIDDEN))
    throw new RefusalError(REFUSE.invalidMessage("url: enter the hidden part again, or put the secret into a header"));
  const url = isKept ? known.url : setting.url;
  return { name, enabled, places, url, headers: storedValues(setting.headers, known.headers) };
}

/** A list that comes back as it was shown is kept. */
export function storedWords(given: readonly string[], before: readonly string[]): readonly string[] {
  if (Bun.deepEquals([...given], shownWords(before))) return before;
  if (given.some((word) => word.includes(LATER.settings().HIDDEN)))
    throw new RefusalError(
      REFUSE.invalidMessage("args: enter the hidden argument again, or put the secret into the environment"),
    );
  return given;
}

function storedValues(given: readonly NamedValue[], before: StoredValues): StoredValues {
  return Object.fromEntries(given.map((value) => [value.name, storedValue(value, before)]));
}

function storedValue({ name, from }: NamedValue, before: StoredValues): StoredValue {
  switch (from.kind) {
    case "variable":
      return { fromEnv: from.name };
    case "file":
      return { fromFile: from.path };
    case "text": {
      const kept = from.text ?? (Object.hasOwn(before, name) ? before[name] : undefined);
      if (kept === undefined) throw new RefusalError(REFUSE.invalidMessage(`${name}: enter a value`));
      return kept;
    }
    default:
      return from satisfies never;
  }
}
