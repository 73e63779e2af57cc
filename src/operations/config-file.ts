import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { McpServerSetting } from "../agents/acp/mcp-servers.ts";
import {
  type AgentDefinition,
  type AgentOverlay,
  defaultProcess,
  idOfEntry,
  RETRY_DELAYS_MS,
} from "../agents/catalog/agent-definition.ts";
import { AgentRegistry } from "../agents/catalog/agent-registry.ts";
import type { EvictionLimits } from "../agents/pool/eviction.ts";
import { ignore } from "../lib/ignore.ts";
import { nearestWord } from "../lib/nearest-word.ts";
import { Budget } from "../protocol/delegation.ts";
import { CliType } from "../protocol/ids.ts";
import { PermissionMode } from "../protocol/permission-policy.ts";
import type { ToolServer } from "../protocol/tool-server.ts";
import { TREE_LIMITS, type TreeLimits } from "../sessions/delegation/delegations.ts";
import { type LocatedJson, parseLocatedJson } from "./located-json.ts";

const RETRY_MS_MAX = 30_000;
const LEVELS_MAX = 10;
const POOL_DEFAULTS: EvictionLimits = { idleMs: 30 * 60_000, processesMax: 12 };
/** Used in place of a limit that cannot be read, so that a typo never allows more. */
const STRICT_LIMITS: TreeLimits = { depthMax: 1, childrenMax: 1, runningMax: 1, budget: { turns: 1 } };
const STRICT_POOL: EvictionLimits = { idleMs: 60_000, processesMax: 4 };

const Texts = z.record(z.string(), z.string());
const Text = z.string().min(1);
const Flag = z.boolean();
const Count = z.int().min(1);

const SECTIONS = ["agents", "pool", "mcpServers", "orchestration"];
const AGENT_KEYS = [
  ...["name", "command", "args", "env", "process", "fs", "terminal", "permissions", "orchestration", "retryMs"],
];
const POOL_KEYS = ["idleMs", "processesMax"];
const ORCHESTRATION_KEYS = [
  "offered",
  "keepChildren",
  "depthMax",
  "childrenMax",
  "runningMax",
  "budget",
  "silentWaitMs",
  "progressEveryMs",
];
/** Common clients give up on a silent call after 60 s. */
const SILENT_WAIT_MS = 50_000;
const SILENT_WAIT_MS_MAX = 600_000;
const PROGRESS_EVERY_MS = 10_000;
const MCP_KEYS = ["command", "args", "env", "url", "headers", "enabled"];
/** Known without a command: what it may be given is an environment, which names its model. */
const BUILTIN = CliType.parse("builtin");

export interface OrchestrationConfig {
  /** False: no agent is offered our tools. */
  readonly offered: boolean;
  readonly keepChildren: boolean;
  readonly limits: TreeLimits;
  /** The longest a tool waits for a caller that gets no progress notifications. */
  readonly silentWaitMs: number;
  /** How often a caller that asked for progress is notified while its call runs. */
  readonly progressEveryMs: number;
}

export interface LoadedConfigFile {
  readonly agents: readonly AgentDefinition[];
  /** Changes to agents that the catalog has. */
  readonly overlays: readonly AgentOverlay[];
  /** More of the environment for the built-in agent. */
  readonly builtinEnv: Readonly<Record<string, string>>;
  readonly pool: EvictionLimits;
  readonly mcpServers: readonly ConfiguredToolServer[];
  readonly orchestration: OrchestrationConfig;
  /** What sessions of an agent start with, where that is not to ask. */
  readonly permissions: ReadonlyMap<CliType, PermissionMode>;
  /** Parts that are not used: file, line, place, reason, and what holds instead. */
  readonly problems: readonly string[];
}

/** The user's own settings, read part by part. A part with a mistake is refused and reported; the others are used. */
export function loadConfigFile(path: string): LoadedConfigFile {
  const reader = new ConfigReader(path);
  reader.checkNames([], SECTIONS);
  const agents = reader.names(["agents"]).map((name) => readAgent(reader, path, name));
  const loaded = {
    agents: agents.flatMap(({ definition }) => definition ?? []),
    overlays: agents.flatMap(({ overlay }) => overlay ?? []),
    builtinEnv: agents.find(({ builtinEnv }) => builtinEnv)?.builtinEnv ?? {},
    permissions: new Map(
      agents.flatMap(({ id, permissions }) => (id && permissions ? [[id, permissions] as const] : [])),
    ),
    pool: readPool(reader),
    orchestration: readOrchestration(reader),
    mcpServers: reader.names(["mcpServers"]).flatMap((name) => readMcpServer(reader, name) ?? []),
  };
  return { ...loaded, problems: reader.problems };
}

type Path = readonly string[];

/** Gives out the file's parts one at a time, and collects what is wrong with them. */
class ConfigReader {
  readonly problems: string[] = [];
  readonly #file: string;
  readonly #json: LocatedJson;
  /** Places whose name is misspelled: they count as there and wrong. */
  readonly #misspelled = new Set<string>();
  /** True when parts may be missing because of a mistake elsewhere. */
  readonly isIncomplete: boolean;

  constructor(file: string) {
    this.#file = file;
    const text = this.#text();
    this.#json = parseLocatedJson(text ?? "{}");
    const { value, problems } = this.#json;
    this.isIncomplete = text === null || problems.length > 0 || !isObject(value);
    for (const { path, line, message } of problems) this.#report(path.map(String), line, message);
    if (problems.length === 0 && !isObject(value)) this.#report([], 1, "expected an object: { … }");
  }

  #text(): string | null {
    if (!existsSync(this.#file)) return "{}";
    try {
      return readFileSync(this.#file, "utf8");
    } catch (error) {
      this.problems.push(
        `${this.#file}: cannot be read (${errorText(error)}). The file is ignored, and all limits are at their strictest.`,
      );
      return null;
    }
  }

  /** The value at a place; undefined where there is none. */
  at(path: Path): unknown {
    let value: unknown = this.#json.value;
    for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return value;
  }

  /** The names of an object's members. One that is no object is reported. */
  names(path: Path): readonly string[] {
    const value = this.at(path);
    if (isObject(value)) return Object.keys(value);
    if (value !== undefined) this.refuse(path, "expected an object: { … }", "Ignored.");
    return [];
  }

  /** Reports names that are nearly a known one. Others belong to a newer version, and are passed over. */
  checkNames(path: Path, known: readonly string[]): void {
    const value = this.at(path);
    if (!isObject(value)) return;
    for (const name of Object.keys(value)) {
      if (known.includes(name)) continue;
      const meant = nearestWord(
        name,
        known.filter((one) => !Object.hasOwn(value, one)),
      );
      if (meant === null) continue;
      this.#misspelled.add([...path, meant].join("\n"));
      this.refuse([...path, name], `unknown setting. Did you mean "${meant}"?`, "Ignored.");
    }
  }

  isMisspelled(path: Path): boolean {
    return this.#misspelled.has(path.join("\n"));
  }

  /** Whether the text at this place could not be read as JSON; that is reported already. */
  isUnreadable(path: Path): boolean {
    return this.#json.problems.some(
      ({ path: wrong }) => wrong.length >= path.length && path.every((name, index) => wrong[index] === name),
    );
  }

  /** The part that holds these names itself has a mistake, which may have swallowed any of them. */
  isTorn(path: Path): boolean {
    return this.#json.problems.some(
      ({ path: wrong }) => wrong.length === path.length && path.every((name, index) => wrong[index] === name),
    );
  }

  /** `wrong`: the value could not be used, and was reported with the words for what holds instead. */
  read<Value>(
    path: Path,
    schema: z.ZodType<Value> | z.core.$ZodType<Value>,
    instead: string,
  ): { readonly value?: Value; readonly wrong: boolean } {
    if (this.isUnreadable(path) || this.isMisspelled(path)) return { wrong: true };
    const given = this.at(path);
    if (given === undefined) return { wrong: false };
    const parsed = z.safeParse(schema, given);
    if (parsed.success) return { value: parsed.data, wrong: false };
    const [issue] = parsed.error.issues;
    const place = [...path, ...(issue?.path.map(String) ?? [])];
    this.refuse(place, lowerFirst(issue?.message ?? "not valid"), instead);
    return { wrong: true };
  }

  /** A value that is wrong, or that may have been lost by a mistake around it, is the strict one. */
  limit<Value>(
    path: Path,
    schema: z.ZodType<Value> | z.core.$ZodType<Value>,
    standard: Value,
    strict: Value,
    shown = JSON.stringify(strict),
  ): Value {
    const { value, wrong } = this.read(path, schema, `${shown} is used instead.`);
    return value ?? (wrong || this.isIncomplete ? strict : standard);
  }

  refuse(path: Path, reason: string, instead: string): void {
    this.#report(path, this.#json.lineOf(path), reason, instead);
  }

  #report(path: Path, line: number, reason: string, instead = ""): void {
    const place = path.length === 0 ? "" : `${path.join(".")}: `;
    this.problems.push(
      `${this.#file}, line ${line}: ${place}${sentence(reason)}${instead === "" ? "" : ` ${instead}`}`,
    );
  }
}

interface ReadAgent {
  readonly id?: CliType;
  readonly definition?: AgentDefinition;
  readonly overlay?: AgentOverlay;
  readonly builtinEnv?: Readonly<Record<string, string>>;
  readonly permissions?: PermissionMode;
}

function readAgent(reader: ConfigReader, file: string, name: string): ReadAgent {
  const path = ["agents", name];
  const id = CliType.safeParse(name).data;
  if (id === undefined) {
    reader.refuse(path, "an agent id may only contain lowercase letters, digits and dashes", "Ignored.");
    return {};
  }
  const before = reader.problems.length;
  reader.names(path);
  reader.checkNames(path, AGENT_KEYS);
  const unusable = "The agent cannot be started until this is corrected.";
  const field = <Value>(key: string, schema: z.ZodType<Value> | z.core.$ZodType<Value>, instead: string) =>
    reader.read([...path, key], schema, instead);
  const flag = (key: string) => {
    const { value, wrong } = field(key, Flag, "false is used instead.");
    return value ?? (wrong ? false : undefined);
  };
  const command = field("command", Text, unusable);
  const args = field("args", z.array(z.string()), unusable);
  const env = field("env", Texts, unusable);
  const title = field("name", Text, "Ignored.");
  const process = field("process", z.enum(["shared", "per-session"]), '"per-session" is used instead.');
  const retryMs = field("retryMs", z.array(z.int().min(0).max(RETRY_MS_MAX)).max(20), "The default delays are used.");
  const { value: permissions } = field("permissions", PermissionMode, '"ask" is used instead.');
  const [fs, terminal, orchestration] = [flag("fs"), flag("terminal"), flag("orchestration")];
  const isBroken = command.wrong || args.wrong || env.wrong || reader.isTorn(path) || !isObject(reader.at(path));
  const isKnown = command.value === undefined && (id === BUILTIN || isInCatalog(file, id));
  // A bracket that is missing makes other sections look like agents.
  if (!isKnown && title.value === undefined && command.value === undefined && reader.isIncomplete) return {};
  if (!isKnown && !isBroken)
    for (const [key, given] of [
      ["name", title.value],
      ["command", command.value],
    ] as const)
      if (given === undefined && !title.wrong)
        reader.refuse([...path, key], `the catalog has no agent "${id}", so ${key} is required`, unusable);
  const isComplete = isKnown || (title.value !== undefined && command.value !== undefined);
  const unavailable = isBroken || !isComplete ? (reader.problems.slice(before)[0] ?? brokenWords(file, path)) : null;
  const processOf = process.value ?? (process.wrong ? "per-session" : undefined);
  const known = { id, ...(permissions !== undefined && !isBroken && { permissions }) };
  if (isKnown)
    return {
      ...known,
      overlay: {
        id,
        ...(title.value !== undefined && { name: title.value }),
        ...(args.value && { args: args.value }),
        // Decides about its model, too, before there is an agent to change.
        ...(env.value && id !== BUILTIN && { env: env.value }),
        ...(processOf && { process: processOf }),
        ...(retryMs.value && { retryDelaysMs: retryMs.value }),
        serves: { ...(fs !== undefined && { fs }), ...(terminal !== undefined && { terminal }) },
        ...(orchestration !== undefined && { orchestration }),
        ...(unavailable !== null && { unavailable }),
      },
      ...(id === BUILTIN && { builtinEnv: env.value ?? {} }),
    };
  return {
    ...known,
    definition: {
      id,
      name: title.value ?? id,
      command: unavailable === null && command.value !== undefined ? [command.value, ...(args.value ?? [])] : null,
      env: env.value ?? {},
      process: processOf ?? defaultProcess(id),
      retryDelaysMs: retryMs.value ?? RETRY_DELAYS_MS,
      serves: { fs: fs ?? true, terminal: terminal ?? true },
      orchestration: orchestration ?? true,
      ...(unavailable !== null && { installHint: unavailable, details: { installable: false } }),
    },
  };
}

const brokenWords = (file: string, path: Path) => `${file}: ${path.join(".")} is invalid. Run: liminal doctor`;

/** Read only for an agent without a command: most files need no look at the catalog. */
function isInCatalog(file: string, id: CliType): boolean {
  const registry = new AgentRegistry({
    world: { now: Date.now, newId: () => "" },
    cacheFile: join(dirname(file), "agents", "registry.json"),
    url: null,
    info: ignore("the server's own registry reports it"),
  });
  return registry.entries().some((entry) => idOfEntry(entry.id) === id);
}

function readPool(reader: ConfigReader): EvictionLimits {
  reader.names(["pool"]);
  reader.checkNames(["pool"], POOL_KEYS);
  const limit = (key: keyof EvictionLimits, schema: z.ZodType<number>) =>
    reader.limit(["pool", key], schema, POOL_DEFAULTS[key], STRICT_POOL[key]);
  return isWhole(reader, ["pool"])
    ? { idleMs: limit("idleMs", z.int().min(100)), processesMax: limit("processesMax", Count) }
    : STRICT_POOL;
}

function readOrchestration(reader: ConfigReader): OrchestrationConfig {
  const at = (key: string) => ["orchestration", key];
  reader.names(["orchestration"]);
  reader.checkNames(["orchestration"], ORCHESTRATION_KEYS);
  if (!isWhole(reader, ["orchestration"]))
    return {
      offered: false,
      keepChildren: false,
      limits: STRICT_LIMITS,
      silentWaitMs: SILENT_WAIT_MS,
      progressEveryMs: PROGRESS_EVERY_MS,
    };
  const limit = (key: "depthMax" | "childrenMax" | "runningMax", schema: z.ZodType<number>) =>
    reader.limit(at(key), schema, TREE_LIMITS[key], STRICT_LIMITS[key]);
  reader.checkNames(at("budget"), Object.keys(Budget.shape));
  const isBudgetMisspelled = Object.keys(Budget.shape).some((key) => reader.isMisspelled([...at("budget"), key]));
  const budget = reader.limit(at("budget"), Budget, TREE_LIMITS.budget, STRICT_LIMITS.budget, "A budget of one turn");
  return {
    offered: reader.limit(at("offered"), Flag, true, false),
    keepChildren: reader.limit(at("keepChildren"), Flag, false, false),
    limits: {
      depthMax: limit("depthMax", z.int().min(1).max(LEVELS_MAX)),
      childrenMax: limit("childrenMax", Count),
      runningMax: limit("runningMax", Count),
      budget: isBudgetMisspelled ? STRICT_LIMITS.budget : budget,
    },
    silentWaitMs: reader.limit(
      at("silentWaitMs"),
      z.int().min(100).max(SILENT_WAIT_MS_MAX),
      SILENT_WAIT_MS,
      SILENT_WAIT_MS,
    ),
    progressEveryMs: reader.limit(
      at("progressEveryMs"),
      z.int().min(100).max(SILENT_WAIT_MS),
      PROGRESS_EVERY_MS,
      PROGRESS_EVERY_MS,
    ),
  };
}

/** False for a section that is there and is no object, has a mistake between its members, or whose name is misspelled. */
function isWhole(reader: ConfigReader, path: Path): boolean {
  const value = reader.at(path);
  return (value === undefined || isObject(value)) && !reader.isTorn(path) && !reader.isMisspelled(path);
}

function readMcpServer(reader: ConfigReader, name: string): ConfiguredToolServer | null {
  const path = ["mcpServers", name];
  const refused = "The tool server is ignored.";
  if (name === "" || reader.isTorn(path) || !isObject(reader.at(path))) {
    if (!reader.isTorn(path)) reader.refuse(path, "a tool server needs a name and an object: { … }", refused);
    return null;
  }
  reader.checkNames(path, MCP_KEYS);
  const field = <Value>(key: string, schema: z.ZodType<Value>, instead = refused) =>
    reader.read([...path, key], schema, instead);
  const command = field("command", Text);
  const url = field("url", z.url({ protocol: /^https?$/, error: "expected an address that starts with http" }));
  const args = field("args", z.array(z.string()));
  const env = field("env", Texts);
  const headers = field("headers", Texts);
  const isEnabled = field("enabled", Flag, "false is used instead.");
  if ([command, url, args, env, headers].some(({ wrong }) => wrong)) return null;
  const enabled = isEnabled.value ?? !isEnabled.wrong;
  if (command.value !== undefined)
    return { name, enabled, command: command.value, args: args.value ?? [], env: env.value ?? {} };
  if (url.value !== undefined) return { name, enabled, url: url.value, headers: headers.value ?? {} };
  reader.refuse(path, "a tool server needs a command or a url", refused);
  return null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** A tool server as config.json has it. */
type ConfiguredToolServer = McpServerSetting & {
  /** Whether projects get it in which nothing else was chosen. */
  readonly enabled: boolean;
};

/** Fit to be shown: arguments, environments, headers and queries may hold secrets, so they are left out. */
export function shownToolServer(server: ConfiguredToolServer): ToolServer {
  const { name, enabled } = server;
  if ("command" in server) return { name, enabled, kind: "program", target: basename(server.command) };
  const { origin, pathname } = new URL(server.url);
  return { name, enabled, kind: "address", target: `${origin}${pathname}` };
}
