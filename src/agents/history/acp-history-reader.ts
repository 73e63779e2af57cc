import { ignore } from "../../lib/ignore.ts";
import type { HistoryReader, HistorySink, ListedSession } from "../../ports/agent-history.ts";
import type { ForkRequest } from "../../ports/agents.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { Json } from "../../protocol/json.ts";
import { asArray, asObject, asString, readTime } from "../acp/read-json.ts";
import { HistoryProcess, type HistoryProcessOptions, ReaderGoneError } from "./history-process.ts";

const LISTED_SESSIONS_MAX = 5_000;
const LIST_PAGES_MAX = 500;
const LIST_WAIT_MS = 60_000;
const LOAD_WAIT_MS = 60_000;
const FORK_WAIT_MS = 20_000;
/** A process that cannot close loaded sessions is replaced after this many. */
const LOADS_PER_PROCESS_MAX = 50;
/** After this many consecutive crashes the reader gives up. */
const CRASHES_IN_ROW_MAX = 5;
const TRIES_MAX = 2;

/** `whole`: of a whole conversation. `cut`: also up to a message. */
export type OfferedForks = "none" | "whole" | "cut";

interface ForkAnswer {
  readonly agentSessionId: string | null;
  /** Null: the agent did not start. */
  readonly offered: OfferedForks | null;
}

/** Reads one agent's sessions, one load at a time; a process that crashes or hangs is replaced for the next load. */
export class AcpHistoryReader implements HistoryReader {
  readonly #options: HistoryProcessOptions;
  readonly #onClosed: () => void;
  readonly #name: string;
  /** Every process not yet known to have ended. */
  readonly #alive = new Set<HistoryProcess>();
  /** Ended on purpose, which is not a crash. */
  readonly #dropped = new WeakSet<HistoryProcess>();
  #current: HistoryProcess | null = null;
  #loads = 0;
  #crashes = 0;
  #line: Promise<unknown> = Promise.resolve();
  #closed = false;
  #brings: "words" | "memory" = "words";

  constructor(options: HistoryProcessOptions, onClosed: () => void) {
    this.#options = options;
    this.#onClosed = onClosed;
    this.#name = options.definition.name;
  }

  get brings(): "words" | "memory" {
    return this.#brings;
  }

  /** Refuses an agent that can only list its sessions. */
  async open(): Promise<void> {
    const first = await this.#process();
    const reason = whyUnusable(first);
    if (reason !== null) throw new RefusalError(REFUSE.agentProtocol(`${this.#name} ${reason}`));
    this.#brings = first.canLoad ? "words" : "memory";
  }

  async list(cwd: string): Promise<{ sessions: readonly ListedSession[]; isCut: boolean }> {
    const process = await this.#process();
    const found = new Map<string, ListedSession>();
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let page = 0; page < LIST_PAGES_MAX && found.size < LISTED_SESSIONS_MAX; page++) {
      const answer = await this.#inTime(
        process,
        process.ask("session/list", cursor === undefined ? { cwd } : { cwd, cursor }),
        LIST_WAIT_MS,
      ).catch((error: unknown) => Promise.reject(this.#inWords(error)));
      for (const item of asArray(answer["sessions"]) ?? []) {
        const session = readListed(item, cwd);
        if (session) found.set(session.agentSessionId, session);
      }
      cursor = asString(answer["nextCursor"]);
      // A repeated cursor would loop forever.
      if (cursor === undefined || cursors.has(cursor)) return { sessions: newestFirst(found), isCut: false };
      cursors.add(cursor);
    }
    return { sessions: newestFirst(found).slice(0, LISTED_SESSIONS_MAX), isCut: true };
  }

  async read(session: ListedSession, begin: () => HistorySink): Promise<void> {
    if (this.brings === "memory") return;
    for (let tries = 1; ; tries++) {
      try {
        const untilQuiet = await this.#inLine(() => this.#load(session, begin()));
        await untilQuiet();
        this.#crashes = 0;
        return;
      } catch (error) {
        if (error instanceof ReaderGoneError && tries < TRIES_MAX && !this.#closed) continue;
        throw this.#inWords(error);
      }
    }
  }

  /** No id if the agent does not offer a copy that ends there, or refuses it. */
  async fork({ agentSessionId, cwd, anchor }: Omit<ForkRequest, "cliType">): Promise<ForkAnswer> {
    let offered: OfferedForks | null = null;
    try {
      const process = await this.#process();
      offered = !process.can("fork") ? "none" : process.cutsForks ? "cut" : "whole";
      if (offered === "none" || (anchor !== null && offered === "whole")) return { agentSessionId: null, offered };
      const point = { version: 1, messageId: anchor };
      const params = {
        ...{ sessionId: agentSessionId, cwd, mcpServers: [] },
        ...(anchor !== null && { _meta: { jetbrains: { air: { fork: point } } } }),
      };
      const answer = await this.#inTime(process, process.ask("session/fork", params), FORK_WAIT_MS);
      return { agentSessionId: asString(answer["sessionId"]) ?? null, offered };
    } catch (error) {
      if (error instanceof RefusalError || error instanceof ReaderGoneError) return { agentSessionId: null, offered };
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#alive].map((process) => process.stop()));
    this.#onClosed();
  }

  async #load(session: ListedSession, sink: HistorySink): Promise<() => Promise<void>> {
    const process = await this.#process();
    this.#loads++;
    const loading = process.load(session.agentSessionId, session.cwd, sink);
    const { untilQuiet } = await this.#inTime(process, loading, LOAD_WAIT_MS);
    if (this.#loads >= LOADS_PER_PROCESS_MAX && !process.can("close")) {
      // Inside the queue, so that no other load runs.
      await untilQuiet();
      this.#drop(process);
      return async () => undefined;
    }
    return untilQuiet;
  }

  /** The current process, or a new one if it has ended. Loads are queued, so it is never started twice. */
  async #process(): Promise<HistoryProcess> {
    if (this.#closed) throw new ReaderGoneError("reading was cancelled");
    if (this.#crashes >= CRASHES_IN_ROW_MAX)
      throw new RefusalError(REFUSE.agentStopped(this.#name, `It stopped ${this.#crashes} times in a row.`));
    if (this.#current) return this.#current;
    const started = await HistoryProcess.start(this.#options, (process) => this.#watch(process));
    this.#loads = 0;
    this.#current = started;
    return started;
  }

  #watch(process: HistoryProcess): void {
    this.#alive.add(process);
    process.gone.catch(() => {
      this.#alive.delete(process);
      if (this.#dropped.has(process)) return;
      this.#crashes++;
      if (this.#current === process) this.#current = null;
    });
  }

  #drop(process: HistoryProcess): void {
    this.#dropped.add(process);
    if (this.#current === process) this.#current = null;
    process.stop().catch(ignore("a process that cannot be stopped is cleaned up at the next start"));
  }

  /** One after the other: a load may cost the agent its own process. */
  #inLine<Value>(work: () => Promise<Value>): Promise<Value> {
    const mine = this.#line.then(work);
    this.#line = mine.catch(ignore("the caller gets the error"));
    return mine;
  }

  /** A missing answer leaves the process in an unknown state: it is ended. */
  async #inTime<Value>(process: HistoryProcess, work: Promise<Value>, ms: number): Promise<Value> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#drop(process);
      reject(new RefusalError(REFUSE.agentProtocol(`${this.#name} gave no answer within ${ms / 1_000} s.`)));
    }, ms);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #inWords(error: unknown): unknown {
    return error instanceof ReaderGoneError ? new RefusalError(REFUSE.agentStopped(this.#name)) : error;
  }
}

function whyUnusable(process: HistoryProcess): string | null {
  if (!process.can("list")) return "cannot list its sessions, so nothing can be imported.";
  if (!process.canLoad && !process.can("resume"))
    return "can list its sessions but neither load nor resume them, so they cannot continue here.";
  return null;
}

function readListed(item: Json, cwd: string): ListedSession | null {
  const session = asObject(item);
  const agentSessionId = asString(session?.["sessionId"]);
  if (agentSessionId === undefined || agentSessionId === "") return null;
  return {
    agentSessionId,
    cwd: asString(session?.["cwd"]) ?? cwd,
    title: asString(session?.["title"])?.replace(/\s+/g, " ").trim() || null,
    updatedAt: readTime(session?.["updatedAt"]),
  };
}

function newestFirst(found: ReadonlyMap<string, ListedSession>): ListedSession[] {
  return [...found.values()].sort((a, b) => ((a.updatedAt ?? "") < (b.updatedAt ?? "") ? 1 : -1));
}
