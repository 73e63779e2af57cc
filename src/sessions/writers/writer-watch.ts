import { ignore } from "../../lib/ignore.ts";
import type { AgentHistories, HistoryReader } from "../../ports/agent-history.ts";
import type { AgentEvent } from "../../ports/agents.ts";
import type { SessionWriters } from "../../ports/session-writers.ts";
import { isoTime, type World } from "../../ports/world.ts";
import { RefusalError } from "../../protocol/errors.ts";
import type { Fact } from "../../protocol/facts.ts";
import { cliTypeOf, type SessionId } from "../../protocol/ids.ts";
import { isTurnActive } from "../../protocol/session-schema.ts";
import type { Session } from "../session.ts";
import { isInTurn, mayBeUnfinished } from "./unfinished-turn.ts";

/** A check takes less than a millisecond for each session. */
const LOOK_EVERY_MS = 1_000;
/** After a failed read. */
const READ_AGAIN_MS = 30_000;

interface WriterWatchDeps {
  readonly world: World;
  readonly histories: AgentHistories;
  readonly writers: SessionWriters;
  readonly load: (sessionId: SessionId) => Promise<Session | null>;
  /** Sessions that a client shows now. */
  readonly shown: () => readonly SessionId[];
  /** The other program has closed the conversation: the queue continues. */
  readonly goOn: (sessionId: SessionId) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Checks regularly whether other programs have conversations open: those that a client shows, and those that wait for
 * it. Costs nothing while there are none.
 */
export class WriterWatch {
  readonly #deps: WriterWatchDeps;
  /** Known to be open elsewhere, or waiting for the end of that. */
  readonly #away = new Set<SessionId>();
  readonly #reading = new Set<SessionId>();
  /** Started while a turn runs elsewhere, so that only the reading is left at its end. */
  readonly #readers = new Map<SessionId, Promise<HistoryReader>>();
  readonly #notBefore = new Map<SessionId, number>();
  #timer: ReturnType<typeof setInterval> | null = null;
  #isLooking = false;

  constructor(deps: WriterWatchDeps) {
    this.#deps = deps;
  }

  /** `away`: sessions that an earlier server left so. */
  start(away: readonly SessionId[]): void {
    for (const id of away) this.#away.add(id);
    this.#timer ??= setInterval(() => this.#look().catch(this.#deps.onError), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Must be called with stored facts. */
  onFacts(sessionId: SessionId, facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.type !== "session:away") continue;
      const { writer, waits, follows } = fact.away ?? {};
      if (writer ?? waits ?? follows) this.#away.add(sessionId);
      else this.#away.delete(sessionId);
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const shown = new Set(this.#deps.shown());
      for (const id of new Set([...shown, ...this.#away])) {
        const session = await this.#deps.load(id);
        if (session === null) this.#away.delete(id);
        else if (!isTurnActive(session.state.turn)) await this.#lookAt(session, shown.has(id));
      }
      for (const id of this.#readers.keys()) if (!shown.has(id)) this.#closeReader(id);
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAt(session: Session, isShown: boolean): Promise<void> {
    session.lookForWriter();
    await session.flush();
    const { away } = session.state;
    const isFollowed = away?.follows === true && isShown;
    if (away?.waits && !away.writer) await this.#deps.goOn(session.id);
    else if (isFollowed && isReadable(session)) this.#read(session).catch(this.#deps.onError);
    else if (isFollowed && isInTurn(away.writer))
      this.#openReader(session.id).catch(ignore("the reading gets the error"));
    else if (!isFollowed) this.#closeReader(session.id);
  }

  /** In a separate process. Ours would continue with an outdated state, so it closes the conversation. */
  async #read(session: Session): Promise<void> {
    const { world, writers, onError } = this.#deps;
    const { conversation, id } = session;
    if (conversation === null || this.#reading.has(id) || world.now() < (this.#notBefore.get(id) ?? 0)) return;
    this.#reading.add(id);
    try {
      await session.release();
      const readAt = isoTime(world);
      let events: AgentEvent[] = [];
      await using reader = await this.#openReader(id);
      await reader.read({ ...conversation, title: null, updatedAt: null }, () => {
        events = [];
        return (event) => events.push(event);
      });
      this.#notBefore.delete(id);
      // Only the beginning of a turn that has started meanwhile was read, and nothing would add its rest.
      if (mayBeUnfinished(writers, conversation, Date.parse(readAt))) return;
      await session.catchUp(events, readAt);
    } catch (error) {
      this.#notBefore.set(id, world.now() + READ_AGAIN_MS);
      if (!(error instanceof RefusalError)) onError(error);
    } finally {
      this.#reading.delete(id);
      this.#readers.delete(id);
    }
  }

  #openReader(id: SessionId): Promise<HistoryReader> {
    const opened = this.#readers.get(id) ?? this.#deps.histories.openHistory(cliTypeOf(id));
    this.#readers.set(id, opened);
    return opened;
  }

  /** No client follows any more. A read in progress ends by itself. */
  #closeReader(id: SessionId): void {
    if (this.#reading.has(id)) return;
    const opened = this.#readers.get(id);
    this.#readers.delete(id);
    opened?.then((reader) => reader[Symbol.asyncDispose]()).catch(ignore("it never started, or its process is swept"));
  }
}

/** Between two turns there. An agent whose files do not show turns is read when it is closed there. */
function isReadable({ state: { away }, isBehind }: Session): boolean {
  if (!away?.writer) return true;
  return isBehind && away.writer.doing === "idle";
}
