import type { ClientRequest } from "../../../src/client/pending-requests.ts";
import type { Entry } from "../../../src/protocol/entry.ts";
import { RefusalError } from "../../../src/protocol/errors.ts";
import { type CliType, CommandId, cliTypeOf, type SessionId } from "../../../src/protocol/ids.ts";
import { isPermission } from "../../../src/protocol/pending-request.ts";
import type { ServerMessage } from "../../../src/protocol/server-messages.ts";
import { isTurnActive, type SessionState } from "../../../src/protocol/session-schema.ts";

export type Verb = "say" | "tool" | "ask" | "burst" | "stall" | "lie" | "fork" | "huge";

/** One message of the user's, and what the server said to it. */
export interface SentMessage {
  /** What the agent knows its turn by. */
  readonly turn: string;
  readonly sessionId: SessionId;
  readonly commandId: CommandId;
  readonly content: string;
  readonly verb: Verb;
  readonly round: number;
  answer: "none" | "acknowledged" | "refused";
}

/** What the user sees through. */
export interface UserReader {
  readonly connection: { request(request: ClientRequest): Promise<ServerMessage> };
  state(sessionId: SessionId): SessionState;
  close(): void;
}

/** Sends messages, answers what agents ask and stops what would never end; everything over the product's own client. */
export class User<Through extends UserReader = UserReader> {
  readonly reader: Through;
  readonly sent: SentMessage[] = [];
  /** Answers to commands: what was acknowledged must be true for ever. */
  acknowledged = 0;
  /** By round, agents that a fault took down: only their turns may have been interrupted. */
  readonly #disturbed = new Set<string>();
  readonly #projects = new Map<string, Promise<ServerMessage>>();
  readonly #answered = new Set<string>();
  readonly #stopped = new Set<string>();
  /** Acknowledged, and not yet seen in the session: an answer can come before what it speaks of. */
  readonly #unseen = new Map<CommandId, SessionId>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly breaches: string[] = [];
  round = 0;

  constructor(reader: Through) {
    this.reader = reader;
  }

  async create(path: string, cliType: CliType): Promise<SessionId> {
    const { connection } = this.reader;
    const adding = this.#projects.get(path) ?? connection.request({ type: "project:add", path });
    this.#projects.set(path, adding);
    const added = await adding;
    if (added.type !== "project:added") throw new Error(`project:add was answered by ${added.type}`);
    const made = await connection.request({ type: "session:create", projectId: added.project.id, cliType });
    if (made.type !== "session:created") throw new Error(`session:create was answered by ${made.type}`);
    this.acknowledged += 1;
    return made.sessionId;
  }

  send(sessionId: SessionId, verb: Verb, count: number, everyMs: number): SentMessage {
    const turn = String(this.sent.length + 1);
    const message: SentMessage = {
      ...{ turn, sessionId, verb, round: this.round, answer: "none" },
      commandId: CommandId.parse(`send-${turn}`),
      content: `#${turn} ${verb} ${count} ${everyMs}`,
    };
    this.sent.push(message);
    const { commandId, content } = message;
    this.#ask(
      { type: "session:send", sessionId, content, commandId },
      () => {
        message.answer = "acknowledged";
        this.#unseen.set(commandId, sessionId);
      },
      () => {
        message.answer = "refused";
      },
    );
    return message;
  }

  cancel(sessionId: SessionId): void {
    this.#ask({ type: "session:cancel", sessionId });
  }

  /** A fault is about to end this agent, or all of them. */
  disturb(cliType: CliType | "all"): void {
    this.#disturbed.add(`${this.round}/${cliType}`);
  }

  /** Whether a fault may have ended the agent while this message was dealt with. */
  isDisturbed({ sessionId, round }: SentMessage): boolean {
    // A message can wait in the queue for the round after its own.
    return [round, round + 1].some(
      (at) => this.#disturbed.has(`${at}/all`) || this.#disturbed.has(`${at}/${cliTypeOf(sessionId)}`),
    );
  }

  /** To be told of every change of a followed session. */
  changed(sessionId: SessionId, state: SessionState): void {
    for (const asked of state.pending.filter(isPermission)) {
      if (this.#answered.has(asked.permissionId)) continue;
      this.#answered.add(asked.permissionId);
      const request = { type: "permission:respond", sessionId, permissionId: asked.permissionId } as const;
      // Refused, for want of a disk for example, it is clicked again.
      this.#ask({ ...request, optionId: "yes" }, undefined, () => this.#answered.delete(asked.permissionId));
    }
    const said = state.open.find(({ type }) => type === "user");
    const stalls = said?.type === "user" && said.content.includes(" stall ") ? said.turnId : undefined;
    if (stalls === undefined || this.#stopped.has(stalls) || state.open.length < 2) return;
    this.#stopped.add(stalls);
    this.#ask({ type: "session:cancel", sessionId }, undefined, () => this.#stopped.delete(stalls));
  }

  /** Nothing is unanswered, no turn runs and nothing waits; else what stands in the way. */
  unsettled(sessions: readonly SessionId[]): string | null {
    if (this.#underWay.size > 0) return `${this.#underWay.size} commands have no answer`;
    for (const [commandId, sessionId] of this.#unseen) {
      if (!this.#shows(sessionId, commandId)) return `${sessionId}: ${commandId} does not show`;
      this.#unseen.delete(commandId);
    }
    for (const sessionId of sessions) {
      const state = this.reader.state(sessionId);
      const { turn, queue, queuePaused } = state;
      if (isTurnActive(turn)) this.changed(sessionId, state);
      if (isTurnActive(turn)) return `${sessionId}: turn ${turn.turnId} is ${turn.state}`;
      if (queue.length > 0 && queuePaused) this.#ask({ type: "session:queue-resume", sessionId });
      if (queue.length > 0) return `${sessionId}: ${queue.length} messages wait`;
    }
    return null;
  }

  #shows(sessionId: SessionId, commandId: CommandId): boolean {
    const { settled, open, queue } = this.reader.state(sessionId);
    if (queue.some((item) => item.commandId === commandId)) return true;
    const isIt = (entry: Entry) => entry.type === "user" && entry.commandId === commandId;
    return open.some(isIt) || settled.findLast(isIt) !== undefined;
  }

  #ask(request: ClientRequest, done: () => void = () => undefined, refused: () => unknown = () => undefined): void {
    const answered = this.reader.connection.request(request).then(
      () => {
        this.acknowledged += 1;
        done();
      },
      (error: unknown) => {
        if (!(error instanceof RefusalError)) throw error;
        refused();
      },
    );
    this.#underWay.add(answered);
    answered
      .catch((error: unknown) => this.breaches.push(`${request.type}: ${String(error)}`))
      .finally(() => this.#underWay.delete(answered))
      .catch((error: unknown) => this.breaches.push(String(error)));
  }
}
