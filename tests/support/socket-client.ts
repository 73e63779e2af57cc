import type { z } from "zod";
import type { ClientMessage } from "../../src/protocol/client-messages.ts";
import { FactMessage, PlainServerMessage, type ServerMessage } from "../../src/protocol/server-messages.ts";
import type { SessionState } from "../../src/protocol/session-schema.ts";
import { readTerminalFrame, type TerminalOutputFrame } from "../../src/protocol/terminal-frames.ts";
import { FoldedSessions } from "./folded-sessions.ts";
import { DEADLINE_MS } from "./wait-for.ts";

const SEEN_MESSAGES_SHOWN = 25;
const SEEN_MESSAGE_CHARS_MAX = 300;

type WithoutRequestId<Message> = Message extends unknown ? Omit<Message, "requestId"> : never;
/** Any command, with plain strings where the protocol has ids of its own. */
export type Request = WithoutRequestId<z.input<typeof ClientMessage>>;
export type Message<Type extends ServerMessage["type"]> = Extract<ServerMessage, { type: Type }>;

interface ConnectOptions {
  readonly url: string;
  /** What an earlier connection of the same client knew. */
  readonly states?: ReadonlyMap<string, SessionState>;
}

interface Waiter {
  readonly check: () => void;
  readonly fail: (reason: string) => void;
}

/**
 * A raw client that remembers everything, folds what it follows with the one reducer, and notes every breach of the
 * wire's rules: unknown messages, ids nobody asked with, a second answer, a seq that goes back, text after its end.
 */
export class SocketClient implements Disposable {
  readonly received: ServerMessage[] = [];
  /** Output of terminals that were attached with `output: "binary"`. */
  readonly outputs: TerminalOutputFrame[] = [];
  readonly violations: string[] = [];
  readonly sessions: FoldedSessions;
  readonly #socket: WebSocket;
  readonly #waiters = new Set<Waiter>();
  readonly #asked = new Map<string, { readonly message: Request; readonly answers: ServerMessage[] }>();
  /** Unlike any other client's, so that an answer meant for one is noticed at the other. */
  readonly #name = crypto.randomUUID().slice(0, 8);
  #requestCount = 0;
  #closedWith: string | null = null;

  private constructor(socket: WebSocket, states: ConnectOptions["states"]) {
    this.#socket = socket;
    this.sessions = new FoldedSessions(states, (violation) => this.violations.push(violation));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => {
      if (data instanceof ArrayBuffer) this.#receiveOutput(data);
      else this.#receive(String(data));
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.#closedWith = `${code} ${reason}`.trim();
      this.#wake();
    });
  }

  /** Resolves with the greeting. */
  static async connect(options: ConnectOptions): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(options.url), options.states);
    await client.next("hello", () => true, 0);
    return client;
  }

  get isOpen(): boolean {
    return this.#closedWith === null;
  }

  /** Sends a command; its one answer, whatever it is. */
  async request(message: Request): Promise<ServerMessage> {
    const requestId = this.post(message);
    return this.until(`the answer to ${message.type}`, () => this.answersTo(requestId)[0]);
  }

  /** Sends a command and gives the `requestId` it went with; nobody waits for the answer. */
  post(message: Request): string {
    this.#requestCount += 1;
    const requestId = `${this.#name}-${this.#requestCount}`;
    this.#asked.set(requestId, { message, answers: [] });
    this.sendRaw(JSON.stringify({ ...message, requestId }));
    return requestId;
  }

  answersTo(requestId: string): readonly ServerMessage[] {
    return this.#asked.get(requestId)?.answers ?? [];
  }

  /** Sends a command that must be answered by a message of this type. */
  async ask<Type extends ServerMessage["type"]>(type: Type, message: Request): Promise<Message<Type>> {
    const answer = await this.request(message);
    if (!isOf(answer, type)) throw new Error(`${message.type} was answered by ${Bun.inspect(answer)}, not by ${type}`);
    return answer;
  }

  sendRaw(frame: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(frame);
  }

  /** The place to wait from when only what comes later counts. */
  mark(): number {
    return this.received.length;
  }

  /** The first message of this type that matches, received at or after the mark; waits until there is one. */
  next<Type extends ServerMessage["type"]>(
    type: Type,
    matches: (message: Message<Type>) => boolean,
    mark: number,
  ): Promise<Message<Type>> {
    let looked = mark;
    return this.until(`a matching ${type}`, () => {
      for (; looked < this.received.length; looked += 1) {
        const message = this.received[looked];
        if (message && isOf(message, type) && matches(message)) return message;
      }
      return undefined;
    });
  }

  /** Every message of a type so far. */
  all<Type extends ServerMessage["type"]>(type: Type, mark = 0): Message<Type>[] {
    return this.received.slice(mark).filter((message) => isOf(message, type));
  }

  /** Looks again with every message until `find` finds something; a closed socket or the deadline ends the wait. */
  until<Value>(what: string, find: () => Value | null | undefined | false, describe = () => ""): Promise<Value> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        settle();
      };
      const fail = (reason: string) =>
        end(() => reject(new Error(`${reason} while waiting for ${what}. ${describe()}${this.#seen()}`)));
      const check = () => {
        const value = find();
        if (value !== undefined && value !== null && value !== false) end(() => resolve(value));
        else if (this.#closedWith !== null) fail(`The socket was closed (${this.#closedWith})`);
      };
      const waiter: Waiter = { check, fail };
      const timer = setTimeout(() => fail(`Nothing within ${DEADLINE_MS / 1_000} s`), DEADLINE_MS);
      this.#waiters.add(waiter);
      check();
    });
  }

  /** Waits until the followed session's state satisfies a condition. */
  async untilState(
    sessionId: string,
    what: string,
    isReached: (state: SessionState) => boolean,
  ): Promise<SessionState> {
    return this.until(
      what,
      () => {
        const state = this.sessions.state(sessionId);
        return isReached(state) && state;
      },
      () => {
        const { seq, turn, queue, pending } = this.sessions.state(sessionId);
        return `${sessionId} is at ${JSON.stringify({ seq, turn, queue, pending })}. `;
      },
    );
  }

  untilClosed(): Promise<string> {
    if (this.#closedWith !== null) return Promise.resolve(this.#closedWith);
    return new Promise((resolve) => this.#socket.addEventListener("close", () => resolve(this.#closedWith ?? "")));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #receiveOutput(data: ArrayBuffer): void {
    const output = readTerminalFrame(data);
    if (output) this.outputs.push(output);
    else this.violations.push(`no binary frame of the protocol: ${data.byteLength} bytes`);
    this.#wake();
  }

  #receive(text: string): void {
    const message = parse(text);
    if (!message) {
      this.violations.push(`no message of the protocol: ${text.slice(0, SEEN_MESSAGE_CHARS_MAX)}`);
      return;
    }
    this.received.push(message);
    this.#noteAnswer(message);
    const asked = this.#asked.get(message.requestId ?? "")?.message;
    if (asked?.type === "session:close") this.sessions.leave(asked.sessionId);
    const after = asked?.type === "session:open" ? asked.after : undefined;
    this.sessions.fold(message, message.requestId !== undefined, after);
    this.#wake();
  }

  #noteAnswer(message: ServerMessage): void {
    const { requestId } = message;
    if (requestId === undefined) return;
    const asked = this.#asked.get(requestId);
    if (!asked) {
      // Frames that do not validate are answered with whatever id could be read from them.
      if (message.type !== "error") this.violations.push(`${message.type} answers ${requestId}, which was never asked`);
      return;
    }
    asked.answers.push(message);
    const { type } = asked.message;
    const mayFail = type === "session:reconnect" && message.type === "error";
    if (asked.answers.length > 1 && !mayFail) this.violations.push(`${type} was answered twice: ${requestId}`);
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  #seen(): string {
    const last = this.received.slice(-SEEN_MESSAGES_SHOWN);
    const lines = last.map((message) => JSON.stringify(message).slice(0, SEEN_MESSAGE_CHARS_MAX));
    return `The last of ${this.received.length} messages:\n${lines.join("\n")}`;
  }
}

function isOf<Type extends ServerMessage["type"]>(message: ServerMessage, type: Type): message is Message<Type> {
  return message.type === type;
}

function parse(text: string): ServerMessage | null {
  const raw: unknown = JSON.parse(text);
  return FactMessage.safeParse(raw).data ?? PlainServerMessage.safeParse(raw).data ?? null;
}
