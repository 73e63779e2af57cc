import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { z } from "zod";
import type { ServiceSetting } from "../access/sign-in-service.ts";
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
import { type LocatedJson, parseLocatedJson } from "../lib/located-json.ts";
import { nearestWord } from "../lib/nearest-word.ts";
import type { DialInSetting, Place } from "../places/place.ts";
import { LimitsResume } from "../protocol/conversations.ts";
import { Budget } from "../protocol/delegation.ts";
import { CliType } from "../protocol/ids.ts";
import { NOTICE_TARGETS_MAX, NoticeTarget } from "../protocol/notices.ts";
import { PermissionMode } from "../protocol/permission-policy.ts";
import { splitPlace } from "../protocol/place-path.ts";
import type { ToolServer } from "../protocol/tool-server.ts";
import { TREE_LIMITS, type TreeLimits } from "../sessions/delegation/delegations.ts";
import type { RunningMax } from "../sessions/running-limits.ts";
import { isLoopback } from "./config.ts";
import { ownCommand } from "./own-program.ts";
import { resolveValues, StoredValue, StoredValues } from "./value-sources.ts";

/** Loaded with the first setting of this kind, in that step (decision 149). */
const LATER = {
  places: (): typeof import("../protocol/places.ts") => require("../protocol/places.ts"),
};

const RETRY_MS_MAX = 30_000;
const LEVELS_MAX = 10;
const VAULT_BYTES_MAX = 10 * 1024 ** 3;
const POOL_DEFAULTS: EvictionLimits = { idleMs: 30 * 60_000, processesMax: 12 };
/** Replaces a limit that cannot be read, so that a typo never allows more. */
const STRICT_LIMITS: TreeLimits = { depthMax: 1, childrenMax: 1, runningMax: 1, budget: { turns: 1 } };
const STRICT_POOL: EvictionLimits = { idleMs: 60_000, processesMax: 4 };

const Text = z.string().min(1);
const Flag = z.boolean();
const Count = z.int().min(1);

const SECTIONS = [
  "agents",
  "pool",
  "mcpServers",
  "orchestration",
  "checkpoints",
  "vaultBytesMax",
  "editor",
  "worktreeRoot",
  "notify",
  "limits",
  "places",
  "dialIn",
  "oidc",
];
const AGENT_KEYS = [
  ...["name", "command", "args", "env", "process", "fs", "terminal", "permissions", "orchestration", "retryMs"],
];
const POOL_KEYS = ["idleMs", "processesMax"];
const LIMITS_KEYS = ["resume", "runningPerPersonMax", "runningPerPlaceMax"];
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
/** Common clients abort a silent call after 60 s. */
const SILENT_WAIT_MS = 50_000;
const SILENT_WAIT_MS_MAX = 600_000;
const PROGRESS_EVERY_MS = 10_000;
const MCP_KEYS = ["command", "args", "env", "url", "headers", "enabled", "places"];
const PLACE_KEYS = [
  ...["kind", "host", "program", "command", "network", "read", "write", "variables", "agents"],
  ...["pod", "sandbox", "namespace", "context", "kubeconfig", "container", "idleMinutes"],
];
const DIAL_IN_KEYS = ["host", "port", "address"];
/** Machines that dial in are elsewhere, so it is open to them. */
const DIAL_IN_HOST = "0.0.0.0";
const PORT_MAX = 65_535;
const OIDC_KEYS = ["issuer", "clientId", "clientSecret", "address", "scopes", "name", "allow"];
const OIDC_SCOPES = ["openid", "email", "profile"];
const ALLOWED_MAX = 200;
/** Needs no command: its environment names its model. */
const BUILTIN = CliType.parse("builtin");

export interface OrchestrationConfig {
  /** False: no agent is offered our tools. */
  readonly offered: boolean;
  readonly keepChildren: boolean;
  readonly limits: TreeLimits;
  /** The longest wait for a caller that gets no progress notifications. */
  readonly silentWaitMs: number;
  /** How often a caller that asked for progress is notified while its call runs. */
  readonly progressEveryMs: number;
}

export interface LoadedConfigFile {
  readonly agents: readonly AgentDefinition[];
  /** Changes to agents in the catalog. */
  readonly overlays: readonly AgentOverlay[];
  /** Additional environment of the built-in agent. */
  readonly builtinEnv: Readonly<Record<string, string>>;
  readonly pool: EvictionLimits;
  readonly mcpServers: readonly ConfiguredToolServer[];
  readonly orchestration: OrchestrationConfig;
  /** The program that opens a file, and its arguments with `{file}` and `{line}`; null when none is set. */
  readonly editor: readonly string[] | null;
  /** Initial permission modes of agents, if other than `ask`. */
  readonly permissions: ReadonlyMap<CliType, PermissionMode>;
  /** False: nothing is kept of the files that agents change, so nothing can be shown or undone. */
  readonly checkpoints: boolean;
  /** Checkpoints of all projects together take no more than this on disk. */
  readonly vaultBytesMax: number;
  /** Where worktrees are made. */
  readonly worktreeRoot: string;
  /** Where notices are sent. */
  readonly notify: readonly NoticeTarget[];
  /** What happens to a session when its usage limit ends. */
  readonly limitsResume: LimitsResume;
  /** How many sessions may work at the same time. */
  readonly runningMax: RunningMax;
  /** Other machines where agents may run. */
  readonly places: readonly Place[];
  /** Their names, and those of places that are ignored for a mistake; null if a mistake may hide some. */
  readonly placeNames: readonly string[] | null;
  /** Where the runners of places dial in. */
  readonly dialIn: DialInSetting;
  /** Where people sign in with the accounts of their company; null: nowhere. */
  readonly service: ServiceSetting | null;
  /** Agents as they are stored. */
  readonly storedAgents: readonly StoredAgent[];
  /** Parts that are not used: file, line, position, reason, and the effective value. */
  readonly problems: readonly string[];
}

/** The user's own settings, read part by part. A part with a mistake is refused and reported; the others are used. */
export function loadConfigFile(path: string, env: Environment = {}): LoadedConfigFile {
  const reader = new ConfigReader(path);
  reader.checkNames([], SECTIONS);
  const agents = reader.names(["agents"]).map((name) => readAgent(reader, path, name, env));
  const loaded = {
    agents: agents.flatMap(({ definition }) => definition ?? []),
    overlays: agents.flatMap(({ overlay }) => overlay ?? []),
    storedAgents: agents.flatMap(({ stored }) => stored ?? []),
    builtinEnv: agents.find(({ builtinEnv }) => builtinEnv)?.builtinEnv ?? {},
    permissions: new Map(
      agents.flatMap(({ id, permissions }) => (id && permissions ? [[id, permissions] as const] : [])),
    ),
    checkpoints: reader.read(["checkpoints"], Flag, "Checkpoints are on.").value ?? true,
    // Not the strictest value: that would drop checkpoints because of a typo.
    vaultBytesMax: reader.read(["vaultBytesMax"], Count, `The limit is ${VAULT_BYTES_MAX}.`).value ?? VAULT_BYTES_MAX,
    pool: readPool(reader),
    orchestration: readOrchestration(reader),
    mcpServers: reader.names(["mcpServers"]).flatMap((name) => readMcpServer(reader, name) ?? []),
    editor: readEditor(reader),
    notify: readNotify(reader),
    limitsResume: limitsResumeOf(reader),
    runningMax: {
      perPerson: runningMaxOf(reader, "runningPerPersonMax"),
      perPlace: runningMaxOf(reader, "runningPerPlaceMax"),
    },
    places: reader.names(["places"]).flatMap((name) => readPlace(reader, path, name) ?? []),
    placeNames: reader.isIncomplete ? null : reader.names(["places"]),
    dialIn: readDialIn(reader),
    service: readService(reader, env),
    worktreeRoot:
      reader.read(["worktreeRoot"], WorktreeRoot, `${WORKTREE_ROOT} is used instead.`).value ?? WORKTREE_ROOT,
  };
  return { ...loaded, problems: reader.problems };
}

type Path = readonly string[];

/** Returns the file's parts one at a time, and collects their mistakes. */
class ConfigReader {
  readonly problems: string[] = [];
  readonly #file: string;
  readonly #json: LocatedJson;
  /** Positions with a misspelled name: they count as present and wrong. */
  readonly #misspelled = new Set<string>();
  /** True if parts may be missing because of a mistake elsewhere. */
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

  /** The value at a position; undefined if there is none. */
  at(path: Path): unknown {
    let value: unknown = this.#json.value;
    for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    return value;
  }

  /** The names of an object's members. A value that is not an object is reported. */
  names(path: Path): readonly string[] {
    const value = this.at(path);
    if (isObject(value)) return Object.keys(value);
    if (value !== undefined) this.refuse(path, "expected an object: { … }", "Ignored.");
    return [];
  }

  /** Reports names that are close to a known one. Others belong to a newer version, and are ignored. */
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

  /** Whether the text at this position is not valid JSON; that is already reported. */
  isUnreadable(path: Path): boolean {
    return this.#json.problems.some(
      ({ path: wrong }) => wrong.length >= path.length && path.every((name, index) => wrong[index] === name),
    );
  }

  /** The part that contains these names has a mistake, which may have hidden any of them. */
  isTorn(path: Path): boolean {
    return this.#json.problems.some(
      ({ path: wrong }) => wrong.length === path.length && path.every((name, index) => wrong[index] === name),
    );
  }

  /** `wrong`: the value could not be used, and was reported with the effective value. */
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

  /** A value that is wrong, or that may be hidden by a mistake around it, becomes the strict one. */
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

  refuse(path: readonly (string | number)[], reason: string, instead: string): void {
    this.#report(path, this.#json.lineOf(path), reason, instead);
  }

  #report(path: readonly (string | number)[], line: number, reason: string, instead = ""): void {
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
  readonly stored?: StoredAgent;
}

/** Where values that are stored elsewhere are looked up. */
type Environment = Readonly<Record<string, string | undefined>>;

function readAgent(reader: ConfigReader, file: string, name: string, environment: Environment): ReadAgent {
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
  const env = field("env", StoredValues, unusable);
  const title = field("name", Text, "Ignored.");
  const process = field("process", z.enum(["shared", "per-session"]), '"per-session" is used instead.');
  const retryMs = field("retryMs", z.array(z.int().min(0).max(RETRY_MS_MAX)).max(20), "The default delays are used.");
  const { value: permissions } = field("permissions", PermissionMode, '"ask" is used instead.');
  const [fs, terminal, orchestration] = [flag("fs"), flag("terminal"), flag("orchestration")];
  const isBroken = command.wrong || args.wrong || env.wrong || reader.isTorn(path) || !isObject(reader.at(path));
  const isKnown = command.value === undefined && (id === BUILTIN || isInCatalog(file, id));
  // A missing bracket makes other sections look like agents.
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
  const stored: StoredAgent = {
    id,
    isOwn: !isKnown,
    ...(title.value !== undefined && { name: title.value }),
    ...(command.value !== undefined && { command: command.value }),
    args: args.value ?? [],
    env: env.value ?? {},
    ...(permissions !== undefined && { permissions }),
  };
  const known = { id, stored, ...(permissions !== undefined && !isBroken && { permissions }) };
  const found = lookedUp(env.value ?? {}, environment);
  if (isKnown)
    return {
      ...known,
      overlay: {
        id,
        ...(title.value !== undefined && { name: title.value }),
        ...(args.value && { args: args.value }),
        // It also selects the model, before there is an agent to change.
        ...(env.value && id !== BUILTIN && found),
        ...(processOf && { process: processOf }),
        ...(retryMs.value && { retryDelaysMs: retryMs.value }),
        serves: { ...(fs !== undefined && { fs }), ...(terminal !== undefined && { terminal }) },
        ...(orchestration !== undefined && { orchestration }),
        ...(unavailable !== null && { unavailable }),
      },
      ...(id === BUILTIN && { builtinEnv: found.env }),
    };
  return {
    ...known,
    definition: {
      id,
      name: title.value ?? id,
      command:
        unavailable === null && found.unavailable === undefined && command.value !== undefined
          ? [command.value, ...(args.value ?? [])]
          : null,
      env: found.env,
      process: processOf ?? defaultProcess(id),
      retryDelaysMs: retryMs.value ?? RETRY_DELAYS_MS,
      serves: { fs: fs ?? true, terminal: terminal ?? true },
      orchestration: orchestration ?? true,
      ...((unavailable ?? found.unavailable) !== undefined && {
        installHint: unavailable ?? found.unavailable,
        details: { installable: false },
      }),
    },
  };
}

/** The values of an environment, and why the agent cannot be started if one is missing. */
function lookedUp(
  stored: StoredValues,
  environment: Environment,
): { readonly env: Pairs; readonly unavailable?: string } {
  const { values, missing } = resolveValues(stored, environment);
  return { env: values, ...(missing.length > 0 && { unavailable: missing.join(" ") }) };
}

type Pairs = Readonly<Record<string, string>>;

/** The settings of an agent in the file, as stored. */
export interface StoredAgent {
  readonly id: CliType;
  /** False: it changes an agent of the catalog. */
  readonly isOwn: boolean;
  readonly name?: string;
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: StoredValues;
  readonly permissions?: PermissionMode;
}

const brokenWords = (file: string, path: Path) => `${file}: ${path.join(".")} is invalid. Run: liminal doctor`;

/** Read only for an agent without a command: most files do not need the catalog. */
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

function limitsResumeOf(reader: ConfigReader): LimitsResume {
  reader.names(["limits"]);
  reader.checkNames(["limits"], LIMITS_KEYS);
  return reader.read(["limits", "resume"], LimitsResume, "You are asked at each limit.").value ?? "ask";
}

/** A typo never allows more; without the setting there is no limit. */
function runningMaxOf(reader: ConfigReader, key: string): number | null {
  const { value, wrong } = reader.read(["limits", key], Count, "1 is used instead.");
  return value ?? (wrong ? 1 : null);
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

/** False for a section that is not an object, has a mistake between its members, or has a misspelled name. */
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
  const env = field("env", StoredValues);
  const headers = field("headers", StoredValues);
  const isEnabled = field("enabled", Flag, "false is used instead.");
  const places = field("places", z.array(LATER.places().PlaceName), "Sessions at places do not get it.").value ?? [];
  if ([command, url, args, env, headers].some(({ wrong }) => wrong)) return null;
  const enabled = isEnabled.value ?? !isEnabled.wrong;
  if (command.value !== undefined)
    return { name, enabled, places, command: command.value, args: args.value ?? [], env: env.value ?? {} };
  if (url.value !== undefined) return { name, enabled, places, url: url.value, headers: headers.value ?? {} };
  reader.refuse(path, "a tool server needs a command or a url", refused);
  return null;
}

function readPlace(reader: ConfigReader, file: string, name: string): Place | null {
  const path = ["places", name];
  const {
    IdleMinutes,
    PlaceHost,
    PlaceName,
    PlacePaths,
    PlaceProgram,
    PlaceVariables,
    PlaceWords,
    PodContext,
    PodFile,
    PodWord,
  } = LATER.places();
  const refused = "The place is ignored.";
  if (!PlaceName.safeParse(name).success) {
    reader.refuse(path, "the name of a place has 2 to 32 lowercase letters, digits and dashes", refused);
    return null;
  }
  reader.names(path);
  reader.checkNames(path, PLACE_KEYS);
  const field = <Value>(key: string, schema: z.ZodType<Value> | z.core.$ZodType<Value>) =>
    reader.read([...path, key], schema, refused);
  const kind = field("kind", z.enum(["ssh", "command", "fence", "kubernetes", "dial-in"]));
  const host = field("host", PlaceHost);
  const program = field("program", PlaceProgram);
  const command = field("command", PlaceWords);
  const network = field("network", Flag);
  const read = field("read", PlacePaths);
  const write = field("write", PlacePaths);
  const variables = field("variables", PlaceVariables);
  const agents = field("agents", z.record(CliType, PlaceWords));
  const pod = field(
    "pod",
    z.union([PodFile, z.record(z.string(), z.unknown())], { error: "expected a path, or a pod" }),
  );
  const sandbox = field("sandbox", PodWord);
  const namespace = field("namespace", PodWord);
  const context = field("context", PodContext);
  const kubeconfig = field("kubeconfig", PodFile);
  const container = field("container", PodWord);
  const idleMinutes = field("idleMinutes", IdleMinutes);
  const ofPods = [pod, sandbox, namespace, context, kubeconfig, container, idleMinutes];
  const all = [kind, host, program, command, network, read, write, variables, agents, ...ofPods];
  if (all.some(({ wrong }) => wrong) || reader.isTorn(path)) return null;
  const shared = { name, agents: agents.value ?? {} };
  if (kind.value === "ssh" && host.value !== undefined)
    return { ...shared, kind: "ssh", host: host.value, program: program.value ?? "liminal" };
  if (kind.value === "command" && command.value !== undefined)
    return { ...shared, kind: "command", command: command.value };
  if (kind.value === "fence") {
    const fence = {
      network: network.value ?? false,
      read: read.value ?? [],
      write: write.value ?? [],
      variables: variables.value ?? [],
      hidden: [dirname(file)],
    };
    return { ...shared, kind: "fence", fence, program: ownCommand("liminal", "runner") };
  }
  if (kind.value === "dial-in") return { ...shared, kind: "dial-in" };
  const from = templateFrom(pod.value, sandbox.value);
  if (kind.value === "kubernetes" && from !== null) {
    const template = {
      from,
      namespace: namespace.value ?? null,
      context: context.value ?? null,
      kubeconfig: kubeconfig.value ?? null,
      container: container.value ?? null,
      idleMinutes: idleMinutes.value ?? null,
    };
    return { ...shared, kind: "kubernetes", template, program: program.value ?? "liminal", pod: null };
  }
  const kinds =
    '"ssh" with a host, "command" with a command, "fence", "dial-in", or "kubernetes" with a pod or a sandbox';
  reader.refuse(path, `a place needs a kind: ${kinds}`, refused);
  return null;
}

const HostName = z.string().regex(/^(?:[a-z0-9.-]+|\[?[0-9a-f:.]+\]?)$/i, { error: "expected a name or an address" });
const HostAndPort = z.string().regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i, {
  error: "expected a name or an address, with a port if it is another one, for example liminal.example:4510",
});

function readDialIn(reader: ConfigReader): DialInSetting {
  const path = ["dialIn"];
  reader.names(path);
  reader.checkNames(path, DIAL_IN_KEYS);
  const field = <Value>(key: string, schema: z.ZodType<Value>, instead: string) =>
    reader.read([...path, key], schema, instead).value;
  // A typo must not open it to more than was meant.
  const host = reader.read([...path, "host"], HostName, "Machines on this one only can dial in.");
  return {
    host: host.value ?? (host.wrong ? "127.0.0.1" : DIAL_IN_HOST),
    port: field("port", Count.max(PORT_MAX), "A port is chosen, and kept.") ?? null,
    address: field("address", HostAndPort, "Links have an address of this machine.") ?? null,
  };
}

/** Null unless there is exactly one. */
function templateFrom(pod: string | Record<string, unknown> | undefined, pool: string | undefined) {
  if ((pod === undefined) === (pool === undefined)) return null;
  if (pool !== undefined) return { kind: "sandbox", pool } as const;
  return typeof pod === "string"
    ? ({ kind: "file", path: pod } as const)
    : ({ kind: "spec", spec: pod ?? {} } as const);
}

/** In the clear on this machine alone: elsewhere, anybody on the way could say who somebody is. */
const SecureUrl = z.string().refine(isSecureUrl, { error: "expected an address that starts with https://" });
const OwnAddress = z
  .string()
  .refine((address) => isSecureUrl(address) && new URL(address).origin === address.replace(/\/$/, ""), {
    error: "expected an address that starts with https:// and has no path, for example https://liminal.example",
  })
  .transform((address) => new URL(address).origin);
const Allowed = z
  .string()
  .toLowerCase()
  .regex(/^[^\s@]*@[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, {
    error: 'expected an e-mail address, or a domain with an @ before it, for example "@example.com"',
  });
const SHOWN_NAME_CHARS_MAX = 60;

/** All or nothing, but for whom it lets in: a mistake there lets in nobody who was not added. */
function readService(reader: ConfigReader, environment: Environment): ServiceSetting | null {
  const path = ["oidc"];
  const refused = "Nobody can sign in by this service until it is corrected.";
  if (reader.at(path) === undefined) return null;
  reader.names(path);
  reader.checkNames(path, OIDC_KEYS);
  const field = <Value>(key: string, schema: z.ZodType<Value>, instead = refused) =>
    reader.read([...path, key], schema, instead);
  const issuer = field("issuer", SecureUrl);
  const clientId = field("clientId", Text);
  const secret = field("clientSecret", StoredValue);
  const address = field("address", OwnAddress);
  const scopes = field("scopes", z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).max(ALLOWED_MAX));
  const name = field("name", Text.max(SHOWN_NAME_CHARS_MAX), "The name of its address is used instead.");
  const allow = field("allow", z.array(Allowed).max(ALLOWED_MAX), "Only people who were added can sign in.");
  if ([issuer, clientId, secret, address, scopes].some(({ wrong }) => wrong) || reader.isTorn(path)) return null;
  if (issuer.value === undefined || clientId.value === undefined) {
    if (isObject(reader.at(path))) reader.refuse(path, "a sign-in service needs an issuer and a clientId", refused);
    return null;
  }
  return {
    issuer: issuer.value,
    clientId: clientId.value,
    clientSecret: () => secretNow(secret.value, environment),
    address: address.value ?? null,
    scopes: [...new Set(["openid", ...(scopes.value ?? OIDC_SCOPES)])],
    name: name.value ?? new URL(issuer.value).host,
    allow: allow.value ?? [],
  };
}

function isSecureUrl(address: string): boolean {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: "", hostname: "" };
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function secretNow(
  stored: StoredValue | undefined,
  environment: Environment,
): ReturnType<ServiceSetting["clientSecret"]> {
  if (stored === undefined) return { secret: null };
  const { values, missing } = resolveValues({ clientSecret: stored }, environment);
  return missing.length > 0 ? { reason: missing.join(" ") } : { secret: values["clientSecret"] ?? null };
}

/** Each target by itself: a mistake in one keeps the others. */
function readNotify(reader: ConfigReader): readonly NoticeTarget[] {
  const list = z
    .array(z.unknown(), { error: "expected a list: [ … ]" })
    .max(NOTICE_TARGETS_MAX, { error: `expected at most ${NOTICE_TARGETS_MAX} targets` });
  const { value = [] } = reader.read(["notify"], list, "No notices are sent until this is corrected.");
  const found: NoticeTarget[] = [];
  value.forEach((item, index) => {
    const refuse = (place: readonly PropertyKey[], reason: string) =>
      reader.refuse(["notify", index, ...place.map(String)], reason, "No notices are sent there.");
    const { data, error } = NoticeTarget.safeParse(item);
    const [issue] = error?.issues ?? [];
    if (issue) refuse(issue.path, lowerFirst(issue.message));
    else if (data && found.some(({ url, format }) => url === data.url && format === data.format))
      refuse(["url"], "this address is listed twice; remove one");
    else if (data) found.push(data);
  });
  return found;
}

const WORKTREE_ROOT = join(homedir(), ".liminal-worktrees");
const WorktreeRoot = Text.refine(isAbsolute, { error: "expected a path that begins with /" });

/** Editors that need a word of their own before the line. */
const EDITORS: Readonly<Record<string, readonly string[]>> = {
  code: ["code", "--goto", "{file}:{line}"],
  zed: ["zed", "{file}:{line}"],
};
const Editor = z.union([Text, z.array(z.string()).min(1)], { error: "expected a command, or a list of words" });

/** A string is cut at its spaces; no shell ever reads it. */
function readEditor(reader: ConfigReader): readonly string[] | null {
  const { value } = reader.read(["editor"], Editor, "Files cannot be opened in an editor until this is corrected.");
  if (typeof value !== "string") return value ?? null;
  return EDITORS[value] ?? value.split(/\s+/).filter((word) => word !== "");
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

/** An MCP server as in config.json. */
export type ConfiguredToolServer = {
  readonly name: string;
  /** The default for projects without a choice. */
  readonly enabled: boolean;
  /** Where else than on this machine sessions get it: a program is started there, an address is reached from there. */
  readonly places: readonly string[];
} & (
  | { readonly command: string; readonly args: readonly string[]; readonly env: StoredValues }
  | { readonly url: string; readonly headers: StoredValues }
);

/** Those that sessions in this directory may have: at a place the ones that name it, since a command of here may not be there. */
export function toolServersAt(servers: readonly ConfiguredToolServer[], cwd: string): readonly ConfiguredToolServer[] {
  const at = splitPlace(cwd);
  return at === null ? servers : servers.filter(({ places }) => places.includes(at.place));
}

/** As an agent gets it; a text is the reason why it cannot. */
export function toolServerNow(server: ConfiguredToolServer, environment: Environment): McpServerSetting | string {
  const { name } = server;
  const { values, missing } = resolveValues("command" in server ? server.env : server.headers, environment);
  if (missing.length > 0) return missing.join(" ");
  if ("command" in server) return { name, command: server.command, args: server.args, env: values };
  return { name, url: server.url, headers: values };
}

/** Safe to show: arguments, environments, headers and queries may contain secrets, so they are left out. */
export function shownToolServer(server: ConfiguredToolServer): ToolServer {
  const { name, enabled } = server;
  if ("command" in server) return { name, enabled, kind: "program", target: basename(server.command) };
  const { origin, pathname } = new URL(server.url);
  return { name, enabled, kind: "address", target: `${origin}${pathname}` };
}
