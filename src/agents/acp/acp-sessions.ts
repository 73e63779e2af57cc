import type { Json } from "../../protocol/json.ts";
import type { AcpSession, Loss } from "./acp-session.ts";
import { ClientRequestError } from "./client-requests.ts";
import type { AcpHooks, Asked, SessionNote } from "./connection/acp-hooks.ts";
import { asString, type JsonObject } from "./read-json.ts";
import { SubAgents } from "./sub-agents.ts";

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

/** The conversations on one connection; routes incoming updates to them. */
export class AcpSessions {
  readonly #sessions = new Map<string, AcpSession>();
  readonly #subAgents = new SubAgents<AcpSession>();
  readonly #early = new EarlyMail<AcpSession>();
  /** State of a process that has ended; some of its output may not be stored yet. */
  readonly #lost: AcpSession[] = [];
  #attachCount = 0;

  /** Updates of one session are passed to it in order. */
  readonly hooks: SessionHooks = {
    onUpdate: (agentSessionId, update) => this.#onUpdate(agentSessionId, update),
    onPermissionWithdrawn: (offset, params) =>
      this.rootOf(asString(params["sessionId"]) ?? "")?.onPermissionWithdrawn(offset),
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

  /** The session that shows this one's output: itself, or for a sub-agent its root session. */
  rootOf(agentSessionId: string): AcpSession | undefined {
    return this.get(agentSessionId) ?? this.#subAgents.find(agentSessionId)?.root;
  }

  /** The name of the sub-agent with this session; undefined for any other session. */
  subAgentTitle(agentSessionId: string): string | undefined {
    return this.#subAgents.find(agentSessionId)?.title;
  }

  add(session: AcpSession): void {
    this.#sessions.set(session.agentSessionId, session);
    this.#early.deliverTo(session.agentSessionId, session);
  }

  remove(agentSessionId: string): void {
    this.#subAgents.forget(agentSessionId, "The session was closed before this finished.");
    this.#sessions.delete(agentSessionId);
  }

  /** Excludes sessions that are being closed. */
  get count(): number {
    return this.#all.filter(({ isClosing }) => !isClosing).length;
  }

  /** A session is being created or restored. */
  get isAttaching(): boolean {
    return this.#attachCount > 0;
  }

  /** Between the requests of one attachment the process must not count as idle. */
  async attaching<Session>(attach: () => Promise<Session>): Promise<Session> {
    this.#attachCount++;
    try {
      return await attach();
    } finally {
      this.#attachCount--;
      if (this.#attachCount === 0) this.#early.clear();
    }
  }

  /** False if the request cannot be shown to anyone. */
  onPermissionRequest(asked: Asked, params: JsonObject): boolean {
    const agentSessionId = asString(params["sessionId"]) ?? "";
    const child = this.#subAgents.find(agentSessionId);
    const session = child?.root ?? this.get(agentSessionId);
    if (session) session.onPermissionRequest(asked, params, child);
    else if (this.isAttaching) this.#early.hold(agentSessionId, (late) => late.onPermissionRequest(asked, params));
    return session !== undefined || this.isAttaching;
  }

  onRequest(method: string, params: JsonObject): Promise<object> {
    const session = this.rootOf(asString(params["sessionId"]) ?? "");
    if (!session) throw new ClientRequestError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    return session.onRequest(method, params);
  }

  endPast(): void {
    for (const session of this.#all) session.endPast();
  }

  /** Unstored state that a later server needs. */
  notes(): SessionNote[] {
    return this.#all.map(({ note }) => ({ ...note, children: this.#subAgents.notesOf(note.agentSessionId) }));
  }

  /** Stores everything received so far; false if that is not possible now. */
  tryFlush(): Promise<boolean> {
    return flushAll(this.#all);
  }

  restore(notes: readonly SessionNote[]): void {
    for (const note of notes) {
      const session = this.get(note.agentSessionId);
      session?.restore(note);
      if (session) this.#subAgents.restore(session, note.children ?? []);
    }
  }

  /** Called before the process is stopped and after it has ended; true if all of its output is stored. */
  lose(loss: Loss): Promise<boolean> {
    const lost = this.#all;
    this.#lost.push(...lost);
    this.#sessions.clear();
    for (const session of lost) {
      this.#subAgents.forget(session.agentSessionId, "The agent stopped before this finished.");
      session.onLost(loss);
    }
    return flushAll(this.#lost);
  }

  #onUpdate(agentSessionId: string, update: Json): void {
    const session = this.get(agentSessionId);
    const child = this.#subAgents.find(agentSessionId);
    if (session) {
      if (!this.#subAgents.read(session, agentSessionId, update)) session.onUpdate(update);
    } else if (child) this.#subAgents.onUpdate(child, update);
    else if (this.isAttaching) this.#early.hold(agentSessionId, (late) => late.onUpdate(update));
  }
}

async function flushAll(sessions: readonly AcpSession[]): Promise<boolean> {
  const results = await Promise.all(sessions.map((session) => session.tryFlush()));
  return results.every(Boolean);
}

const HELD_UPDATES_MAX = 1_000;

/** Updates for a session whose id is not known yet; the oldest are dropped beyond the limit. */
class EarlyMail<Session> {
  #held: { readonly agentSessionId: string; readonly deliver: (session: Session) => void }[] = [];

  hold(agentSessionId: string, deliver: (session: Session) => void): void {
    if (this.#held.length >= HELD_UPDATES_MAX) this.#held.shift();
    this.#held.push({ agentSessionId, deliver });
  }

  /** In order of arrival. */
  deliverTo(agentSessionId: string, session: Session): void {
    const waiting = this.#held.filter((mail) => mail.agentSessionId === agentSessionId);
    this.#held = this.#held.filter((mail) => mail.agentSessionId !== agentSessionId);
    for (const { deliver } of waiting) deliver(session);
  }

  /** No session is being attached: buffered updates belong to a session that is never requested. */
  clear(): void {
    this.#held = [];
  }
}
