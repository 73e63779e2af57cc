import type { AgentHistories, HistoryReader, ListedSession } from "../../ports/agent-history.ts";
import type { SessionWriters } from "../../ports/session-writers.ts";
import type { TransferStore } from "../../ports/transfer-store.ts";
import type { World } from "../../ports/world.ts";
import { REFUSE, RefusalError } from "../../protocol/errors.ts";
import type { CliType } from "../../protocol/ids.ts";
import type { PlainServerMessage, Project } from "../../protocol/server-messages.ts";
import type { SessionRow } from "../../protocol/session-schema.ts";
import { mayBeUnfinished } from "../writers/unfinished-turn.ts";
import { adoptHistory } from "./adopt-history.ts";

/** Reads that wait for their end at the same time; the loads themselves run one by one. */
const READINGS_MAX = 16;
const PROGRESS_MS = 200;
const FAILURES_TOLD_MAX = 100;

type Done = Extract<PlainServerMessage, { type: "import:done" }>;

interface ImportRunOptions {
  readonly importId: string;
  readonly cliType: CliType;
  readonly agentName: string;
  readonly project: Project;
  readonly agentSessionIds: readonly string[];
  readonly world: World;
  readonly histories: AgentHistories;
  readonly store: TransferStore;
  readonly writers: SessionWriters;
  /** The agent's sessions in this project. */
  readonly listOf: (reader: HistoryReader) => Promise<readonly ListedSession[]>;
  /** Agent sessions that are being imported now. */
  readonly underWay: Set<string>;
  readonly onAdopted: (row: SessionRow) => void;
  readonly publish: (message: PlainServerMessage) => void;
  readonly onError: (error: unknown) => void;
}

/** One import: reads the chosen sessions, continues after a failure, and keeps what was imported. */
export class ImportRun {
  readonly #options: ImportRunOptions;
  readonly #failed: Done["failed"] = [];
  readonly #waiting: string[];
  #failedCount = 0;
  #adopted = 0;
  #known = 0;
  /** Imported and not reported yet. */
  #rows: SessionRow[] = [];
  #reportedAt = Number.NEGATIVE_INFINITY;
  #cancelled = false;
  #reader: HistoryReader | null = null;

  constructor(options: ImportRunOptions) {
    this.#options = options;
    this.#waiting = [...new Set(options.agentSessionIds)];
  }

  get total(): number {
    return new Set(this.#options.agentSessionIds).size;
  }

  /** Aborts the current reads; nothing of them is kept. */
  async cancel(): Promise<void> {
    this.#cancelled = true;
    await this.#reader?.[Symbol.asyncDispose]();
  }

  /** Never rejects: the outcome is the last message. */
  async run(): Promise<void> {
    let problem: string | undefined;
    // At once, so that every client knows of it before anything was read.
    this.#reportProgress();
    try {
      await this.#readAll();
    } catch (error) {
      if (!this.#cancelled) problem = this.#errorText(error);
    }
    this.#reportProgress();
    const { importId, cliType, project } = this.#options;
    this.#options.publish({
      type: "import:done",
      ...{ importId, cliType, projectId: project.id, total: this.total, adopted: this.#adopted, known: this.#known },
      ...{ failed: this.#failed, failedCount: this.#failedCount, cancelled: this.#cancelled },
      ...(problem !== undefined && { problem }),
    });
  }

  async #readAll(): Promise<void> {
    const { histories, cliType, listOf } = this.#options;
    await using reader = await histories.openHistory(cliType);
    this.#reader = reader;
    if (this.#cancelled) return;
    const listed = new Map((await listOf(reader)).map((session) => [session.agentSessionId, session]));
    const work = Array.from({ length: READINGS_MAX }, () => this.#readSome(reader, listed));
    await Promise.all(work);
  }

  async #readSome(reader: HistoryReader, listed: ReadonlyMap<string, ListedSession>): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined && !this.#cancelled; id = this.#waiting.shift()) {
      const session = listed.get(id);
      if (!session) this.#fail(id, undefined, "The agent no longer lists this session.");
      else await this.#readOne(reader, session);
      this.#reportProgressIfDue();
    }
  }

  async #readOne(reader: HistoryReader, session: ListedSession): Promise<void> {
    const { cliType, underWay, store } = this.#options;
    const { agentSessionId } = session;
    const key = `${cliType} ${agentSessionId}`;
    if (underWay.has(key)) {
      this.#known++;
      return;
    }
    underWay.add(key);
    try {
      if (await store.isKnown(cliType, agentSessionId)) this.#known++;
      else await this.#adopt(reader, session);
    } catch (error) {
      // An aborted read has not failed.
      if (!this.#cancelled) this.#fail(agentSessionId, session.title, this.#errorText(error));
    } finally {
      underWay.delete(key);
    }
  }

  async #adopt(reader: HistoryReader, session: ListedSession): Promise<void> {
    const { world, cliType, project, agentName, store, writers, onAdopted } = this.#options;
    const conversation = { cliType, agentSessionId: session.agentSessionId, cwd: session.cwd };
    const readAt = world.now();
    const adopting = adoptHistory({ world, cliType, projectId: project.id, agentName }, session);
    await reader.read(session, adopting.begin);
    if (this.#cancelled) return;
    if (mayBeUnfinished(writers, conversation, readAt)) throw new RefusalError(REFUSE.importInTurn(agentName));
    const adoption = adopting.end(reader.brings);
    if (!(await store.adopt(adoption))) {
      this.#known++;
      return;
    }
    this.#adopted++;
    this.#rows.push(adoption.row);
    onAdopted(adoption.row);
  }

  #fail(agentSessionId: string, title: string | null | undefined, message: string): void {
    this.#failedCount++;
    if (this.#failed.length < FAILURES_TOLD_MAX)
      this.#failed.push({ agentSessionId, message, ...(typeof title === "string" && { title }) });
  }

  #errorText(error: unknown): string {
    if (!(error instanceof RefusalError)) this.#options.onError(error);
    const { message, details } = error instanceof RefusalError ? error.refusal : REFUSE.internal();
    return details === undefined ? message : `${message}\n${details}`;
  }

  #reportProgressIfDue(): void {
    if (this.#options.world.now() - this.#reportedAt >= PROGRESS_MS) this.#reportProgress();
  }

  #reportProgress(): void {
    const { importId, cliType, project, world, publish } = this.#options;
    this.#reportedAt = world.now();
    const sessions = this.#rows;
    this.#rows = [];
    publish({
      type: "import:progress",
      ...{ importId, cliType, projectId: project.id, total: this.total, sessions },
      done: this.#adopted + this.#known + this.#failedCount,
    });
  }
}
