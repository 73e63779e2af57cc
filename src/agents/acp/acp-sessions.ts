import type { Json } from "../../protocol/json.ts";
import type { AcpSession } from "./acp-session.ts";
import { ClientRequestError } from "./client-requests.ts";
import type { AcpHooks, Asked, SessionNote } from "./connection/acp-hooks.ts";
import { asString, type JsonObject } from "./read-json.ts";

const METHOD_NOT_FOUND = -32601;

type SessionHooks = Pick<
  AcpHooks,
  | "onUpdate"
  | "onPermissionWithdrawn"
  | "onPromptAnswer"
  | "onPastPrompt"
  | "onPastSteer"
  | "onPastCancel"
  | "onPastTerminal"
>;

/** The conversations on one connection, and what arrives for them. */
export class AcpSessions {
  readonly #sessions = new Map<string, AcpSession>();
  readonly #early = new EarlyMail<AcpSession>();
  /** What was on a process that is gone; some of its output may not be stored yet. */
  readonly #lost: AcpSession[] = [];
  #attachCount = 0;

  /** What concerns one session alone goes to it as it comes. */
  readonly hooks: SessionHooks = {
    onUpdate: (agentSessionId, update) => this.#onUpdate(agentSessionId, update),
    onPermissionWithdrawn: (offset, params) =>
      this.get(asString(params["sessionId"]) ?? "")?.onPermissionWithdrawn(offset),
    onPromptAnswer: (key, result, failure) =>
      void this.#all.some((session) => session.onPromptAnswer(key, result, failure)),
    onPastPrompt: (agentSessionId, key) => this.get(agentSessionId)?.onPastPrompt(key),
    onPastSteer: (agentSessionId, key) => this.get(agentSessionId)?.onPastSteer(key),
    onPastCancel: (agentSessionId) => this.get(agentSessionId)?.onPastCancel(),
    onPastTerminal: (agentSessionId, terminalId) => this.get(agentSessionId)?.onPastTerminal(terminalId),
  };

  get #all(): readonly AcpSession[] {
    return [...this.#sessions.values()];
  }

  get(agentSessionId: string): AcpSession | undefined {
    return this.#sessions.get(agentSessionId);
  }

  add(session: AcpSession): void {
    this.#sessions.set(session.agentSessionId, session);
    this.#early.deliverTo(session.agentSessionId, session);
  }

  remove(agentSessionId: string): void {
    this.#sessions.delete(agentSessionId);
  }

  /** Without those that are being closed. */
  get count(): number {
    return this.#all.filter(({ isClosing }) => !isClosing).length;
  }

  /** Some session is on its way to being one of these. */
  get isAttaching(): boolean {
    return this.#attachCount > 0;
  }

  /** Between the requests of one attachment the process must not look idle. */
  async attaching<Session>(attach: () => Promise<Session>): Promise<Session> {
    this.#attachCount++;
    try {
      return await attach();
    } finally {
      this.#attachCount--;
      if (this.#attachCount === 0) this.#early.clear();
    }
  }

  /** False when nobody can be asked. */
  onPermissionRequest(asked: Asked, params: JsonObject): boolean {
    const agentSessionId = asString(params["sessionId"]) ?? "";
    const session = this.get(agentSessionId);
    if (session) session.onPermissionRequest(asked, params);
    else if (this.isAttaching) this.#early.hold(agentSessionId, (late) => late.onPermissionRequest(asked, params));
    return session !== undefined || this.isAttaching;
  }

  onRequest(method: string, params: JsonObject): Promise<object> {
    const session = this.get(asString(params["sessionId"]) ?? "");
    if (!session) throw new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    return session.onRequest(method, params);
  }

  endPast(): void {
    for (const session of this.#all) session.endPast();
  }

  /** What a later server needs besides what is stored. */
  notes(): SessionNote[] {
    return this.#all.map(({ note }) => note);
  }

  /** Stores everything received so far; false when that cannot be done now. */
  tryFlush(): Promise<boolean> {
    return flushAll(this.#all);
  }

  restore(notes: readonly SessionNote[]): void {
    for (const note of notes) this.get(note.agentSessionId)?.restore(note);
  }

  /** Called before the process is stopped and when it has ended; true when everything it sent is stored. */
  lose(reason: string, state: "crashed" | "idle", tell: boolean): Promise<boolean> {
    const lost = this.#all;
    this.#lost.push(...lost);
    this.#sessions.clear();
    for (const session of lost) session.onLost(reason, state, tell);
    return flushAll(this.#lost);
  }

  #onUpdate(agentSessionId: string, update: Json): void {
    const session = this.get(agentSessionId);
    if (session) session.onUpdate(update);
    else if (this.isAttaching) this.#early.hold(agentSessionId, (late) => late.onUpdate(update));
  }
}

async function flushAll(sessions: readonly AcpSession[]): Promise<boolean> {
  const results = await Promise.all(sessions.map((session) => session.tryFlush()));
  return results.every(Boolean);
}

const HELD_UPDATES_MAX = 1_000;

/** What an agent says in a session before that session's id has reached us; the oldest goes when there is too much. */
class EarlyMail<Session> {
  #held: { readonly agentSessionId: string; readonly deliver: (session: Session) => void }[] = [];

  hold(agentSessionId: string, deliver: (session: Session) => void): void {
    if (this.#held.length >= HELD_UPDATES_MAX) this.#held.shift();
    this.#held.push({ agentSessionId, deliver });
  }

  /** In the order it came. */
  deliverTo(agentSessionId: string, session: Session): void {
    const waiting = this.#held.filter((mail) => mail.agentSessionId === agentSessionId);
    this.#held = this.#held.filter((mail) => mail.agentSessionId !== agentSessionId);
    for (const { deliver } of waiting) deliver(session);
  }

  /** Nothing is being attached: whatever waits belongs to a session nobody will ask for. */
  clear(): void {
    this.#held = [];
  }
}
