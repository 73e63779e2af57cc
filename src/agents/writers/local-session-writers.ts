import { homedir } from "node:os";
import { join } from "node:path";
import type { OwnConversation, SessionWriter, SessionWriters } from "../../ports/session-writers.ts";
import type { World } from "../../ports/world.ts";
import type { CliType } from "../../protocol/ids.ts";
import { splitPlace } from "../../protocol/place-path.ts";
import type { AgentCatalog, AgentDefinition } from "../catalog/agent-definition.ts";
import { quietRead } from "../process/process-ledger.ts";
import { OWNER_VARIABLE } from "../process/sweep-leftovers.ts";
import { CLAUDE } from "./claude-writers.ts";
import { CODEX } from "./codex-writers.ts";
import { GEMINI, OPENCODE, QWEN } from "./other-writers.ts";
import type { Holder, WriterTable } from "./writer-table.ts";

/** A file that was written within this time counts as being written. */
const RECENT_MS = 60_000;
/** Our own process may still write this long after its last turn. */
const OWN_REST_MS = 10_000;

/** By the id of the agent, and for an entry of the user's by the arguments of its command. */
const TABLES: readonly (readonly [string, RegExp, WriterTable])[] = [
  ["claude-code", /claude-(?:agent|code)-acp/, CLAUDE],
  ["codex", /codex-acp/, CODEX],
  ["qwen-code", /qwen/, QWEN],
  ["gemini", /gemini/, GEMINI],
  ["opencode", /opencode/, OPENCODE],
];

interface LocalSessionWritersOptions {
  readonly catalog: AgentCatalog;
  readonly world: World;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The mark that every process of ours and its children carry. */
  readonly owner: string;
}

interface Known {
  readonly table: WriterTable;
  readonly definition: AgentDefinition;
  /** Where the agent keeps its files. */
  readonly home: string;
}

/** The agents' own files, locks and registries on this machine. */
export class LocalSessionWriters implements SessionWriters {
  readonly #options: LocalSessionWritersOptions;
  readonly #mark: string;

  constructor(options: LocalSessionWritersOptions) {
    this.#options = options;
    this.#mark = `${OWNER_VARIABLE}=${options.owner}`;
  }

  writerOf(conversation: OwnConversation, ownUntil: number | null): SessionWriter {
    const known = this.#known(conversation);
    if (known === null) return { state: "unknown" };
    const holders = known.table.holders?.(known.home, conversation) ?? null;
    if (holders === null) return this.#byTime(known, conversation, ownUntil);
    const [other] = holders.filter((holder) => !this.#isOurs(holder));
    return other ? { state: "held", ...other } : { state: "free" };
  }

  isHeldByUs(conversation: OwnConversation): boolean {
    const known = this.#known(conversation);
    const holders = known?.table.holders?.(known.home, conversation) ?? [];
    return holders.some((holder) => this.#isOurs(holder));
  }

  saidAfter(conversation: OwnConversation, time: number): boolean | null {
    const known = this.#known(conversation);
    return known?.table.saidAfter?.(known.home, conversation, time) ?? null;
  }

  /** The agent has a command that continues a conversation in a terminal. */
  canHandBack(cliType: CliType): boolean {
    return (this.#known({ cliType })?.table.command ?? null) !== null;
  }

  terminalCommand(conversation: OwnConversation): string | null {
    const known = this.#known(conversation);
    const words = known?.table.command?.(conversation.agentSessionId);
    if (!known || !words) return null;
    const { variable } = known.table.home;
    // The user's shell has the variable only if it was not set for this agent alone.
    const own = known.definition.env[variable];
    const set = own === undefined ? [] : [`${variable}=${quoted(own)}`];
    return `cd ${quoted(conversation.cwd)} && ${[...set, ...words.map(quoted)].join(" ")}`;
  }

  #byTime({ table, home }: Known, conversation: OwnConversation, ownUntil: number | null): SessionWriter {
    const writtenAt = table.writtenAt?.(home, conversation) ?? null;
    if (writtenAt === null) return { state: "unknown" };
    const isRecent = writtenAt > this.#options.world.now() - RECENT_MS;
    const isOwn = ownUntil !== null && writtenAt <= ownUntil + OWN_REST_MS;
    return isRecent && !isOwn ? { state: "held" } : { state: "unknown" };
  }

  /** The environment of another user's process is not visible, and the process is not ours. */
  #isOurs({ pid }: Holder): boolean {
    return pid !== undefined && (quietRead(`/proc/${pid}/environ`)?.split("\0").includes(this.#mark) ?? false);
  }

  /** Processes at a place can only be checked on that machine, even if it is this one. */
  #known({ cliType, cwd = "" }: Pick<OwnConversation, "cliType"> & Partial<OwnConversation>): Known | null {
    if (splitPlace(cwd)) return null;
    const { catalog, env } = this.#options;
    const definition = catalog.definitions().find(({ id }) => id === cliType);
    const words = definition?.command?.join(" ") ?? "";
    const table = (TABLES.find(([id]) => id === cliType) ?? TABLES.find(([, pattern]) => pattern.test(words)))?.[2];
    if (!definition || !table) return null;
    const variable = (name: string) => definition.env[name] || env[name];
    const home = variable(table.home.variable) || join(variable("HOME") || homedir(), table.home.folder);
    return { table, definition, home };
  }
}

/** Quoted for a shell; plain words are unchanged. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
