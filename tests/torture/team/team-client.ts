import { Connection } from "../../../src/client/connection.ts";
import type { ClientRequest } from "../../../src/client/pending-requests.ts";
import { SessionFeed } from "../../../src/client/session-feed.ts";
import { RefusalError } from "../../../src/protocol/errors.ts";
import { FACT_TYPES } from "../../../src/protocol/facts.ts";
import type { SessionId } from "../../../src/protocol/ids.ts";
import type { ServerMessage } from "../../../src/protocol/server-messages.ts";
import { EMPTY_SESSION, type SessionState } from "../../../src/protocol/session-schema.ts";
import type { SeededRandom } from "../../support/seeded-random.ts";
import { FaultyWire } from "../scene/faulty-wire.ts";
import type { UserReader } from "../scene/user.ts";
import type { History } from "./history.ts";

const FACTS: ReadonlySet<string> = new Set(FACT_TYPES);
/** Nobody listens there. */
const NO_PORT = 1;

interface TeamClientOptions {
  readonly name: string;
  readonly history: History;
  readonly token: string;
  /** Of the servers that run. */
  readonly ports: () => readonly number[];
  readonly random: SeededRandom;
  readonly onChange?: (sessionId: SessionId, state: SessionState) => void;
}

/**
 * The product's own client before a team. Each of its connections leads to a server that chance chooses, as a load
 * balancer would. It writes down what it asked, what it was answered and what it read.
 */
export class TeamClient implements UserReader {
  readonly name: string;
  readonly #options: TeamClientOptions;
  readonly #wire: FaultyWire;
  readonly #connection: Connection;
  readonly #feeds = new Map<SessionId, SessionFeed>();
  /** What it said that it has, by the request that opens a session. */
  readonly #after = new Map<string, number>();
  /** The last fact of the connection, by session. */
  readonly #cursors = new Map<string, number>();
  readonly refusals: string[] = [];
  readonly connection = { request: (request: ClientRequest) => this.#request(request) };

  private constructor(wire: FaultyWire, options: TeamClientOptions) {
    this.name = options.name;
    this.#options = options;
    this.#wire = wire;
    const { random, token } = options;
    this.#connection = new Connection({
      url: `ws://127.0.0.1:${wire.port}/ws`,
      world: {
        openSocket: (url) => {
          // What comes before a session is opened again has gaps before it: the client drops it.
          this.#cursors.clear();
          return this.#noting(new WebSocket(`${url}?token=${token}`));
        },
        now: Date.now,
        after: (ms, call) => {
          const timer = setTimeout(call, ms);
          return () => clearTimeout(timer);
        },
        random: () => random.fraction(),
        newId: () => crypto.randomUUID(),
        probe: async () => (await fetch(`http://127.0.0.1:${wire.port}/healthz`)).ok,
      },
      onMessage: (message) => this.#note(message),
      // A server that stands still keeps its sockets: then another one is tried, as people do.
      onSilence: (isSilent) => {
        if (isSilent) wire.cut();
      },
    });
  }

  static async open(options: TeamClientOptions): Promise<TeamClient> {
    const target = () => {
      const ports = options.ports();
      return ports.length === 0 ? NO_PORT : options.random.pick(ports);
    };
    return new TeamClient(await FaultyWire.open(target), options);
  }

  follow(sessionId: SessionId): void {
    const feed = new SessionFeed({
      connection: this.#connection,
      sessionId,
      onChange: (state) => this.#options.onChange?.(sessionId, state),
      onRefused: ({ message }) => this.refusals.push(`${this.name}: ${sessionId}: ${message}`),
    });
    this.#feeds.set(sessionId, feed);
  }

  state(sessionId: SessionId): SessionState {
    return this.#feeds.get(sessionId)?.state ?? EMPTY_SESSION;
  }

  /** It comes back at once, at whichever server. */
  cut(): void {
    this.#wire.cut();
  }

  close(): void {
    this.#connection.close();
    this.#wire.close();
  }

  async #request(request: ClientRequest): Promise<ServerMessage> {
    if (request.type !== "session:send" || request.commandId === undefined) return this.#connection.request(request);
    const { history } = this.#options;
    const { sessionId, commandId } = request;
    const client = this.name;
    history.note({ type: "asked", client, sessionId, commandId });
    try {
      const answer = await this.#connection.request(request);
      const seq = "seq" in answer && typeof answer.seq === "number" ? answer.seq : null;
      history.note({ type: "answered", client, commandId, answer: "acknowledged", seq });
      return answer;
    } catch (error) {
      if (error instanceof RefusalError)
        history.note({ type: "answered", client, commandId, answer: "refused", seq: null });
      throw error;
    }
  }

  #noting(socket: WebSocket): WebSocket {
    const send = socket.send.bind(socket);
    socket.send = (text) => {
      const { type, requestId, after } = JSON.parse(String(text));
      if (type === "session:open") this.#after.set(requestId, after ?? 0);
      send(text);
    };
    return socket;
  }

  #note(message: ServerMessage): void {
    if (!("seq" in message) || !("sessionId" in message)) return;
    const { history } = this.#options;
    const { sessionId, seq, requestId } = message;
    const client = this.name;
    if (sessionId === undefined || seq === undefined) return;
    if (message.type === "session:history" || message.type === "session:resumed") {
      const from = message.type === "session:history" ? seq : (this.#after.get(requestId ?? "") ?? seq);
      this.#cursors.set(sessionId, from);
      history.note({ type: "opened", client, sessionId, seq, from });
    }
    if (!FACTS.has(message.type)) return;
    const cursor = this.#cursors.get(sessionId);
    // An answer may repeat an old outcome.
    if (cursor === undefined || (requestId !== undefined && seq <= cursor)) return;
    this.#cursors.set(sessionId, seq);
    const { requestId: _, ...fact } = message;
    history.note({ type: "read", client, sessionId, seq, fact: JSON.stringify(fact) });
  }
}
