import type { Entry, ToolCallEntry } from "../../src/protocol/entry.ts";
import { entriesOf } from "../../src/protocol/fold-message.ts";
import type { ProjectId, SessionId } from "../../src/protocol/ids.ts";
import { isPermission, isQuestion } from "../../src/protocol/pending-request.ts";
import type { PendingQuestion } from "../../src/protocol/question.ts";
import type { PendingPermission } from "../../src/protocol/session-parts.ts";
import { isTurnActive, type SessionState } from "../../src/protocol/session-schema.ts";
import type { SocketClient } from "../support/socket-client.ts";
import type { TestServer } from "../support/test-server.ts";

/** A client that follows one session and sends messages in it. */
export class Talk {
  readonly client: SocketClient;
  readonly sessionId: SessionId;
  readonly projectId: ProjectId;

  constructor(client: SocketClient, projectId: ProjectId, sessionId: SessionId) {
    this.client = client;
    this.projectId = projectId;
    this.sessionId = sessionId;
  }

  get state(): SessionState {
    return this.client.sessions.state(this.sessionId);
  }

  get entries(): Entry[] {
    return [...entriesOf(this.state)];
  }

  /** All text of the agent, without its thoughts. */
  get answer(): string {
    return this.entries.flatMap((entry) => (entry.type === "assistant" ? [entry.content] : [])).join("");
  }

  get tools(): readonly ToolCallEntry[] {
    return this.entries.filter((entry) => entry.type === "tool-call");
  }

  /** The user's messages, in order. */
  get messages(): readonly string[] {
    return this.entries.flatMap((entry) => (entry.type === "user" ? [entry.content] : []));
  }

  /** The kinds of the entries, in order: the shape of what was said. */
  get shape(): readonly string[] {
    return this.entries.map(({ type }) => type);
  }

  /** Sends, and returns when the server has it. */
  async send(content: string, commandId?: string): Promise<number> {
    const { sessionId } = this;
    const command = {
      type: "session:send",
      sessionId,
      content,
      ...(commandId !== undefined && { commandId }),
    } as const;
    const { seq } = await this.client.ask("ok", command);
    if (seq === undefined) throw new Error("a send is answered with the seq it made");
    return seq;
  }

  /** Sends, and returns when the turn that this started has ended. */
  async say(content: string): Promise<SessionState> {
    const seq = await this.send(content);
    return this.untilIdle(seq);
  }

  /** Waits for the end of a turn that ended after `seq`. */
  untilIdle(seq = 0): Promise<SessionState> {
    return this.until("the turn's end", (state) => state.seq > seq && !isTurnActive(state.turn));
  }

  /** Waits until that many messages have become turns and the last of these has ended. */
  untilTurnsEnded(count: number): Promise<SessionState> {
    return this.until(`the end of turn ${count}`, ({ turn }) => {
      const sent = this.entries.filter(({ type }) => type === "user");
      return sent.length === count && !isTurnActive(turn) && turn.turnId === sent.at(-1)?.turnId;
    });
  }

  /** Waits until these messages have become turns, the last turn has ended and nothing waits. */
  untilAllSaid(commandIds: readonly string[]): Promise<SessionState> {
    return this.until("all messages to be said", ({ turn, queue }) => {
      const sent = this.entries.filter((entry) => entry.type === "user");
      const said = new Set<string | undefined>(sent.map(({ commandId }) => commandId));
      const isOver = !isTurnActive(turn) && queue.length === 0 && turn.turnId === sent.at(-1)?.turnId;
      return isOver && commandIds.every((commandId) => said.has(commandId));
    });
  }

  until(what: string, isReached: (state: SessionState) => boolean): Promise<SessionState> {
    return this.client.untilState(this.sessionId, what, isReached);
  }

  untilAnswer(text: string): Promise<SessionState> {
    return this.until(`the answer to contain "${text}"`, () => this.answer.includes(text));
  }

  /** Waits for an open request for permission. */
  async asked(): Promise<PendingPermission> {
    const { pending } = await this.until("a permission request", (state) => state.pending.some(isPermission));
    const permission = pending.find(isPermission);
    if (!permission) throw new Error("no question is open");
    return permission;
  }

  /** Waits for an open question of the agent's. */
  async questioned(): Promise<PendingQuestion> {
    const { pending } = await this.until("a question", (state) => state.pending.some(isQuestion));
    const question = pending.find(isQuestion);
    if (!question) throw new Error("no question is open");
    return question;
  }

  async answerWith(optionId: string): Promise<void> {
    const { permissionId } = await this.asked();
    const { sessionId } = this;
    await this.client.ask("permission:resolved", { type: "permission:respond", sessionId, permissionId, optionId });
  }

  async cancel(): Promise<void> {
    await this.client.ask("ok", { type: "session:cancel", sessionId: this.sessionId });
  }

  /** Another client on the same session. */
  async joinedBy(client: SocketClient): Promise<Talk> {
    await client.ask("session:history", { type: "session:open", sessionId: this.sessionId });
    return new Talk(client, this.projectId, this.sessionId);
  }
}

/** A new session in a directory of its own, followed by a new client. */
export async function startTalk(server: TestServer, cliType = "builtin"): Promise<Talk> {
  const client = await server.connect();
  const path = await server.directory(crypto.randomUUID());
  const { project } = await client.ask("project:added", { type: "project:add", path });
  return anotherTalk(client, project.id, cliType);
}

/** One more session of a project, followed by the same client. */
export async function anotherTalk(client: SocketClient, projectId: ProjectId, cliType = "builtin"): Promise<Talk> {
  const { sessionId } = await client.ask("session:created", { type: "session:create", projectId, cliType });
  await client.ask("session:history", { type: "session:open", sessionId });
  return new Talk(client, projectId, sessionId);
}

/** A session that is already there, opened whole by this client. */
export async function reopen(client: SocketClient, talk: Talk): Promise<Talk> {
  return talk.joinedBy(client);
}
